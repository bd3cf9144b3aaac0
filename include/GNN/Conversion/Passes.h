//===- Passes.h - Passes that change level ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CONVERSION_PASSES_H
#define GNN_CONVERSION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"

namespace gnn {

#define GEN_PASS_DECL
#include "GNN/Conversion/Passes.h.inc"

} // namespace gnn

#endif // GNN_CONVERSION_PASSES_H
