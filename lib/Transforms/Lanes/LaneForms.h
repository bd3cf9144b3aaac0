//===- LaneForms.h - Forms that lanes can share -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_LANES_LANEFORMS_H
#define GNN_LIB_TRANSFORMS_LANES_LANEFORMS_H

#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// Whether two values are one, or results of pure ops alike.
bool isSameValue(mlir::Value a, mlir::Value b);

/// Whether a number is sure to be a multiple of `by`, a power of two: indices
/// of 32 bits may wrap.
bool isMultiple(mlir::OpFoldResult number, int64_t by);

/// Checks that an array that is permuted is staged and read as a tile, from
/// such rows on and by such widths that the permutation tears none of them.
mlir::LogicalResult verifyPermuted(ArrayOp array);

/// Checks that each team takes what it has left in a private array itself, in
/// teams behind those that leave it.
mlir::LogicalResult verifyPrivate(ArrayOp array);

/// The vector that teams leave in a private array; null where that is a scalar.
mlir::Value getLeftVector(mlir::Value array);

/// Whether lanes, each of which is a team, load numbers of shares for each
/// other.
bool areExchanged(LoadNumbersOp load, SpreadAttr lanes);

/// Checks that the lanes of teams need not wait for each other because of an
/// array in workgroup memory, and that all lanes of a warp get to where they
/// exchange values.
mlir::LogicalResult verifyTeams(TeamsOp teams);

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_LANES_LANEFORMS_H
