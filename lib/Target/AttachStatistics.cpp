//===- AttachStatistics.cpp - Graphs tell passes their counts -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/AttachStatistics.h"

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Runtime/Structures.h"

using namespace mlir;
using namespace gnn;

static StatsAttr makeAttribute(MLIRContext *context,
                               const runtime::GraphStatistics &statistics) {
  auto counts = [&](int64_t runtime::RelationStatistics::*count) {
    SmallVector<int64_t> values;
    for (const runtime::RelationStatistics &relation : statistics.relations)
      values.push_back(relation.*count);
    return DenseI64ArrayAttr::get(context, values);
  };
  using Relation = runtime::RelationStatistics;
  return StatsAttr::get(
      context, statistics.srcNodes, statistics.dstNodes, statistics.edges,
      counts(&Relation::edges), counts(&Relation::srcPairs),
      counts(&Relation::dstPairs), statistics.inDegree.squares,
      statistics.inDegree.max, statistics.outDegree.squares,
      statistics.outDegree.max, counts(&Relation::srcPairMax),
      counts(&Relation::dstPairMax),
      DenseI64ArrayAttr::get(context, statistics.nearEdges));
}

/// The declaration of that name, or the one there is.
static FailureOr<GraphOp> findDeclaration(ModuleOp module, StringRef name) {
  if (!name.empty()) {
    if (auto graph = module.lookupSymbol<GraphOp>(name))
      return graph;
    return module.emitError("expected a gnn.graph @") << name << ", got none";
  }
  auto graphs =
      llvm::make_filter_range(module.getOps<GraphOp>(),
                              [](GraphOp graph) { return !graph.isDerived(); });
  if (llvm::hasSingleElement(graphs))
    return *graphs.begin();
  return module.emitError("expected one gnn.graph, or graphs by name, got ")
         << std::distance(graphs.begin(), graphs.end()) << " gnn.graphs";
}

/// Whether the statistics of a graph that is derived from `graph`, or that
/// `graph` is derived from, say what its own would: they have to agree.
static bool isCountedElsewhere(ModuleOp module, GraphOp graph,
                               ArrayRef<NamedGraph> graphs) {
  if (graph.isDerived()) {
    StringRef parent = *graph.getParentGraph();
    auto op = module.lookupSymbol<GraphOp>(parent);
    return (op && op.getStatsAttr()) ||
           llvm::any_of(graphs, [&](const NamedGraph &named) {
             return named.name == parent || named.name.empty();
           });
  }
  return llvm::any_of(module.getOps<GraphOp>(), [&](GraphOp part) {
    return part.getParentGraph() == graph.getSymName() && part.getStatsAttr();
  });
}

LogicalResult gnn::attachStatistics(ModuleOp module,
                                    ArrayRef<NamedGraph> graphs,
                                    runtime::ErrorKind *kind) {
  for (const NamedGraph &named : graphs) {
    FailureOr<GraphOp> graph = findDeclaration(module, named.name);
    if (failed(graph))
      return failure();
    // The schema and the self loops are checked when the graph is bound.
    runtime::GraphSpec spec;
    spec.name = graph->getSymName().str();
    spec.square = graph->getKind() == GraphKind::Square;
    spec.nodeTypes = static_cast<int64_t>(graph->getNodeTypes());
    spec.edgeTypes = static_cast<int64_t>(graph->getEdgeTypes());
    runtime::Error error = checkGraph(spec, *named.graph);
    if (kind && error && error.kind() != runtime::ErrorKind::Other)
      *kind = error.kind();
    if (error)
      return graph->emitError(error.in("graph '" + spec.name + "'").message());
    if (graph->getStatsAttr() || isCountedElsewhere(module, *graph, graphs))
      continue;
    auto statistics = runtime::statistics(*named.graph);
    if (!statistics)
      return graph->emitError(statistics.takeError().message());
    graph->setStatsAttr(makeAttribute(module.getContext(), *statistics));
  }
  return success();
}

std::map<std::string, std::shared_ptr<const runtime::Graph>>
gnn::mapGraphs(ModuleOp module, ArrayRef<NamedGraph> graphs) {
  std::map<std::string, std::shared_ptr<const runtime::Graph>> result;
  for (const NamedGraph &named : graphs) {
    std::string name = named.name;
    if (name.empty())
      for (auto graph : module.getOps<GraphOp>())
        if (!graph.isDerived())
          name = graph.getSymName().str();
    result[name] = named.graph;
  }
  return result;
}
