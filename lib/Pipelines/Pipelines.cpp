//===- Pipelines.cpp - The table of contents of the compiler --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From whole-graph ops to kernels and a straight-line host function. The last
// stage, to PTX, has its own file.
//
//===----------------------------------------------------------------------===//

#include "GNN/Pipelines/Pipelines.h"

#include "GNN/Conversion/Passes.h"
#include "GNN/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void gnn::buildGraphPipeline(OpPassManager &pm,
                             const GraphPipelineOptions &options) {
  auto clean = [&] {
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  };
  auto add = [&](std::unique_ptr<Pass> pass) {
    pm.addNestedPass<func::FuncOp>(std::move(pass));
    clean();
  };
  const std::string &target = options.target, &cost = options.cost;
  pm.addPass(createVerifyGraphForm());
  if (options.raiseLoops)
    pm.addNestedPass<func::FuncOp>(createRaiseLoops());
  clean();
  if (options.fuseLayers) // so that normalization is no obstacle to products
    add(createFuseLayers({target, cost, /*weightsOnly=*/true}));
  if (options.linearReorder)
    add(createLinearReorder({target, cost}));
  if (options.compact)
    add(createCompact({target, cost}));
  if (options.orderAggregate) {
    pm.addPass(createOrderAggregate({target, cost}));
    clean();
  }
  if (options.fuseAttention)
    add(createFuseAttention({target, cost}));
  if (options.fuseLayers)
    add(createFuseLayers({target, cost, /*weightsOnly=*/false}));
}

void gnn::buildTilePipeline(OpPassManager &pm,
                            const TilePipelineOptions &options) {
  pm.addPass(createConvertGNNToGNNTile());
  pm.addPass(createCanonicalizerPass()); // reshapes between templates vanish
  pm.addPass(createCSEPass());           // counts are the same everywhere
  if (options.fuse) {
    pm.addNestedPass<func::FuncOp>(createFuseTraversals());
    pm.addNestedPass<func::FuncOp>(createFuseProducts());
    pm.addPass(createCSEPass());
  }
  pm.addNestedPass<func::FuncOp>(createSeparateResults());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  pm.addPass(createCanonicalizerPass()); // a reshape undone is the buffer
  bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.addResultAttribute = true;
  outParams.hoistStaticAllocs = true;
  outParams.hoistDynamicAllocs = true;
  outParams.modifyPublicFunctions = true;
  pm.addPass(bufferization::createBufferResultsToOutParamsPass(outParams));
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createPlanMemory());
}

void gnn::buildGPUPipeline(OpPassManager &pm) {
  pm.addPass(createConvertGNNTileToGPU());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void gnn::CompilePipelineOptions::assignTo(PTXPipelineOptions &ptx) const {
  ptx.chip = chip;
  ptx.features = features;
  ptx.optLevel = optLevel;
  ptx.format = format;
}

void gnn::buildCompilePipeline(OpPassManager &pm,
                               const CompilePipelineOptions &options) {
  GraphPipelineOptions graph;
  TilePipelineOptions tile;
  PTXPipelineOptions ptx;
  options.assignGraphSwitches(graph);
  graph.chooseTarget(options.chip);
  options.assignTileSwitches(tile);
  options.assignTo(ptx);
  buildGraphPipeline(pm, graph);
  buildTilePipeline(pm, tile);
  buildGPUPipeline(pm);
  buildPTXPipeline(pm, ptx);
}
