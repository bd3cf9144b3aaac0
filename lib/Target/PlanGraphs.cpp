//===- PlanGraphs.cpp - Graphs of a launch plan ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/PlanGraphs.h"

using namespace mlir;
using namespace gnn;

static std::optional<std::vector<runtime::EdgeTypeEnds>>
schemaOf(GraphOp graph) {
  std::optional<ArrayRef<int64_t>> schema = graph.getSchema();
  if (!schema)
    return std::nullopt;
  std::vector<runtime::EdgeTypeEnds> ends;
  for (size_t i = 0; i + 1 < schema->size(); i += 2)
    ends.push_back({static_cast<int32_t>((*schema)[i]),
                    static_cast<int32_t>((*schema)[i + 1])});
  return ends;
}

/// How the runtime makes a derived graph.
static runtime::Derivation derivationOf(GraphOp graph) {
  runtime::Derivation made;
  if (auto types = graph.getParentTypes())
    made.types.emplace(types->begin(), types->end());
  if (auto loops = graph.getLoops())
    made.loops = runtime::parseSelfLoops(stringifyLoopsKind(*loops).str());
  if (auto type = graph.getLoopType())
    made.loopType = static_cast<int32_t>(*type);
  if (auto shards = graph.getShards()) {
    made.shards = static_cast<int32_t>(*shards);
    made.shardEnd = graph.getShardEnd() == EndPoint::Src
                        ? runtime::GraphSide::Src
                        : runtime::GraphSide::Dst;
  }
  return made;
}

runtime::GraphSpec gnn::describeGraph(GraphOp graph) {
  runtime::GraphSpec spec;
  spec.name = graph.getSymName().str();
  spec.square = graph.getKind() == GraphKind::Square;
  spec.nodeTypes = graph.getNodeTypes();
  spec.edgeTypes = graph.getEdgeTypes();
  spec.schema = schemaOf(graph);
  spec.selfLoops = graph.getSelfLoops();
  spec.dstSorted = graph.getDstSorted();
  return spec;
}

runtime::DerivedSpec gnn::describeDerived(GraphOp graph) {
  runtime::DerivedSpec spec;
  spec.name = graph.getSymName().str();
  spec.made = derivationOf(graph);
  spec.schema = schemaOf(graph);
  return spec;
}
