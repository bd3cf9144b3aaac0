//===- PanelLoops.h - Products on the core of a CPU -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of gemm and outer: panels of 4 rows by some vectors stay in
// registers while the summed dimension goes by.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_LOOPS_PANELLOOPS_H
#define GNN_LIB_TRANSFORMS_LOOPS_PANELLOOPS_H

#include "../Utils/IndexArrays.h"

#include "GNN/Dialect/Tile/IR/ProductLayout.h"

namespace gnn::tile {

/// A panel of sums, in elements.
struct Panel {
  static constexpr int64_t rows = 4;
  int64_t width = 16;  ///< of a vector
  int64_t vectors = 4; ///< of a row

  int64_t columns() const { return width * vectors; }
};

/// Columns of the range that one vector has.
struct Piece {
  mlir::Value column;
  mlir::Value mask; // those that are there; null: all
};

/// Builds loops of one product.
class PanelLoops {
public:
  PanelLoops(TileOpInterface op, mlir::ValueRange arrays, Panel panel);

  IndexBuilder b;

protected:
  using Values = llvm::SmallVector<mlir::Value>;

  mlir::Value zero() {
    return mlir::arith::ConstantOp::create(b, b.getZeroAttr(vector));
  }
  mlir::Value broadcast(mlir::Value value);
  /// An array of the block.
  mlir::Value allocate(int64_t rows, int64_t columns);

  /// Calls `body` on the panels of the columns from `first` on, of `tile` at
  /// most; `size` there are. A range of one panel has no loop.
  void forEachPanel(mlir::Value first, int64_t tile, int64_t size,
                    llvm::function_ref<void(llvm::ArrayRef<Piece>)> body);
  mlir::Value load(mlir::Value memref, mlir::ValueRange indices,
                   mlir::Value mask);
  void store(mlir::Value value, mlir::Value memref, mlir::ValueRange indices,
             mlir::Value mask);

  /// Adds the products of a column of scalars and a row of vectors.
  Values multiply(llvm::ArrayRef<mlir::Value> left,
                  llvm::ArrayRef<mlir::Value> right, mlir::ValueRange sums);

  const Panel panel;
  const mlir::VectorType vector;
  IndexArrays arrays;
};

/// Makes loops of vectors of a product on a range, which stays.
void lowerToPanels(GemmOp op, const ProductLayout &layout, Panel panel);
void lowerToPanels(OuterOp op, const ProductLayout &layout, Panel panel);

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_LOOPS_PANELLOOPS_H
