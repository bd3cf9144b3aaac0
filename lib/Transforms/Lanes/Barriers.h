//===- Barriers.h - Where threads wait for each other -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_LANES_BARRIERS_H
#define GNN_LIB_TRANSFORMS_LANES_BARRIERS_H

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace gnn::tile {

/// Whether each thread stores what it has loaded over that: the same elements
/// of one view.
bool isInPlace(LoadRowsOp load, StoreRowsOp store);

/// Loads by the op behind them, at which each thread does its part of them.
using LoadsAt = llvm::DenseMap<mlir::Operation *, llvm::SetVector<LoadRowsOp>>;

/// Puts barriers into the body of `blocks` as gnn-tile-distribute says, by the
/// effects of ops: a product reads its operands, and a load its rows, where
/// threads do so. Halves of an array are told apart where a loop takes them in
/// turns: it carries the first row of one, and `rows - first` to the next step.
/// A copy in flight reads and writes until threads wait for it; an op that
/// needs it before is an error.
mlir::LogicalResult insertBarriers(BlocksOp blocks, const LoadsAt &loadsAt);

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_LANES_BARRIERS_H
