//===- Structures.h - Structures of a graph and their keys ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_STRUCTURES_H
#define GNN_RUNTIME_STRUCTURES_H

#include "GNN/Runtime/Error.h"
#include "GNN/Runtime/Graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gnn::runtime {

/// Sets of rows. A pair is a (node, edge type) that occurs. The node types of
/// sources and destinations are one numbering; the two names say through which
/// end of an edge they are reached. Node is legal on square graphs only, where
/// it is Src and Dst. The last four are rows of the graph that a derived graph
/// is made from: maps lead there, and nothing from there.
enum class Space {
  Edge,
  SrcPair,
  DstPair,
  Src,
  Dst,
  Node,
  EdgeType,
  NodeType,
  SrcNodeType,
  DstNodeType,
  Graph,
  ParentEdge,
  ParentSrcPair,
  ParentDstPair,
  ParentEdgeType
};

/// Whether the rows are those of the parent of a derived graph.
bool isOfParent(Space space);

/// The space that these rows are of in their own graph: Edge of ParentEdge.
Space withoutParent(Space space);

/// "edge", "src_pair", ..., "parent_edge_type".
const char *name(Space space);

/// The space of that name.
Expected<Space> parseSpace(std::string_view text);

/// Orders in which the rows of a space are listed. Sorts are stable.
///
///   edge              given; in_rows (by dst), out_rows (by src), src_pairs
///                     (by type, then src), dst_pairs (by type, then dst),
///                     src_types, dst_types (by the node type of that end)
///   src_pair dst_pair (type, node); by_node (node, type); node_types (by the
///                     node's type)
///   src dst           ids; by_type; by_degree (descending; src: out-degree,
///                     dst: in-degree)
///   parent_...        those of the parent's space
enum class Order {
  Natural,
  InRows,
  OutRows,
  SrcPairs,
  DstPairs,
  ByNode,
  ByType,
  ByDegree,
  SrcTypes,
  DstTypes,
  NodeTypes
};

/// A space in one of its orders, written "space" or "space.order".
struct OrderedSpace {
  Space space = Space::Edge;
  Order order = Order::Natural;

  /// Parses and checks that the space has that order.
  static Expected<OrderedSpace> parse(std::string_view text);
  std::string str() const;

  bool operator==(const OrderedSpace &other) const {
    return space == other.space && order == other.order;
  }
};

/// What a structure is. `A` is a set of elements in an order, `G` what groups
/// them, `N` the most elements a tile holds.
///
///   map A B        int32[|A|]: the row of B each position of A leads to
///   rows G A       int32[|G|+1]: elements of group g are [p[g], p[g+1])
///   tiles G A N    int32[3n]: (group, begin, end) of pieces of <= N elements
///   tile_rows G A N  int32[|G|+1]: tiles of group g in that list
struct StructureKey {
  enum class Kind { Map, Rows, Tiles, TileRows };

  Kind kind = Kind::Map;
  /// `A`.
  OrderedSpace elements;
  /// `B` of a map.
  OrderedSpace target;
  /// `G` of the other kinds.
  Space group = Space::Graph;
  /// `N` of tiles and tile_rows, at least 1.
  int64_t tile = 0;

  /// Parses and checks canonical text; words are separated by one space.
  static Expected<StructureKey> parse(std::string_view text);
  std::string str() const;

  static StructureKey map(OrderedSpace elements, OrderedSpace target);
  static StructureKey rows(Space group, OrderedSpace elements);
};

/// What a count is.
///
///   count SPACE         rows of a space
///   tile_count G A N    tiles in `tiles G A N`
///   max_row G A         elements of the longest group of `rows G A`
struct CountKey {
  enum class Kind { Count, TileCount, MaxRow };

  Kind kind = Kind::Count;
  /// SPACE or `G`.
  Space space = Space::Edge;
  /// `A`.
  OrderedSpace elements;
  /// `N`.
  int64_t tile = 0;

  static Expected<CountKey> parse(std::string_view text);
  std::string str() const;
};

/// Checks that a map leads from `elements` to `target`, or that `group` makes
/// contiguous, ascending groups of `elements`; the error lists what is legal.
Error checkMap(OrderedSpace elements, OrderedSpace target);
Error checkRows(Space group, OrderedSpace elements);

/// Shape of the degrees of one side.
struct DegreeStatistics {
  int64_t max = 0;
  /// Sum of the squares.
  int64_t squares = 0;
  double mean = 0;
  /// Mean of the squares; the variance is this less mean^2.
  double secondMoment = 0;
};

/// Statistics of one edge type.
struct RelationStatistics {
  int64_t edges = 0;
  /// Distinct (source, edge type) and (destination, edge type) pairs.
  int64_t srcPairs = 0;
  int64_t dstPairs = 0;
  /// The most edges of one of them.
  int64_t srcPairMax = 0;
  int64_t dstPairMax = 0;
};

/// Statistics by which passes decide.
struct GraphStatistics {
  int64_t srcNodes = 0;
  int64_t dstNodes = 0;
  int64_t edges = 0;
  int64_t srcPairs = 0;
  int64_t dstPairs = 0;
  DegreeStatistics outDegree;
  DegreeStatistics inDegree;
  /// One an edge type.
  std::vector<RelationStatistics> relations;

  /// As a JSON object with the names above in snake_case.
  std::string json() const;

  /// As `#gnn.stats<...>`, which a declaration of the graph takes.
  std::string attribute() const;
};

/// Computes the statistics; sorts the edges where no structure did before.
Expected<GraphStatistics> statistics(const Graph &graph);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_STRUCTURES_H
