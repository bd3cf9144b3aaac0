//===- SplitSums.h - Sums in two steps --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the passes, which choose tiles, and the rewrite of traversals.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_TILE_SPLITSUMS_H
#define GNN_LIB_TRANSFORMS_TILE_SPLITSUMS_H

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
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

/// The features that a value at `level` has in `domain`.
llvm::SmallVector<int64_t> featuresAt(Level level, DomainAttr domain);

/// A tensor of these features for each of `rows` of a graph.
mlir::Value emptyParts(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::FlatSymbolRefAttr graph, RowDomain rows,
                       llvm::ArrayRef<int64_t> features, mlir::Type element);

/// Finds what of a traversal is computed in which step. Why it cannot be split;
/// empty if it can.
std::string planSplit(TraverseOp op, SplitBody &split);

/// A traversal in two steps.
struct TwoSteps {
  TraverseOp first, second;
};

/// Erases both, and the tensors that the first one has made for what it gives.
void undo(TwoSteps steps);

/// Puts a traversal of `tiles` and one of the groups in the place of `op`,
/// which has no outputs of elements. Gives both.
TwoSteps splitTraverse(TraverseOp op, const SplitBody &split, RowDomain tiles);

/// Why what the elements of `op` read is not reached where their edge types are
/// shards of the nodes at `end`; empty if it is.
std::string explainShards(TraverseOp op, EndPoint end);

/// The two steps of `op`, which is left behind them: a traversal of the pairs
/// of `shards`, whose edges are those of the graph of `op`, and one that
/// reduces what it gives of the pairs of each node.
TwoSteps splitIntoShards(TraverseOp op, const SplitBody &split, GraphOp shards);

/// Shards of what the elements of a traversal gather.
struct ShardChoice {
  SplitBody split;
  GraphOp graph; ///< whose edges are walked
  EndPoint end;  ///< whose nodes are gathered
  int64_t count = 0;
  double whole = 0, cost = 0; ///< without, and with so many
};

/// Finds what is cut. Why nothing is; empty if it can be.
std::string planShards(TraverseOp op, ShardChoice &choice);

/// The cost of a traversal with the shards that `gnn-tile-shard-sources` makes
/// by this setting.
double costInShards(const CostModel &model, TraverseOp op, int64_t shards,
                    int64_t edgeWalks, StatsAttr stats);

/// Puts a traversal of `tiles`, those of long groups, in front of `op`, and the
/// same one with what it gives as parts in its place. The first one writes the
/// rows of its elements, the second one those of all others.
void splitLongRows(TraverseOp op, const SplitBody &split, RowDomain tiles);

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_TILE_SPLITSUMS_H
