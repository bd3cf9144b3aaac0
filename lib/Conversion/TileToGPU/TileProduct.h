//===- TileProduct.h - Shared-memory tiles of a product ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What gemm and outer have in common: a block of 256 threads, 16 x 16, owns a
// tile of 64 rows and 16, 32 or 64 columns; a thread owns 4 rows of 1, 2 or 4
// columns. Both operands lie in shared memory with the summed dimension first.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_TILETOGPU_TILEPRODUCT_H
#define GNN_LIB_CONVERSION_TILETOGPU_TILEPRODUCT_H

#include "Kernel.h"

#include "GNN/Dialect/Tile/IR/ProductLayout.h"

#include "mlir/IR/IRMapping.h"

namespace gnn::tile {

/// A tile product in fp32 on the general cores.
class TileProduct {
public:
  /// A tile over operands of type `element`.
  TileProduct(Kernel &kernel, ProductLayout layout, mlir::Type element);

  int64_t columns() const { return layout.columns; }
  int64_t columnsPerThread() const { return width; }

  /// Sums of the thread's 4 rows, each a scalar or a vector of its columns.
  llvm::SmallVector<mlir::Value> zero();
  /// Adds the product of the two staged tiles, in order of the depth.
  llvm::SmallVector<mlir::Value> accumulate(mlir::ValueRange sums);
  void barrier();

  /// First of the thread's 4 rows and first of its columns, in the tile.
  mlir::Value row(int64_t i);
  mlir::Value column();

  /// Of the 16 x 16 values that threads stage at once, the one of this thread:
  /// its summed dimension, and the other one.
  mlir::Value depth() { return place[0]; }
  mlir::Value side() { return place[1]; }
  /// Stages one value of the left or right tile.
  void stageLeft(mlir::Value value, mlir::Value k, mlir::Value row);
  void stageRight(mlir::Value value, mlir::Value k, mlir::Value column);

  mlir::Value thread;

private:
  Emitter &e;
  ProductLayout layout;
  int64_t width;
  mlir::Type element;
  llvm::SmallVector<mlir::Value> place; // of the thread: its row and column
  mlir::Value left, right, threadRow, threadColumn;
};

/// Emits the body of a product's epilogue on `width` columns at once and gives
/// the yielded value.
mlir::Value emitEpilogue(Emitter &e, mlir::Block &body,
                         mlir::IRMapping &mapping, int64_t width);

} // namespace gnn::tile

#endif // GNN_LIB_CONVERSION_TILETOGPU_TILEPRODUCT_H
