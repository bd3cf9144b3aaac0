//===- Parts.h - Groups that are made of parts ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of long groups: reductions of their tiles by another traversal.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_PARTS_H
#define GNN_DIALECT_TILE_IR_PARTS_H

#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// Checks the parts of a traversal, whose body is verified.
mlir::LogicalResult verifyParts(TraverseOp op);

/// Checks pieces against the blocks that leave them.
mlir::LogicalResult verifyPieces(TraverseOp op, RowDomain pieces);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_PARTS_H
