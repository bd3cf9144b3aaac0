//===- Passes.h - Passes from graphs to graphs ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_GRAPH_PASSES_H
#define GNN_TRANSFORMS_GRAPH_PASSES_H

#include "GNN/Analysis/CostOptions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace gnn {

#define GEN_PASS_DECL
#include "GNN/Transforms/Graph/Passes.h.inc"

/// `gnn-on-gradients` with these passes on functions.
std::unique_ptr<mlir::Pass>
createOnGradients(const mlir::OpPassManager &passes);

} // namespace gnn

#endif // GNN_TRANSFORMS_GRAPH_PASSES_H
