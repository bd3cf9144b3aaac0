//===- TraverseLayout.h - Which thread does what ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a traversal over lanes, warps and blocks, from the schedule
// where it says and from rules where it does not.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_TILETOGPU_TRAVERSELAYOUT_H
#define GNN_LIB_CONVERSION_TILETOGPU_TRAVERSELAYOUT_H

#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// Lanes of a row: features fastest, then heads, then elements.
struct TraverseLayout {
  int64_t vector = 1;       ///< features a lane holds side by side
  int64_t featureLanes = 1; ///< lanes over the features of a head
  int64_t headLanes = 1;    ///< lanes over heads
  int64_t elementLanes = 1; ///< lanes over the elements of a row
  int64_t chunks = 1;       ///< vectors a lane holds for one head
  int64_t headChunks = 1;   ///< heads a lane holds
  int64_t columnTiles = 1;  ///< grid.y: column ranges of `chunks` vectors
  int64_t inFlight = 1;     ///< elements whose loads are issued together
  int64_t rowsPerBlock = 1; ///< groups a block takes
  bool byDegree = false;    ///< rows in order of descending degree
  /// Elements above which all warps of a block walk a row; 0: any number.
  int64_t splitRows = 0;

  int64_t threadsPerRow() const {
    return featureLanes * headLanes * elementLanes;
  }
  int64_t threads() const { return threadsPerRow() * rowsPerBlock; }
};

/// Chooses the layout of `op`, or reports the schedule field that cannot be
/// honoured at the op.
mlir::FailureOr<TraverseLayout> chooseLayout(TraverseOp op);

} // namespace gnn::tile

#endif // GNN_LIB_CONVERSION_TILETOGPU_TRAVERSELAYOUT_H
