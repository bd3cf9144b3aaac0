//===- OnlineSoftmax.cpp - Softmax and what it weighs in one walk ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begins at each maximum over elements whose differences to the scores are
// raised to powers: follows these to the sums in which they are factors.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_ONLINESOFTMAX
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

/// Whether `op` reduces by `kind` over elements and no other dimension.
static bool reducesOnlyElements(ReduceOp op, Reduction kind) {
  return op.getKind() == kind &&
         op.getDims() == ArrayRef<int32_t>{static_cast<int32_t>(Dim::Element)};
}

/// Whether `op` is the highest score, to which there are differences.
static bool isOfSoftmax(ReduceOp op) {
  return reducesOnlyElements(op, Reduction::Max) &&
         getLevel(op.getValue()).element &&
         llvm::any_of(op->getUsers(), [&](Operation *user) {
           auto difference = dyn_cast<arith::SubFOp>(user);
           return difference && difference.getLhs() == op.getValue();
         });
}

namespace {
/// The softmax of one score.
class Softmax {
public:
  explicit Softmax(ReduceOp highest) : highest(highest) {}

  /// Why there is none that one walk finds; empty if there is.
  std::string match();
  /// Makes it one op, at the end of the body.
  void rewrite(OpBuilder &builder);

private:
  bool takeDifference(Operation *user);
  bool takeFactors(Value product);
  Value makeWeighed(OpBuilder &builder, Value product);
  Value scale(OpBuilder &builder, Value product, Value sum);
  /// The factors of a product: the one with the power, and the other one.
  std::pair<Value, Value> getFactors(Value product);
  bool isPower(Value product) {
    return isa<math::ExpOp>(product.getDefiningOp());
  }

  ReduceOp highest;
  llvm::SetVector<Value> products; ///< with a power as a factor, and powers
  llvm::SetVector<Operation *> sums;
};
} // namespace

/// Follows the power of a difference; false if something else becomes of it.
bool Softmax::takeDifference(Operation *user) {
  auto difference = dyn_cast<arith::SubFOp>(user);
  return difference && difference.getLhs() == highest.getValue() &&
         difference.getRhs() == highest.getResult() &&
         llvm::all_of(difference->getUsers(), [&](Operation *power) {
           return isa<math::ExpOp>(power) && takeFactors(power->getResult(0));
         });
}

/// Follows a product to the sums over elements; false if two of its factors are
/// powers, or something else reads it.
bool Softmax::takeFactors(Value product) {
  return products.insert(product) &&
         llvm::all_of(product.getUses(), [&](OpOperand &use) {
           Operation *user = use.getOwner();
           auto sum = dyn_cast<ReduceOp>(user);
           if (sum && reducesOnlyElements(sum, Reduction::Sum)) {
             sums.insert(user);
             return true;
           }
           bool isFactor =
               isa<arith::MulFOp>(user) ||
               (isa<arith::DivFOp>(user) && !use.getOperandNumber());
           return isFactor && takeFactors(user->getResult(0));
         });
}

std::pair<Value, Value> Softmax::getFactors(Value product) {
  OperandRange operands = product.getDefiningOp()->getOperands();
  bool isFirst = products.contains(operands[0]);
  return {operands[isFirst ? 0 : 1], operands[isFirst ? 1 : 0]};
}

std::string Softmax::match() {
  for (Operation *user : highest->getUsers())
    if (!takeDifference(user) &&
        llvm::any_of(user->getResults(),
                     [](Value result) { return getLevel(result).element; }))
      return "an element needs the highest score for more than powers that are "
             "factors of sums";
  if (sums.empty())
    return "no sum of powers follows its maximum";
  // The weights of elements must be there before the sums are.
  llvm::SetVector<Operation *> needed;
  for (Value product : products) {
    if (isPower(product))
      continue;
    Value other = getFactors(product).second;
    if (Operation *op = other.getDefiningOp(); op && getLevel(other).element)
      needed.insert(op);
  }
  for (unsigned i = 0; i < needed.size(); ++i)
    for (Value operand : needed[i]->getOperands())
      if (Operation *op = operand.getDefiningOp())
        needed.insert(op);
  if (needed.contains(highest) ||
      llvm::any_of(sums, [&](Operation *sum) { return needed.contains(sum); }))
    return "an element is weighed by what follows from its softmax";
  return "";
}

/// The factors of a product that vary by element, without the power; null where
/// there is none.
Value Softmax::makeWeighed(OpBuilder &builder, Value product) {
  if (isPower(product))
    return Value();
  auto [rest, other] = getFactors(product);
  Value weighed = makeWeighed(builder, rest);
  if (!getLevel(other).element)
    return weighed;
  Operation *op = product.getDefiningOp();
  if (!weighed && isa<arith::MulFOp>(op))
    return other;
  if (!weighed)
    weighed = arith::ConstantOp::create(
        builder, op->getLoc(), builder.getFloatAttr(other.getType(), 1));
  Operation *copy = builder.clone(*op);
  copy->setOperands({weighed, other});
  return copy->getResult(0);
}

