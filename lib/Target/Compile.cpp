//===- Compile.cpp - From a module to a package ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the stages one by one, keeps the IR of each where asked, and packs the
// launch plan with the kernels.
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Compile.h"

#include "GNN/Pipelines/Pipelines.h"
#include "GNN/Target/LaunchPlan.h"
#include "GNN/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace gnn;

/// Writes `text` to `directory`/`name`.
static LogicalResult writeFile(ModuleOp module, StringRef directory,
                               StringRef name, StringRef text) {
  SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  std::error_code error = llvm::sys::fs::create_directories(directory);
  if (!error) {
    llvm::raw_fd_ostream stream(path, error);
    if (!error)
      stream << text;
  }
  if (error)
    return module.emitError("cannot write '")
           << path << "': " << error.message();
  return success();
}

static std::string printed(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

/// Runs one stage and keeps what it gives.
static LogicalResult runStage(ModuleOp module, const CompileOptions &options,
                              StringRef name,
                              function_ref<void(OpPassManager &)> build) {
  PassManager pm(module.getContext());
  build(pm);
  if (failed(pm.run(module)))
    return failure();
  if (options.phasesDirectory.empty())
    return success();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return writeFile(module, options.phasesDirectory, (name + ".mlir").str(),
                   text);
}

/// The kernels alone, as text.
static std::string kernelText(ModuleOp module) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    kernels->push_back(gpuModule->clone());
  return printed(*kernels);
}

/// All PTX of the module as one text: one header, then every kernel.
static FailureOr<std::string> ptxText(ModuleOp module) {
  std::string text;
  for (auto binary : module.getOps<gpu::BinaryOp>()) {
    auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
    StringRef ptx = object.getObject().getValue();
    ptx = ptx.take_until([](char c) { return c == '\0'; });
    if (!text.empty()) {
      size_t header = ptx.find(".address_size");
      ptx = ptx.drop_front(ptx.find('\n', header));
    }
    text += ptx;
  }
  return text;
}

FailureOr<std::shared_ptr<const runtime::Package>>
gnn::compileToPackage(ModuleOp module, const CompileOptions &options) {
  TilePipelineOptions tileOptions;
  tileOptions.fuse = options.fuse;
  if (failed(runStage(module, options, "1-graph", buildGraphPipeline)) ||
      failed(runStage(
          module, options, "2-tile",
          [&](OpPassManager &pm) { buildTilePipeline(pm, tileOptions); })) ||
      failed(runStage(module, options, "3-gpu", [](OpPassManager &pm) {
        buildGPUPipeline(pm);
        pm.addNestedPass<gpu::GPUModuleOp>(createExpandDeviceMath());
        pm.addPass(createCSEPass());
      })))
    return failure();
  FailureOr<runtime::LaunchPlan> plan = makeLaunchPlan(module);
  if (failed(plan))
    return failure();
  std::map<std::string, std::string> images;
  if (options.emulated)
    images["mlir"] = kernelText(module);
  if (!options.chip.empty()) {
    PTXPipelineOptions ptxOptions;
    ptxOptions.chip = options.chip;
    plan->chip = options.chip;
    if (failed(runStage(module, options, "4-nvvm", [&](OpPassManager &pm) {
          buildPTXPipeline(pm, ptxOptions);
        })))
      return failure();
    FailureOr<std::string> ptx = ptxText(module);
    if (failed(ptx))
      return failure();
    if (!options.phasesDirectory.empty() &&
        failed(writeFile(module, options.phasesDirectory, "kernels.ptx", *ptx)))
      return failure();
    images["ptx"] = std::move(*ptx);
  }
  auto package = runtime::Package::create(std::move(*plan), std::move(images));
  if (!package)
    return module.emitError(package.takeError().message());
  return *package;
}
