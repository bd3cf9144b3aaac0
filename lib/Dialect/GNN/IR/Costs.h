//===- Costs.h - Common parts of costs of ops -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_DIALECT_GNN_IR_COSTS_H
#define GNN_LIB_DIALECT_GNN_IR_COSTS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace gnn::detail {

/// Bytes of a row id.
inline constexpr double idBytes = 4;

/// Flops of an op in the body of a loop or of an attention for one row.
double flopsOnOneRow(mlir::Operation *op);

} // namespace gnn::detail

#endif // GNN_LIB_DIALECT_GNN_IR_COSTS_H
