//===- AttachGradients.h - Gradients asked of a program ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_ATTACHGRADIENTS_H
#define GNN_TARGET_ATTACHGRADIENTS_H

#include "mlir/IR/BuiltinOps.h"

namespace gnn {

/// Reads "FUNCTION: INPUTS -> OUTPUTS; ..." and requests the gradients of these
/// functions with respect to these inputs, for given gradients of these
/// outputs: sets `gnn.gradients` and `gnn.gradient_outputs`. Without inputs
/// they are all inputs of floating-point features, and without outputs and
/// arrow all such outputs. An empty name stands for the only function. An
/// unknown function is an error at the module; an unknown name is an error at
/// its function.
mlir::LogicalResult attachGradients(mlir::ModuleOp module,
                                    llvm::StringRef text);

} // namespace gnn

#endif // GNN_TARGET_ATTACHGRADIENTS_H
