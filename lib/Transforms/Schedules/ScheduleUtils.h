//===- ScheduleUtils.h - What passes on schedules share ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_SCHEDULES_SCHEDULEUTILS_H
#define GNN_LIB_TRANSFORMS_SCHEDULES_SCHEDULEUTILS_H

#include "GNN/Analysis/CostModel.h"
#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

namespace gnn {

/// Whether its schedule is one of a GPU's or none, not that of another target.
inline bool isForGPU(tile::TraverseOp op) {
  return !op.getScheduleAttr() ||
         mlir::isa<tile::TraverseScheduleAttr>(op.getScheduleAttr());
}

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_SCHEDULES_SCHEDULEUTILS_H
