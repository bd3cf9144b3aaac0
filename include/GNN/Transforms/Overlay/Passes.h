//===- Passes.h - Passes on programs of the overlay -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_OVERLAY_PASSES_H
#define GNN_TRANSFORMS_OVERLAY_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace gnn {

#define GEN_PASS_DECL
#include "GNN/Transforms/Overlay/Passes.h.inc"

} // namespace gnn

#endif // GNN_TRANSFORMS_OVERLAY_PASSES_H
