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

/// The function of that name, among those that callers can use: functions with
/// a body that are not private. Without a name it is the only such function. An
/// error lists all of them.
llvm::Expected<mlir::func::FuncOp> findFunction(mlir::ModuleOp module,
                                                llvm::StringRef name = "");

} // namespace gnn

#endif // GNN_TARGET_FINDFUNCTION_H
