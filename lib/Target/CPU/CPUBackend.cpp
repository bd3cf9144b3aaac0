//===- CPUBackend.cpp - Kernels for the cores of a CPU --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/CPU/Compile.h"
#include "GNN/CPU/Processor.h"
#include "GNN/Conversion/Passes.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Target/Backends.h"
#include "GNN/Target/CompileOptions.h"
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
    llvm::Expected<CoreRegisters> registers =
        cpu::getRegisters(cpu::getProcessor());
    if (!registers)
      return registers.takeError();
    return makeCPUTarget(context, request.chip, *registers);
  }

  llvm::Expected<CoreRegisters>
  getRegisters(llvm::StringRef processors) const override {
    auto listed = cpu::parseProcessors(processors);
    if (!listed)
      return listed.takeError();
    std::optional<CoreRegisters> widest;
    for (const runtime::Processor *processor : *listed) {
      auto registers = cpu::getRegisters(processor->llvmName);
      if (!registers)
        return registers.takeError();
      if (!widest || registers->vector > widest->vector)
        widest = *registers;
    }
    return *widest;
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

  mlir::LogicalResult addImages(const PackageWork &work) const override {
    const CompileOptions &options = work.options;
    mlir::ModuleOp module = work.module;
    std::string kernels = printKernels(module);
    if (!options.objects.empty()) {
      auto processors = cpu::parseProcessors(options.objects);
      if (!processors)
        return module.emitError(llvm::toString(processors.takeError()));
      for (const runtime::Processor *processor : *processors) {
        auto object = cpu::compileObject(kernels, *processor, options.threads);
        if (!object)
          return module.emitError(llvm::toString(object.takeError()));
        work.images[runtime::objectFormat(processor->name)] =
            std::move(*object);
      }
    }
    if (options.keepIR || options.objects.empty())
      work.images["mlir"] = std::move(kernels);
    return mlir::success();
  }

  runtime::Expected<std::shared_ptr<runtime::Device>>
  openDevice() const override {
    return runtime::createCPUDevice(/*threads=*/0, cpu::compileKernels);
  }
};
} // namespace

void gnn::registerCPUBackend() {
  registerBackend(std::make_unique<CPUBackend>());
}
