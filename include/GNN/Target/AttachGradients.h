//===- AttachGradients.h - Gradients asked of a program ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_ATTACHGRADIENTS_H
#define GNN_TARGET_ATTACHGRADIENTS_H

#include "mlir/IR/BuiltinOps.h"

namespace gnn {

/// Reads "FUNCTION: INPUTS -> OUTPUTS; ..." and has each of these functions
/// differentiated with respect to these inputs, where the gradients of these
/// outputs are given: it gets `gnn.gradients` and `gnn.gradient_outputs`. No
/// inputs stand for all of floating point features, and so do no outputs and no
/// arrow; an empty name is that of the one function there is. A function that
/// is not there is an error at the module, a name that it does not have one at
/// the function when it is compiled.
mlir::LogicalResult attachGradients(mlir::ModuleOp module,
                                    llvm::StringRef text);

} // namespace gnn

#endif // GNN_TARGET_ATTACHGRADIENTS_H
