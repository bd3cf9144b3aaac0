//===- TraverseTeams.cpp - Short rows by teams, long rows by blocks -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block has a row for each of its teams. It first walks those that are short,
// each by its team, then the long ones one after the other, each by all teams,
// which add up their results in shared memory in the order of the teams: the
// same bits on every run.
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "TraverseLowering.h"

#include "GNN/Dialect/Tile/IR/InPlace.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

void TraverseLowering::run() {
  locateLane();
  locateColumns();
  rankValues();
  Value rows = kernel.hostRows(domain.getGroups());
  Value blocks = kernel.host.ceilDiv(rows, layout.rowsPerBlock);
  Value block = kernel.blockId(gpu::Dimension::x);
  if (layout.rowWalk == RowWalk::Block) {
    blocks = rows;
    locateRow(block);
    byBlock = true;
    emitRow();
  } else {
    Value first = e.mul(block, e.index(layout.rowsPerBlock));
    Value isLong = emitShortRows(first);
    if (layout.rowWalk == RowWalk::ByLength)
      emitLongRows(first, isLong);
  }
  kernel.launch(blocks, kernel.host.index(layout.columnTiles),
                kernel.host.index(1), layout.threads());
}

/// Says whether the row of this team is left, because it is long.
Value TraverseLowering::emitShortRows(Value first) {
  locateRow(e.add(first, team));
  Value isLong;
  if (layout.rowWalk == RowWalk::ByLength) {
    isLong = e.less(e.index(layout.splitRows), e.sub(end, begin));
    end = e.select(isLong, begin, end);
    Value isShort = arith::XOrIOp::create(e.builder, e.loc, isLong,
                                          e.constant(isLong.getType(), 1));
    groupInside = e.both(groupInside, isShort);
  }
  byBlock = false;
  emitRow();
  return isLong;
}

/// Most blocks have no long row: each warp says whether it has one, and only
/// rows of those that do are looked at again.
void TraverseLowering::emitLongRows(Value first, Value isLong) {
  int64_t warps = layout.warps(), rows = layout.rowsPerWarp();
  Type word = e.builder.getI32Type();
  LaneReduction most{e, Reduction::Max};
  Value has =
      most.overLanes(arith::ExtUIOp::create(e.builder, e.loc, word, isLong),
                     rows, layout.threadsPerRow());
  Value flags = kernel.shared({warps}, word);
  SmallVector<Value> place = e.delinearize(kernel.threadId(), {32});
  e.guard(e.isZero(place[1]), [&] { e.store(has, flags, place[0]); });
  gpu::BarrierOp::create(e.builder, e.loc);
  auto holds = [&](Value flag) { return e.less(e.i32(0), flag); };
  Value any;
  for (int64_t warp = 0; warp < warps; ++warp)
    any = most.combine(any, e.load(flags, e.index(warp), 1));

  // Each condition is the same for all threads.
  auto forEach = [&](int64_t count, function_ref<void(Value)> body) {
    if (count == 1)
      return body(e.index(0));
    auto loop = scf::ForOp::create(e.builder, e.loc, e.index(0), e.index(count),
                                   e.index(1));
    OpBuilder::InsertionGuard restore(e.builder);
    e.builder.setInsertionPoint(loop.getBody()->getTerminator());
    body(loop.getInductionVar());
  };
  byBlock = true;
  e.guard(holds(any), [&] {
    forEach(warps, [&](Value warp) {
      e.guard(holds(e.load(flags, warp, 1)), [&] {
        forEach(rows, [&](Value row) {
          locateRow(e.add(first, e.add(e.mul(warp, e.index(rows)), row)));
          // False for rows past the last one, which have no elements.
          e.guard(e.less(e.index(layout.splitRows), e.sub(end, begin)),
                  [&] { emitRow(); });
        });
      });
    });
  });
}

