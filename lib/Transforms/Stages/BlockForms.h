//===- BlockForms.h - The forms of loops over blocks ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_STAGES_BLOCKFORMS_H
#define GNN_LIB_TRANSFORMS_STAGES_BLOCKFORMS_H

#include "GNN/Transforms/Forms.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn {

/// The form of a loop over blocks: blocked where a template is left in it,
/// lanes where it says how many threads a block has, else loops.
Form getFormOf(tile::BlocksOp loop);

/// Whether a template computes a range alone.
bool isOnRange(mlir::Operation *op);

/// Checks the contract of the form that a loop over blocks has, as
/// `gnn-verify-form` describes it.
mlir::LogicalResult verifyBlockForm(tile::BlocksOp loop);

/// Checks that the ranges of the templates in a loop over blocks lie side by
/// side, so that together they are all rows and columns.
mlir::LogicalResult verifyRanges(tile::BlocksOp loop);

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_STAGES_BLOCKFORMS_H
