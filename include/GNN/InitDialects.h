//===- InitDialects.h - Register what the compiler speaks -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialects and passes of programs that compile. InitAll.h adds the rest of
// MLIR, for tools that take any IR.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_INITDIALECTS_H
#define GNN_INITDIALECTS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace gnn {

/// Registers the dialects that models, stages and kernels are written in, those
/// of plugins, and how their ops become templates, buffers and LLVM.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace gnn

#endif // GNN_INITDIALECTS_H
