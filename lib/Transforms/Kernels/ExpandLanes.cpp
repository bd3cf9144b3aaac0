//===- ExpandLanes.cpp - Reductions over lanes as shuffles ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's patterns, which no pass of upstream's runs.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Kernels/Passes.h"

#include "GNN/Dialect/GNN/IR/TargetFields.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_EXPANDLANES
#include "GNN/Transforms/Kernels/Passes.h.inc"
} // namespace gnn

using namespace mlir;

namespace {
struct ExpandLanes : gnn::impl::ExpandLanesBase<ExpandLanes> {
  using ExpandLanesBase::ExpandLanesBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    gnn::populateExpandLanesPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace

void gnn::populateExpandLanesPatterns(RewritePatternSet &patterns) {
  unsigned warp = TargetLimits::ofGPU().lanes;
  populateGpuLowerSubgroupReduceToShufflePatterns(patterns, warp);
  populateGpuLowerClusteredSubgroupReduceToShufflePatterns(patterns, warp);
  affine::populateAffineExpandIndexOpsPatterns(patterns);
}
