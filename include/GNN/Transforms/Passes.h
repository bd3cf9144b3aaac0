//===- Passes.h - Passes that keep their level ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_PASSES_H
#define GNN_TRANSFORMS_PASSES_H

#include "GNN/Analysis/CoreRegisters.h"
#include "GNN/Analysis/CostOptions.h"
#include "GNN/Transforms/Forms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
class RewritePatternSet;
} // namespace mlir

namespace gnn {

#define GEN_PASS_DECL
#include "GNN/Transforms/Passes.h.inc"

/// `gnn-on-gradients` with these passes on functions.
std::unique_ptr<mlir::Pass>
createOnGradients(const mlir::OpPassManager &passes);

/// `gnn-on-target` with these passes on functions.
std::unique_ptr<mlir::Pass> createOnTarget(llvm::StringRef kind,
                                           const mlir::OpPassManager &passes);

/// Patterns of `gnn-expand-device-math`: functions that a GPU lacks, on floats
/// of at most 32 bits, as arithmetic within 2 ulp. Apply them once; what they
/// make needs none of them.
void populateExpandDeviceMathPatterns(mlir::RewritePatternSet &patterns);

/// Patterns of `gnn-expand-lanes`.
void populateExpandLanesPatterns(mlir::RewritePatternSet &patterns);

/// Prints what `gnn-tile-list-schedules` does: for each template of a module, a
/// line for each schedule that it may have on its target where the fields in
/// `vary` are open.
mlir::LogicalResult listSchedules(mlir::ModuleOp module,
                                  llvm::ArrayRef<std::string> vary,
                                  llvm::raw_ostream &os);

} // namespace gnn

#endif // GNN_TRANSFORMS_PASSES_H
