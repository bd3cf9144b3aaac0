//===- OnTarget.cpp - Passes for one kind of target -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Utils/NestedPasses.h"

#include "GNN/Analysis/Targets.h"
#include "GNN/Transforms/Stages/Passes.h"

using namespace mlir;

namespace gnn {
#define GEN_PASS_DEF_ONTARGET
#include "GNN/Transforms/Stages/Passes.h.inc"
} // namespace gnn

namespace {
struct OnTarget : gnn::NestedPasses<gnn::impl::OnTargetBase<OnTarget>> {
  using NestedPasses::NestedPasses;
  OnTarget(StringRef kind, const OpPassManager &given) : NestedPasses(given) {
    this->kind = kind.str();
  }

  void runOnOperation() override {
    gnn::TargetAttr target = gnn::findTarget(getOperation());
    if (target && target.getKind() == kind.getValue())
      runNested();
  }
};
} // namespace

std::unique_ptr<Pass> gnn::createOnTarget(StringRef kind,
                                          const OpPassManager &passes) {
  return std::make_unique<OnTarget>(kind, passes);
}
