//===- TensorUtils.h - Tensors and their reshaped forms ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_TILE_TENSORUTILS_H
#define GNN_LIB_TRANSFORMS_TILE_TENSORUTILS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gnn {

/// True for what gives the elements of a tensor another shape.
inline bool isReshape(mlir::Operation *op) {
  return llvm::isa_and_nonnull<mlir::tensor::ExpandShapeOp,
                               mlir::tensor::CollapseShapeOp>(op);
}

/// The value that `tensor` is a reshaped form of.
inline mlir::Value getRoot(mlir::Value tensor) {
  while (isReshape(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return tensor;
}

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_TILE_TENSORUTILS_H
