//===- LowerToPTX.cpp - PTX of kernels ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerToPTX.h"

#include "../RunStage.h"
#include "PtxParts.h"
#include "PtxText.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace gnn;

std::string gnn::ptxText(ModuleOp module) {
  SmallVector<StringRef> texts;
  for (auto binary : module.getOps<gpu::BinaryOp>())
    texts.push_back(getPtx(binary));
  return joinPtx(texts);
}

FailureOr<std::string> gnn::lowerToPTX(ModuleOp module,
                                       const CompileOptions &options,
                                       const StageOptions &stages,
                                       const runtime::LaunchPlan &plan) {
  const Stage &stage = getStages().back();
  if (options.phasesDirectory.empty() && !hasPasses(stage, stages))
    if (std::optional<std::string> ptx =
            makePtxInParts(module, stage, stages, options.threads))
      return commentKernels(*ptx, plan);
  if (failed(runStage(module, stage, stages, options.phasesDirectory)))
    return failure();
  std::string ptx = commentKernels(ptxText(module), plan);
  if (!options.phasesDirectory.empty() &&
      failed(writePhase(module, options.phasesDirectory, "kernels.ptx", ptx)))
    return failure();
  return ptx;
}
