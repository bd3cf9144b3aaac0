//===- Passes.h - The form of host functions --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_PASSES_H
#define GNN_TARGET_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace gnn {

#define GEN_PASS_DECL
#include "GNN/Target/Passes.h.inc"

} // namespace gnn

#endif // GNN_TARGET_PASSES_H
