//===- TraverseWalk.cpp - Walks over the elements of a traversal ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over elements, outputs, and the counted cost.
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "TraverseLowering.h"

#include "mlir/IR/TypeUtilities.h"
#include <limits>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// One walk
//===----------------------------------------------------------------------===//

/// Adds `value` and all that it depends on, operands first.
void TraverseLowering::collectNeeds(Value value,
                                    llvm::SetVector<Value> &needs) {
  if (needs.contains(value))
    return;
  if (Operation *inner = value.getDefiningOp())
    if (!reducesElements(inner))
      for (Value operand : inner->getOperands())
        collectNeeds(operand, needs);
  needs.insert(value);
}

/// The points that a lane takes in one round. Where lanes exchange values
/// inside the walk, a row owns its whole warp, so that all lanes of a warp run
/// the same number of rounds.
void TraverseLowering::setPoints(Value first) {
  points.clear();
  // Steps from `first`, as a position past the end may not fit a word.
  Value begins = e.word(first), left = e.word(e.sub(end, first));
  Value last = e.sub(left, e.i32(1)), slot = e.word(elementSlot);
  for (int64_t u = 0; u < inFlight; ++u) {
    Point point;
    point.position = first;
    if (u || elementSlots > 1) {
      Value step = e.i32(u * elementSlots);
      if (elementSlots > 1)
        step = u ? e.add(slot, step) : slot;
      point.inside = e.less(step, left);
      point.position = e.toIndex(e.add(begins, e.min(step, last)));
    }
    points.push_back(std::move(point));
  }
}

/// The reductions of this rank, and the element outputs that become ready
/// with it.
void TraverseLowering::walkElements(int64_t rank) {
  SmallVector<State> states;
  llvm::SetVector<Value> needs;
  SmallVector<unsigned> outputs;
  for (Operation &inner : op.getBody().front())
    if (reducesElements(&inner) && ranks[inner.getResult(0)] == rank + 1) {
      for (Value operand : inner.getOperands())
        collectNeeds(operand, needs);
      states.push_back({&inner, {}});
    }
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  for (auto [i, value] : llvm::enumerate(yield.getValues()))
    if (op.getOutputAt(i).getAnchor() == Anchor::Element &&
        ranks.lookup(value) == rank) {
      collectNeeds(value, needs);
      outputs.push_back(i);
    }
  if (states.empty() && outputs.empty())
    return;
  // What does not vary by element is computed once, in front of the walk.
  for (Value value : needs)
    if (!getLevel(value).element)
      (void)held(value, 0);

  SmallVector<Value> carried;
  auto forEachPart = [&](function_ref<void(Value &)> visit) {
    for (State &state : states)
      for (Held &parts : state.parts)
        for (Value &part : parts)
          visit(part);
  };
  for (State &state : states)
    state = initialState(state.op);
  forEachPart([&](Value &part) { carried.push_back(part); });

  auto loop = scf::ForOp::create(e.builder, e.loc, begin, end,
                                 e.index(elementSlots * inFlight), carried);
  unsigned next = 0;
  forEachPart([&](Value &part) { part = loop.getRegionIterArg(next++); });
  {
    OpBuilder::InsertionGuard restore(e.builder);
    if (carried.empty())
      e.builder.setInsertionPoint(loop.getBody()->getTerminator());
    else
      e.builder.setInsertionPointToEnd(loop.getBody());
    setPoints(loop.getInductionVar());
    for (Value value : needs)
      if (getLevel(value).element)
        for (unsigned u = 0; u < points.size(); ++u)
          (void)held(value, u);
    for (State &state : states)
      for (unsigned u = 0; u < points.size(); ++u)
        accumulate(state, u);
    for (unsigned i : outputs)
      for (unsigned u = 0; u < points.size(); ++u)
        store(i, u);
    SmallVector<Value> results;
    forEachPart([&](Value &part) { results.push_back(part); });
    if (!results.empty())
      scf::YieldOp::create(e.builder, e.loc, results);
  }
  points.clear();
  next = 0;
  forEachPart([&](Value &part) { part = loop.getResult(next++); });
  for (State &state : states) {
    combineLanes(state);
    if (byBlock)
      combineTeams(state);
    finish(state);
  }
}

//===----------------------------------------------------------------------===//
// What a reduction accumulates
//===----------------------------------------------------------------------===//

/// Higher than every index.
static constexpr int64_t noIndex = std::numeric_limits<int32_t>::max();

