//===- SpaceFilter.cpp - Candidates that are not compiled -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/SpaceFilter.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;

SpaceFilter::SpaceFilter(const IsolatedTemplate &alone,
                         ArrayRef<ScheduleFilter> filters,
                         std::shared_ptr<const runtime::Graph> graph,
                         SearchSpace &space)
    : op(alone.op()), graph(std::move(graph)) {
  if (filters.empty() || space.listed.empty())
    return;
  if (isa<tile::GemmScheduleAttr>(tile::getScheduleKind(op)))
    all = space.listed;
  SmallVector<Candidate> candidates =
      tile::describeCandidates(op, space.listed, this->graph.get());
  for (ScheduleFilter filter : filters) {
    SmallVector<size_t> kept = keepPassing(filter, candidates);
    if (passes(filter, candidates[kept.front()]))
      strict.push_back(filter);
    removed.push_back({name(filter).str(), candidates.size() - kept.size()});
    for (auto [to, from] : llvm::enumerate(kept)) {
      candidates[to] = candidates[from];
      space.listed[to] = space.listed[from];
    }
    candidates.truncate(kept.size());
    space.listed.resize(kept.size());
  }
}

StringRef SpaceFilter::findRefusing(const Schedule &schedule) const {
  if (strict.empty())
    return "";
  ListedSchedule one{schedule, {}};
  for (const ListedSchedule &listed : all)
    if (agrees(schedule, listed.schedule))
      one.facts = listed.facts;
  Candidate candidate = tile::describeCandidates(op, one, graph.get()).front();
  for (ScheduleFilter filter : strict)
    if (!passes(filter, candidate))
      return name(filter);
  return "";
}
