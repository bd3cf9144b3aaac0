//===- FindFunction.h - The function that a caller names --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_FINDFUNCTION_H
#define GNN_TARGET_FINDFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace gnn {

/// The function of that name which callers see: one with a body that is not
/// private. Without a name it is the one there is. An error lists those there
/// are.
llvm::Expected<mlir::func::FuncOp> findFunction(mlir::ModuleOp module,
                                                llvm::StringRef name = "");

} // namespace gnn

#endif // GNN_TARGET_FINDFUNCTION_H
