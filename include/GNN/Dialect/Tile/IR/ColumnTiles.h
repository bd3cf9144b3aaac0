//===- ColumnTiles.h - Tiles of columns, one after the other ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block that takes some features of a head reduces a part of a row. Such
// tiles are separate steps, in order: each adds to the stored result of the one
// before. Tiles of whole heads are independent.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_COLUMNTILES_H
#define GNN_DIALECT_TILE_IR_COLUMNTILES_H

#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// A reduction over features, and the output that holds its partial sums until
/// it is complete. The output has the order of the walk, so the numbers are
/// adjacent. Without such an output the partial sums need memory of their own.
struct PartialResult {
  ReduceOp reduce;
  std::optional<unsigned> output = std::nullopt;
};

/// Whether `op` of a body is a reduction over features.
bool reducesFeatures(mlir::Operation *op);

/// Some values, and those of the body that are computed of them.
llvm::DenseSet<mlir::Value> findNeeding(mlir::Block &body,
                                        mlir::ValueRange values);

/// The places of the partial sums of reductions over features, in the order of
/// the body. `why` gets the reason if they must be reduced at once.
llvm::SmallVector<PartialResult> findPartialResults(TraverseOp op,
                                                    std::string &why);

/// Why the heads of a row cannot be taken some at a time; empty if they can.
std::string explainHeadTiles(TraverseOp op);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_COLUMNTILES_H
