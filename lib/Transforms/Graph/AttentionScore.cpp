//===- AttentionScore.cpp - The scores of a softmax -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slice is planned from the softmax backwards: an op belongs to it when all
// its readers do, so that it is computed nowhere else, and when it is an op on
// one row. Its readers say with which features it is read: a reshape changes
// those of all that comes before it, and is none in the body.
//
//===----------------------------------------------------------------------===//

#include "AttentionScore.h"

#include "GNN/Dialect/GNN/IR/Features.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

EdgeRead gnn::readHere(Value value) {
  EdgeRead read;
  read.value = value;
  read.features.assign(getFeatures(tensorOf(value)).begin(),
                       getFeatures(tensorOf(value)).end());
  return read;
}

EdgeRead gnn::readOperand(Operation *op, unsigned operand) {
  EdgeRead read = readHere(op->getOperand(operand));
  if (auto path = getOperandPath(op->getOpOperand(operand)))
    read.path = *path;
  return read;
}

EdgeRead gnn::readAtSource(EdgeRead read) {
  while (Operation *op = read.value.getDefiningOp()) {
    if (isa<ReshapeOp>(op) && isa_and_nonnull<GatherOp, ReshapeOp>(
                                  op->getOperand(0).getDefiningOp())) {
      read.value = op->getOperand(0);
      continue;
    }
    auto gather = dyn_cast<GatherOp>(op);
    if (!gather)
      break;
    std::optional<RowPath> path =
        compose(read.path, gather.getRowPaths().front());
    if (!path)
      break;
    read.value = gather.getInput();
    read.path = *path;
  }
  return read;
}

Value gnn::reshaped(OpBuilder &builder, Location loc, Value value,
                    ArrayRef<int64_t> features) {
  RankedTensorType type = tensorOf(value);
  if (getFeatures(type) == features)
    return value;
  Type result =
      getRows(type) ? withFeatures(type, features) : type.clone(features);
  return ReshapeOp::create(builder, loc, result, value);
}

bool gnn::isProduct(Operation *op) {
  if (auto apply = dyn_cast_if_present<ApplyOp>(op))
    return apply.getKind() == BinaryKind::Mul;
  return isa_and_nonnull<arith::MulFOp>(op);
}

std::optional<Features> gnn::beginningOf(ArrayRef<int64_t> all,
                                         ArrayRef<int64_t> own) {
  if (begins(all, own))
    return Features(own);
  int64_t size = ShapedType::getNumElements(own);
  for (size_t n = 0; n <= all.size(); ++n)
    if (ShapedType::getNumElements(all.take_front(n)) == size)
      return Features(all.take_front(n));
  return std::nullopt;
}

/// The constant that all elements of `value` are, if they are one.
static TypedAttr constantOf(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return {};
  return splat.getSplatValue<TypedAttr>();
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() &&
         isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
}

/// The operands of `op`, an op on one edge, as the body reads them where it has
/// these features; none where it is no such op. An operand with fewer features
/// is repeated.
static std::optional<SmallVector<EdgeRead>>
operandsOf(Operation *op, ArrayRef<int64_t> features) {
  ArrayRef<int64_t> own = getFeatures(tensorOf(op->getResult(0)));
  Features summed(features);
  bool sums = isa<SddmmOp, DotOp>(op);
  if (auto reduce = dyn_cast<ReduceFeaturesOp>(op))
    sums = reduce.getKind() == ReduceKind::Sum;
  bool repeats = isa<ApplyOp, BroadcastOp>(op);
  if (!sums && !repeats && !isElementwise(op) &&
      !isa<ActivationOp, ReshapeOp>(op))
    return std::nullopt;
  if (isa<ActivationOp>(op) && op->getNumOperands() > 1 && features.empty())
    return std::nullopt; // a weight of prelu has a dimension
  if (sums)
    summed.push_back(getFeatures(tensorOf(op->getOperand(0))).back());
  SmallVector<EdgeRead> operands;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    EdgeRead read = readOperand(op, i);
    ArrayRef<int64_t> given = read.features;
    bool isWeight = !getRows(read.value.getType());
    bool isScalar = isWeight && ShapedType::getNumElements(given) == 1;
    if (isScalar && (repeats || isa<ActivationOp>(op))) {
      read.features.clear();
    } else if (isWeight && !sums && given != own && !constantOf(read.value)) {
      return std::nullopt; // repeated along leading dimensions
    } else if (repeats && given != own) {
      std::optional<Features> leading = beginningOf(features, given);
      if (!leading)
        return std::nullopt;
      read.features = *leading;
    } else {
      read.features = summed;
    }
    operands.push_back(std::move(read));
  }
  return operands;
}

bool ScoreSlice::fits(ArrayRef<int64_t> shape) {
  tooManyDimensions |= shape.size() > 2;
  return shape.size() <= 2 && meet(longest, shape);
}

void ScoreSlice::want(const EdgeRead &read) {
  if (read.features.size() > longest.size())
    longest = read.features;
  auto [it, isNew] = wanted.try_emplace(read.value, read.features);
  if (!isNew && it->second != read.features)
    it->second = std::nullopt;
}

/// Whether a value has no buffer: whoever reads it computes it again.
static bool isCondition(Value value) {
  return getElementTypeOrSelf(value.getType()).isInteger(1);
}

void ScoreSlice::take(Operation *op) {
  if (op->getNumResults() != 1 ||
      getRowSpace(op->getResult(0).getType()) != RowSpace::Edge)
    return;
  auto it = wanted.find(op->getResult(0));
  if (it == wanted.end() || !it->second)
    return;
  auto isTaken = [&](Operation *reader) { return taken.contains(reader); };
  if (!isCondition(op->getResult(0)) && !llvm::all_of(op->getUsers(), isTaken))
    return;
  Features features = *it->second;
  std::optional<SmallVector<EdgeRead>> operands = operandsOf(op, features);
  if (!operands || llvm::any_of(*operands, [&](const EdgeRead &read) {
        return !fits(read.features);
      }))
    return;
  taken.insert(op);
  for (const EdgeRead &read : *operands)
    if (!constantOf(read.value))
      want(read);
  ops.push_back({op, features, std::move(*operands)});
}

