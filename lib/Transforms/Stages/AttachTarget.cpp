//===- AttachTarget.cpp - The target of a module --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Stages/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace gnn {
#define GEN_PASS_DEF_ATTACHCHIP
#define GEN_PASS_DEF_ATTACHTARGET
#include "GNN/Transforms/Stages/Passes.h.inc"
} // namespace gnn

/// Whose figures costs are of, and how many of them are no measured ones.
static std::string explainFigures(gnn::TargetAttr target) {
  std::string title = gnn::describeTarget(target);
  const gnn::KnownTarget *known = gnn::findTarget(target.getName());
  if (!known)
    return "costs are by what the driver says of " + title;
  size_t derived = llvm::count(llvm::make_second_range(known->sources),
                               gnn::FigureSource::Derived);
  std::string of = derived ? llvm::formatv(", of whose {0} figures {1} are "
                                           "derived from those of another GPU",
                                           known->sources.size(), derived)
                                 .str()
                           : "";
  return "costs are those of " + title + of;
}

namespace {
struct AttachTarget : gnn::impl::AttachTargetBase<AttachTarget> {
  using AttachTargetBase::AttachTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    gnn::TargetAttr known = gnn::findTarget(module.getOperation());
    bool saysRegisters = vector || vectorRegisters;
    bool isOfKind = known && (kind.empty() || kind == known.getKind());
    if (isOfKind && !saysRegisters &&
        (chip.empty() || chip == known.getChip() || chip == known.getName()))
      return;
    StringRef of = !kind.empty() ? StringRef(kind)
                   : known       ? known.getKind()
                                 : "cuda";
    auto backend = gnn::findBackend(of);
    if (!backend)
      return fail(backend.takeError());
    if (saysRegisters && of != gnn::cpuKind)
      return fail(llvm::createStringError(
          "expected 'vector' and 'vector-registers' with kind=cpu, got " + of));
    gnn::CoreRegisters registers;
    if (vector)
      registers.vector = vector;
    if (vectorRegisters)
      registers.count = vectorRegisters;
    auto target = (*backend)->makeTarget(&getContext(), {chip, registers});
    if (!target)
      return fail(target.takeError());
    if (failed(gnn::attachTarget(module, *target)))
      return signalPassFailure();
    if (target->getName().empty())
      gnn::refused(getArgument(), module.getLoc())
          << ("no figures are known of " + gnn::describeTarget(*target) +
              ", costs are those of " +
              gnn::getStandIn(target->getKind()).title.str());
    else
      gnn::passed(getArgument(), module.getLoc(), "Attached")
          << explainFigures(*target);
  }

private:
  void fail(llvm::Error error) {
    getOperation().emitError(getArgument())
        << ": " << llvm::toString(std::move(error));
    signalPassFailure();
  }
};

struct AttachChip : gnn::impl::AttachChipBase<AttachChip> {
  using AttachChipBase::AttachChipBase;

  void runOnOperation() override {
    StringRef triple = "nvptx64-nvidia-cuda";
    gnn::TargetAttr target = gnn::findTarget(getOperation());
    if (target && target.getKind() == gnn::cpuKind) {
      getOperation().emitError(
          "gnn-attach-chip: expected a target whose kernels "
          "are PTX, got ")
          << target.getKind();
      return signalPassFailure();
    }
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
