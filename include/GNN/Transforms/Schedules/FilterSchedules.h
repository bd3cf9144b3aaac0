//===- FilterSchedules.h - Schedules as filters see them --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_SCHEDULES_FILTERSCHEDULES_H
#define GNN_TRANSFORMS_SCHEDULES_FILTERSCHEDULES_H

#include "GNN/Analysis/ScheduleFilters.h"
#include "GNN/Analysis/ScheduleModels/SearchSpace.h"
#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/Runtime/Error.h"

namespace gnn::runtime {
class Graph;
} // namespace gnn::runtime

namespace gnn::tile {

/// Describes schedules of a template for filters. `graph` has the rows of the
/// template, or is null if they are unknown. Structures that the graph lacks
/// are reported at the template.
llvm::SmallVector<Candidate>
describeCandidates(TileOpInterface op, llvm::ArrayRef<ListedSchedule> listed,
                   const runtime::Graph *graph);

/// The filters of "registers,utilization"; none of "".
runtime::Expected<llvm::SmallVector<ScheduleFilter>>
parseScheduleFilters(llvm::StringRef names);

} // namespace gnn::tile

#endif // GNN_TRANSFORMS_SCHEDULES_FILTERSCHEDULES_H