void ScoreSlice::addInput(const EdgeRead &read) {
  Operation *op = read.value.getDefiningOp();
  if (constantOf(read.value) || (op && taken.contains(op)))
    return;
  EdgeRead source = readAtSource(read);
  if (!llvm::is_contained(inputs, source))
    inputs.push_back(source);
}

void ScoreSlice::plan(EdgeSoftmaxOp softmax) {
  want(score);
  taken.insert(softmax);
  for (Operation *op = softmax->getPrevNode(); op; op = op->getPrevNode())
    take(op);
  for (const SlicedOp &sliced : llvm::reverse(ops))
    for (const EdgeRead &read : sliced.operands)
      addInput(read);
}

ScoreSlice::ScoreSlice(EdgeSoftmaxOp softmax, ArrayRef<int64_t> scores)
    : score(readHere(softmax.getInput())), longest(scores) {
  score.features.assign(scores.begin(), scores.end());
  plan(softmax);
  // A condition that is no op of the slice has no rows to be read, and a body
  // without inputs no edges.
  if (!inputs.empty() && llvm::none_of(inputs, [](const EdgeRead &read) {
        return isCondition(read.value);
      }))
    return;
  ops.clear();
  inputs.clear();
  taken.clear();
  addInput(score);
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

static Value createConstant(OpBuilder &builder, Location loc, TypedAttr value,
                            ArrayRef<int64_t> features) {
  auto type = RankedTensorType::get(features, value.getType());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, Attribute(value)));
}

/// The op on one row that is `kind` of two rows.
static Value createBinary(OpBuilder &builder, Location loc, BinaryKind kind,
                          ValueRange operands) {
  switch (kind) {
  case BinaryKind::Add:
    return arith::AddFOp::create(builder, loc, operands);
  case BinaryKind::Sub:
    return arith::SubFOp::create(builder, loc, operands);
  case BinaryKind::Mul:
    return arith::MulFOp::create(builder, loc, operands);
  case BinaryKind::Div:
    return arith::DivFOp::create(builder, loc, operands);
  case BinaryKind::Copy:
    return operands.front();
  }
  llvm_unreachable("all kinds are handled");
}

/// The op on one row that `op` is for each edge.
static Value createOnOneRow(OpBuilder &builder, Operation *op,
                            SmallVector<Value> operands,
                            ArrayRef<int64_t> features) {
  Location loc = op->getLoc();
  Type element = tensorOf(op->getResult(0)).getElementType();
  auto type = RankedTensorType::get(features, element);
  if (isa<ReshapeOp, BroadcastOp>(op))
    return operands[0];
  if (auto apply = dyn_cast<ApplyOp>(op))
    return createBinary(builder, loc, apply.getKind(), operands);
  if (auto activation = dyn_cast<ActivationOp>(op))
    return RowActivationOp::create(
        builder, loc, type, activation.getKindAttr(), operands[0],
        operands.size() > 1 ? operands[1] : Value(), activation.getAlphaAttr());
  if (isa<SddmmOp, DotOp>(op))
    return RowDotOp::create(builder, loc, type, operands[0], operands[1]);
  if (isa<ReduceFeaturesOp>(op)) {
    if (auto product = operands[0].getDefiningOp<arith::MulFOp>())
      return RowDotOp::create(builder, loc, type, product.getLhs(),
                              product.getRhs());
    Value ones =
        createConstant(builder, loc, builder.getFloatAttr(element, 1.0),
                       tensorOf(operands[0]).getShape());
    return RowDotOp::create(builder, loc, type, operands[0], ones);
  }
  // Scores are divided by constants: products cost a tenth.
  if (FloatAttr divisor; isa<arith::DivFOp>(op) &&
                         (divisor = dyn_cast_if_present<FloatAttr>(
                              constantOf(op->getOperand(1)))) &&
                         !divisor.getValue().isZero()) {
    auto inverse =
        builder.getFloatAttr(element, 1 / divisor.getValueAsDouble());
    return arith::MulFOp::create(
        builder, loc, operands[0],
        createConstant(builder, loc, inverse, features));
  }
  OperationState state(loc, op->getName(), operands, {type}, op->getAttrs());
  return builder.create(state)->getResult(0);
}

Value ScoreSlice::emit(OpBuilder &builder, Location loc,
                       ValueRange arguments) const {
  IRMapping values;
  auto get = [&](const EdgeRead &read) -> Value {
    if (Value made = values.lookupOrNull(read.value))
      return made;
    if (TypedAttr constant = constantOf(read.value))
      return createConstant(builder, loc, constant, read.features);
    const EdgeRead *input = llvm::find(inputs, readAtSource(read));
    return arguments[input - inputs.begin()];
  };
  for (const SlicedOp &sliced : llvm::reverse(ops)) {
    SmallVector<Value> operands;
    for (const EdgeRead &read : sliced.operands) {
      Value operand = get(read);
      bool repeats = isa<ApplyOp, BroadcastOp, ActivationOp>(sliced.op);
      if (repeats && read.features != sliced.features)
        operand = RowBroadcastOp::create(
            builder, sliced.op->getLoc(),
            tensorOf(operand).clone(sliced.features), operand);
      operands.push_back(operand);
    }
    values.map(sliced.op->getResult(0),
               createOnOneRow(builder, sliced.op, operands, sliced.features));
  }
  return get(score);
}
