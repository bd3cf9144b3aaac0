//===- GraphFunctions.cpp - Graphs made from graphs -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/GraphFunctions.h"

#include "Guarded.h"
#include "StructureCache.h"

#include <algorithm>
#include <numeric>

using namespace gnn::runtime;

namespace {
/// Arrays of a new graph on their way, with what GraphArrays points at.
struct Draft {
  /// All of `graph` but its edges.
  explicit Draft(const Graph &graph) {
    arrays.square = graph.isSquare();
    arrays.numSrcNodes = graph.numNodes(GraphSide::Src);
    arrays.numDstNodes = graph.numNodes(GraphSide::Dst);
    arrays.numNodeTypes = graph.numNodeTypes();
    arrays.numEdgeTypes = graph.numEdgeTypes();
    arrays.srcNodeType = graph.nodeType(GraphSide::Src).data();
    arrays.dstNodeType = graph.nodeType(GraphSide::Dst).data();
    arrays.schema = graph.schema();
    arrays.nodeTypeNames = graph.nodeTypeNames();
    arrays.edgeTypeNames = graph.edgeTypeNames();
    edgeTypeOrigin.resize(static_cast<size_t>(graph.numEdgeTypes()));
    std::iota(edgeTypeOrigin.begin(), edgeTypeOrigin.end(), 0);
  }

  void takeEdges(const Graph &graph) {
    src = graph.edgeEnds(GraphSide::Src).vec();
    dst = graph.edgeEnds(GraphSide::Dst).vec();
    type = graph.edgeType().vec();
    edgeOrigin.resize(src.size());
    std::iota(edgeOrigin.begin(), edgeOrigin.end(), 0);
  }

  void add(int32_t from, int32_t to, int32_t edgeType, int32_t origin) {
    src.push_back(from);
    dst.push_back(to);
    type.push_back(edgeType);
    edgeOrigin.push_back(origin);
  }

  Expected<DerivedGraph> finish() {
    arrays.numEdges = static_cast<int64_t>(src.size());
    arrays.edgeSrc = src.data();
    arrays.edgeDst = dst.data();
    arrays.edgeType = type.data();
    auto graph = Graph::create(arrays);
    if (!graph)
      return graph.takeError();
    return DerivedGraph{std::move(*graph), std::move(edgeOrigin),
                        std::move(edgeTypeOrigin)};
  }

  GraphArrays arrays;
  std::vector<int32_t> src, dst, type, edgeOrigin, edgeTypeOrigin;
};

Error expectSquare(const Graph &graph) {
  if (!graph.isSquare())
    return failure("expected a square graph, got a bipartite one");
  return {};
}

Error checkPermutation(ArrayView<int32_t> ids, int64_t nodes,
                       const char *side) {
  if (static_cast<int64_t>(ids.size()) != nodes)
    return failure("expected new ids of ", nodes, " ", side, "nodes, got ",
                   ids.size());
  std::vector<bool> taken(ids.size(), false);
  for (size_t v = 0; v < ids.size(); ++v) {
    if (ids[v] < 0 || ids[v] >= nodes)
      return failure("new id of ", side, "node ", v, ": expected 0 <= id < ",
                     nodes, ", got ", ids[v]);
    if (taken[static_cast<size_t>(ids[v])])
      return failure("new id of ", side, "node ", v,
                     ": expected each id once, got ", ids[v], " again");
    taken[static_cast<size_t>(ids[v])] = true;
  }
  return {};
}

std::string typeName(const std::vector<std::string> &names, int32_t type) {
  return names.empty() ? std::to_string(type)
                       : names[static_cast<size_t>(type)];
}
} // namespace

static constexpr const char *kSelfLoops[] = {"add", "replace", "remaining",
                                             "remove"};

const char *gnn::runtime::name(SelfLoops mode) {
  return kSelfLoops[static_cast<size_t>(mode)];
}

std::optional<SelfLoops> gnn::runtime::parseSelfLoops(const std::string &text) {
  for (size_t i = 0; i < std::size(kSelfLoops); ++i)
    if (text == kSelfLoops[i])
      return static_cast<SelfLoops>(i);
  return std::nullopt;
}