TraverseLowering::State TraverseLowering::initialState(Operation *reduction) {
  State state{reduction, {}};
  for (Value result : reduction->getResults()) {
    Level level = getLevel(result);
    Type type = heldType(result.getType(), level);
    Held parts;
    if (auto fold = dyn_cast<FoldOp>(reduction)) {
      Value identity =
          fold.getIdentity()[cast<OpResult>(result).getResultNumber()];
      parts = spread(held(identity, 0), getLevel(identity), level);
    } else {
      Reduction kind = isa<ReduceOp>(reduction)
                           ? cast<ReduceOp>(reduction).getKind()
                           : cast<ArgReduceOp>(reduction).getKind();
      Value start = isa<FloatType>(result.getType()) || isa<ReduceOp>(reduction)
                        ? LaneReduction{e, kind}.identity(type)
                        : e.constant(type, noIndex);
      parts.assign(partCount(level), start);
    }
    state.parts.push_back(parts);
  }
  return state;
}

SmallVector<Held> TraverseLowering::combineFold(FoldOp fold,
                                                ArrayRef<Held> earlier,
                                                ArrayRef<Held> later) {
  Block &block = fold.getCombine().front();
  unsigned n = earlier.size();
  for (unsigned i = 0; i < n; ++i) {
    groupValues[block.getArgument(i)] = earlier[i];
    groupValues[block.getArgument(n + i)] = later[i];
  }
  SmallVector<Held> combined;
  auto yield = cast<YieldOp>(block.getTerminator());
  for (auto [i, value] : llvm::enumerate(yield.getValues()))
    combined.push_back(
        spread(held(value, 0), getLevel(value), getLevel(fold.getResult(i))));
  for (BlockArgument argument : block.getArguments())
    groupValues.erase(argument);
  for (Operation &inner : block)
    for (Value result : inner.getResults())
      groupValues.erase(result);
  return combined;
}

void TraverseLowering::accumulate(State &state, unsigned point) {
  llvm::SaveAndRestore line(e.loc, state.op->getLoc());
  Value inside = points[point].inside;
  auto operand = [&](Value value, Level to) {
    return spread(held(value, point), getLevel(value), to);
  };
  if (auto reduce = dyn_cast<ReduceOp>(state.op)) {
    LaneReduction lanes{e, reduce.getKind()};
    Held values = held(reduce.getValue(), point);
    if (reduce.getDims().size() > 1)
      values = reduceLanes(reduce, values, getLevel(reduce.getValue()));
    for (auto [part, value] : llvm::zip(state.parts[0], values))
      part = lanes.combine(part, lanes.mask(value, inside));
    return;
  }
  if (auto fold = dyn_cast<FoldOp>(state.op)) {
    SmallVector<Held> later;
    for (auto [i, value] : llvm::enumerate(fold.getValues()))
      later.push_back(operand(value, getLevel(fold.getResult(i))));
    SmallVector<Held> combined = combineFold(fold, state.parts, later);
    for (auto [parts, next] : llvm::zip(state.parts, combined))
      for (auto [part, value] : llvm::zip(parts, next))
        part = inside ? e.select(inside, value, part) : value;
    return;
  }
  auto arg = cast<ArgReduceOp>(state.op);
  Level level = getLevel(arg.getExtreme());
  Held values = operand(arg.getValue(), level);
  Held indices = operand(arg.getIndex(), level);
  for (unsigned i = 0; i < values.size(); ++i) {
    Candidate old{state.parts[0][i], state.parts[1][i]};
    Candidate best = better(e, arg.getKind(), old, {values[i], indices[i]});
    if (inside)
      best = {e.select(inside, best.value, old.value),
              e.select(inside, best.index, old.index)};
    state.parts[0][i] = best.value;
    state.parts[1][i] = best.index;
  }
}

/// Gives every lane of a row what all its lanes of a warp have accumulated
/// together.
void TraverseLowering::combineLanes(State &state) {
  llvm::SaveAndRestore line(e.loc, state.op->getLoc());
  int64_t stride = layout.featureLanes * layout.headLanes;
  int64_t count = byBlock ? 32 / stride : layout.elementLanes;
  if (auto reduce = dyn_cast<ReduceOp>(state.op)) {
    LaneReduction lanes{e, reduce.getKind()};
    for (Value &part : state.parts[0])
      part = lanes.overLanes(part, count, stride);
    return;
  }
  // Upstream has no reduction of several values at once.
  for (int64_t i = 1; i < count; i *= 2) {
    SmallVector<Held> others = state.parts;
    for (Held &parts : others)
      for (Value &part : parts)
        part = e.shuffleXor(part, i * stride);
    combine(state, others);
  }
}

