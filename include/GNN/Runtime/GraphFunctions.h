//===- GraphFunctions.h - Graphs made from graphs ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_GRAPHFUNCTIONS_H
#define GNN_RUNTIME_GRAPHFUNCTIONS_H

#include "GNN/Runtime/Graph.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace gnn::runtime {

/// A graph made from another, and where its edges and edge types come from.
struct DerivedGraph {
  std::shared_ptr<const Graph> graph;
  /// int32[edges]: the edge of the first graph that each edge comes from, -1
  /// for a new one. An inverse comes from the edge it inverts.
  std::vector<int32_t> edgeOrigin;
  /// int32[edge types]: likewise for edge types, -1 for a new one.
  std::vector<int32_t> edgeTypeOrigin;
};

enum class SelfLoops {
  /// One more edge (v, v) for each node, whatever is there.
  Add,
  /// Self loops that are there are taken out first, so that each node has
  /// exactly one at the end.
  Replace,
  /// As Replace, but the loop of a node that had some is the last of these,
  /// with
  /// its type.
  Remaining,
  /// Self loops that are there are taken out, and none are made.
  Remove
};

/// "add", "replace", "remaining", "remove".
const char *name(SelfLoops mode);
std::optional<SelfLoops> parseSelfLoops(const std::string &text);

/// Adds a self loop to each node of a square graph, after the other edges, in
/// the order of the nodes. `edgeType` is their type; one more than there are
/// makes a new one "self_loop", and so does -1, but where there is one type,
/// which is then theirs. `Remove` adds none and needs no type.
Expected<DerivedGraph> addSelfLoops(const Graph &graph, SelfLoops mode,
                                    int32_t edgeType = -1);

/// Adds to each edge of a square graph its inverse: E edges follow, in the same
/// order, whose types are the first ones' plus the number of edge types. Names
/// get "_inverse" at the end.
Expected<DerivedGraph> addInverses(const Graph &graph);

/// Splits edge types so that each joins one node type to one other: the new
/// types are the (source type, edge type, destination type) triples that occur,
/// ordered by (edge type, source type, destination type). The result has a
/// schema; names are "source edge destination".
Expected<DerivedGraph> refineTypes(const Graph &graph);

/// Takes away the differences between edge types, node types or both: one type
/// 0 is left. For models that know no types.
Expected<DerivedGraph> mergeTypes(const Graph &graph, bool edgeTypes,
                                  bool nodeTypes);

/// Takes the edges whose type is one of `types`, which ascend, in their order.
/// Edge types get the number of their place in the list; nodes stay.
Expected<DerivedGraph> selectEdgeTypes(const Graph &graph,
                                       ArrayView<int32_t> types);

/// Gives the edges the type floor(v K / n) for their node v of n at `end`: the
/// nodes are cut into K ranges, from 2 to 65,535, as long as each other but for
/// one node. Edges stay in their order; there is no schema.
Expected<DerivedGraph> shardEdges(const Graph &graph, GraphSide end,
                                  int32_t shards);

/// How a graph is made of the edges of another one.
struct Derivation {
  /// Those of these types, which ascend; all where there is no list.
  std::optional<std::vector<int32_t>> types;
  /// With other self loops.
  std::optional<SelfLoops> loops;
  /// The type of new loops; that of the first graph's number of edge types is a
  /// new one.
  int32_t loopType = -1;
  /// The types of the edges that this gives are so many ranges of the nodes at
  /// `shardEnd`, as `shardEdges` makes them; 0 where they are not.
  int32_t shards = 0;
  GraphSide shardEnd = GraphSide::Src;

  /// Whether there are edges that the first graph has not.
  bool addsLoops() const { return loops && *loops != SelfLoops::Remove; }
  /// The edge types of a graph made of one with so many.
  int64_t numEdgeTypes(int64_t all) const;

  auto key() const {
    return std::tie(types, loops, loopType, shards, shardEnd);
  }
  bool operator<(const Derivation &other) const { return key() < other.key(); }
};

/// The graph that `selectEdgeTypes` or `addSelfLoops` makes, and `shardEdges`
/// of that, with the maps that lead to the rows of its parent
/// (docs/Structures.md). Made once and kept with
/// the parent, which the result keeps alive. The parent is not made by this
/// function itself.
Expected<std::shared_ptr<const Graph>>
deriveGraph(const std::shared_ptr<const Graph> &parent,
            const Derivation &derivation);

/// Gives nodes other ids: node v becomes srcIds[v] (dstIds[v] on the other side
/// of a bipartite graph; empty where square). Each must be a permutation. Edges
/// keep their order.
Expected<DerivedGraph> renumber(const Graph &graph, ArrayView<int32_t> srcIds,
                                ArrayView<int32_t> dstIds);

/// The graphs that `layers` layers read of a square one for its first `seeds`
/// nodes: a bipartite graph a layer, the first layer's first. The destinations
/// of a block are its first sources and, but for the seeds, the sources of the
/// next; the sources of the first are all nodes. Edges stay in their order, and
/// where they are in that of hops, as a sampler draws them, blocks share the
/// arrays of the graph.
Expected<std::vector<std::shared_ptr<const Graph>>>
makeBlocks(const std::shared_ptr<const Graph> &graph, int64_t seeds,
           int64_t layers);

/// int32[nodes of that side]: number of edges at each node; of one edge type
/// where `edgeType` is not -1.
Expected<std::vector<int32_t>> degrees(const Graph &graph, GraphSide side,
                                       int32_t edgeType = -1);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_GRAPHFUNCTIONS_H
