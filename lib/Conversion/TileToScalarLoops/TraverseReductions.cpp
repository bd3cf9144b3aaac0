//===- TraverseReductions.cpp - Reductions over elements as loops ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One element after the other, then the parts of a group that has some.
//
//===----------------------------------------------------------------------===//

#include "TraverseLoops.h"

#include "GNN/Dialect/Tile/IR/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

#include <limits>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;
using namespace gnn::tile::scalar;

static SmallVector<Dim> dimsOf(ReduceOp op) {
  return llvm::map_to_vector(op.getDims(),
                             [](int32_t dim) { return static_cast<Dim>(dim); });
}

/// The arithmetic of a region, of those of its values that are asked for:
/// `mapping` holds its arguments.
static Value cloneValue(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneValue(builder, operand, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

/// `value`, or a constant where the group has no elements.
Value TraverseLoops::unlessEmpty(Value value, int64_t otherwise) {
  if (isOfNothing) // of a group that has some elsewhere
    return value;
  Type type = value.getType();
  TypedAttr constant =
      isa<FloatType>(type)
          ? TypedAttr(b.getFloatAttr(type, static_cast<double>(otherwise)))
          : b.getIntegerAttr(type, otherwise);
  return arith::SelectOp::create(b, b.less(elements.begin, elements.end), value,
                                 arith::ConstantOp::create(b, constant));
}

/// Adds what the parts have of results of a reduction, one after the other, to
/// these states.
Values
TraverseLoops::addParts(Scope &scope, ValueRange states,
                        ArrayRef<Value> reduced,
                        function_ref<Values(ValueRange, ValueRange)> add) {
  if (!op.getPartsOf() || op.isByEdges())
    return Values(states);
  Values all = op.getReduced();
  return loops.loop(parts, states, [&](Value part, ValueRange carried) {
    Values values;
    for (Value result : reduced)
      values.push_back(
          loops.load(op.getParts()[llvm::find(all, result) - all.begin()],
                     getIndices(b, TraverseOp::getPartAt(result), part,
                                positionOf(Dim::Head, scope),
                                positionOf(Dim::Feature, scope))));
    return add(carried, values);
  });
}

/// The size of a dimension, at least 1, as a float.
Value TraverseLoops::sizeOf(Dim dim, Type type) {
  Positions range = dim == Dim::Element ? elements : this->range(dim);
  Value count = b.sub(range.end, range.begin);
  count = arith::MaxSIOp::create(b, count, b.index(1));
  return arith::SIToFPOp::create(b, type, b.toI32(count));
}

/// A mean of nothing is 0.
Value TraverseLoops::divide(Value sum, ArrayRef<Dim> dims) {
  for (Dim dim : dims)
    sum = arith::DivFOp::create(b, sum, sizeOf(dim, sum.getType()));
  return sum;
}

Value TraverseLoops::reduce(ReduceOp op, Scope &scope) {
  Type type = op.getType();
  arith::AtomicRMWKind kind = getReductionKind(op.getKind(), type);
  bool isSum = kind == arith::AtomicRMWKind::addf;
  SmallVector<Dim> dims = dimsOf(op);
  auto combine = [&](ValueRange carried, Value value) {
    return Values{
        arith::getReductionOp(kind, b, b.getLoc(), carried.front(), value)};
  };
  auto add = [&](Scope &inner, ValueRange carried) {
    Value value = evaluate(op.getValue(), inner);
    return combine(carried, isSum ? loops.widen(value) : value);
  };
  auto addPart = [&](ValueRange carried, ValueRange values) {
    Value value = isSum ? loops.widen(values.front()) : values.front();
    // A part of a mean is that of the other dimensions.
    for (Dim dim : dims)
      if (op.getKind() == Reduction::Mean && dim != Dim::Element)
        value = arith::MulFOp::create(b, value, sizeOf(dim, value.getType()));
    return combine(carried, value);
  };
  Value start =
      isSum ? loops.zero() : arith::getIdentityValue(kind, type, b, b.getLoc());
  Values state = nest(scope, dims, start, add);
  if (llvm::is_contained(dims, Dim::Element))
    state = addParts(scope, state, {op.getResult()}, addPart);
  Value total = state.front();
  if (isSum)
    total = loops.narrow(total, type);
  if (op.getKind() == Reduction::Mean)
    return divide(total, dims);
  bool isExtreme = op.getKind() != Reduction::Sum;
  return isExtreme && llvm::is_contained(dims, Dim::Element)
             ? unlessEmpty(total, 0)
             : total;
}

/// Adds one element after the other to the state. Components of a higher level
/// than that of `result` are not needed for it.
void TraverseLoops::fold(FoldOp op, OpResult result, Scope &scope) {
  unsigned count = op.getNumResults();
  SmallVector<unsigned> needed;
  Values start;
  for (unsigned i = 0; i < count; ++i)
    if (getLevel(op.getResult(i)).within(getLevel(result))) {
      needed.push_back(i);
      start.push_back(evaluate(op.getIdentity()[i], scope));
    }
  Block &combine = op.getCombine().front();
  auto addState = [&](ValueRange carried, ValueRange values) {
    IRMapping mapping;
    for (auto [state, value, i] : llvm::zip(carried, values, needed)) {
      mapping.map(combine.getArgument(i), state);
      mapping.map(combine.getArgument(count + i), value);
    }
    Values next;
    for (unsigned i : needed)
      next.push_back(
          cloneValue(b, combine.getTerminator()->getOperand(i), mapping));
    return next;
  };
  auto add = [&](Scope &inner, ValueRange carried) {
    Values values;
    for (unsigned i : needed)
      values.push_back(evaluate(op.getValues()[i], inner));
    return addState(carried, values);
  };
  Values state = nest(scope, Dim::Element, start, add), reduced;
  for (unsigned i : needed)
    reduced.push_back(op.getResult(i));
  state = addParts(scope, state, reduced, addState);
  for (auto [value, i] : llvm::zip(state, needed))
    if (&home(getLevel(op.getResult(i)), scope) == &scope)
      scope.values[op.getResult(i)] = value;
}

/// Whether `x` is beyond `y`: larger (smaller for a minimum), or a NaN where it
/// is none.
static Value isBeyond(IndexBuilder &b, Reduction kind, Value x, Value y) {
  using P = arith::CmpFPredicate;
  Value further =
      arith::CmpFOp::create(b, kind == Reduction::Max ? P::UGT : P::ULT, x, y);
  Value isNumber = arith::CmpFOp::create(b, P::ORD, y, y);
  return arith::AndIOp::create(b, further, isNumber);
}

void TraverseLoops::argReduce(ArgReduceOp op, Scope &scope) {
  Type type = op.getExtreme().getType();
  auto take = [&](ValueRange best, ValueRange other) {
    Value value = other[0], index = other[1];
    Value isBetter = isBeyond(b, op.getKind(), value, best[0]);
    Value isWorse = isBeyond(b, op.getKind(), best[0], value);
    // The lowest index of equal values.
    Value takes =
        arith::SelectOp::create(b, isWorse, isBetter, b.less(index, best[1]));
    takes = arith::OrIOp::create(b, isBetter, takes);
    return Values{arith::SelectOp::create(b, takes, value, best[0]),
                  arith::SelectOp::create(b, takes, index, best[1])};
  };
  auto next = [&](Scope &inner, ValueRange best) {
    Value other[] = {evaluate(op.getValue(), inner),
                     evaluate(op.getIndex(), inner)};
    return take(best, other);
  };
  Value start[] = {
      arith::getIdentityValue(getReductionKind(op.getKind(), type), type, b,
                              b.getLoc()),
      arith::ConstantIntOp::create(b, std::numeric_limits<int32_t>::max(), 32)};
  Values best = nest(scope, Dim::Element, start, next);
  best = addParts(scope, best, {op.getExtreme(), op.getArgument()}, take);
  scope.values[op.getExtreme()] = unlessEmpty(best[0], 0);
  scope.values[op.getArgument()] = unlessEmpty(best[1], -1);
}

/// In two walks: the highest score, then a sum with it.
Value TraverseLoops::softmaxSum(SoftmaxSumOp op, OpResult result,
                                Scope &scope) {
  Value score = op.getScore(), highest = op.getHighest();
  Type type = score.getType();
  auto constant = [&](const llvm::APFloat &value) -> Value {
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  };
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  auto max = [&](Value x, Value y) -> Value {
    return arith::MaximumFOp::create(b, x, y);
  };
  if (result == highest) {
    auto takePart = [&](ValueRange best, ValueRange part) -> Values {
      return {max(best[0], part[0])};
    };
    auto take = [&](Scope &inner, ValueRange best) -> Values {
      return {max(best[0], evaluate(score, inner))};
    };
    Value start = constant(llvm::APFloat::getInf(semantics, /*Negative=*/true));
    Values best = nest(scope, Dim::Element, start, take);
    return unlessEmpty(addParts(scope, best, highest, takePart).front(), 0);
  }
  // Minus infinity has no difference to itself.
  Value top =
      max(evaluate(highest, scope),
          constant(llvm::APFloat::getLargest(semantics, /*Negative=*/true)));
  auto add = [&](Value sum, Value score, Value value) -> Values {
    Value power = math::ExpOp::create(b, arith::SubFOp::create(b, score, top));
    Value term =
        arith::MulFOp::create(b, loops.widen(power), loops.widen(value));
    return {arith::AddFOp::create(b, sum, term)};
  };
  auto addElement = [&](Scope &inner, ValueRange sum) {
    return add(sum[0], evaluate(score, inner),
               evaluate(op->getOperand(result.getResultNumber()), inner));
  };
  auto addPart = [&](ValueRange sum, ValueRange part) {
    return add(sum[0], part[0], part[1]);
  };
  Values sum = nest(scope, Dim::Element, loops.zero(), addElement);
  sum = addParts(scope, sum, {highest, result}, addPart);
  return loops.narrow(sum.front(), result.getType());
}
