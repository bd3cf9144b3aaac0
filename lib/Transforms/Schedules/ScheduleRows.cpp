//===- ScheduleRows.cpp - Rows of a block, elements at once ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleUtils.h"

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULEROWS
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

namespace {
struct ScheduleRows : gnn::impl::ScheduleRowsBase<ScheduleRows> {
  using ScheduleRowsBase::ScheduleRowsBase;

  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](TraverseOp op) {
      if (!gnn::isForGPU(op))
        return WalkResult::advance();
      TraverseSchedule given(op), schedule = given;
      if (failed(getPartialLayout(op)))
        return WalkResult::interrupt();
      Attribute before = op.getScheduleAttr();
      TraverseFacts facts = gnn::getScheduleFacts(op);
      facts.mayTakeTurns = cyclic;
      chooseRows(schedule, facts);
      schedule.setOn(op);
      if (op.getScheduleAttr() != before)
        explain(op, given, schedule, facts);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

private:
  void explain(TraverseOp op, const TraverseSchedule &given,
               const TraverseSchedule &schedule, const TraverseFacts &facts);
};
} // namespace

/// Elements of a group on average, where they are known.
static std::string meanOf(const TraverseFacts &facts) {
  return facts.meanLength
             ? llvm::formatv(", groups have {0:F1} elements on average",
                             facts.meanLength)
                   .str()
             : "";
}

/// Says what was chosen of fields that were open.
void ScheduleRows::explain(TraverseOp op, const TraverseSchedule &given,
                           const TraverseSchedule &schedule,
                           const TraverseFacts &facts) {
  bool byEdges = schedule.rowWalk == RowWalk::ByEdges;
  std::string what =
      byEdges ? gnn::counted(schedule.rowsPerBlock, "share") + " of 64 elements"
              : gnn::counted(schedule.rowsPerBlock, "row");
  std::string why;
  if (byEdges && !given.inFlight)
    why = (": " + chooseEdgesInFlight(given, facts).why).str();
  if (!byEdges && !given.inFlight) {
    TraverseFacts many = facts; // of which no GPU has all at work at once
    many.processors = 0;
    TraverseSchedule ofMany = given;
    chooseRows(ofMany, many);
    if (ofMany.inFlight != schedule.inFlight)
      why = ": rows are so few that the longest one decides";
  }
  gnn::passed(getArgument(), op.getLoc(), "Scheduled")
      << llvm::formatv("a block takes {0}, in_flight is {1}{2}", what,
                       schedule.inFlight, why)
             .str();
  if (!byEdges)
    return;
  if (!given.distribution) {
    std::string blocked = explainBlocked(schedule, facts);
    if (blocked.empty())
      gnn::passed(getArgument(), op.getLoc(), "Cyclic")
          << llvm::formatv("teams take turns: rows have no results, and {0} "
                           "lanes each{1}",
                           layOut(schedule, facts).threadsPerRow(),
                           meanOf(facts))
                 .str();
    else
      gnn::refused(getArgument(), op.getLoc())
          << "teams take elements side by side: " + blocked +
                 (facts.isDot() ? meanOf(facts) : "");
  }
  if (!given.processorBlocks && schedule.processorBlocks)
    gnn::passed(getArgument(), op.getLoc(), "Registers")
        << llvm::formatv("a multiprocessor has room for {0} blocks, by what "
                         "lanes hold of rows and sums",
                         schedule.processorBlocks)
               .str();
}
