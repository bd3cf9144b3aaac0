//===- ColumnTiles.h - Tiles of columns, one after the other ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block that takes some features of a head reduces a part of a row. Such
// tiles are steps of their own, in order: each adds to what the one before has
// stored where the result will be. Tiles of whole heads have nothing in common.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_COLUMNTILES_H
#define GNN_DIALECT_TILE_IR_COLUMNTILES_H

#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// A reduction over features, and the output that has its parts until all of it
/// is there: one in the order of what is walked, so that numbers lie side by
/// side. Without, they need memory of their own.
struct PartialResult {
  ReduceOp reduce;
  std::optional<unsigned> output = std::nullopt;
};

/// Whether `op` of a body is a reduction over features.
bool reducesFeatures(mlir::Operation *op);

/// Some values, and those of the body that are computed of them.
llvm::DenseSet<mlir::Value> findNeeding(mlir::Block &body,
                                        mlir::ValueRange values);

/// Where the parts of reductions over features lie, in the order of the body;
/// or, in `why`, the reason for which they have to be reduced at once.
llvm::SmallVector<PartialResult> findPartialResults(TraverseOp op,
                                                    std::string &why);

/// Why the heads of a row cannot be taken some at a time; empty if they can.
std::string explainHeadTiles(TraverseOp op);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_COLUMNTILES_H
