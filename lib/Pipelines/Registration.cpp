//===- Registration.cpp - Names of the pipelines --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Pipelines/Pipelines.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void gnn::registerPipelines() {
  PassPipelineRegistration<>("gnn-graph-pipeline",
                             "Optimize whole-graph operations (gnn -> gnn)",
                             buildGraphPipeline);
  PassPipelineRegistration<TilePipelineOptions>(
      "gnn-tile-pipeline", "Choose templates and place buffers (gnn -> gnn_tile)",
      buildTilePipeline);
  PassPipelineRegistration<>("gnn-gpu-pipeline",
                             "Make kernels and launches (gnn_tile -> gpu)",
                             buildGPUPipeline);
  PassPipelineRegistration<PTXPipelineOptions>(
      "gnn-ptx-pipeline", "Make PTX of GPU kernels (gpu -> binary)",
      buildPTXPipeline);
  PassPipelineRegistration<CompilePipelineOptions>(
      "gnn-compile-pipeline", "All stages (gnn -> binary)",
      buildCompilePipeline);
}
