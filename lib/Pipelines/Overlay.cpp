//===- Overlay.cpp - The pipeline of programs of the overlay --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From whole-graph ops to instructions: the steps of GraphAGILE, section 6.
//
//===----------------------------------------------------------------------===//

#include "GNN/Pipelines/Overlay.h"

#include "GNN/Conversion/Passes.h"
#include "GNN/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace gnn;

/// Steps 1 and 2: computation order, and batch norm in weights. Other passes on
/// graphs make forms that no layer has.
static void makeLayers(OpPassManager &pm, const OverlayPipelineOptions &options,
                       const overlay::GivenGraph &) {
  if (options.fromLayers)
    return;
  GraphPipelineOptions steps;
  steps.orderAggregate = options.order;
  steps.cost = CostKind::Rows;
  steps.linearReorder = false;
  steps.compact = false;
  steps.fuseAttention = false;
  steps.joinSums = false;
  steps.moveScales = false;
  steps.computeInHeads = false;
  steps.mergeBias = false;
  buildGraphPipeline(pm, steps);
  pm.addNestedPass<func::FuncOp>(createConvertGNNToGNNOverlay());
  pm.addPass(createCSEPass());
}

static void prepareLayers(OpPassManager &pm,
                          const OverlayPipelineOptions &options,
                          const overlay::GivenGraph &) {
  if (options.fuse)
    pm.addNestedPass<func::FuncOp>(createOverlayFuseActivations());
  pm.addPass(createOverlayOutlinePrepare());
}

/// Step 3.
static void partition(OpPassManager &pm, const OverlayPipelineOptions &options,
                      const overlay::GivenGraph &given) {
  OverlayPartitionOptions partition;
  partition.n1 = options.n1;
  partition.blocksPerPe = options.blocksPerPe;
  partition.graph = options.graph;
  partition.addSelfLoops = options.addSelfLoops;
  partition.skipEmpty = options.skipEmpty;
  partition.shardEdges = options.superBytes != 0;
  pm.addPass(createOverlayPartition(partition, given));
}

/// Step 4: kernels, then mutexes.
static void mapKernels(OpPassManager &pm, const OverlayPipelineOptions &options,
                       const overlay::GivenGraph &) {
  OverlayMapKernelsOptions map;
  map.unroll = options.unroll;
  map.linearGroup = options.linearGroup;
  pm.addPass(createOverlayMapKernels(map));
}

static void annotateMutexes(OpPassManager &pm, const OverlayPipelineOptions &,
                            const overlay::GivenGraph &) {
  pm.addPass(createOverlayAnnotateMutexes());
}

/// Parts of programs that do not fit the memory.
static void cutPrograms(OpPassManager &pm,
                        const OverlayPipelineOptions &options,
                        const overlay::GivenGraph &) {
  OverlaySuperPartitionOptions parts;
  parts.superBytes = options.superBytes;
  pm.addPass(createOverlaySuperPartition(parts));
  pm.addPass(createOverlayVerifyForm({OverlayForm::Resident}));
}

llvm::ArrayRef<OverlayStep> gnn::getOverlaySteps() {
  static const OverlayStep steps[] = {{OverlayForm::Layers, makeLayers},
                                      {OverlayForm::Prepared, prepareLayers},
                                      {OverlayForm::Partitioned, partition},
                                      {OverlayForm::Mapped, mapKernels},
                                      {OverlayForm::Annotated, annotateMutexes},
                                      {OverlayForm::Resident, cutPrograms}};
  return steps;
}

void gnn::buildOverlayPipeline(OpPassManager &pm,
                               const OverlayPipelineOptions &options,
                               const overlay::GivenGraph &given) {
  for (const OverlayStep &step : getOverlaySteps())
    step.build(pm, options, given);
}

void gnn::registerOverlayPipeline() {
  PassPipelineRegistration<OverlayPipelineOptions>(
      "gnn-overlay-pipeline", "Programs of the overlay (gnn -> gnn_overlay)",
      [](OpPassManager &pm, const OverlayPipelineOptions &options) {
        buildOverlayPipeline(pm, options);
      });
}
