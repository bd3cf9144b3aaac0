//===- GNNConstantFolds.cpp - Folds of constants and of single features ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds of ops that a front end writes without thought: products with 1, sums
// of ones, guards that a graph makes needless, dimensions of size 1. As in
// GNNFolds.cpp each number stays bit for bit, but for the sign of a zero that 0
// is added to.
//
//===----------------------------------------------------------------------===//

#include "ConstantFolds.h"

#include "GNN/Dialect/GNN/IR/GNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gnn;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The number that all elements of `value` are, if it is a constant.
static std::optional<APFloat> numberOf(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)) ||
      !isa<FloatType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<APFloat>();
}

static bool isNumber(Value value, double number) {
  std::optional<APFloat> found = numberOf(value);
  return found && found->isExactlyValue(number);
}

static bool isZero(Value value) {
  std::optional<APFloat> found = numberOf(value);
  return found && found->isZero();
}

/// `value` in the shape of `type`, which has as many features a row.
static Value reshaped(PatternRewriter &rewriter, Location loc, Value value,
                      RankedTensorType type) {
  if (value.getType() == type)
    return value;
  return ReshapeOp::create(rewriter, loc, type, value);
}

//===----------------------------------------------------------------------===//
// Operands that change nothing
//===----------------------------------------------------------------------===//

/// x * 1, x / 1, x + 0 and x - 0.
template <typename OpT>
static LogicalResult dropNeutral(OpT op, PatternRewriter &rewriter) {
  constexpr bool isProduct =
      std::is_same_v<OpT, arith::MulFOp> || std::is_same_v<OpT, arith::DivFOp>;
  constexpr bool commutes =
      std::is_same_v<OpT, arith::MulFOp> || std::is_same_v<OpT, arith::AddFOp>;
  auto isNeutral = [](Value value) {
    return isProduct ? isNumber(value, 1) : isZero(value);
  };
  if (!isa<RankedTensorType>(op.getType()))
    return rewriter.notifyMatchFailure(op, "not on tensors");
  if (isNeutral(op.getRhs()))
    rewriter.replaceOp(op, op.getLhs());
  else if (commutes && isNeutral(op.getLhs()))
    rewriter.replaceOp(op, op.getRhs());
  else
    return rewriter.notifyMatchFailure(op, "both operands count");
  return success();
}

/// The same of operands in other rows: what is left is gathered and repeated.
static LogicalResult dropNeutralOfApply(ApplyOp op, PatternRewriter &rewriter) {
  auto isNeutral = [&](Value value) {
    switch (op.getKind()) {
    case BinaryKind::Mul:
    case BinaryKind::Div:
      return isNumber(value, 1);
    case BinaryKind::Add:
    case BinaryKind::Sub:
      return isZero(value);
    case BinaryKind::Copy:
      return false;
    }
    llvm_unreachable("all binary kinds are handled");
  };
  bool commutes =
      op.getKind() == BinaryKind::Mul || op.getKind() == BinaryKind::Add;
  unsigned kept = 0;
  if (!op.getRhs())
    return rewriter.notifyMatchFailure(op, "one operand");
  if (!isNeutral(op.getRhs())) {
    if (!commutes || !isNeutral(op.getLhs()))
      return rewriter.notifyMatchFailure(op, "both operands count");
    kept = 1;
  }
  Value value = op->getOperand(kept);
  auto type = cast<RankedTensorType>(op.getType());
  value = rewriter.createOrFold<GatherOp>(
      op.getLoc(), withFeatures(type, getFeatures(typeOf(value))), value,
      kept == 0 ? op.getLhsVia() : op.getRhsVia());
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, type, value);
  return success();
}

//===----------------------------------------------------------------------===//
// Degrees
//===----------------------------------------------------------------------===//

/// A sum of ones counts.
static LogicalResult countOnes(AggregateOp op, PatternRewriter &rewriter) {
  if (op.getKind() != ReduceKind::Sum || !isNumber(op.getInput(), 1))
    return rewriter.notifyMatchFailure(op, "not a sum of ones");
  auto type = op.getResult().getType();
  auto degree = DegreeOp::create(
      rewriter, op.getLoc(), withFeatures(type, {}),
      RowSpaceAttr::get(op.getContext(), *getRowSpace(op.getInput().getType())),
      op.getViaAttr());
  rewriter.replaceOp(
      op, BroadcastOp::create(rewriter, op.getLoc(), type, degree.getResult()));
  return success();
}

