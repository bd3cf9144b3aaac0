//===- CUDABackend.cpp - Kernels for a GPU as PTX -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../RunStage.h"
#include "LowerToPTX.h"

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/Runtime/CUDA.h"
#include "GNN/Target/Backends.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace gnn;

/// Assembles the kernels; there must be one gpu.module at most.
static FailureOr<std::string> assemble(ModuleOp module, StageOptions &stages) {
  OwningOpRef<ModuleOp> copy = module.clone();
  stages.ptx.format = KernelFormat::Bin;
  LogicalResult result = runStage(*copy, getStages().back(), stages, "");
  stages.ptx.format = KernelFormat::ISA;
  if (failed(result))
    return failure();
  auto binaries = copy->getOps<gpu::BinaryOp>();
  if (!llvm::hasSingleElement(binaries))
    return module.emitError("expected one gpu.module to assemble, got ")
           << std::distance(binaries.begin(), binaries.end());
  auto object = cast<gpu::ObjectAttr>((*binaries.begin()).getObjects()[0]);
  return object.getObject().getValue().str();
}

namespace {
class CUDABackend : public TargetBackend {
public:
  StringRef getKind() const override { return "cuda"; }

  llvm::Expected<TargetAttr>
  makeTarget(MLIRContext *context,
             const TargetRequest &request) const override {
    return makeGPUTarget(context, getKind(), request.chip);
  }

  Form getLastForm() const override { return Form::Binaries; }

  /// PTX, what ptxas makes of it where asked for, and the kernels as IR for the
  /// emulator.
  LogicalResult addImages(const PackageWork &work) const override {
    if (work.options.keepIR)
      work.images["mlir"] = printKernels(work.module);
    if (work.options.cubin) {
      FailureOr<std::string> cubin = assemble(work.module, work.stages);
      if (failed(cubin))
        return failure();
      work.images["cubin"] = std::move(*cubin);
    }
    FailureOr<std::string> ptx =
        lowerToPTX(work.module, work.options, work.stages, work.plan);
    if (failed(ptx))
      return failure();
    work.images["ptx"] = std::move(*ptx);
    return success();
  }

  runtime::Expected<std::shared_ptr<runtime::Device>>
  openDevice() const override {
    return runtime::openCudaDevice();
  }
};
} // namespace

void gnn::registerCUDABackend() {
  registerBackend(std::make_unique<CUDABackend>());
}
