//===- ConstantFolds.h - Folds of constants ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_DIALECT_GNN_IR_CONSTANTFOLDS_H
#define GNN_LIB_DIALECT_GNN_IR_CONSTANTFOLDS_H

#include "mlir/IR/PatternMatch.h"

namespace gnn::detail {

/// Adds the folds of constants and of dimensions of size 1, which are rooted at
/// ops of several dialects.
void addConstantFolds(mlir::RewritePatternSet &patterns);

} // namespace gnn::detail

#endif // GNN_LIB_DIALECT_GNN_IR_CONSTANTFOLDS_H
