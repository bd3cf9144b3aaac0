//===- Passes.h - Passes that choose schedules ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_SCHEDULES_PASSES_H
#define GNN_TRANSFORMS_SCHEDULES_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace gnn {

#define GEN_PASS_DECL
#include "GNN/Transforms/Schedules/Passes.h.inc"

/// The pass with the passes that choose without a model, which a remark asks.
std::unique_ptr<mlir::Pass> createRankSchedules(const std::string &rule,
                                                mlir::OpPassManager passes);

/// Prints what `gnn-tile-list-schedules` does: for each template of a module, a
/// line for each schedule that it may have on its target where the fields in
/// `vary` are open.
mlir::LogicalResult listSchedules(mlir::ModuleOp module,
                                  llvm::ArrayRef<std::string> vary,
                                  llvm::raw_ostream &os);

} // namespace gnn

#endif // GNN_TRANSFORMS_SCHEDULES_PASSES_H
