//===- Compile.cpp - From a module to a package ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the stages one by one, keeps the IR of each where asked, and packs the
// launch plan with the kernels.
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Compile.h"

#include "GNN/Dialect/Tile/IR/Tile.h"
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
    if (!error) {
      stream << text;
      stream.close();
      error = stream.error();
      stream.clear_error();
    }
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
static std::string ptxText(ModuleOp module) {
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

namespace {

/// The stages, by what a module is before them.
enum class Level { Graph, Tile, GPU, Binary };

} // namespace

static bool hasTensor(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

/// The highest level of which `module` has an op.
static Level findLevel(ModuleOp module) {
  Level level = Level::Binary;
  module.walk([&](Operation *op) {
    if (hasTensor(op))
      level = Level::Graph;
    else if (isa<tile::TraverseOp, tile::GemmOp, tile::OuterOp>(op))
      level = std::min(level, Level::Tile);
    else if (isa<gpu::GPUModuleOp>(op))
      level = std::min(level, Level::GPU);
    return level == Level::Graph ? WalkResult::interrupt()
                                 : WalkResult::advance();
  });
  return level;
}

/// Runs the stages up to kernels and launches.
static LogicalResult lowerToGPU(ModuleOp module,
                                const CompileOptions &options) {
  Level level = findLevel(module);
  PassSwitches all;
  std::string message;
  if (failed(parsePassSwitches(options.passes, all, message)))
    return module.emitError("passes: ") << message;
  GraphPipelineOptions graph;
  TilePipelineOptions tile;
  all.assignGraphSwitches(graph);
  all.assignTileSwitches(tile);
  graph.chooseTarget(options.chip);
  if (level <= Level::Graph &&
      (failed(runStage(
           module, options, "1-graph",
           [&](OpPassManager &pm) { buildGraphPipeline(pm, graph); })) ||
       failed(runStage(module, options, "2-tile", [&](OpPassManager &pm) {
         buildTilePipeline(pm, tile);
       }))))
    return failure();
  if (level > Level::GPU)
    return success();
  return runStage(module, options, "3-gpu", [&](OpPassManager &pm) {
    if (level <= Level::Tile)
      buildGPUPipeline(pm);
    pm.addNestedPass<gpu::GPUModuleOp>(createExpandDeviceMath());
    pm.addPass(createCSEPass());
  });
}

static LogicalResult lowerToBinary(ModuleOp module,
                                   const CompileOptions &options,
                                   StringRef name, KernelFormat format) {
  PTXPipelineOptions ptx;
  ptx.chip = options.chip;
  ptx.features = options.features;
  ptx.optLevel = options.optLevel;
  ptx.format = format;
  return runStage(module, options, name,
                  [&](OpPassManager &pm) { buildPTXPipeline(pm, ptx); });
}

/// Makes PTX of a module of kernels and launches.
static FailureOr<std::string> lowerToPTX(ModuleOp module,
                                         const CompileOptions &options) {
  if (failed(lowerToBinary(module, options, "4-nvvm", KernelFormat::ISA)))
    return failure();
  std::string ptx = ptxText(module);
  if (!options.phasesDirectory.empty() &&
      failed(writeFile(module, options.phasesDirectory, "kernels.ptx", ptx)))
    return failure();
  return ptx;
}

/// Assembles the kernels; there must be one gpu.module at most.
static FailureOr<std::string> assemble(ModuleOp module,
                                       const CompileOptions &options) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(lowerToBinary(*copy, options, "4-cubin", KernelFormat::Bin)))
    return failure();
  auto binaries = copy->getOps<gpu::BinaryOp>();
  if (!llvm::hasSingleElement(binaries))
    return module.emitError("expected one gpu.module to assemble, got ")
           << std::distance(binaries.begin(), binaries.end());
  auto object = cast<gpu::ObjectAttr>((*binaries.begin()).getObjects()[0]);
  return object.getObject().getValue().str();
}

/// The images of a module of kernels and launches, by format.
static LogicalResult addImages(ModuleOp module, const CompileOptions &options,
                               std::map<std::string, std::string> &images) {
  if (options.emulated)
    images["mlir"] = kernelText(module);
  if (options.chip.empty())
    return success();
  if (options.cubin) {
    FailureOr<std::string> cubin = assemble(module, options);
    if (failed(cubin))
      return failure();
    images["cubin"] = std::move(*cubin);
  }
  FailureOr<std::string> ptx = lowerToPTX(module, options);
  if (failed(ptx))
    return failure();
  images["ptx"] = std::move(*ptx);
  return success();
}

FailureOr<std::string> gnn::compileToPTX(ModuleOp module,
                                         const CompileOptions &options) {
  if (failed(lowerToGPU(module, options)))
    return failure();
  FailureOr<std::string> ptx = lowerToPTX(module, options);
  if (succeeded(ptx) && ptx->empty())
    return module.emitError("expected kernels or ops that become kernels");
  return ptx;
}

FailureOr<std::shared_ptr<const runtime::Package>>
gnn::compileToPackage(ModuleOp module, const CompileOptions &options) {
  if (failed(lowerToGPU(module, options)))
    return failure();
  FailureOr<runtime::LaunchPlan> plan = makeLaunchPlan(module);
  if (failed(plan))
    return failure();
  plan->chip = options.chip;
  plan->features = options.features;
  std::map<std::string, std::string> images;
  if (failed(addImages(module, options, images)))
    return failure();
  auto package = runtime::Package::create(std::move(*plan), std::move(images));
  if (!package)
    return module.emitError(package.takeError().message());
  return *package;
}

std::string gnn::compilePipeline(ModuleOp module,
                                 const CompileOptions &options) {
  Level level = findLevel(module);
  std::string text = "builtin.module(";
  if (level <= Level::Graph) {
    PassSwitches all;
    GraphPipelineOptions graph;
    TilePipelineOptions tile;
    std::string message;
    llvm::raw_string_ostream stream(text);
    if (succeeded(parsePassSwitches(options.passes, all, message)))
      all.assignGraphSwitches(graph), all.assignTileSwitches(tile);
    graph.chooseTarget(options.chip);
    stream << "gnn-graph-pipeline";
    graph.print(stream);
    stream << ",gnn-tile-pipeline";
    tile.print(stream);
    stream << ",";
  }
  if (level <= Level::Tile)
    text += "gnn-gpu-pipeline,";
  text += "gnn-verify-launch-form";
  if (!options.chip.empty()) {
    text += ",gnn-ptx-pipeline{chip=" + options.chip +
            " opt-level=" + std::to_string(options.optLevel);
    if (!options.features.empty())
      text += " features=" + options.features;
    text += "}";
  }
  return text + ")";
}
