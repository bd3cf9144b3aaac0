//===- Products.h - Helpers of gemm and outer -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where operands lie, and what is computed of them. A lowering says in which
// loops, at which rows and columns: one, or a vector of them.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_UTILS_PRODUCTS_H
#define GNN_LIB_TRANSFORMS_UTILS_PRODUCTS_H

#include "IndexArrays.h"

#include "GNN/Dialect/Tile/IR/ProductLayout.h"

namespace gnn::tile {

/// The operands and the body of a gemm.
class GemmBody {
public:
  using Indices = llvm::SmallVector<mlir::Value>;

  GemmBody(GemmOp op, IndexBuilder &b, IndexArrays &arrays)
      : head(op.getHead()), type(op.getTypeRow()), matrix(op.getMatrixRow()),
        op(op), b(b), arrays(arrays) {}

  /// The head, type and matrix of the rows at hand: on a range, those of all of
  /// its rows.
  mlir::Value head, type, matrix;

  /// The row that the input or the output has at a row.
  mlir::Value reach(AtAttr at, mlir::Value row) {
    return arrays.reach(b, at, op.getRows(), row);
  }
  /// The row of an extra: that of the type or of its matrix, null of one of all
  /// rows, or what `reach` gives.
  mlir::Value rowOfExtra(AtAttr at, llvm::function_ref<mlir::Value()> reach);
  /// Where an operand of rows lies, of which `at` leads to `row`.
  Indices indices(AtAttr at, mlir::Value row, mlir::Value column) {
    return getIndices(b, at, row, head, column);
  }
  Indices indicesOfWeight(mlir::Value depth, mlir::Value column);
  /// The body on sums, and on as many values of each extra or one of all.
  mlir::Value evaluate(mlir::Value sums,
                       llvm::function_ref<mlir::Value(unsigned)> loadExtra);

private:
  GemmOp op;
  IndexBuilder &b;
  IndexArrays &arrays;
};

/// The operands of an outer.
class OuterBody {
public:
  using Indices = llvm::SmallVector<mlir::Value>;

  OuterBody(OuterOp op, IndexBuilder &b, IndexArrays &arrays)
      : head(op.getHead()), type(op.getTypeRow()), op(op), b(b),
        arrays(arrays) {}

  /// The head at hand, and the type whose rows are summed.
  mlir::Value head, type;

  /// The access of the left side, 0, or of the right one.
  static AtAttr getAccess(OuterOp op, unsigned side) {
    return llvm::cast<AtAttr>(op.getInputsAt()[side]);
  }
  Indices indices(unsigned side, mlir::Value row, mlir::Value column);
  Indices indicesOfOutput(mlir::Value left, mlir::Value right) {
    bool hasHeads = op.getHeads() && !op.sumsHeads();
    return getIndices({type, hasHeads ? head : mlir::Value(), left, right});
  }
  Indices indicesOfSums(mlir::Value column) {
    return getIndices({type, column});
  }

private:
  OuterOp op;
  IndexBuilder &b;
  IndexArrays &arrays;
};

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

/// The same with the layout of each: one that is on no range is an error.
template <typename Lower>
mlir::LogicalResult forEachProductOnRange(mlir::Operation *function,
                                          Lower lower) {
  return forEachProduct(function, [&](auto op) -> mlir::LogicalResult {
    if (!op.isOnRange())
      return op.emitOpError(
          "expected a product on a range, got one on all rows "
          "(gnn-tile-block-products makes blocks)");
    mlir::FailureOr<ProductLayout> layout = getLayout(op);
    return failed(layout) ? mlir::failure() : lower(op, *layout);
  });
}

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_UTILS_PRODUCTS_H
