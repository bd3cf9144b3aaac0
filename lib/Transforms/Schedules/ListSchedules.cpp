//===- ListSchedules.cpp - The schedules that templates may have ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of all that can be honoured, filters leave out those that cannot be the best.
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Targets.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Runtime/Npz.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/FilterSchedules.h"
#include "GNN/Transforms/Schedules/Passes.h"
#include "GNN/Transforms/Schedules/ScheduleFile.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_LISTSCHEDULES
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

FailureOr<Attribute> gnn::tile::openFields(TileOpInterface op,
                                           ArrayRef<std::string> vary) {
  ScheduleFields fields = getFields(op.getTileSchedule());
  for (const std::string &name : vary)
    fields.erase(name);
  gnn::TargetAbilities abilities = gnn::getAbilities(op);
  bool isProduct = isa<GemmScheduleAttr>(getScheduleKind(op));
  if (isProduct && !abilities.tf32)
    fields.try_emplace("kind", "ffma");
  if (isProduct && !abilities.asyncCopies)
    fields.try_emplace("copies", "registers");
  return makeSchedule(op, fields, op.getLoc());
}

/// Whether a listed schedule differs from a chosen one in a field that may stay
/// open, and is not to vary: where the first one is chosen, it is as it is to
/// be.
static bool changesOthers(const ListedSchedule &listed, Attribute given,
                          ArrayRef<std::string> vary) {
  auto before = dyn_cast_if_present<ScheduleInterface>(given);
  if (!before || (vary.empty() && !before.getValues().front()))
    return false;
  for (auto [field, value, old] :
       llvm::zip_equal(before.getTable(), listed.schedule, before.getValues()))
    if (field.rule.empty() && value != old &&
        !llvm::is_contained(vary, field.name))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Filters
//===----------------------------------------------------------------------===//

/// Leaves those out that filters remove, one filter after the other.
static void filterAll(TileOpInterface op, std::vector<ListedSchedule> &listed,
                      const ScheduleFilters &filters) {
  if (filters.names.empty() || listed.empty())
    return;
  auto graph =
      filters.graphOf ? filters.graphOf(op.getGraphAttr().getValue()) : nullptr;
  size_t all = listed.size();
  SmallVector<Candidate> candidates =
      describeCandidates(op, listed, graph.get());
  SmallVector<std::string> left;
  for (ScheduleFilter filter : filters.names) {
    SmallVector<size_t> kept = keepPassing(filter, candidates);
    bool isLeastBad = !passes(filter, candidates[kept.front()]);
    left.push_back(llvm::formatv("{0} {1}{2}", name(filter), kept.size(),
                                 isLeastBad ? ", which fail least" : "")
                       .str());
    for (auto [to, from] : llvm::enumerate(kept)) {
      candidates[to] = candidates[from];
      listed[to] = listed[from];
    }
    candidates.truncate(kept.size());
    listed.resize(kept.size());
  }
  passed("gnn-tile-list-schedules", op.getLoc(), "Filtered")
      << llvm::formatv("of {0} schedules filters leave: {1}{2}", all,
                       llvm::join(left, "; "),
                       graph ? "" : " (the rows of its graph are not known)")
             .str();
}

LogicalResult gnn::listSchedules(ModuleOp module, ArrayRef<std::string> vary,
                                 raw_ostream &os,
                                 const ScheduleFilters &filters) {
  std::set<TemplateKey> known;
  llvm::SetVector<StringRef> fields;
  WalkResult walk = module.walk([&](TileOpInterface op) {
    for (const ScheduleField &field : getScheduleKind(op).getTable())
      fields.insert(field.name);
    TemplateKey key(op);
    if (!known.insert(key).second)
      return WalkResult::advance();
    FailureOr<Attribute> given = openFields(op, vary);
    if (failed(given))
      return WalkResult::interrupt();
    std::vector<ListedSchedule> listed = enumerateSchedules(op, *given);
    llvm::erase_if(listed, [&](const ListedSchedule &one) {
      return changesOthers(one, op.getTileSchedule(), vary);
    });
    filterAll(op, listed, filters);
    ScheduleInterface kind = getScheduleKind(op);
    auto report = [&] { return op->emitOpError(); };
    for (const ListedSchedule &one : listed)
      printSchedule(os, key, kind.withValues(one.schedule, report), &one.facts);
    return WalkResult::advance();
  });
  for (StringRef name : vary)
    if (!fields.contains(name))
      return emitError(module.getLoc(),
                       "vary: expected fields of schedules of the module's "
                       "templates (")
             << llvm::join(fields, ", ") << "), got '" << name << "'";
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The place of the first op of a module, as modules themselves have none.
static Location getFirstPlace(ModuleOp module) {
  Block *body = module.getBody();
  return body->empty() ? module.getLoc() : body->front().getLoc();
}

namespace {
struct ListSchedules : gnn::impl::ListSchedulesBase<ListSchedules> {
  using ListSchedulesBase::ListSchedulesBase;

  LogicalResult initialize(MLIRContext *context) override {
    for (const std::string &name : filter)
      if (!findScheduleFilter(name))
        return emitError(UnknownLoc::get(context))
               << getArgument() << ": expected 'filter' of "
               << listScheduleFilters() << ", got '" << name << "'";
    return success();
  }

  void runOnOperation() override {
    if (!getOperation()
             .walk([](TileOpInterface) { return WalkResult::interrupt(); })
             .wasInterrupted())
      emitWarning(getFirstPlace(getOperation()),
                  "expected templates to list the schedules of, as "
                  "gnn-tile-pipeline makes them, got none");
    std::string text;
    llvm::raw_string_ostream stream(text);
    ScheduleFilters filters;
    for (const std::string &name : filter)
      filters.names.push_back(*findScheduleFilter(name));
    if ((!graph.empty() && failed(loadGraph(filters))) ||
        failed(gnn::listSchedules(getOperation(), vary, stream, filters)))
      return signalPassFailure();
    if (file.empty())
      llvm::outs() << text;
    else if (failed(writeSchedules(getOperation(), file, text)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  /// The graph of the file is that of the one declaration; what is derived of
  /// it has other rows.
  LogicalResult loadGraph(ScheduleFilters &filters) {
    auto declared = llvm::to_vector(
        llvm::make_filter_range(getOperation().getOps<GraphOp>(),
                                [](GraphOp one) { return !one.isDerived(); }));
    if (declared.size() != 1)
      return emitError(getOperation().getLoc(),
                       "graph: expected one gnn.graph, "
                       "got ")
             << declared.size();
    auto loaded = runtime::GraphFile::load(graph);
    if (!loaded)
      return emitError(getOperation().getLoc(), "graph: ") << loaded.message();
    GraphOp of = declared.front();
    runtime::GraphSpec spec;
    spec.name = of.getSymName().str();
    spec.square = of.getKind() == GraphKind::Square;
    spec.nodeTypes = static_cast<int64_t>(of.getNodeTypes());
    spec.edgeTypes = static_cast<int64_t>(of.getEdgeTypes());
    if (runtime::Error error = checkGraph(spec, *loaded->graph))
      return of.emitError(error.in("graph '" + spec.name + "'").message());
    filters.graphOf = [name = spec.name,
                       value = loaded->graph](StringRef symbol) {
      return symbol == name ? value : nullptr;
    };
    return success();
  }
};
} // namespace
