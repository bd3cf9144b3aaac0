//===- ScheduleRowWalks.cpp - Who walks long rows -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleUtils.h"

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"

#include "llvm/Support/FormatVariadic.h"

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
      if (failed(getPartialLayout(op)))
        return WalkResult::interrupt();
      TraverseSchedule schedule(op);
      TraverseFacts facts = getScheduleFacts(op);
      bool isOpen = !schedule.rowWalk;
      if (isOpen)
        schedule.rowWalk = chooseRowWalk(schedule, facts);
      StringRef why;
      if (schedule.rowWalk == RowWalk::ByLength)
        why = chooseSplitRows(schedule, facts);
      schedule.setOn(op);
      if (isOpen)
        explain(op, schedule, facts, why);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

private:
  static std::string explainBlocks(const TraverseSchedule &schedule,
                                   const TraverseFacts &facts) {
    if (!areWalkedByBlocks(schedule, facts))
      return "rows are few";
    RowWalkRounds rounds = countRowWalkRounds(schedule, facts);
    return llvm::formatv("rows are few, and the longest takes {0:F0} rounds of "
                         "a team, {1:F1} of a block that joins and waits",
                         rounds.ofTeam, rounds.ofBlock)
        .str();
  }

  /// Says who walks long rows, or why nobody but their own teams does.
  void explain(TraverseOp op, const TraverseSchedule &schedule,
               const TraverseFacts &facts, StringRef why) {
    switch (*schedule.rowWalk) {
    case RowWalk::ByLength:
      passed(getArgument(), op.getLoc(), "Scheduled")
          << ("all teams of a block walk a row of more than " +
              Twine(schedule.splitRows) + " elements: " + why)
                 .str();
      return;
    case RowWalk::Block:
      passed(getArgument(), op.getLoc(), "Scheduled")
          << "all teams of a block walk each row: " +
                 explainBlocks(schedule, facts);
      return;
    default:
      break;
    }
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
