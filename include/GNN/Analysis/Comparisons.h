//===- Comparisons.h - Savings of rewrites ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The costs of ops as they are, and after a rewrite that is not made yet, or
// beside which the ops still are. Passes ask here and decide by
// `CostModel::isBetter`; none has figures of its own.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_COMPARISONS_H
#define GNN_ANALYSIS_COMPARISONS_H

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"

namespace gnn {

/// The costs of two ways to the same values.
struct Comparison {
  double before = 0;
  double after = 0;
};

/// The share of a step that each edge of a long row waits for the id of its row
/// of pairs, if the rows of an op go there: in a walk that computes scores, in
/// a weighted sum that reads no such ids otherwise, or not at all.
enum class IdWait { None, Sum, Score };

/// `op`, and `moved`, which computes the same on other rows, whose result is
/// read through `path`. Either reads through the gathers that make its
/// operands.
Comparison compareRows(const CostModel &model, mlir::Operation *op,
                       mlir::Operation *moved, RowPath path, IdWait wait,
                       StatsAttr stats);

/// `outer`, which adds up the means that `inner` makes, and one sum of all rows
/// at the end of `path`, weighted with degrees.
Comparison compareJoin(const CostModel &model, mlir::Operation *outer,
                       mlir::Operation *inner, RowPath path, StatsAttr stats);

/// A factor of one number that is gathered for each of the `summed` rows, and a
/// walk that scales the rows of `body` by themselves.
Comparison compareScale(const CostModel &model, RowSpace summed,
                        mlir::RankedTensorType factor,
                        mlir::RankedTensorType body, StatsAttr stats);

/// `norm` at the end of the kernel that makes its rows, and kernels that make
/// scale and shift and scale the columns of `weights`.
Comparison compareFold(const CostModel &model, mlir::Operation *norm,
                       int64_t columns, mlir::ValueRange weights,
                       StatsAttr stats);

/// Compares two forms of `op`. Walks over the edges of groups add a term to the
/// bytes: in short groups it is most of the time, and all other groups wait for
/// a long one.
Comparison compareForms(const CostModel &model, AttentionOp op,
                        AttentionForm before, AttentionForm after,
                        StatsAttr stats);

} // namespace gnn

#endif // GNN_ANALYSIS_COMPARISONS_H
