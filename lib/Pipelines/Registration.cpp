//===- Registration.cpp - Names of the pipelines --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Pipelines/Pipelines.h"

#include "mlir/Pass/PassRegistry.h"

void gnn::registerPipelines() {
  mlir::PassPipelineRegistration<GraphPipelineOptions>(
      "gnn-graph-pipeline", "Optimize whole-graph operations (gnn -> gnn)",
      buildGraphPipeline);
  mlir::PassPipelineRegistration<TilePipelineOptions>(
      "gnn-tile-pipeline", "Make templates on buffers (gnn -> gnn_tile)",
      buildTilePipeline);
  mlir::PassPipelineRegistration<>(
      "gnn-gpu-pipeline", "Make kernels and launches (gnn_tile -> gpu)",
      buildGPUPipeline);
  mlir::PassPipelineRegistration<PTXPipelineOptions>(
      "gnn-ptx-pipeline", "Make PTX of GPU kernels (gpu -> binary)",
      buildPTXPipeline);
  mlir::PassPipelineRegistration<CompilePipelineOptions>(
      "gnn-compile-pipeline", "All stages (gnn -> binary)",
      buildCompilePipeline);
}
