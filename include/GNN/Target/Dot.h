//===- Dot.h - Graph-level dataflow as a picture ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_DOT_H
#define GNN_TARGET_DOT_H

#include "mlir/IR/BuiltinOps.h"

namespace gnn {

/// Writes the dataflow of every function of `module` in Graphviz's language:
/// one node an op, an argument and a result, with the row space and feature
/// shape of its value; one edge a use. Functions are clusters.
void printDot(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace gnn

#endif // GNN_TARGET_DOT_H
