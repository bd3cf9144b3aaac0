//===- Passes.h - Contracts of all levels -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_STAGES_PASSES_H
#define GNN_TRANSFORMS_STAGES_PASSES_H

#include "GNN/Analysis/CoreRegisters.h"
#include "GNN/Transforms/Forms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace gnn {

#define GEN_PASS_DECL
#include "GNN/Transforms/Stages/Passes.h.inc"

/// `gnn-on-target` with these passes on functions.
std::unique_ptr<mlir::Pass> createOnTarget(llvm::StringRef kind,
                                           const mlir::OpPassManager &passes);

} // namespace gnn

#endif // GNN_TRANSFORMS_STAGES_PASSES_H
