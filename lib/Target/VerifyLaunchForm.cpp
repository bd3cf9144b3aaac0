//===- VerifyLaunchForm.cpp - Host functions fit in a launch plan ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The border before the launch plan, as a pass.
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/LaunchPlan.h"
#include "GNN/Target/Passes.h"

namespace gnn {
#define GEN_PASS_DEF_VERIFYLAUNCHFORM
#include "GNN/Target/Passes.h.inc"
} // namespace gnn

namespace {
struct VerifyLaunchForm : gnn::impl::VerifyLaunchFormBase<VerifyLaunchForm> {
  using VerifyLaunchFormBase::VerifyLaunchFormBase;

  void runOnOperation() override {
    if (mlir::failed(gnn::makeLaunchPlan(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
