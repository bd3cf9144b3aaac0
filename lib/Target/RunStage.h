//===- RunStage.h - One stage of the compiler -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TARGET_RUNSTAGE_H
#define GNN_LIB_TARGET_RUNSTAGE_H

#include "GNN/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"

namespace gnn {

/// Writes `text` to `directory`/`name`.
mlir::LogicalResult writePhase(mlir::ModuleOp module, llvm::StringRef directory,
                               llvm::StringRef name, llvm::StringRef text);

/// Writes the IR that step `number` has made to `directory`/NUMBER-STEP.mlir,
/// unless `directory` is empty.
mlir::LogicalResult writePhase(mlir::ModuleOp module, llvm::StringRef directory,
                               size_t number, llvm::StringRef step);

/// Whether the user has passes in a stage.
bool hasPasses(const Stage &stage, const StageOptions &stages);

/// Runs one stage and keeps what it gives, unless `phasesDirectory` is empty.
mlir::LogicalResult runStage(mlir::ModuleOp module, const Stage &stage,
                             const StageOptions &stages,
                             llvm::StringRef phasesDirectory);

} // namespace gnn

#endif // GNN_LIB_TARGET_RUNSTAGE_H