Expected<DerivedGraph> gnn::runtime::addSelfLoops(const Graph &graph,
                                                  SelfLoops mode,
                                                  int32_t edgeType) {
  return guarded("add_self_loops", [&]() -> Expected<DerivedGraph> {
    if (Error error = expectSquare(graph))
      return error.in("add_self_loops");
    if (edgeType < -1 || edgeType > graph.numEdgeTypes())
      return failure("add_self_loops: expected -1 <= edge type <= ",
                     graph.numEdgeTypes(), ", got ", edgeType);
    Draft draft(graph);
    // The last loop that each node has.
    std::vector<int32_t> last(
        static_cast<size_t>(graph.numNodes(GraphSide::Src)), -1);
    if (mode == SelfLoops::Add) {
      draft.takeEdges(graph);
    } else {
      for (size_t e = 0; e < graph.edgeType().size(); ++e) {
        int32_t from = graph.edgeEnds(GraphSide::Src)[e];
        int32_t to = graph.edgeEnds(GraphSide::Dst)[e];
        if (from != to)
          draft.add(from, to, graph.edgeType()[e], static_cast<int32_t>(e));
        else if (mode == SelfLoops::Remaining)
          last[static_cast<size_t>(to)] = static_cast<int32_t>(e);
      }
    }
    if (mode == SelfLoops::Remove)
      return draft.finish();
    if (edgeType == -1 && graph.numEdgeTypes() == 1)
      edgeType = 0;
    if (edgeType == -1 || edgeType == graph.numEdgeTypes()) {
      edgeType = static_cast<int32_t>(draft.arrays.numEdgeTypes++);
      draft.edgeTypeOrigin.push_back(-1);
      if (!draft.arrays.edgeTypeNames.empty())
        draft.arrays.edgeTypeNames.push_back("self_loop");
      if (!draft.arrays.schema.empty())
        draft.arrays.schema.push_back(EdgeTypeEnds());
    }
    for (size_t v = 0; v < last.size(); ++v) {
      int32_t node = static_cast<int32_t>(v), loop = last[v];
      draft.add(node, node,
                loop == -1 ? edgeType
                           : graph.edgeType()[static_cast<size_t>(loop)],
                loop);
    }
    return draft.finish();
  });
}

Expected<DerivedGraph> gnn::runtime::addInverses(const Graph &graph) {
  return guarded("add_inverses", [&]() -> Expected<DerivedGraph> {
    if (Error error = expectSquare(graph))
      return error.in("add_inverses");
    Draft draft(graph);
    draft.takeEdges(graph);
    int32_t types = static_cast<int32_t>(graph.numEdgeTypes());
    for (size_t e = 0; e < graph.edgeType().size(); ++e)
      draft.add(graph.edgeEnds(GraphSide::Dst)[e],
                graph.edgeEnds(GraphSide::Src)[e], graph.edgeType()[e] + types,
                static_cast<int32_t>(e));
    draft.arrays.numEdgeTypes = 2 * int64_t(types);
    for (int32_t r = 0; r < types; ++r)
      draft.edgeTypeOrigin.push_back(r);
    for (const EdgeTypeEnds &ends : graph.schema())
      draft.arrays.schema.push_back({ends.dst, ends.src});
    for (const std::string &name : graph.edgeTypeNames())
      draft.arrays.edgeTypeNames.push_back(name + "_inverse");
    return draft.finish();
  });
}

Expected<DerivedGraph> gnn::runtime::refineTypes(const Graph &graph) {
  return guarded("refine_types", [&]() -> Expected<DerivedGraph> {
    Draft draft(graph);
    draft.takeEdges(graph);
    // (edge type, source type, destination type) in one integer: types have 16
    // bits each.
    std::vector<uint64_t> ofEdge(draft.src.size());
    for (size_t e = 0; e < ofEdge.size(); ++e) {
      size_t from = static_cast<size_t>(draft.src[e]);
      size_t to = static_cast<size_t>(draft.dst[e]);
      ofEdge[e] = uint64_t(draft.type[e]) << 32 |
                  uint64_t(graph.nodeType(GraphSide::Src)[from]) << 16 |
                  uint64_t(graph.nodeType(GraphSide::Dst)[to]);
    }
    std::vector<uint64_t> triples = ofEdge;
    std::sort(triples.begin(), triples.end());
    triples.erase(std::unique(triples.begin(), triples.end()), triples.end());
    for (size_t e = 0; e < ofEdge.size(); ++e)
      draft.type[e] = static_cast<int32_t>(
          std::lower_bound(triples.begin(), triples.end(), ofEdge[e]) -
          triples.begin());
    draft.arrays.numEdgeTypes = static_cast<int64_t>(triples.size());
    draft.arrays.schema.clear();
    draft.arrays.edgeTypeNames.clear();
    draft.edgeTypeOrigin.clear();
    for (uint64_t triple : triples) {
      int32_t edgeType = static_cast<int32_t>(triple >> 32);
      int32_t srcType = static_cast<int32_t>(triple >> 16 & 0xffff);
      int32_t dstType = static_cast<int32_t>(triple & 0xffff);
      draft.edgeTypeOrigin.push_back(edgeType);
      draft.arrays.schema.push_back({srcType, dstType});
      draft.arrays.edgeTypeNames.push_back(
          typeName(graph.nodeTypeNames(), srcType) + " " +
          typeName(graph.edgeTypeNames(), edgeType) + " " +
          typeName(graph.nodeTypeNames(), dstType));
    }
    return draft.finish();
  });
}

