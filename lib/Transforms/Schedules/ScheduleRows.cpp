//===- ScheduleRows.cpp - Rows of a block, elements at once ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleFacts.h"

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULEROWS
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

namespace {
struct ScheduleRows : gnn::impl::ScheduleRowsBase<ScheduleRows> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](TraverseOp op) {
      if (!gnn::isForGPU(op))
        return WalkResult::advance();
      TraverseSchedule schedule(op);
      if (failed(getPartialLayout(op)))
        return WalkResult::interrupt();
      Attribute given = op.getScheduleAttr();
      chooseRows(schedule, gnn::getScheduleFacts(op));
      schedule.setOn(op);
      if (op.getScheduleAttr() != given)
        gnn::passed(getArgument(), op.getLoc(), "Scheduled")
            << ("a block takes " + Twine(schedule.rowsPerBlock) +
                " rows, in_flight is " + Twine(schedule.inFlight))
                   .str();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
