//===- ScheduleLanes.cpp - Lanes of a row ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Passes.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULELANES
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

namespace {
struct ScheduleLanes : gnn::impl::ScheduleLanesBase<ScheduleLanes> {
  void runOnOperation() override {
    getOperation()->walk([&](TraverseOp op) {
      TraverseSchedule schedule(op);
      chooseLanes(schedule, TraverseFacts(op));
      schedule.setOn(op);
    });
  }
};
} // namespace
