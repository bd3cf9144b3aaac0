//===- ScheduleRows.cpp - Rows of a block, elements at once ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Passes.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULEROWS
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

/// Threads of a block, where its rows divide them.
static constexpr int64_t blockThreads = 256;
/// Elements whose loads a lane issues before it waits for the first.
static constexpr int64_t elementsInFlight = 4;

namespace {
struct ScheduleRows : gnn::impl::ScheduleRowsBase<ScheduleRows> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](TraverseOp op) {
      TraverseSchedule schedule(op);
      if (!schedule.inFlight)
        schedule.inFlight = op.getDomain().getElements() ? elementsInFlight : 1;
      FailureOr<TraverseLayout> layout = getPartialLayout(op);
      if (failed(layout))
        return WalkResult::interrupt();
      if (!schedule.rowsPerBlock)
        schedule.rowsPerBlock =
            std::max<int64_t>(1, blockThreads / layout->threadsPerRow());
      if (!schedule.rowOrder)
        schedule.rowOrder = TakenOrder::Natural;
      schedule.setOn(op);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
