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
        chooseSplitRows(schedule, TraverseFacts(op));
      schedule.setOn(op);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

private:
  RowWalk choose(TraverseOp op, TraverseSchedule schedule,
                 const TraverseLayout &layout) {
    if (schedule.splitRows)
      return RowWalk::ByLength;
    if (!layout.sharesRows)
      return RowWalk::Team;
    RowDomain groups = op.getDomain().getGroups();
    if (!groups.isKind(RowKind::Node) && !groups.isKind(RowKind::Pair))
      return RowWalk::Block;
    schedule.rowWalk = RowWalk::ByLength; // which takes more shared memory
    return layOut(schedule, TraverseFacts(op)).sharesRows ? RowWalk::ByLength
                                                          : RowWalk::Team;
  }
};
} // namespace
