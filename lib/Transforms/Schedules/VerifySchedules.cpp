//===- VerifySchedules.cpp - Schedules that are complete ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/Transforms/Schedules/Passes.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_VERIFYSCHEDULES
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

namespace {
struct VerifySchedules : gnn::impl::VerifySchedulesBase<VerifySchedules> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk(
        [](TileOpInterface op) { return WalkResult(op.verifySchedule()); });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
