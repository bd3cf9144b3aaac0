//===- Blocks.h - What stands in front of a kernel --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts, index arrays, views of buffers by their true extents, and the loop
// over blocks: what the passes that make the blocked form share.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_BLOCKS_BLOCKS_H
#define GNN_LIB_TRANSFORMS_BLOCKS_BLOCKS_H

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>

namespace gnn::tile {

/// The domain whose count is the number of rows of an operand.
RowDomain getRowsOf(AtAttr at, RowDomain groups, RowDomain elements);

/// Builds in front of one template.
class BlockBuilder {
public:
  explicit BlockBuilder(TileOpInterface op);

  /// States what the launch costs: what the template does, or `cost`.
  void stateCost() { stateCost(op.getCost()); }
  void stateCost(const TileCost &cost);
  /// A count of the graph, and the number of rows of a domain.
  mlir::Value count(const CountKey &key);
  mlir::Value rows(RowDomain domain);
  mlir::Value index(int64_t value);
  /// `buffer` with as many rows as `rows` has, so that what is read past them
  /// is found: itself where its shape is static. One view a number of rows.
  mlir::Value view(mlir::Value buffer, RowDomain rows);
  /// The index arrays that the template reads, in its order.
  llvm::SmallVector<mlir::Value> indexArrays();
  /// The loop over blocks, with the template's schedule: grid x, y, z.
  mlir::scf::ForallOp forall(mlir::ValueRange ends,
                             llvm::ArrayRef<int64_t> steps);

  mlir::ImplicitLocOpBuilder builder;

private:
  TileOpInterface op;
  bool isSquare;
  std::map<CountKey, mlir::Value> counts;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, mlir::Value> views;
  /// Views by the nodes of a square graph: they are as many at both ends.
  llvm::DenseMap<mlir::Value, mlir::Value> byNodes;
};

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_BLOCKS_BLOCKS_H
