//===- ExplainKernels.h - Which ops become which kernels --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TARGET_EXPLAINKERNELS_H
#define GNN_LIB_TARGET_EXPLAINKERNELS_H

#include "GNN/Target/Explain.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Pipelines/Pipelines.h"

namespace gnn {

/// "1,536".
std::string numberText(double value);

/// "128 edge + 64" of a count that no statistics evaluate.
std::string formulaText(const RowCount &count);

/// "0.0060", in milliseconds.
std::string timeText(double seconds);

/// Lowers a copy of `module` by those of `stages` that lead to kernels, and
/// adds these with their costs to `functions`, which are those of `module`,
/// with nodes as in their blocks: arguments, ops, results. An op that cannot be
/// lowered becomes the obstacle of each function, which is also the result.
/// Diagnostics in the file of schedules are left to the caller's handlers.
std::string addKernels(mlir::ModuleOp module, llvm::ArrayRef<Stage> stages,
                       const StageOptions &options, const CostModel &model,
                       std::vector<ExplainedFunction> &functions);

/// Whether a stage is one of those that lead to kernels.
inline bool isExplained(const Stage &stage) {
  return stage.from < Form::Kernels;
}

} // namespace gnn

#endif // GNN_LIB_TARGET_EXPLAINKERNELS_H
