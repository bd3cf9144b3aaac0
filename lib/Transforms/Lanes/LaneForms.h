//===- LaneForms.h - What lanes can have a part of --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_LANES_LANEFORMS_H
#define GNN_LIB_TRANSFORMS_LANES_LANEFORMS_H

#include "mlir/IR/Operation.h"

namespace gnn::tile {

/// Checks a loop over blocks with `gnn_tile.lanes`, or a part of one: that no
/// part of it has lanes of its own, that its lanes need not wait for each other
/// because of an array in workgroup memory, and that all lanes of a warp get to
/// where they exchange values.
mlir::LogicalResult verifyLoopOfLanes(mlir::Operation *loop);

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_LANES_LANEFORMS_H