Expected<DerivedGraph>
gnn::runtime::mergeTypes(const Graph &graph, bool edgeTypes, bool nodeTypes) {
  return guarded("merge_types", [&]() -> Expected<DerivedGraph> {
    Draft draft(graph);
    draft.takeEdges(graph);
    draft.arrays.schema.clear();
    if (edgeTypes) {
      std::fill(draft.type.begin(), draft.type.end(), 0);
      draft.arrays.numEdgeTypes = 1;
      draft.arrays.edgeTypeNames.clear();
      draft.edgeTypeOrigin = {graph.numEdgeTypes() == 1 ? 0 : -1};
    }
    if (nodeTypes) {
      draft.arrays.srcNodeType = draft.arrays.dstNodeType = nullptr;
      draft.arrays.numNodeTypes = 1;
      draft.arrays.nodeTypeNames.clear();
    }
    return draft.finish();
  });
}

Expected<DerivedGraph> gnn::runtime::selectEdgeTypes(const Graph &graph,
                                                     ArrayView<int32_t> types) {
  return guarded("select_edge_types", [&]() -> Expected<DerivedGraph> {
    Draft draft(graph);
    draft.arrays.schema.clear();
    draft.arrays.edgeTypeNames.clear();
    std::vector<int32_t> place(static_cast<size_t>(graph.numEdgeTypes()), -1);
    for (size_t i = 0; i < types.size(); ++i) {
      int32_t least = i ? types[i - 1] + 1 : 0;
      if (types[i] < least || types[i] >= graph.numEdgeTypes())
        return failure("select_edge_types: expected ", least,
                       " <= edge type < ", graph.numEdgeTypes(), ", got ",
                       types[i]);
      size_t type = static_cast<size_t>(types[i]);
      place[type] = static_cast<int32_t>(i);
      if (!graph.schema().empty())
        draft.arrays.schema.push_back(graph.schema()[type]);
      if (!graph.edgeTypeNames().empty())
        draft.arrays.edgeTypeNames.push_back(graph.edgeTypeNames()[type]);
    }
    draft.arrays.numEdgeTypes = static_cast<int64_t>(types.size());
    draft.edgeTypeOrigin = types.vec();
    for (size_t e = 0; e < graph.edgeType().size(); ++e) {
      int32_t type = place[static_cast<size_t>(graph.edgeType()[e])];
      if (type >= 0)
        draft.add(graph.edgeEnds(GraphSide::Src)[e],
                  graph.edgeEnds(GraphSide::Dst)[e], type,
                  static_cast<int32_t>(e));
    }
    return draft.finish();
  });
}

Expected<DerivedGraph> gnn::runtime::shardEdges(const Graph &graph,
                                                GraphSide end, int32_t shards) {
  return guarded("shard_edges", [&]() -> Expected<DerivedGraph> {
    if (shards < 2 || shards > kMaxTypes)
      return failure("shard_edges: expected 2 to ", kMaxTypes, " shards, got ",
                     shards);
    Draft draft(graph);
    draft.arrays.schema.clear();
    draft.arrays.edgeTypeNames.clear();
    draft.arrays.numEdgeTypes = shards;
    int64_t nodes = graph.numNodes(end);
    ArrayView<int32_t> ids = graph.edgeEnds(end);
    for (size_t e = 0; e < ids.size(); ++e)
      draft.add(graph.edgeEnds(GraphSide::Src)[e],
                graph.edgeEnds(GraphSide::Dst)[e],
                static_cast<int32_t>(int64_t(ids[e]) * shards / nodes),
                static_cast<int32_t>(e));
    return draft.finish();
  });
}

