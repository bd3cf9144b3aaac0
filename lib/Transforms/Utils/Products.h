//===- Products.h - Passes on gemm and outer --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_UTILS_PRODUCTS_H
#define GNN_LIB_TRANSFORMS_UTILS_PRODUCTS_H

#include "GNN/Dialect/Tile/IR/ProductLayout.h"

namespace gnn::tile {

/// Calls `lower` on every gemm and outer in a function, which it may erase,
/// until it fails.
template <typename Lower>
mlir::LogicalResult forEachProduct(mlir::Operation *function, Lower lower) {
  llvm::SmallVector<mlir::Operation *> products;
  function->walk([&](mlir::Operation *op) {
    if (mlir::isa<GemmOp, OuterOp>(op))
      products.push_back(op);
  });
  for (mlir::Operation *op : products) {
    auto gemm = mlir::dyn_cast<GemmOp>(op);
    if (failed(gemm ? lower(gemm) : lower(mlir::cast<OuterOp>(op))))
      return mlir::failure();
  }
  return mlir::success();
}

/// Checks that a product is in the blocked form.
template <typename ProductOp> mlir::LogicalResult verifyOnRange(ProductOp op) {
  if (op.isOnRange())
    return mlir::success();
  return op.emitOpError("expected a product on a range, got one on all rows "
                        "(gnn-tile-block-products makes blocks)");
}

/// The row of an extra that all rows of the range have, that of their type or
/// of its matrix; null where each leads to its own.
inline mlir::Value getRowOfRange(GemmOp op, AtAttr at) {
  if (op.getTypes() && at.getSpace() == *op.getTypes())
    return op.getTypeRow();
  if (op.getWeights() && at.getSpace() == *op.getWeights())
    return op.getMatrixRow();
  return {};
}

/// Where an operand is read or written, of those that are not null.
inline llvm::SmallVector<mlir::Value>
getIndices(mlir::Value row, mlir::Value head, mlir::Value column) {
  llvm::SmallVector<mlir::Value> indices{row, head, column};
  llvm::erase(indices, mlir::Value());
  return indices;
}

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_UTILS_PRODUCTS_H
