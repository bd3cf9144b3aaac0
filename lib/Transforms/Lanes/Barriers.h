//===- Barriers.h - Where threads wait for each other -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_LANES_BARRIERS_H
#define GNN_LIB_TRANSFORMS_LANES_BARRIERS_H

#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// Puts a `gpu.barrier` in front of what reads in workgroup memory what has
/// been written since the last barrier, or writes what has been read or
/// written: the ops of the loops form in the body of `blocks`, by their
/// effects, whose loops all threads run together. A `gnn_tile.teams` gets its
/// barriers from the exchanges of its lanes, and is waited for as a whole: for
/// what it reads or writes in global memory too. Halves of an array are told
/// apart where a loop takes them in turns: it carries the first row of one, and
/// `rows - first` to the next step. What is copied asynchronously
/// counts as written where threads wait for it; an op that uses it before is an
/// error.
mlir::LogicalResult insertBarriers(BlocksOp blocks);

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_LANES_BARRIERS_H
