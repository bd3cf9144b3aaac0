//===- Reductions.cpp - Reductions over lanes and elements ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic behind gnn_tile.reduce and gnn_tile.arg_reduce.
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"

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

LaneReduction::Words LaneReduction::wordsOf(Type type) {
  using In = arith::AtomicRMWKind;
  using Over = gpu::AllReduceOperation;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(type));
  switch (kind) {
  case Reduction::Sum:
  case Reduction::Mean:
    return {isFloat ? In::addf : In::addi, Over::ADD};
  case Reduction::Max: // NaN if there is one
    return isFloat ? Words{In::maximumf, Over::MAXIMUMF}
                   : Words{In::maxs, Over::MAXSI};
  case Reduction::Min:
    return isFloat ? Words{In::minimumf, Over::MINIMUMF}
                   : Words{In::mins, Over::MINSI};
  }
  llvm_unreachable("all reductions are handled");
}

Value LaneReduction::combine(Value a, Value b) {
  if (!a)
    return b;
  return arith::getReductionOp(wordsOf(a.getType()).inLane, e.builder, e.loc, a,
                               b);
}

Value LaneReduction::identity(Type type) {
  TypedAttr attr = arith::getIdentityValueAttr(
      wordsOf(type).inLane, getElementTypeOrSelf(type), e.builder, e.loc);
  return e.constant(type, attr);
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

Value LaneReduction::overLanes(Value value, int64_t lanes, int64_t stride) {
  if (lanes == 1)
    return value;
  gpu::AllReduceOperation word = wordsOf(value.getType()).overLanes;
  return e.forEachPart(value, [&](Value part) -> Value { // as shuffles take it
    return gpu::SubgroupReduceOp::create(e.builder, e.loc, part, word,
                                         /*uniform=*/false, lanes, stride);
  });
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
