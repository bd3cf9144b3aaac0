//===- ScheduleRowWalks.cpp - Who walks long rows -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleUtils.h"

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULEROWWALKS
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

namespace {
struct ScheduleRowWalks : gnn::impl::ScheduleRowWalksBase<ScheduleRowWalks> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](TraverseOp op) {
      if (!isForGPU(op))
        return WalkResult::advance();
      FailureOr<TraverseLayout> layout = getPartialLayout(op);
      if (failed(layout))
        return WalkResult::interrupt();
      TraverseSchedule schedule(op);
      bool isOpen = !schedule.rowWalk;
      if (isOpen)
        schedule.rowWalk = choose(op, schedule, *layout);
      StringRef why;
      if (schedule.rowWalk == RowWalk::ByLength)
        why = chooseSplitRows(schedule, getScheduleFacts(op));
      schedule.setOn(op);
      if (isOpen)
        explain(op, schedule, why);
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
    TraverseFacts facts = getScheduleFacts(op);
    if (!facts.groups.isKind(RowKind::Node) &&
        !facts.groups.isKind(RowKind::Pair))
      return RowWalk::Block;
    // Both take more shared memory, and a window that is given is whole steps
    // of its team, not of the block.
    auto isHonoured = [&](RowWalk walk) {
      schedule.rowWalk = walk;
      TraverseLayout layout = layOut(schedule, facts);
      return layout.sharesRows &&
             explainRefusal(schedule, facts, layout).empty();
    };
    if (areWalkedByBlocks(schedule, facts) && isHonoured(RowWalk::Block))
      return RowWalk::Block;
    return isHonoured(RowWalk::ByLength) ? RowWalk::ByLength : RowWalk::Team;
  }

  /// Says who walks long rows, or why nobody but their own teams does.
  void explain(TraverseOp op, const TraverseSchedule &schedule, StringRef why) {
    switch (*schedule.rowWalk) {
    case RowWalk::ByLength:
      passed(getArgument(), op.getLoc(), "Scheduled")
          << ("all teams of a block walk a row of more than " +
              Twine(schedule.splitRows) + " elements: " + why)
                 .str();
      return;
    case RowWalk::Block:
      passed(getArgument(), op.getLoc(), "Scheduled")
          << "all teams of a block walk each row: rows are few";
      return;
    default:
      break;
    }
    TraverseFacts facts(op);
    TraverseSchedule byLength = schedule;
    byLength.rowWalk = RowWalk::ByLength;
    refused(getArgument(), op.getLoc())
        << (StringRef("each team walks its own row: ") +
            (facts.sums.empty()          ? "nothing is summed over elements"
             : schedule.rowsPerBlock < 2 ? "a block has one team"
             : layOut(byLength, facts).sharesRows
                 ? "the window that is given is not whole steps of a block"
                 : "sums of a block take too much shared memory"))
               .str();
  }
};
} // namespace
