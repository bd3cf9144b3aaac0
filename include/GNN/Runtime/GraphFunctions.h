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

/// A graph made from another, and the origin of its edges and edge types.
struct DerivedGraph {
  std::shared_ptr<const Graph> graph;
  /// int32[edges]: the edge of the first graph that each edge comes from, -1
  /// for a new one. An inverse comes from the edge it inverts.
  std::vector<int32_t> edgeOrigin;
  /// int32[edge types]: likewise for edge types, -1 for a new one.
  std::vector<int32_t> edgeTypeOrigin;
};

enum class SelfLoops {
  /// One more edge (v, v) for each node, in addition to existing ones.
  Add,
  /// Existing self loops are removed first, so each node has exactly one at the
  /// end.
  Replace,
  /// Like Replace, but the loop of a node that had some is the last of these,
  /// with its type.
  Remaining,
  /// Existing self loops are removed, and none are added.
  Remove
};

/// "add", "replace", "remaining", "remove".
const char *name(SelfLoops mode);
std::optional<SelfLoops> parseSelfLoops(const std::string &text);

/// Adds a self loop to each node of a square graph, after the other edges, in
/// the order of the nodes. `edgeType` is their type; the number of edge types
/// makes a new one "self_loop", and so does -1, unless there is only one type,
/// which the loops then have. `Remove` adds none and needs no type.
Expected<DerivedGraph> addSelfLoops(const Graph &graph, SelfLoops mode,
                                    int32_t edgeType = -1);

/// Adds to each edge of a square graph its inverse: E edges follow, in the same
/// order, whose types are the original types plus the number of edge types.
/// Names get the suffix "_inverse".
Expected<DerivedGraph> addInverses(const Graph &graph);

/// Splits edge types so that each connects one node type to one other: the new
/// types are the (source type, edge type, destination type) triples that occur,
/// ordered by (edge type, source type, destination type). The result has a
/// schema; names are "source edge destination".
Expected<DerivedGraph> refineTypes(const Graph &graph);

/// Removes the differences between edge types, node types or both: only type 0
/// remains. For models without types.
Expected<DerivedGraph> mergeTypes(const Graph &graph, bool edgeTypes,
                                  bool nodeTypes);

/// Takes the edges whose type is one of `types`, which ascend, in their order.
/// Edge types get the number of their place in the list; nodes stay.
Expected<DerivedGraph> selectEdgeTypes(const Graph &graph,
                                       ArrayView<int32_t> types);

/// Sets the type of each edge to floor(v K / n) for its node v of n at `end`:
/// the nodes are cut into K ranges, from 2 to 65,535, whose lengths differ by
/// at most one node. Edges stay in their order; there is no schema.
Expected<DerivedGraph> shardEdges(const Graph &graph, GraphSide end,
                                  int32_t shards);

/// The derivation of a graph from the edges of another one.
struct Derivation {
  /// Only edges of these types, which ascend; all without a list.
  std::optional<std::vector<int32_t>> types;
  /// With other self loops.
  std::optional<SelfLoops> loops;
  /// The type of new loops; the number of the first graph's edge types is a new
  /// one.
  int32_t loopType = -1;
  /// The number of ranges of the nodes at `shardEnd` that are the types of the
  /// resulting edges, as in `shardEdges`; 0 without shards.
  int32_t shards = 0;
  GraphSide shardEnd = GraphSide::Src;

  /// Whether there are edges that the first graph lacks.
  bool addsLoops() const { return loops && *loops != SelfLoops::Remove; }
  /// The number of edge types of a graph derived from one with this number.
  int64_t numEdgeTypes(int64_t all) const;

  auto key() const {
    return std::tie(types, loops, loopType, shards, shardEnd);
  }
  bool operator<(const Derivation &other) const { return key() < other.key(); }
};

/// The result of `selectEdgeTypes` or `addSelfLoops`, and then of `shardEdges`,
/// with the maps that lead to the rows of its parent (docs/Structures.md). Made
/// once and kept with the parent, which the result keeps alive. The parent must
/// not be a result of this function itself.
Expected<std::shared_ptr<const Graph>>
deriveGraph(const std::shared_ptr<const Graph> &parent,
            const Derivation &derivation);

/// Gives nodes new ids: node v becomes srcIds[v] (dstIds[v] on the other side
/// of a bipartite graph; empty if square). Both must be permutations. Edges
/// keep their order.
Expected<DerivedGraph> renumber(const Graph &graph, ArrayView<int32_t> srcIds,
                                ArrayView<int32_t> dstIds);

/// The graphs that `layers` layers read from a square one for its first `seeds`
/// nodes: a bipartite graph a layer, the first layer's first. The destinations
/// of a block are its first sources and, except for the seeds, the sources of
/// the next; the sources of the first are all nodes. Edges stay in their order,
/// and if they are in the order of hops, as a sampler draws them, blocks share
/// the arrays of the graph.
Expected<std::vector<std::shared_ptr<const Graph>>>
makeBlocks(const std::shared_ptr<const Graph> &graph, int64_t seeds,
           int64_t layers);

/// int32[nodes of that side]: number of edges at each node; of one edge type if
/// `edgeType` is not -1.
Expected<std::vector<int32_t>> degrees(const Graph &graph, GraphSide side,
                                       int32_t edgeType = -1);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_GRAPHFUNCTIONS_H
