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
    emitShortRows(first);
    if (layout.rowWalk == RowWalk::ByLength)
      emitLongRows(first);
  }
  kernel.launch(blocks, kernel.host.index(layout.columnTiles),
                kernel.host.index(1), layout.threads());
}

void TraverseLowering::emitShortRows(Value first) {
  locateRow(e.add(first, team));
  if (layout.rowWalk == RowWalk::ByLength) {
    Value isShort =
        arith::CmpIOp::create(e.builder, e.loc, arith::CmpIPredicate::sle,
                              e.sub(end, begin), e.index(layout.splitRows));
    end = e.select(isShort, end, begin);
    groupInside = e.both(groupInside, isShort);
  }
  byBlock = false;
  emitRow();
}

void TraverseLowering::emitLongRows(Value first) {
  auto loop = scf::ForOp::create(e.builder, e.loc, e.index(0),
                                 e.index(layout.rowsPerBlock), e.index(1));
  OpBuilder::InsertionGuard restore(e.builder);
  e.builder.setInsertionPoint(loop.getBody()->getTerminator());
  locateRow(e.add(first, loop.getInductionVar()));
  // The same for all threads, and false for rows past the last one.
  Value isLong = e.less(e.index(layout.splitRows), e.sub(end, begin));
  byBlock = true;
  e.guard(isLong, [&] { emitRow(); });
}

/// Walks and stores one row, by this team or by the block.
void TraverseLowering::emitRow() {
  elementSlot = elementLane;
  elementSlots = layout.elementLanes;
  if (byBlock) {
    elementSlot = e.add(e.mul(team, e.index(elementSlots)), elementLane);
    elementSlots *= layout.rowsPerBlock;
  }
  for (int64_t rank = 0; rank <= lastRank; ++rank)
    walkElements(rank);
  for (unsigned i = 0; i < op.getOutputs().size(); ++i)
    if (op.getOutputAt(i).getAnchor() != Anchor::Element)
      store(i, 0);
}

/// Gives every thread what all teams have accumulated together.
void TraverseLowering::combineTeams(State &state) {
  int64_t lanes = layout.featureLanes * layout.headLanes;
  Value lane =
      e.add(e.mul(headLane, e.index(layout.featureLanes)), featureLane);
  auto widthOf = [](Value part) -> int64_t {
    auto vector = dyn_cast<VectorType>(part.getType());
    return vector ? vector.getNumElements() : 1;
  };
  SmallVector<Value> arrays; // [team, lane, part], one a result
  for (const Held &parts : state.parts)
    arrays.push_back(
        kernel.shared({layout.rowsPerBlock, lanes,
                       static_cast<int64_t>(parts.size()) * widthOf(parts[0])},
                      getElementTypeOrSelf(parts[0])));
  auto indices = [&](Value ofTeam, const Held &parts, unsigned i) {
    return SmallVector<Value>{ofTeam, lane, e.index(i * widthOf(parts[0]))};
  };
  auto load = [&](Value ofTeam) {
    SmallVector<Held> loaded;
    for (auto [array, parts] : llvm::zip(arrays, state.parts)) {
      loaded.emplace_back();
      for (unsigned i = 0; i < parts.size(); ++i)
        loaded.back().push_back(
            e.load(array, indices(ofTeam, parts, i), widthOf(parts[0])));
    }
    return loaded;
  };
  Value first =
      layout.elementLanes == 1
          ? Value()
          : arith::CmpIOp::create(e.builder, e.loc, arith::CmpIPredicate::eq,
                                  elementLane, e.index(0));
  e.guard(first, [&] {
    for (auto [array, parts] : llvm::zip(arrays, state.parts))
      for (auto [i, part] : llvm::enumerate(parts))
        e.store(part, array, indices(team, parts, i));
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
  auto loop = scf::ForOp::create(e.builder, e.loc, e.index(1),
                                 e.index(layout.rowsPerBlock), e.index(1),
                                 flat(load(e.index(0))));
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
