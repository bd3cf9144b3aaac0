//===- Blocks.h - Ops in front of a kernel ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts, index arrays, views of buffers by their true extents, and the loop
// over blocks: what passes share that make kernels of templates.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_UTILS_BLOCKS_H
#define GNN_LIB_TRANSFORMS_UTILS_BLOCKS_H

#include "IndexBuilder.h"

#include "GNN/Dialect/Tile/IR/Counts.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// Builds in front of one template.
class BlockBuilder {
public:
  explicit BlockBuilder(TileOpInterface op);

  /// States what the launch costs: what the template does, or `cost`.
  void stateCost() { stateCost(op.getCost()); }
  void stateCost(const TileCost &cost) { counts.stateCost(cost); }
  /// `buffer` with as many rows as `rows` has, so that what is read past them
  /// is found: itself where its shape is static. One view a number of rows.
  mlir::Value view(mlir::Value buffer, RowDomain rows);
  /// Has the template read and write views.
  void viewOperands();
  /// The index arrays that the template reads, in its order.
  llvm::SmallVector<mlir::Value> indexArrays();
  /// The loop over blocks, with the template's schedule: grid x, y, z.
  BlocksOp loop(mlir::ValueRange ends, llvm::ArrayRef<int64_t> steps);

  IndexBuilder b;
  Counts counts;

private:
  TileOpInterface op;
  bool isSquare;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, mlir::Value> views;
  /// Views by the nodes of a square graph: they are as many at both ends.
  llvm::DenseMap<mlir::Value, mlir::Value> byNodes;
};

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_UTILS_BLOCKS_H
