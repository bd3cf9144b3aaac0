//===- InPlace.h - Templates that write over what they read -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_INPLACE_H
#define GNN_DIALECT_TILE_IR_INPLACE_H

#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// The first input that is the same tensor or buffer as `output`, or null.
mlir::OpOperand *findOverwritten(TileOpInterface op, mlir::OpOperand &output);

/// Checks that a buffer which is an input and an output may be both.
mlir::LogicalResult verifyInPlace(TileOpInterface op);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_INPLACE_H
