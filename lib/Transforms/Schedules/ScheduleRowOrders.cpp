//===- ScheduleRowOrders.cpp - Which rows blocks take first ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleUtils.h"

#include "GNN/Analysis/RowOrders.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULEROWORDERS
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

namespace {
struct ScheduleRowOrders : gnn::impl::ScheduleRowOrdersBase<ScheduleRowOrders> {
  using ScheduleRowOrdersBase::ScheduleRowOrdersBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (orders >= -1 && orders <= 2)
      return success();
    return emitError(UnknownLoc::get(context))
           << getArgument() << ": expected 'orders' -1, 0, 1 or 2, got "
           << orders.getValue();
  }

  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](TraverseOp op) {
      TraverseSchedule schedule(op);
      if (!isForGPU(op) || schedule.rowOrder)
        return WalkResult::advance();
      if (failed(getPartialLayout(op)))
        return WalkResult::interrupt();
      std::string why;
      schedule.rowOrder = chooseRowOrder(op, orders, why);
      schedule.setOn(op);
      if (schedule.rowOrder == TakenOrder::Natural) {
        if (op.getElements())
          refused(getArgument(), op.getLoc())
              << "rows keep their order: " + why;
      } else {
        passed(getArgument(), op.getLoc(), "RowOrder")
            << ("blocks take rows " + stringifyTakenOrder(*schedule.rowOrder) +
                (why.empty() ? "" : ": " + why))
                   .str();
      }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
