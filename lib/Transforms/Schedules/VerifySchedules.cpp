//===- VerifySchedules.cpp - What the lowering takes ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Passes.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_VERIFYSCHEDULES
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

namespace {
struct VerifySchedules : gnn::impl::VerifySchedulesBase<VerifySchedules> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([](Operation *op) {
      if (auto traverse = dyn_cast<TraverseOp>(op))
        return WalkResult(getLayout(traverse));
      if (auto gemm = dyn_cast<GemmOp>(op))
        return WalkResult(getTileColumns(gemm));
      if (auto outer = dyn_cast<OuterOp>(op))
        return WalkResult(getTileColumns(outer));
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
