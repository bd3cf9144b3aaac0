//===- Graph.h - Typed graphs -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A typed, directed graph, which may be a multigraph with self loops, isolated
// nodes and empty types. Zero nodes, edges or types are legal.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_GRAPH_H
#define GNN_RUNTIME_GRAPH_H

#include "GNN/Lattice/Lattice.h"
#include "GNN/Runtime/ArrayView.h"
#include "GNN/Runtime/Error.h"
#include "GNN/Runtime/HostArray.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gnn::runtime {

struct StructureCache;

/// The maximum number of node types, and of edge types: an id fits 16 bits.
constexpr int64_t kMaxTypes = 65535;

/// The ends of an edge.
enum class GraphSide { Src, Dst };

/// The node types of the two ends of an edge type; -1 if an end may have any.
struct EdgeTypeEnds {
  int32_t src = -1;
  int32_t dst = -1;

  bool operator==(const EdgeTypeEnds &other) const {
    return src == other.src && dst == other.dst;
  }
  bool operator!=(const EdgeTypeEnds &other) const { return !(*this == other); }
};

/// The arrays of a graph, as the caller has them.
struct GraphArrays {
  /// Source and destination nodes are the same set.
  bool square = true;
  /// Number of source nodes; of all nodes if square.
  int64_t numSrcNodes = 0;
  /// Number of destination nodes; not read if square.
  int64_t numDstNodes = 0;
  /// Number of edges, under 2^31.
  int64_t numEdges = 0;
  /// Numbers of types, at most kMaxTypes. Both ends of a bipartite graph share
  /// one numbering of node types.
  int64_t numNodeTypes = 1;
  int64_t numEdgeTypes = 1;
  /// int32[numEdges]: source and destination node of each edge.
  const int32_t *edgeSrc = nullptr;
  const int32_t *edgeDst = nullptr;
  /// int32[numEdges]: type of each edge; null: all 0.
  const int32_t *edgeType = nullptr;
  /// int32[nodes]: types of the nodes; null: all 0. `dstNodeType` is not read
  /// if square.
  const int32_t *srcNodeType = nullptr;
  const int32_t *dstNodeType = nullptr;
  /// The node types that each edge type connects: empty, or one entry an edge
  /// type, which all edges obey.
  std::vector<EdgeTypeEnds> schema;
  /// Names: empty, or one a type.
  std::vector<std::string> nodeTypeNames;
  std::vector<std::string> edgeTypeNames;
};

/// An immutable, shared graph with a cache of the structures that are built
/// from it. It may be used from several threads.
class Graph {
public:
  /// Copies the arrays; errors name the first id that is out of its range.
  static Expected<std::shared_ptr<const Graph>>
  create(const GraphArrays &arrays);

  /// Keeps the given pointers without a copy; `owner` is held as long as the
  /// graph lives and must keep the arrays alive and unchanged. The graph
  /// allocates and owns arrays for null pointers.
  static Expected<std::shared_ptr<const Graph>>
  borrow(const GraphArrays &arrays, std::shared_ptr<const void> owner);

  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
  ~Graph();

  bool isSquare() const { return square; }
  int64_t numNodes(GraphSide side) const {
    return side == GraphSide::Src ? numSrcNodes : numDstNodes;
  }
  int64_t numEdges() const { return static_cast<int64_t>(src.size()); }
  int64_t numNodeTypes() const { return nodeTypes; }
  int64_t numEdgeTypes() const { return edgeTypes; }

  /// int32[edges]: the node of each edge on one side, and its type.
  ArrayView<int32_t> edgeEnds(GraphSide side) const {
    return side == GraphSide::Src ? src : dst;
  }
  ArrayView<int32_t> edgeType() const { return type; }

  /// int32[nodes of that side]: the type of each node.
  ArrayView<int32_t> nodeType(GraphSide side) const {
    return side == GraphSide::Src ? srcType : dstType;
  }

  /// Empty without a schema.
  const std::vector<EdgeTypeEnds> &schema() const { return ends; }

  /// Empty if the types have no names.
  const std::vector<std::string> &nodeTypeNames() const { return nodeNames; }
  const std::vector<std::string> &edgeTypeNames() const { return edgeNames; }

  /// Number of the type of that name; the error lists the existing ones.
  Expected<int32_t> findNodeType(const std::string &name) const;
  Expected<int32_t> findEdgeType(const std::string &name) const;

  /// Checks every edge against a schema of numEdgeTypes entries.
  Error checkSchema(const std::vector<EdgeTypeEnds> &schema) const;

  /// Checks that each node of a square graph has one self loop, of any type;
  /// the error says how to add them.
  Error checkSelfLoops() const;

  /// Checks that the destinations of edges do not descend; the error names the
  /// first edge that violates this, and says how to sort edges.
  Error checkDstSorted() const;

  /// The structure of that key, built at its first use and kept with the graph.
  Expected<std::shared_ptr<const Indices>>
  structure(const StructureKey &key) const;

  /// The count of that key.
  Expected<int64_t> count(const CountKey &key) const;

  /// Drops the cached structures. Structures in use live on.
  void clearStructures() const;

  /// The cache of structures, for the library's own use.
  StructureCache &cache() const { return *structures; }

private:
  Graph();
  static Expected<std::shared_ptr<const Graph>>
  make(const GraphArrays &arrays, bool copy, std::shared_ptr<const void> owner);

  bool square = true;
  int64_t numSrcNodes = 0;
  int64_t numDstNodes = 0;
  int64_t nodeTypes = 0;
  int64_t edgeTypes = 0;
  ArrayView<int32_t> src, dst, type, srcType, dstType;
  std::vector<EdgeTypeEnds> ends;
  std::vector<std::string> nodeNames, edgeNames;
  std::vector<Indices> owned;
  std::shared_ptr<const void> owner;
  std::unique_ptr<StructureCache> structures;
};

/// Copies 64-bit ids to 32-bit ones; an id that does not fit is an error that
/// names `what` and the index.
Expected<Indices> narrowIds(ArrayView<int64_t> ids, const std::string &what);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_GRAPH_H
