//===- InitAll.h - Register every dialect, pass and pipeline ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers all dialects and passes of the compiler, for tools that take any
// IR: gnn-opt and the language server.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_INITALL_H
#define GNN_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace gnn {

/// Registers all dialects and extensions with `registry`, and all passes and
/// pipelines with the process, MLIR's own included. Call it once per process.
void registerAll(mlir::DialectRegistry &registry);

} // namespace gnn

#endif // GNN_INITALL_H
