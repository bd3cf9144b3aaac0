//===- SearchSpace.h - The schedules of a template --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_SCHEDULEMODELS_SEARCHSPACE_H
#define GNN_ANALYSIS_SCHEDULEMODELS_SEARCHSPACE_H

#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/Runtime/Error.h"

#include <string>
#include <vector>

namespace gnn {

/// A value for each field of a table; 0 for an open field, which the compiler's
/// passes choose. The code here does not depend on the list of fields.
using Schedule = std::vector<int64_t>;

/// A schedule, with the facts of its layout.
struct ListedSchedule {
  Schedule schedule;
  tile::LayoutFacts facts;
};

/// The schedules that a template can honour, with the fields that `given` sets.
std::vector<ListedSchedule> enumerateSchedules(tile::TileOpInterface op,
                                               mlir::Attribute given);

/// The schedules that one template may have.
struct SearchSpace {
  llvm::ArrayRef<tile::ScheduleField> fields;
  /// The choice of the passes, with which all others are compared.
  Schedule chosen;
  /// Schedules that can be honoured, as `gnn-tile-list-schedules` lists them.
  std::vector<ListedSchedule> listed;

  /// The fields that are set, as the IR has them: "lanes = 8, row_walk = team".
  std::string str(const Schedule &schedule) const;
};

/// Whether a complete schedule has all fields that a listed one sets.
bool agrees(const Schedule &complete, const Schedule &listed);

} // namespace gnn

#endif // GNN_ANALYSIS_SCHEDULEMODELS_SEARCHSPACE_H