int64_t Derivation::numEdgeTypes(int64_t all) const {
  if (shards)
    return shards;
  if (types)
    return static_cast<int64_t>(types->size());
  return addsLoops() && loopType == all ? all + 1 : all;
}

/// The edges of the graph, and behind them one loop for each node: the row of a
/// loop that is new is that of its node there.
static Expected<DerivedGraph> deriveWithLoops(const Graph &parent,
                                              const Derivation &derivation) {
  Expected<DerivedGraph> made =
      addSelfLoops(parent, *derivation.loops,
                   derivation.addsLoops() ? derivation.loopType : -1);
  if (!made || !derivation.addsLoops())
    return made;
  int64_t nodes = parent.numNodes(GraphSide::Src);
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (parent.numEdges() > most - nodes)
    return failure("expected at most ", most, " edges and nodes together, got ",
                   parent.numEdges() + nodes);
  size_t first = made->edgeOrigin.size() - static_cast<size_t>(nodes);
  for (size_t e = first; e < made->edgeOrigin.size(); ++e)
    if (made->edgeOrigin[e] == -1)
      made->edgeOrigin[e] =
          static_cast<int32_t>(parent.numEdges() + int64_t(e - first));
  return made;
}

/// The edges of `made`, of which `parent` has some, with shards as types.
static Expected<DerivedGraph> deriveShards(const Graph &parent,
                                           Expected<DerivedGraph> made,
                                           const Derivation &derivation) {
  if (!made)
    return made;
  Expected<DerivedGraph> cut =
      shardEdges(made->graph ? *made->graph : parent, derivation.shardEnd,
                 derivation.shards);
  if (cut && made->graph)
    cut->edgeOrigin = std::move(made->edgeOrigin);
  return cut;
}

Expected<std::shared_ptr<const Graph>>
gnn::runtime::deriveGraph(const std::shared_ptr<const Graph> &parent,
                          const Derivation &derivation) {
  using Result = Expected<std::shared_ptr<const Graph>>;
  return guarded("derive_graph", [&]() -> Result {
    StructureCache &cache = parent->cache();
    if (cache.origin)
      return failure("derive_graph: expected a graph that is not derived");
    if (!derivation.types && !derivation.loops && !derivation.shards)
      return failure("derive_graph: expected edge types, loops or shards, got "
                     "none");
    std::lock_guard<std::mutex> lock(cache.mutex);
    auto kept = cache.derived.find(derivation);
    if (kept == cache.derived.end()) {
      Expected<DerivedGraph> made =
          derivation.loops   ? deriveWithLoops(*parent, derivation)
          : derivation.types ? selectEdgeTypes(*parent, *derivation.types)
                             : DerivedGraph();
      if (derivation.shards)
        made = deriveShards(*parent, std::move(made), derivation);
      if (!made)
        return made.takeError();
      made->graph->cache().origin = std::make_unique<const Origin>(
          Origin{parent.get(), std::move(made->edgeOrigin),
                 std::move(made->edgeTypeOrigin), derivation.addsLoops(),
                 derivation.shards != 0});
      kept = cache.derived.emplace(derivation, std::move(made->graph)).first;
    }
    // The parent keeps the graph: whoever has the graph keeps the parent.
    return std::shared_ptr<const Graph>(parent, kept->second.get());
  });
}

Expected<DerivedGraph> gnn::runtime::renumber(const Graph &graph,
                                              ArrayView<int32_t> srcIds,
                                              ArrayView<int32_t> dstIds) {
  return guarded("renumber", [&]() -> Expected<DerivedGraph> {
    bool square = graph.isSquare();
    if (Error error = checkPermutation(srcIds, graph.numNodes(GraphSide::Src),
                                       square ? "" : "source "))
      return error.in("renumber");
    if (square && !dstIds.empty())
      return failure("renumber: expected one list of ids for a square graph, "
                     "got two");
    if (!square)
      if (Error error = checkPermutation(dstIds, graph.numNodes(GraphSide::Dst),
                                         "destination "))
        return error.in("renumber");
    Draft draft(graph);
    draft.takeEdges(graph);
    ArrayView<int32_t> ids[2] = {srcIds, square ? srcIds : dstIds};
    std::vector<int32_t> nodeType[2];
    for (GraphSide side : {GraphSide::Src, GraphSide::Dst}) {
      ArrayView<int32_t> newId = ids[side == GraphSide::Dst];
      for (int32_t &node : side == GraphSide::Src ? draft.src : draft.dst)
        node = newId[static_cast<size_t>(node)];
      std::vector<int32_t> &types = nodeType[side == GraphSide::Dst];
      types.resize(newId.size());
      for (size_t v = 0; v < types.size(); ++v)
        types[static_cast<size_t>(newId[v])] = graph.nodeType(side)[v];
    }
    draft.arrays.srcNodeType = nodeType[0].data();
    draft.arrays.dstNodeType = nodeType[1].data();
    return draft.finish();
  });
}

