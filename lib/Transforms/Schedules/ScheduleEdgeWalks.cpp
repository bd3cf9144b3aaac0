//===- ScheduleEdgeWalks.cpp - Which walks go by edges --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleUtils.h"

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULEEDGEWALKS
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

/// Whether a field is set that says how rows are walked.
static bool saysWalk(const TraverseSchedule &schedule) {
  return schedule.rowWalk || schedule.splitRows || schedule.rowOrder ||
         schedule.elementLanes || schedule.rowsPerTeam > 1;
}

namespace {
struct ScheduleEdgeWalks : gnn::impl::ScheduleEdgeWalksBase<ScheduleEdgeWalks> {
  using ScheduleEdgeWalksBase::ScheduleEdgeWalksBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (edges >= -1 && edges <= 1)
      return success();
    return emitError(UnknownLoc::get(context))
           << getArgument() << ": expected 'edges' -1, 0 or 1, got "
           << edges.getValue();
  }

  void runOnOperation() override {
    getOperation()->walk([&](TraverseOp op) {
      if (!isForGPU(op) || !op.getElements())
        return;
      TraverseSchedule schedule(op);
      if (saysWalk(schedule)) {
        if (schedule.rowWalk != RowWalk::ByEdges)
          refused(getArgument(), op.getLoc())
              << "its schedule sets the walk of rows";
        return;
      }
      // Rows that are whole by now stay so.
      std::string gain,
          why = explainEdges(op, edges, gain, op, CostKind::WholeRows);
      if (!why.empty()) {
        refused(getArgument(), op.getLoc()) << why;
        return;
      }
      schedule.rowWalk = RowWalk::ByEdges;
      if (std::string cannot = getRefusal(op, schedule); !cannot.empty()) {
        refused(getArgument(), op.getLoc()) << cannot;
        return;
      }
      schedule.setOn(op);
      passed(getArgument(), op.getLoc(), "EdgeWalk")
          << ("teams take equal shares of the elements" + gain);
    });
  }

private:
  /// Why fields that are set do not go with it, or what a team hands over of a
  /// row does not fit a block. Costs may choose fewer columns.
  static std::string getRefusal(TraverseOp op,
                                const TraverseSchedule &schedule) {
    TraverseFacts facts = getScheduleFacts(op);
    TraverseSchedule whole = schedule;
    chooseVector(whole, facts);
    chooseColumns(whole, facts);
    chooseLanes(whole, facts);
    chooseRows(whole, facts);
    return explainRefusal(whole, facts, layOut(whole, facts));
  }
};
} // namespace
