//===- RowAnalysis.h - On which rows a value is known -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_ROWANALYSIS_H
#define GNN_LIB_TRANSFORMS_ROWANALYSIS_H

#include "GNN/Dialect/GNN/IR/GNN.h"

namespace gnn {

/// The path from the rows of `value` to the coarsest rows that determine it:
/// all that it is computed from row by row is known there.
RowPath coarsestRows(mlir::Value value);

/// The path on which `whole` goes on after `begin`, which starts on the same
/// rows; none if it does not begin so.
std::optional<RowPath> restOfPath(RowPath whole, RowPath begin, GraphOp graph);

/// The rows of `space` on the graph of `type`, which has `stats`.
double getNumRows(mlir::Operation *op, mlir::RankedTensorType type,
                  RowSpace space, StatsAttr stats);

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_ROWANALYSIS_H
