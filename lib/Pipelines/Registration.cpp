//===- Registration.cpp - Names of the pipelines --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Pipelines/Pipelines.h"

#include "mlir/Pass/PassRegistry.h"

void gnn::registerPipelines() {
  mlir::PassPipelineRegistration<PTXPipelineOptions>(
      "gnn-ptx-pipeline", "Make PTX of GPU kernels (gpu -> binary)",
      buildPTXPipeline);
}
