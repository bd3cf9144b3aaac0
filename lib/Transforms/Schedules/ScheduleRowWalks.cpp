//===- ScheduleRowWalks.cpp - Who walks long rows -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Passes.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULEROWWALKS
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

namespace {
struct ScheduleRowWalks : gnn::impl::ScheduleRowWalksBase<ScheduleRowWalks> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](TraverseOp op) {
      FailureOr<TraverseLayout> layout = getPartialLayout(op);
      if (failed(layout))
        return WalkResult::interrupt();
      TraverseSchedule schedule(op);
      if (!schedule.rowWalk)
        schedule.rowWalk = choose(op, schedule, *layout);
      if (schedule.rowWalk == RowWalk::ByLength)
        chooseSplitRows(schedule);
      schedule.setOn(op);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

private:
  RowWalk choose(TraverseOp op, const TraverseSchedule &schedule,
                 const TraverseLayout &layout) {
    if (schedule.splitRows)
      return RowWalk::ByLength;
    // Rows by length take a number a warp besides.
    if (!layout.sharesRows ||
        layout.sharedBytes + 4 * layout.warps() > maxSharedBytes)
      return RowWalk::Team;
    RowDomain groups = op.getDomain().getGroups();
    return groups.isKind(RowKind::Node) || groups.isKind(RowKind::Pair)
               ? RowWalk::ByLength
               : RowWalk::Block;
  }
};
} // namespace