/// A sum with the factors of a product that are the same for all elements.
Value Softmax::scale(OpBuilder &builder, Value product, Value sum) {
  if (isPower(product))
    return sum;
  auto [rest, other] = getFactors(product);
  sum = scale(builder, rest, sum);
  if (getLevel(other).element)
    return sum;
  Operation *copy = builder.clone(*product.getDefiningOp());
  copy->setOperands({sum, other});
  return copy->getResult(0);
}

/// `value`, or 0 of a group without elements.
static Value unlessEmpty(OpBuilder &builder, Value value) {
  Location loc = value.getLoc();
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(value.getType()));
  Value size = SizeOp::create(builder, loc, value.getType());
  Value any = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                    size, zero);
  return arith::SelectOp::create(builder, loc, any, value, zero);
}

void Softmax::rewrite(OpBuilder &builder) {
  Location loc = highest.getLoc();
  SmallVector<Value> operands{highest.getValue()};
  SmallVector<Operation *> inOrder(sums.begin(), sums.end());
  llvm::sort(inOrder,
             [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  for (Operation *sum : inOrder) {
    Value weighed = makeWeighed(builder, sum->getOperand(0));
    operands.push_back(
        weighed ? weighed
                : arith::ConstantOp::create(
                      builder, loc,
                      builder.getFloatAttr(sum->getResult(0).getType(), 1)));
  }
  auto softmax = SoftmaxSumOp::create(builder, loc, operands);
  Value top = softmax.getHighest();
  // An infinite score that is highest has no power: NaN.
  Value nothing = arith::SubFOp::create(builder, loc, top, top);
  for (auto [sum, made] : llvm::zip_equal(inOrder, softmax.getSums())) {
    Value whole = arith::AddFOp::create(builder, loc, made, nothing);
    Value scaled = scale(builder, sum->getOperand(0), whole);
    if (scaled != whole) // nothing is scaled where there are no elements
      scaled = unlessEmpty(builder, scaled);
    sum->getResult(0).replaceAllUsesWith(scaled);
  }
  highest.getResult().replaceAllUsesWith(top);
}

namespace {
struct OnlineSoftmax : gnn::impl::OnlineSoftmaxBase<OnlineSoftmax> {
  using OnlineSoftmaxBase::OnlineSoftmaxBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (setting >= -1 && setting <= 1)
      return success();
    return emitError(UnknownLoc::get(context))
           << getArgument() << ": expected 'setting' -1, 0 or 1, got "
           << setting.getValue();
  }

  void runOnOperation() override {
    SmallVector<TraverseOp> ops;
    getOperation()->walk([&](TraverseOp op) {
      if (op.getElements())
        ops.push_back(op);
    });
    for (TraverseOp op : ops)
      visit(op);
  }

private:
  std::string explainTwoWalks(TraverseOp op);
  void visit(TraverseOp op);
};
} // namespace

/// Why elements are to be walked twice; empty if they are not.
std::string OnlineSoftmax::explainTwoWalks(TraverseOp op) {
  if (setting == 0)
    return "it is turned off";
  if (op.getTileSchedule())
    return "it has a schedule";
  if (setting < 0 && !shareLanesRows(op))
    return "what a lane reads twice of a row of its own takes less than to "
           "rescale sums";
  return "";
}

/// All softmaxes of a body at once: each alone may leave the others' walks.
void OnlineSoftmax::visit(TraverseOp op) {
  SmallVector<ReduceOp> maxima;
  for (auto reduce : op.getBody().front().getOps<ReduceOp>())
    if (isOfSoftmax(reduce))
      maxima.push_back(reduce);
  if (maxima.empty())
    return;
  SmallVector<std::string> whys(maxima.size(), explainTwoWalks(op));
  OpBuilder builder(op);
  IRMapping mapping;
  auto made = cast<TraverseOp>(builder.clone(*op, mapping));
  Block &body = made.getBody().front();
  for (auto [highest, why] : llvm::zip_equal(maxima, whys)) {
    if (!why.empty())
      continue;
    Softmax softmax(
        mapping.lookup(highest.getResult()).getDefiningOp<ReduceOp>());
    why = softmax.match();
    if (!why.empty())
      continue;
    builder.setInsertionPoint(body.getTerminator());
    softmax.rewrite(builder);
  }
  IRRewriter rewriter(op.getContext());
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&inner))
      rewriter.eraseOp(&inner);
  sortTopologically(&body);
  bool isLess = countWalks(made) < countWalks(op);
  for (auto [highest, why] : llvm::zip_equal(maxima, whys)) {
    if (why.empty() && !isLess)
      why = "its elements are walked as often for something else";
    if (!why.empty())
      refused(getArgument(), highest.getLoc()) << why;
    else
      passed(getArgument(), highest.getLoc(), "Joined")
          << ("maximum and weighted sums in one walk: " +
              Twine(countWalks(made)) + " instead of " + Twine(countWalks(op)))
                 .str();
  }
  if (isLess)
    op->replaceAllUsesWith(made);
  (isLess ? op : made).erase();
}
