//===- ParseProgram.h - Programs that users write ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_PARSEPROGRAM_H
#define GNN_TARGET_PARSEPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace gnn {

/// Parses the main buffer of `sources`. Nested IR is walked recursively, so a
/// text of more than 1,000 levels is an error at its place instead of a crash.
/// Errors are diagnostics, and the result is null.
mlir::OwningOpRef<mlir::ModuleOp> parseProgram(llvm::SourceMgr &sources,
                                               mlir::MLIRContext *context);

} // namespace gnn

#endif // GNN_TARGET_PARSEPROGRAM_H
