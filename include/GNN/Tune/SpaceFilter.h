//===- SpaceFilter.h - Candidates that are not compiled ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_SPACEFILTER_H
#define GNN_TUNE_SPACEFILTER_H

#include "GNN/Analysis/ScheduleModels/SearchSpace.h"
#include "GNN/Transforms/Schedules/FilterSchedules.h"
#include "GNN/Tune/IsolatedTemplate.h"

#include <memory>

namespace gnn::tune {

/// Filters of the schedules of one template.
class SpaceFilter {
public:
  SpaceFilter() = default;
  /// Removes schedules from the list of `space` that do not pass, one filter
  /// after the other. If none passes, those of the smallest violation stay.
  /// `graph` may be null. The template outlives this object.
  SpaceFilter(const IsolatedTemplate &alone,
              llvm::ArrayRef<ScheduleFilter> filters,
              std::shared_ptr<const runtime::Graph> graph, SearchSpace &space);

  /// The first filter that a complete schedule does not pass; empty if there is
  /// none. Filters that no listed schedule passes do not count.
  llvm::StringRef findRefusing(const Schedule &schedule) const;

  /// The filters, and the number of listed schedules that each has removed.
  using Removed = std::vector<std::pair<std::string, size_t>>;
  const Removed &getRemoved() const { return removed; }

private:
  tile::TileOpInterface op;
  std::shared_ptr<const runtime::Graph> graph;
  llvm::SmallVector<ScheduleFilter> strict;
  /// The list of a product, which has the registers of each schedule.
  std::vector<ListedSchedule> all;
  Removed removed;
};

} // namespace gnn::tune

#endif // GNN_TUNE_SPACEFILTER_H
