//===- Finiteness.cpp - Whether values and derivatives are finite ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Finiteness.h"

#include "GNN/Dialect/GNN/IR/GNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;

/// Whether `test` holds for all elements of a constant.
static bool matchConstant(Value value,
                          function_ref<bool(const APFloat &)> test) {
  DenseElementsAttr dense;
  if (matchPattern(value, m_Constant(&dense)))
    return isa<FloatType>(dense.getElementType()) &&
           (dense.isSplat() ? test(dense.getSplatValue<APFloat>())
                            : llvm::all_of(dense.getValues<APFloat>(), test));
  APFloat number(0.0);
  return matchPattern(value, m_ConstantFloat(&number)) && test(number);
}

/// Whether the result has elements of the first operand alone.
static bool isView(Operation *op) {
  return isa<GatherOp, BroadcastOp, ReshapeOp, SliceOp, RestrictRowsOp,
             PrefixRowsOp, RebindRowsOp>(op);
}

static Value skipViews(Value value) {
  for (Operation *op; (op = value.getDefiningOp()) && isView(op);)
    value = op->getOperand(0);
  return value;
}

/// The quotient that an op is, in whichever dialect.
static bool isDivision(Operation *op) {
  auto apply = dyn_cast<ApplyOp>(op);
  return isa<arith::DivFOp>(op) ||
         (apply && apply.getKind() == BinaryKind::Div);
}

static bool isProduct(Operation *op) {
  auto apply = dyn_cast<ApplyOp>(op);
  return isa<arith::MulFOp>(op) ||
         (apply && apply.getKind() == BinaryKind::Mul);
}

static bool isSum(Operation *op) {
  auto apply = dyn_cast<ApplyOp>(op);
  return isa<arith::AddFOp>(op) ||
         (apply && apply.getKind() == BinaryKind::Add);
}

bool Finiteness::isPositive(Operation *op) const {
  auto is = [&](unsigned i) { return isPositive(op->getOperand(i)); };
  if (auto activation = dyn_cast<ActivationOp>(op))
    return activation.getKind() == ActivationKind::Exp ||
           activation.getKind() == ActivationKind::Sigmoid;
  if (isa<math::ExpOp, math::Exp2Op>(op))
    return true;
  if (isa<math::SqrtOp, math::RsqrtOp>(op))
    return is(0);
  if (isa<arith::SelectOp>(op))
    return is(1) && is(2);
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return is(0) || is(1);
  if (isProduct(op) || isDivision(op) ||
      isa<arith::MinimumFOp, arith::MinNumFOp>(op))
    return is(0) && is(1);
  return isSum(op) && (is(0) || is(1)) && isNonNegative(op);
}

bool Finiteness::isNonNegative(Operation *op) const {
  auto is = [&](unsigned i) { return get(op->getOperand(i)).isNonNegative; };
  if (isa<math::AbsFOp, math::SqrtOp, DegreeOp>(op))
    return true;
  if (auto activation = dyn_cast<ActivationOp>(op))
    return activation.getKind() == ActivationKind::Relu;
  if (isa<AggregateOp, ReduceFeaturesOp>(op))
    return is(0);
  if (isa<arith::SelectOp>(op))
    return is(1) && is(2);
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return is(0) || is(1);
  if (isProduct(op) && op->getOperand(0) == op->getOperand(1))
    return true;
  return (isProduct(op) || isSum(op) || isDivision(op)) && is(0) && is(1);
}

/// `select(x == inf, c, x)`: c stands for what is not finite.
static bool replacesInfinity(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OEQ ||
      compare.getLhs() != select.getFalseValue())
    return false;
  return matchConstant(skipViews(compare.getRhs()), [](const APFloat &number) {
    return number.isInfinity();
  });
}

bool Finiteness::isFinite(Operation *op) const {
  auto select = dyn_cast<arith::SelectOp>(op);
  if (select && replacesInfinity(select))
    return isFinite(select.getTrueValue());
  if (isa<math::SqrtOp>(op)) {
    Facts root = get(op->getOperand(0));
    return root.isFinite && root.isNonNegative;
  }
  return hasFiniteDerivatives(op);
}

Finiteness::Facts Finiteness::compute(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<FloatType>(getElementTypeOrSelf(value.getType())))
    return {};
  if (isView(op))
    return get(op->getOperand(0));
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    auto are = [&](auto test) { return matchConstant(value, test); };
    return {
        are([](const APFloat &x) { return x.isFinite(); }),
        are([](const APFloat &x) { return x > APFloat(x.getSemantics()); }),
        are([](const APFloat &x) { return x >= APFloat(x.getSemantics()); })};
  }
  return {isFinite(op), isPositive(op), isPositive(op) || isNonNegative(op)};
}

Finiteness::Facts Finiteness::get(Value value) const {
  auto found = known.find(value);
  return found == known.end() ? compute(value) : found->second;
}

void Finiteness::learn(Operation *op) {
  for (Value result : op->getResults())
    known[result] = compute(result);
}

void Finiteness::forget(Operation *op) {
  for (Value result : op->getResults())
    known.erase(result);
}

Finiteness::Finiteness(Operation *root) {
  root->walk([&](Operation *op) { learn(op); });
}

bool Finiteness::hasFiniteDerivatives(Operation *op) const {
  if (!llvm::all_of(op->getOperands(),
                    [&](Value operand) { return isFinite(operand); }))
    return false;
  if (isDivision(op))
    return isPositive(op->getOperand(1)) ||
           matchConstant(skipViews(op->getOperand(1)),
                         [](const APFloat &x) { return !x.isZero(); });
  if (isa<math::LogOp, math::Log2Op, math::Log10Op, math::SqrtOp,
          math::RsqrtOp>(op))
    return isPositive(op->getOperand(0));
  if (isa<math::Log1pOp>(op))
    return get(op->getOperand(0)).isNonNegative;
  if (isa<math::PowFOp>(op)) {
    Facts base = get(op->getOperand(0));
    // Powers of a base below 0 with other exponents than integers are NaN.
    auto isSmooth = [&](const APFloat &x) {
      return x >= APFloat(x.getSemantics(), 1) &&
             (base.isNonNegative || x.isInteger());
    };
    return base.isPositive ||
           matchConstant(skipViews(op->getOperand(1)), isSmooth);
  }
  return true;
}