/// Whether nothing that is counted is 0: pairs have an edge each, and nodes a
/// self loop where the graph says so.
static bool isPositive(DegreeOp op) {
  RowPath path = op.getRowPaths().front();
  if (path.isOnto())
    return true;
  auto graph = SymbolTable::lookupNearestSymbolFrom<GraphOp>(
      op, getRows(op.getType()).getGraph());
  return graph && graph.getSelfLoops() && path.from == RowSpace::Edge &&
         path.to == RowSpace::Node;
}

/// The degree that `value` is, repeated or in another shape or not.
static DegreeOp degreeOf(Value value) {
  while (isa_and_nonnull<BroadcastOp, ReshapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value.getDefiningOp<DegreeOp>();
}

/// A choice by whether a degree is 0, or the root of its inverse infinite,
/// where no degree is.
static LogicalResult dropGuard(arith::SelectOp op, PatternRewriter &rewriter) {
  auto compare = op.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare || !isa<RankedTensorType>(compare.getType()))
    return rewriter.notifyMatchFailure(op, "not by a comparison");
  Value tested = compare.getLhs();
  std::optional<APFloat> number = numberOf(compare.getRhs());
  if (!number) {
    tested = compare.getRhs();
    number = numberOf(compare.getLhs());
  }
  if (!number)
    return rewriter.notifyMatchFailure(op, "not with a constant");
  bool isInverse = number->isInfinity() && !number->isNegative();
  if (auto root = tested.getDefiningOp<math::RsqrtOp>();
      root && isInverse) // of a degree, which is no more than it
    tested = root.getOperand();
  else if (!number->isZero())
    return rewriter.notifyMatchFailure(op, "not with 0 or infinity");
  DegreeOp degree = degreeOf(tested);
  if (!degree || !isPositive(degree))
    return rewriter.notifyMatchFailure(op, "no degree, or one that may be 0");
  switch (compare.getPredicate()) {
  case arith::CmpFPredicate::OEQ:
  case arith::CmpFPredicate::UEQ:
    rewriter.replaceOp(op, op.getFalseValue());
    return success();
  case arith::CmpFPredicate::ONE:
  case arith::CmpFPredicate::UNE:
    rewriter.replaceOp(op, op.getTrueValue());
    return success();
  default:
    return rewriter.notifyMatchFailure(op, "not whether they are equal");
  }
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static bool isElementwise(Operation *op) {
  return op->getNumResults() == 1 && op->hasTrait<OpTrait::Elementwise>() &&
         isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         llvm::all_of(op->getOperandTypes(), [](Type type) {
           auto tensor = dyn_cast<RankedTensorType>(type);
           return tensor && isa<FloatType>(tensor.getElementType());
         });
}

/// Whether `from` without its dimensions of size 1 is `to` without its.
static bool differInOnes(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  auto others = [](ArrayRef<int64_t> shape) {
    return SmallVector<int64_t>(
        llvm::make_filter_range(shape, [](int64_t size) { return size != 1; }));
  };
  return others(from) == others(to);
}

/// Whether `op` repeats rows of types, which are weights.
static bool isGatherOfTypes(Operation *op) {
  auto gather = dyn_cast<GatherOp>(op);
  return gather && typeOf(gather.getInput()).hasStaticShape();
}

/// Dimensions of size 1 are dropped from operands instead of from the result,
/// where an operand is a constant, or a weight has them from a reshape: then
/// the ops before and behind are on the same features.
static LogicalResult dropOnesBefore(ReshapeOp op, PatternRewriter &rewriter) {
  auto target = cast<RankedTensorType>(op.getType());
  auto input = typeOf(op.getInput());
  Operation *inner = op.getInput().getDefiningOp();
  if (!inner || !inner->hasOneUse() || !getRows(target) ||
      !(isElementwise(inner) || isGatherOfTypes(inner)) ||
      getFeatures(target).size() >= getFeatures(input).size() ||
      !differInOnes(getFeatures(input), getFeatures(target)))
    return rewriter.notifyMatchFailure(op, "no dimension to drop before");
  unsigned others = llvm::count_if(inner->getOperands(), [](Value operand) {
    return !numberOf(operand) && !operand.getDefiningOp<ReshapeOp>();
  });
  bool hasConstant = llvm::any_of(inner->getOperands(), [](Value operand) {
    return numberOf(operand).has_value();
  });
  if (isElementwise(inner) ? !hasConstant || others > 1 : others > 0)
    return rewriter.notifyMatchFailure(op, "operands have the dimension");
  SmallVector<Value> operands;
  for (Value operand : inner->getOperands()) {
    RankedTensorType type = withFeatures(typeOf(operand), getFeatures(target));
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>();
        broadcast && numberOf(operand)) {
      while (auto before = broadcast.getInput().getDefiningOp<BroadcastOp>())
        broadcast = before;
      if (broadcast.getInput().getType().getRank() == 0) {
        operands.push_back(BroadcastOp::create(rewriter, op.getLoc(), type,
                                               broadcast.getInput()));
        continue;
      }
    }
    operands.push_back(reshaped(rewriter, op.getLoc(), operand, type));
  }
  OperationState state(inner->getLoc(), inner->getName(), operands, {target},
                       inner->getAttrs());
  rewriter.replaceOp(op, rewriter.create(state));
  return success();
}