/// Adds what another lane has accumulated.
void TraverseLowering::combine(State &state, ArrayRef<Held> others) {
  llvm::SaveAndRestore line(e.loc, state.op->getLoc());
  if (auto reduce = dyn_cast<ReduceOp>(state.op)) {
    LaneReduction lanes{e, reduce.getKind()};
    for (auto [part, other] : llvm::zip(state.parts[0], others[0]))
      part = lanes.combine(part, other);
    return;
  }
  if (auto fold = dyn_cast<FoldOp>(state.op)) {
    state.parts = combineFold(fold, state.parts, others);
    return;
  }
  auto arg = cast<ArgReduceOp>(state.op);
  for (unsigned i = 0; i < state.parts[0].size(); ++i) {
    Candidate best =
        better(e, arg.getKind(), {state.parts[0][i], state.parts[1][i]},
               {others[0][i], others[1][i]});
    state.parts[0][i] = best.value;
    state.parts[1][i] = best.index;
  }
}

/// Divides means, and gives 0 and no index for the extreme of nothing.
void TraverseLowering::finish(State &state) {
  llvm::SaveAndRestore line(e.loc, state.op->getLoc());
  auto reduce = dyn_cast<ReduceOp>(state.op);
  bool isMean = reduce && reduce.getKind() == Reduction::Mean;
  bool isExtreme = isa<ArgReduceOp>(state.op) ||
                   (reduce && reduce.getKind() != Reduction::Sum && !isMean);
  if (isMean) {
    Value count = e.sub(end, begin);
    count = arith::MaxSIOp::create(e.builder, e.loc, count, e.index(1));
    count = e.word(count);
    for (Value &part : state.parts[0]) {
      Value divisor = arith::SIToFPOp::create(
          e.builder, e.loc, getElementTypeOrSelf(part), count);
      if (divisor.getType() != part.getType())
        divisor = vector::BroadcastOp::create(e.builder, e.loc, part.getType(),
                                              divisor);
      part = arith::DivFOp::create(e.builder, e.loc, part, divisor);
    }
  }
  if (isExtreme) {
    Value any = e.less(begin, end);
    for (Value &part : state.parts[0])
      part = e.select(any, part, e.constant(part.getType(), 0));
    if (isa<ArgReduceOp>(state.op))
      for (Value &part : state.parts[1])
        part = e.select(any, part, e.constant(part.getType(), -1));
  }
  for (auto [result, parts] : llvm::zip(state.op->getResults(), state.parts))
    groupValues[result] = parts;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

void TraverseLowering::store(unsigned output, unsigned point) {
  AtAttr at = op.getOutputAt(output);
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  Value yielded = yield.getValues()[output];
  bool element = at.getAnchor() == Anchor::Element;
  Level level = getLevel(at);
  Held values = spread(held(yielded, point), getLevel(yielded), level);
  Value memref = kernel.buffer(
      op.getOutputs()[output],
      rowsOf(at, domain.getGroups(), domain.getElements()), false);

  // One lane stores each value.
  Value mine = element ? points[point].inside : groupInside;
  auto only = [&](Value lane, int64_t lanes) {
    if (lanes > 1)
      mine = e.both(mine, arith::CmpIOp::create(e.builder, e.loc,
                                                arith::CmpIPredicate::eq, lane,
                                                e.index(0)));
  };
  if (!element)
    only(elementLane, layout.elementLanes);
  if (!element && byBlock)
    only(team, layout.rowsPerBlock);
  if (!at.getHead())
    only(headLane, layout.headLanes);
  if (!at.getFeature())
    only(featureLane, layout.featureLanes);
  for (unsigned h = 0; h < headCount(level); ++h)
    for (unsigned c = 0; c < chunkCount(level); ++c) {
      Value inside = mine;
      if (at.getHead())
        inside = e.both(inside, headsInside[h]);
      if (at.getFeature())
        inside = e.both(inside, columnsInside[c]);
      SmallVector<Value> indices = indicesOf(at, h, c, point);
      e.guard(inside, [&] {
        e.store(values[h * chunkCount(level) + c], memref, indices);
      });
    }
}