namespace {
/// Edges of a graph, as views of its arrays or as copies of their own.
struct EdgesOfBlock {
  /// Those into the first `targets` nodes.
  EdgesOfBlock(const std::shared_ptr<const Graph> &graph, int64_t targets)
      : graph(graph), src(graph->edgeEnds(GraphSide::Src)),
        dst(graph->edgeEnds(GraphSide::Dst)), type(graph->edgeType()) {
    size_t count = 0;
    for (int32_t node : dst)
      count += node < targets;
    bool isPrefix = true;
    for (size_t e = 0; e < count; ++e)
      isPrefix &= dst[e] < targets;
    if (isPrefix) {
      src = {src.data(), count};
      dst = {dst.data(), count};
      type = {type.data(), count};
      return;
    }
    for (Indices &copy : copies)
      copy.reserve(count);
    for (size_t e = 0; e < dst.size(); ++e) {
      if (dst[e] >= targets)
        continue;
      copies[0].push_back(src[e]);
      copies[1].push_back(dst[e]);
      copies[2].push_back(type[e]);
    }
    src = copies[0];
    dst = copies[1];
    type = copies[2];
  }

  std::shared_ptr<const Graph> graph;
  Indices copies[3];
  ArrayView<int32_t> src, dst, type;
};
} // namespace

Expected<std::vector<std::shared_ptr<const Graph>>>
gnn::runtime::makeBlocks(const std::shared_ptr<const Graph> &graph,
                         int64_t seeds, int64_t layers) {
  using Result = Expected<std::vector<std::shared_ptr<const Graph>>>;
  return guarded("blocks", [&]() -> Result {
    if (Error error = expectSquare(*graph))
      return error;
    int64_t nodes = graph->numNodes(GraphSide::Src);
    if (seeds < 0 || seeds > nodes)
      return failure("expected 0 to ", nodes, " seeds, got ", seeds);
    if (layers < 1)
      return failure("expected 1 layer or more, got ", layers);
    std::vector<std::shared_ptr<const Graph>> blocks(
        static_cast<size_t>(layers));
    GraphArrays arrays = Draft(*graph).arrays;
    arrays.square = false;
    arrays.numDstNodes = seeds;
    for (size_t layer = blocks.size(); layer-- > 0;) {
      auto edges = std::make_shared<EdgesOfBlock>(graph, arrays.numDstNodes);
      arrays.numSrcNodes = nodes;
      if (layer > 0) {
        arrays.numSrcNodes = arrays.numDstNodes;
        for (int32_t node : edges->src)
          arrays.numSrcNodes = std::max(arrays.numSrcNodes, int64_t(node) + 1);
      }
      arrays.numEdges = static_cast<int64_t>(edges->src.size());
      arrays.edgeSrc = edges->src.data();
      arrays.edgeDst = edges->dst.data();
      arrays.edgeType = edges->type.data();
      auto block = Graph::borrow(arrays, std::move(edges));
      if (!block)
        return block.takeError();
      blocks[layer] = std::move(*block);
      arrays.numDstNodes = arrays.numSrcNodes;
    }
    return blocks;
  });
}

Expected<std::vector<int32_t>>
gnn::runtime::degrees(const Graph &graph, GraphSide side, int32_t edgeType) {
  return guarded("degrees", [&]() -> Expected<std::vector<int32_t>> {
    if (edgeType < -1 || edgeType >= graph.numEdgeTypes())
      return failure("degrees: expected -1 <= edge type < ",
                     graph.numEdgeTypes(), ", got ", edgeType);
    std::vector<int32_t> result(static_cast<size_t>(graph.numNodes(side)), 0);
    ArrayView<int32_t> ends = graph.edgeEnds(side), types = graph.edgeType();
    for (size_t e = 0; e < ends.size(); ++e)
      if (edgeType == -1 || types[e] == edgeType)
        ++result[static_cast<size_t>(ends[e])];
    return result;
  });
}
