//===- SplitSums.h - Sums in two steps --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the passes, which choose tiles, and the rewrite of traversals.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_TILE_SPLITSUMS_H
#define GNN_LIB_TRANSFORMS_TILE_SPLITSUMS_H

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/SetVector.h"

namespace gnn::tile {

/// The reductions of a traversal, and what is computed before and behind them.
struct SplitBody {
  llvm::SmallVector<mlir::Operation *> reductions;
  llvm::SetVector<mlir::Value> before, behind;
  /// As what the elements of a group are counted.
  llvm::SmallVector<mlir::Type> sizes;
  /// The outputs with a row for each element, which need no reduction first.
  llvm::SmallVector<unsigned> ofElements;
};

/// A tensor of these features for each tile.
mlir::Value emptyParts(mlir::OpBuilder &builder, TileOpInterface op,
                       RowDomain tiles, llvm::ArrayRef<int64_t> features,
                       mlir::Type element);

/// Finds what of a traversal is computed in which step. Why it cannot be split;
/// empty if it can.
std::string planSplit(TraverseOp op, SplitBody &split);

/// Puts a traversal of `tiles` and one of the groups in the place of `op`,
/// which has no outputs of elements.
void splitTraverse(TraverseOp op, const SplitBody &split, RowDomain tiles);

/// Puts a traversal of `tiles`, those of long groups, in front of `op`, and the
/// same one with what it gives as parts in its place. The first one writes the
/// rows of its elements, the second one those of all others.
void splitLongRows(TraverseOp op, const SplitBody &split, RowDomain tiles);

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_TILE_SPLITSUMS_H
