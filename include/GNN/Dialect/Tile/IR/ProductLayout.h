//===- ProductLayout.h - Tiles of products ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a block computes a tile of a product, as it follows from the op and its
// schedule alone; see TraverseLayout.h.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_PRODUCTLAYOUT_H
#define GNN_DIALECT_TILE_IR_PRODUCTLAYOUT_H

#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// A tile product in fp32 on the general cores, by 16 x 16 threads.
struct ProductLayout {
  static constexpr int64_t threads = 256, side = 16, rows = 64, depth = 16;
  static constexpr int64_t rowsPerThread = rows / side;

  int64_t columns = side; ///< of the tile

  int64_t columnsPerThread() const { return columns / side; }
  /// Sums, a row and a column of the staged tiles, places; an estimate.
  int64_t registers() const {
    return 32 + rowsPerThread * (columnsPerThread() + 1) + columnsPerThread();
  }
  /// The two staged tiles.
  int64_t sharedBytes() const { return 4 * depth * (rows + columns); }
};

/// The layout that a complete schedule says; reports one that is not.
mlir::FailureOr<ProductLayout> getLayout(GemmOp op);
mlir::FailureOr<ProductLayout> getLayout(OuterOp op);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_PRODUCTLAYOUT_H
