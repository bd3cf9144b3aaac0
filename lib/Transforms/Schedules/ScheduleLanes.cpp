//===- ScheduleLanes.cpp - Lanes of a row ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULELANES
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

/// Elements of a row that lanes take at once; more would wait for each other
/// where rows are short.
static constexpr int64_t mostElementLanes = 8;

namespace {
struct ScheduleLanes : gnn::impl::ScheduleLanesBase<ScheduleLanes> {
  void runOnOperation() override {
    getOperation()->walk([&](TraverseOp op) {
      TraverseSchedule schedule(op);
      TraverseFacts facts(op);
      auto within = [](int64_t left, int64_t wanted) -> int64_t {
        return std::min<int64_t>(left, llvm::PowerOf2Ceil(wanted));
      };
      int64_t columns = schedule.columnsPerBlock ? schedule.columnsPerBlock
                                                 : op.getDomain().getFeatures();
      int64_t vector = schedule.vector ? schedule.vector : facts.widestVector;
      if (!schedule.lanes)
        schedule.lanes = within(32, llvm::divideCeil(columns, vector));
      if (!schedule.headLanes)
        schedule.headLanes =
            within(32 / schedule.lanes, op.getDomain().getHeads());
      int64_t left = 32 / (schedule.lanes * schedule.headLanes);
      if (!schedule.elementLanes)
        schedule.elementLanes = !facts.hasElements ? 1
                                : facts.shufflesInsideElements
                                    ? left
                                    : std::min(left, mostElementLanes);
      schedule.setOn(op);
    });
  }
};
} // namespace
