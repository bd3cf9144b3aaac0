//===- CPUBackend.cpp - Kernels for the cores of a CPU --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/CPU/CPUDevice.h"
#include "GNN/CPU/Processor.h"
#include "GNN/Conversion/Passes.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Target/Backends.h"
#include "GNN/Transforms/Loops/Passes.h"
#include "GNN/Transforms/Schedules/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace gnn;

namespace {
/// A block is one thread, which takes its rows one after the other.
class CPUBackend : public TargetBackend {
public:
  llvm::StringRef getKind() const override { return cpuKind; }

  llvm::Expected<TargetAttr>
  makeTarget(mlir::MLIRContext *context,
             const TargetRequest &request) const override {
    if (!request.chip.empty())
      if (llvm::Error error = cpu::checkProcessor(request.chip))
        return std::move(error);
    if (request.registers)
      return makeCPUTarget(context, request.chip, *request.registers);
    llvm::Expected<CoreRegisters> registers = cpu::getRegisters();
    if (!registers)
      return registers.takeError();
    return makeCPUTarget(context, request.chip, *registers);
  }

  tile::ScheduleInterface
  getOpenSchedule(tile::TileOpInterface op) const override {
    if (!mlir::isa<tile::TraverseOp>(*op))
      return op.getOpenSchedule();
    return mlir::cast<tile::ScheduleInterface>(
        tile::TraverseSchedule::ofCore().get(op->getContext()));
  }

  void addSchedulePasses(mlir::OpPassManager &function) const override {
    function.addPass(createScheduleCores());
  }

  void addLoopPasses(mlir::OpPassManager &function) const override {
    function.addPass(createLowerCoreProducts());
    function.addPass(createConvertGNNTileToScalarLoops()); // of what is left
  }

  runtime::Expected<std::shared_ptr<runtime::Device>>
  openDevice() const override {
    return cpu::createDevice();
  }
};
} // namespace

void gnn::registerCPUBackend() {
  registerBackend(std::make_unique<CPUBackend>());
}
