//===- TraverseSchedule.h - The fields of a schedule ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TRAVERSESCHEDULE_H
#define GNN_DIALECT_TILE_IR_TRAVERSESCHEDULE_H

#include <cstdint>
#include <optional>

namespace gnn::tile {
class TraversalScheduleInterface;
class TraverseOp;

/// What the layout of a traversal is made of: the fields of
/// `#gnn_tile.traverse_schedule`, and whether a block is one lane. What is 0 or
/// none is not chosen yet.
struct TraverseSchedule {
  int64_t columnsPerBlock = 0;
  int64_t vector = 0;
  int64_t lanes = 0;
  int64_t headLanes = 0;
  int64_t elementLanes = 0;
  int64_t inFlight = 0;
  int64_t rowsPerBlock = 0;
  std::optional<TakenOrder> rowOrder;
  std::optional<RowWalk> rowWalk;
  int64_t splitRows = 0;
  /// A block has one lane, which takes its rows one after the other:
  /// `#gnn_tile.core_schedule`.
  bool isOneLane = false;

  TraverseSchedule() = default;
  explicit TraverseSchedule(TraversalScheduleInterface schedule);
  /// What the op has, nothing where it has no schedule.
  explicit TraverseSchedule(TraverseOp op);
  /// Those of the core of a CPU of which nothing is chosen.
  static TraverseSchedule ofCore();
  TraversalScheduleInterface get(mlir::MLIRContext *context) const;
  void setOn(TraverseOp op) const;
};

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_TRAVERSESCHEDULE_H
