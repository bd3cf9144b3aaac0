//===- Ranges.h - Templates on ranges ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocked form: a template computes a range of its rows and columns.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_RANGES_H
#define GNN_DIALECT_TILE_IR_RANGES_H

#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// Whether an operand is an array in workgroup memory. It belongs to the block:
/// it has the rows of the range alone, the first of which is its row 0.
bool isInWorkgroup(mlir::Value operand);

/// Whether an operand is an array in private memory: an entry for each team.
bool isPrivate(mlir::Value operand);

/// Whether a traversal on a range leaves its rows to another template of the
/// block: it walks all rows of the range then.
inline bool isForBlock(TraverseOp op) {
  return llvm::any_of(op.getOutputs(), isInWorkgroup);
}

/// Checks the properties of a template on a range: memrefs, a complete
/// schedule, and the index arrays that it reads. Other templates have no index
/// arrays.
mlir::LogicalResult verifyRange(TraverseOp op);
mlir::LogicalResult verifyRange(GemmOp op);
mlir::LogicalResult verifyRange(OuterOp op);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_RANGES_H
