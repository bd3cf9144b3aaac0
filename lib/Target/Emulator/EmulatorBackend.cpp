//===- EmulatorBackend.cpp - Kernels of a GPU, run on the host ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/Emulator/EmulatorDevice.h"
#include "GNN/Target/Backends.h"

using namespace gnn;

namespace {
class EmulatorBackend : public TargetBackend {
public:
  llvm::StringRef getKind() const override { return "emulator"; }

  llvm::Expected<TargetAttr>
  makeTarget(mlir::MLIRContext *context,
             const TargetRequest &request) const override {
    return makeGPUTarget(context, getKind(), request.chip);
  }

  /// Those of any GPU.
  bool takes(TargetAttr target) const override {
    return target.getKind() == getKind() || target.getKind() == "cuda";
  }

  /// One that checks every access.
  runtime::Expected<std::shared_ptr<runtime::Device>>
  openDevice() const override {
    return emulator::createDevice();
  }
};
} // namespace

void gnn::registerEmulatorBackend() {
  registerBackend(std::make_unique<EmulatorBackend>());
}
