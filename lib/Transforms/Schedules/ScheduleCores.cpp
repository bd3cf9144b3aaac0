//===- ScheduleCores.cpp - Traversals on the cores of a CPU ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleFacts.h"

#include "GNN/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"
#include <numeric>

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULECORES
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

/// Features of a row that a core goes through at once at most: their sums fit
/// its registers or nearly so.
static constexpr int64_t mostColumns = 256;

/// Rows of a block: enough that a core takes a block seldom, few enough that
/// the cores end together.
static constexpr int64_t rowsOfBlock = 64;

/// Sets a field that is open.
template <typename Field, typename Value>
static void setOpen(Field &field, Value value) {
  if (!field)
    field = value;
}

static int64_t chooseColumns(const TraverseFacts &facts, int64_t vector) {
  if (facts.reducesFeatures || facts.features <= mostColumns)
    return facts.features;
  return mostColumns / vector * vector;
}

namespace {
struct ScheduleCores : gnn::impl::ScheduleCoresBase<ScheduleCores> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](TraverseOp op) {
      TraverseSchedule schedule(op);
      TraverseFacts facts(op);
      setOpen(schedule.rowWalk, RowWalk::InTurn);
      int64_t widest =
          schedule.columnsPerBlock && schedule.columnsPerBlock < facts.features
              ? std::gcd(facts.widestOfCPU, schedule.columnsPerBlock)
              : facts.widestOfCPU;
      setOpen(schedule.vector, widest);
      setOpen(schedule.columnsPerBlock, chooseColumns(facts, schedule.vector));
      for (int64_t *lanes :
           {&schedule.lanes, &schedule.headLanes, &schedule.elementLanes,
            &schedule.inFlight}) // a core looks ahead by itself
        setOpen(*lanes, 1);
      setOpen(schedule.rowsPerBlock, rowsOfBlock);
      setOpen(schedule.rowOrder, TakenOrder::Natural);
      schedule.setOn(op);
      if (failed(getPartialLayout(op)))
        return WalkResult::interrupt();
      remark::passed(
          op.getLoc(),
          remark::RemarkOpts::name("Scheduled").category(getArgument()))
          << ("a core takes " + Twine(schedule.rowsPerBlock) +
              " rows, in vectors of " + Twine(schedule.vector))
                 .str();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
