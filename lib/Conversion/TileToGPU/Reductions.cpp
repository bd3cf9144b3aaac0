//===- Reductions.cpp - Reductions over lanes and elements ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic behind gnn_tile.reduce and gnn_tile.arg_reduce.
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"

#include <limits>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

Value gnn::tile::laneColumns(Emitter &e, Value first, int64_t width) {
  auto type = VectorType::get({width}, first.getType());
  SmallVector<int32_t> steps;
  for (int64_t i = 0; i < width; ++i)
    steps.push_back(i);
  Value offsets = arith::ConstantOp::create(
      e.builder, e.loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(steps)));
  Value base = vector::BroadcastOp::create(e.builder, e.loc, type, first);
  return e.add(base, offsets);
}

Value LaneReduction::combine(Value a, Value b) {
  if (!a)
    return b;
  OpBuilder &builder = e.builder;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(a));
  switch (kind) {
  case Reduction::Sum:
  case Reduction::Mean:
    return isFloat ? Value(arith::AddFOp::create(builder, e.loc, a, b))
                   : Value(arith::AddIOp::create(builder, e.loc, a, b));
  case Reduction::Max:
    return isFloat ? Value(arith::MaximumFOp::create(builder, e.loc, a, b))
                   : Value(arith::MaxSIOp::create(builder, e.loc, a, b));
  case Reduction::Min:
    return isFloat ? Value(arith::MinimumFOp::create(builder, e.loc, a, b))
                   : Value(arith::MinSIOp::create(builder, e.loc, a, b));
  }
  llvm_unreachable("all reductions are handled");
}

Value LaneReduction::identity(Type type) {
  if (kind == Reduction::Sum || kind == Reduction::Mean)
    return e.constant(type, 0.0);
  double sign = kind == Reduction::Max ? -1.0 : 1.0;
  if (isa<FloatType>(getElementTypeOrSelf(type)))
    return e.constant(type, sign * std::numeric_limits<double>::infinity());
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  APInt extreme = kind == Reduction::Max ? APInt::getSignedMinValue(bits)
                                         : APInt::getSignedMaxValue(bits);
  TypedAttr attr =
      e.builder.getIntegerAttr(getElementTypeOrSelf(type), extreme);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(e.builder, e.loc, attr);
}

Value LaneReduction::mask(Value value, Value inside) {
  return inside ? e.select(inside, value, identity(value.getType())) : value;
}

Value LaneReduction::across(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return value;
  Value total;
  for (int64_t i = 0; i < vector.getNumElements(); ++i)
    total =
        combine(total, vector::ExtractOp::create(e.builder, e.loc, value, i));
  return total;
}

Value LaneReduction::divideMean(Value total, int64_t count) {
  if (kind != Reduction::Mean)
    return total;
  return arith::DivFOp::create(e.builder, e.loc, total,
                               e.constant(total.getType(), count));
}

Candidate gnn::tile::better(Emitter &e, Reduction kind, Candidate a,
                            Candidate b) {
  using P = arith::CmpFPredicate;
  auto compare = [&](P predicate, Value x, Value y) -> Value {
    return arith::CmpFOp::create(e.builder, e.loc, predicate, x, y);
  };
  auto either = [&](Value x, Value y) -> Value {
    return arith::OrIOp::create(e.builder, e.loc, x, y);
  };
  Value aNaN = compare(P::UNO, a.value, a.value);
  Value bNaN = compare(P::UNO, b.value, b.value);
  Value wins =
      compare(kind == Reduction::Max ? P::OGT : P::OLT, b.value, a.value);
  Value same = either(compare(P::OEQ, a.value, b.value), e.both(aNaN, bNaN));
  Value firstNaN = e.both(bNaN, compare(P::ORD, a.value, a.value));
  Value lower = arith::CmpIOp::create(
      e.builder, e.loc, arith::CmpIPredicate::slt, b.index, a.index);
  wins = either(either(wins, firstNaN), e.both(same, lower));
  return {e.select(wins, b.value, a.value), e.select(wins, b.index, a.index)};
}