/// Walks and stores one row, by this team or by the block.
void TraverseLowering::emitRow() {
  elementSlot = elementLane;
  elementSlots = layout.elementLanes;
  inFlight = layout.inFlight;
  if (byBlock) {
    elementSlot = e.add(e.mul(team, e.index(elementSlots)), elementLane);
    elementSlots *= layout.rowsPerBlock;
    if (layout.rowWalk == RowWalk::ByLength)
      inFlight = layout.longInFlight();
  }
  for (int64_t rank = 0; rank <= lastRank; ++rank)
    walkElements(rank);
  // A row that is written over has been read for all outputs.
  if (llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
        return findOverwritten(op, output);
      }))
    for (auto [i, value] : llvm::enumerate(
             cast<YieldOp>(op.getBody().front().getTerminator()).getValues()))
      if (op.getOutputAt(i).getAnchor() != Anchor::Element)
        (void)held(value, 0);
  for (unsigned i = 0; i < op.getOutputs().size(); ++i)
    if (op.getOutputAt(i).getAnchor() != Anchor::Element)
      store(i, 0);
}

/// Gives every thread what all teams have accumulated together. Those of a warp
/// have done so.
void TraverseLowering::combineTeams(State &state) {
  int64_t warps = layout.warps();
  if (warps == 1)
    return;
  int64_t lanes = layout.featureLanes * layout.headLanes;
  Value lane =
      e.add(e.mul(headLane, e.index(layout.featureLanes)), featureLane);
  auto widthOf = [](Value part) -> int64_t {
    auto vector = dyn_cast<VectorType>(part.getType());
    return vector ? vector.getNumElements() : 1;
  };
  SmallVector<Value> arrays; // [warp, lane, part], one a result
  for (const Held &parts : state.parts)
    arrays.push_back(kernel.shared(
        {warps, lanes, static_cast<int64_t>(parts.size()) * widthOf(parts[0])},
        getElementTypeOrSelf(parts[0])));
  auto indices = [&](Value ofWarp, const Held &parts, unsigned i) {
    return SmallVector<Value>{ofWarp, lane, e.index(i * widthOf(parts[0]))};
  };
  auto load = [&](Value ofWarp) {
    SmallVector<Held> loaded;
    for (auto [array, parts] : llvm::zip(arrays, state.parts)) {
      loaded.emplace_back();
      for (unsigned i = 0; i < parts.size(); ++i)
        loaded.back().push_back(
            e.load(array, indices(ofWarp, parts, i), widthOf(parts[0])));
    }
    return loaded;
  };
  SmallVector<Value> place =
      e.delinearize(kernel.threadId(), {32 / lanes, lanes});
  Value first = lanes == 32 ? Value() : e.isZero(place[1]);
  e.guard(first, [&] {
    for (auto [array, parts] : llvm::zip(arrays, state.parts))
      for (auto [i, part] : llvm::enumerate(parts))
        e.store(part, array, indices(place[0], parts, i));
  });
  gpu::BarrierOp::create(e.builder, e.loc);

  auto flat = [](ArrayRef<Held> components) {
    SmallVector<Value> values;
    for (const Held &parts : components)
      values.append(parts.begin(), parts.end());
    return values;
  };
  auto assign = [&](ValueRange values) {
    unsigned next = 0;
    for (Held &parts : state.parts)
      for (Value &part : parts)
        part = values[next++];
  };
  auto loop = scf::ForOp::create(e.builder, e.loc, e.index(1), e.index(warps),
                                 e.index(1), flat(load(e.index(0))));
  {
    OpBuilder::InsertionGuard restore(e.builder);
    e.builder.setInsertionPointToEnd(loop.getBody());
    SmallVector<Held> others = load(loop.getInductionVar());
    assign(loop.getRegionIterArgs());
    combine(state, others);
    scf::YieldOp::create(e.builder, e.loc, flat(state.parts));
  }
  assign(loop.getResults());
  // The next row, or the next reduction, writes the arrays again.
  gpu::BarrierOp::create(e.builder, e.loc);
}
