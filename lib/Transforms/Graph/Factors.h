//===- Factors.h - Factors of what is added up ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_GRAPH_FACTORS_H
#define GNN_LIB_TRANSFORMS_GRAPH_FACTORS_H

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "mlir/IR/Builders.h"

namespace gnn {

/// A factor of what is added up, with the path that leads to its rows.
struct Factor {
  mlir::Value value;
  RowPath path;
  bool inverse = false;
};

/// Whether `op` adds up, and maybe divides by how many.
bool isSum(AggregateOp op);

/// The rows of `value` that `path` leads to, times or divided by a factor, as
/// `type`.
mlir::Value applyFactor(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::RankedTensorType type, mlir::Value value,
                        RowPath path, const Factor &factor);

/// `value`, times or divided by a factor.
mlir::Value applyFactor(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, const Factor &factor);

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_GRAPH_FACTORS_H
