//===- FilterSchedules.cpp - Schedules as filters see them ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Schedules/FilterSchedules.h"

#include "GNN/Runtime/Graph.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

runtime::Expected<SmallVector<ScheduleFilter>>
gnn::tile::parseScheduleFilters(StringRef names) {
  SmallVector<ScheduleFilter> filters;
  if (names.trim().empty())
    return filters;
  for (StringRef name : llvm::split(names, ',')) {
    name = name.trim();
    auto filter = findScheduleFilter(name);
    if (!filter)
      return runtime::Error("expected " + listScheduleFilters() + ", got '" +
                                name.str() + "'",
                            runtime::ErrorKind::Option);
    filters.push_back(*filter);
  }
  return filters;
}

namespace {
/// Rows of a graph, as long as it is filtered by them.
class RowsOfGraph {
public:
  /// Reports at the template what the graph has not.
  RowsOfGraph(TraverseOp op, const runtime::Graph &graph) {
    RowDomain groups = op.getGroups(), elements = op.getElements();
    auto get = [&](const StructureKey &key) -> ArrayRef<int32_t> {
      auto array = graph.structure(key);
      if (!array) {
        op.emitOpError(array.message());
        isKnown = false;
        return {};
      }
      kept.push_back(*array);
      return **array;
    };
    isKnown = elements.isOfGraph() && groups.isOfGraph() &&
              groups == groups.getNatural() &&
              (groups.isKind(RowKind::Node) || groups.isKind(RowKind::Pair));
    if (!isKnown)
      return;
    rows.begins = get(getRowsKey(groups, elements));
    for (TakenOrder order : {TakenOrder::ByDegree, TakenOrder::DegreeWindows})
      rows.orders[static_cast<size_t>(order)] =
          get(*getOrderKey(groups, order));
  }
  const BoundRows *get() const { return isKnown ? &rows : nullptr; }

private:
  bool isKnown;
  BoundRows rows;
  SmallVector<std::shared_ptr<const runtime::Indices>> kept;
};

} // namespace

SmallVector<Candidate>
gnn::tile::describeCandidates(TileOpInterface op,
                              ArrayRef<ListedSchedule> listed,
                              const runtime::Graph *graph) {
  SmallVector<Candidate> candidates;
  ScheduleInterface kind = getScheduleKind(op);
  auto layOut = [&](const ListedSchedule &one) {
    return kind.withValues(one.schedule, [&] { return op->emitOpError(); });
  };
  if (auto traverse = dyn_cast<TraverseOp>(*op)) {
    std::optional<RowsOfGraph> rows;
    if (graph)
      rows.emplace(traverse, *graph);
    CandidatesOf of(traverse, rows ? rows->get() : nullptr);
    for (const ListedSchedule &one : listed)
      candidates.push_back(of.describe(
          TraverseSchedule(cast<TraversalScheduleInterface>(layOut(one)))));
    return candidates;
  }
  RowDomain groups = op.getGroups();
  double rows = 0;
  if (auto gemm = dyn_cast<GemmOp>(*op); gemm && graph && groups.isOfGraph())
    if (auto count = graph->count(CountKey::count(groups.get().space)))
      rows = static_cast<double>(*count);
  int64_t columns = isa<GemmOp>(*op) ? cast<GemmOp>(*op).getOut()
                                     : cast<OuterOp>(*op).getOut();
  for (const ListedSchedule &one : listed)
    candidates.push_back(describeProduct(op,
                                         cast<GemmScheduleAttr>(layOut(one)),
                                         one.facts.registers, rows, columns));
  return candidates;
}