/// A row joined with itself and split into heads is repeated for each head.
static LogicalResult repeatByHeads(ReshapeOp op, PatternRewriter &rewriter) {
  auto concat = op.getInput().getDefiningOp<ConcatOp>();
  if (!concat || !llvm::all_equal(concat.getInputs()))
    return rewriter.notifyMatchFailure(op, "not one value several times");
  Value row = concat.getInputs().front();
  auto target = cast<RankedTensorType>(op.getType());
  auto times = static_cast<int64_t>(concat.getInputs().size());
  ArrayRef<int64_t> own = getFeatures(typeOf(row));
  if (own.size() != 1 || getFeatures(target) != ArrayRef({times, own[0]}))
    return rewriter.notifyMatchFailure(op, "heads are other parts");
  auto scalar = RankedTensorType::get({}, target.getElementType());
  Value one = arith::ConstantOp::create(
      rewriter, op.getLoc(),
      DenseElementsAttr::get(
          scalar, rewriter.getFloatAttr(target.getElementType(), 1)));
  Value ones = BroadcastOp::create(rewriter, op.getLoc(),
                                   withFeatures(target, {times}), one);
  rewriter.replaceOpWithNewOp<OuterRowsOp>(op, target, ones, row);
  return success();
}

/// All parts of a value in their order, joined, are that value.
static LogicalResult joinSlices(ConcatOp op, PatternRewriter &rewriter) {
  Value whole;
  int64_t end = 0;
  for (Value input : op.getInputs()) {
    auto slice = input.getDefiningOp<SliceOp>();
    if (!slice || (whole && slice.getInput() != whole) ||
        static_cast<int64_t>(slice.getOffset()) != end)
      return rewriter.notifyMatchFailure(op, "not parts side by side");
    whole = slice.getInput();
    end += getFeatures(typeOf(input)).back();
  }
  if (whole.getType() != op.getType())
    return rewriter.notifyMatchFailure(op, "not all parts");
  rewriter.replaceOp(op, whole);
  return success();
}

void gnn::detail::addConstantFolds(RewritePatternSet &patterns) {
  patterns.add(dropNeutral<arith::AddFOp>);
  patterns.add(dropNeutral<arith::SubFOp>);
  patterns.add(dropNeutral<arith::MulFOp>);
  patterns.add(dropNeutral<arith::DivFOp>);
  patterns.add(dropNeutralOfApply);
  patterns.add(countOnes);
  patterns.add(dropGuard);
  patterns.add(dropOnesBefore);
  patterns.add(repeatByHeads);
  patterns.add(joinSlices);
}
