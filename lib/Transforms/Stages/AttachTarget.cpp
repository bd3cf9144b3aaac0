//===- AttachTarget.cpp - What a module is compiled for -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Targets.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Stages/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace gnn {
#define GEN_PASS_DEF_ATTACHCHIP
#define GEN_PASS_DEF_ATTACHTARGET
#include "GNN/Transforms/Stages/Passes.h.inc"
} // namespace gnn

namespace {
struct AttachTarget : gnn::impl::AttachTargetBase<AttachTarget> {
  using AttachTargetBase::AttachTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    gnn::TargetAttr known = gnn::findTarget(module.getOperation());
    if (known && kind.empty() && (chip.empty() || chip == known.getChip()))
      return;
    StringRef named = kind.empty() ? "cuda" : StringRef(kind);
    auto target =
        named == gnn::cpuKind
            ? gnn::makeCPUTarget(&getContext(), chip, {vector, registers})
            : gnn::makeGPUTarget(&getContext(), named, chip);
    if (!target) {
      module.emitError(getArgument())
          << ": " << llvm::toString(target.takeError());
      return signalPassFailure();
    }
    if (failed(gnn::attachTarget(module, *target)))
      return signalPassFailure();
    if (target->getName().empty())
      gnn::refused(getArgument(), module.getLoc())
          << ("no figures are known of " + gnn::describeTarget(*target) +
              ", costs are those of " +
              gnn::getKnownTargets().front().name.str());
    else
      gnn::passed(getArgument(), module.getLoc(), "Attached")
          << ("costs are those of " + gnn::describeTarget(*target));
  }
};

struct AttachChip : gnn::impl::AttachChipBase<AttachChip> {
  using AttachChipBase::AttachChipBase;

  void runOnOperation() override {
    StringRef triple = "nvptx64-nvidia-cuda";
    auto chip = NVVM::NVVMTargetAttr::getChecked(
        [&] { return getOperation().emitError(); }, &getContext(),
        static_cast<int>(optLevel.getValue()), triple,
        gnn::getChip(getOperation()), StringRef(features));
    if (!chip)
      return signalPassFailure();
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>())
      if (!kernels.getTargetsAttr())
        kernels.setTargetsAttr(ArrayAttr::get(&getContext(), chip));
  }
};
} // namespace
