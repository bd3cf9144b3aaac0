//===- Structures.cpp - Structures of a graph and their keys --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Structures.h"

#include "Guarded.h"
#include "StructureBuilder.h"

using namespace gnn::runtime;

Expected<Space> gnn::runtime::parseSpace(std::string_view text) {
  if (std::optional<Space> space = findSpace(text))
    return *space;
  return failure("expected a row space (", listSpaces(), "), got '", text, "'");
}

Expected<StructureKey> gnn::runtime::parseStructureKey(std::string_view text) {
  std::string error;
  if (auto key = StructureKey::parse(text, error))
    return *key;
  return failure("structure '", text, "': ", error);
}

Expected<CountKey> gnn::runtime::parseCountKey(std::string_view text) {
  std::string error;
  if (auto key = CountKey::parse(text, error))
    return *key;
  return failure("count '", text, "': ", error);
}

/// Space::Node stands in no structure; Node counts need a square graph.
static Error checkSpace(const Graph &graph, Space space) {
  if (space == Space::Node && !graph.isSquare())
    return failure("expected src or dst on a bipartite graph, got 'node'");
  return {};
}

/// Node types of edge types are known where the schema names them all.
static Error checkEdgeTypes(const Graph &graph, OrderedSpace elements,
                            Space target) {
  auto isNodeType = [](Space space) {
    return space == Space::SrcNodeType || space == Space::DstNodeType;
  };
  bool bySource = elements.order == Order::SrcTypes;
  if (elements.space != Space::EdgeType ||
      (!isNodeType(target) && elements.order == Order::Natural))
    return {};
  GraphSide side = bySource || (elements.order == Order::Natural &&
                                target == Space::SrcNodeType)
                       ? GraphSide::Src
                       : GraphSide::Dst;
  for (size_t r = 0; r < graph.schema().size(); ++r)
    if (const EdgeTypeEnds &ends = graph.schema()[r];
        (side == GraphSide::Src ? ends.src : ends.dst) < 0)
      return failure("expected a schema that gives the ",
                     side == GraphSide::Src ? "source" : "destination",
                     "'s node type of every edge type, got none of edge type ",
                     r);
  if (graph.schema().empty() && graph.numEdgeTypes() > 0)
    return failure("expected a graph with a schema, got none");
  return {};
}

/// Rows of a parent are there where the graph is derived. With new loops or
/// shards those of edges are.
static Error checkParent(const StructureCache &kept, Space space) {
  if (!isOfParent(space))
    return {};
  if (!kept.origin)
    return failure("expected a graph derived from another, got one that is "
                   "not, for '",
                   name(space), "'");
  bool ofLoops = space == Space::ParentLoop;
  if (kept.origin->addsLoops ? !ofLoops && space != Space::ParentEdge : ofLoops)
    return failure("expected a graph derived with", ofLoops ? "" : "out",
                   " new self loops for '", name(space), "'");
  if (kept.origin->hasShards && !ofLoops && space != Space::ParentEdge)
    return failure("expected a graph whose edge types are not shards for '",
                   name(space), "'");
  return {};
}

Expected<SharedIndices> StructureBuilder::get(const StructureKey &key) {
  std::string problem;
  if (!key.isMap())
    problem = checkRows(key.group, key.elements);
  if (problem.empty() && key.hasTarget())
    problem = checkMap(key.elements, key.target);
  if (!problem.empty())
    return failure(problem);
  Error legal = checkEdgeTypes(graph, key.elements,
                               key.isMap() ? key.target.space : key.group);
  if (!legal && key.hasTarget())
    legal = checkEdgeTypes(graph, key.target, key.target.space);
  if (!legal && key.hasTarget())
    legal = checkParent(kept, key.target.space);
  if (legal)
    return legal;
  if (SharedIndices found = find(key))
    return found;
  switch (key.kind) {
  case StructureKey::Kind::Map:
    return map(key);
  case StructureKey::Kind::Rows:
    return rows(key.group, key.elements);
  case StructureKey::Kind::Tiles:
  case StructureKey::Kind::LongTiles:
    return keep(key, tiles(key));
  case StructureKey::Kind::TileRows:
  case StructureKey::Kind::LongTileRows:
    return keep(key, tileRows(key));
  case StructureKey::Kind::Stream:
    return stream(key);
  case StructureKey::Kind::Filled:
    return keep(key, filled(key));
  case StructureKey::Kind::Shares:
    return shares(key);
  case StructureKey::Kind::CutRows:
    return keep(key, cutRows(key));
  case StructureKey::Kind::Merged:
  case StructureKey::Kind::MergedRows:
    return merged(key);
  }
  return failure("unknown kind of structure");
}

Expected<int64_t> StructureBuilder::count(const CountKey &key) {
  if (key.kind == CountKey::Kind::Count) {
    if (Error error = checkSpace(graph, key.space))
      return error;
    if (Error error = checkParent(kept, key.space))
      return error;
    return size(key.space);
  }
  std::string problem = checkRows(key.space, key.elements);
  if (!problem.empty())
    return failure(problem);
  if (Error error = checkEdgeTypes(graph, key.elements, key.space))
    return error;
  if (key.kind == CountKey::Kind::MergedCount) {
    auto rows = get(StructureKey::mergedRows(key.merged()));
    return rows ? Expected<int64_t>((*rows)->back())
                : Expected<int64_t>(failure(rows.message()));
  }
  return countOfGroups(key);
}

Expected<SharedIndices> Graph::structure(const StructureKey &key) const {
  return guarded("structure", [&]() -> Expected<SharedIndices> {
    HostMemoryScope memory;
    std::lock_guard<std::mutex> lock(structures->mutex);
    return StructureBuilder(*this).get(key);
  });
}

Expected<int64_t> Graph::count(const CountKey &key) const {
  return guarded("count", [&]() -> Expected<int64_t> {
    HostMemoryScope memory;
    std::lock_guard<std::mutex> lock(structures->mutex);
    return StructureBuilder(*this).count(key);
  });
}
