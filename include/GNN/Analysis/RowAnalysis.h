//===- RowAnalysis.h - On which rows a value is known -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_ROWANALYSIS_H
#define GNN_ANALYSIS_ROWANALYSIS_H

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

namespace gnn {

/// Finds the coarser rows on which values can be computed: those that determine
/// all operands of a row. Each value is analyzed once, so ops that are erased
/// later must not be analyzed.
class RowAnalysis {
public:
  /// The ops that are assumed to be computed row by row.
  enum class Scope {
    /// Ops on the rows of the value, and gathers into them: what others
    /// computed
    /// on rows of their own is there.
    OwnRows,
    /// Ops on any rows, because they may be computed on coarser rows first.
    AllRows,
  };
  explicit RowAnalysis(Scope scope) : scope(scope) {}

  /// Paths from the rows of `value` to coarser ones that determine it, the
  /// coarsest first: the graph, types, nodes, pairs.
  llvm::SmallVector<RowPath> getCoarserRows(mlir::Value value);

  /// The first of these, or the rows of `value` if there are none.
  RowSpace getCoarsestRows(mlir::Value value);

private:
  unsigned getDependence(mlir::Value value);
  /// Whether the rows that determine `value`, an operand at the end of `path`,
  /// count in the scope.
  bool readsRowsOf(mlir::Value value, RowPath path) const;

  Scope scope;
  llvm::DenseMap<mlir::Value, unsigned> dependences;
};

/// The rest of the path `whole` after `begin`, which starts on the same rows;
/// none if `whole` does not begin with it.
std::optional<RowPath> restOfPath(RowPath whole, RowPath begin, GraphOp graph);

/// The rows of `space` on the graph of `type`, which has `stats`.
double getNumRows(mlir::Operation *op, mlir::RankedTensorType type,
                  RowSpace space, StatsAttr stats);

} // namespace gnn

#endif // GNN_ANALYSIS_ROWANALYSIS_H
