//===- Definition.h - Structures by their definitions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_RUNTIME_DEFINITION_H
#define GNN_UNITTESTS_RUNTIME_DEFINITION_H

#include "Testing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace gnn::runtime::testing {

using Array = std::vector<int32_t>;

/// Structures by their definitions, without a thought for speed.
class Definition {
public:
  explicit Definition(const PlainGraph &graph) : graph(graph) {
    for (GraphSide side : {GraphSide::Src, GraphSide::Dst}) {
      auto &list = pairs[side == GraphSide::Dst];
      for (size_t e = 0; e < graph.src.size(); ++e)
        list.emplace_back(graph.type[e], graph.ends(side)[e]);
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  int64_t size(Space space) const {
    switch (space) {
    case Space::Edge:
      return static_cast<int64_t>(graph.src.size());
    case Space::SrcPair:
      return static_cast<int64_t>(pairs[0].size());
    case Space::DstPair:
      return static_cast<int64_t>(pairs[1].size());
    case Space::Src:
    case Space::Node:
      return graph.nodes(GraphSide::Src);
    case Space::Dst:
      return graph.nodes(GraphSide::Dst);
    case Space::EdgeType:
      return graph.edgeTypes;
    case Space::NodeType:
    case Space::SrcNodeType:
    case Space::DstNodeType:
      return graph.nodeTypes;
    case Space::Graph:
      return 1;
    default:
      return -1;
    }
  }

  /// The row of `to` that a row of `from` leads to.
  int32_t lead(Space from, int32_t row, Space to) const {
    if (from == to)
      return row;
    if (to == Space::Graph)
      return 0;
    if (from == Space::EdgeType) {
      const EdgeTypeEnds &ends = graph.schema[static_cast<size_t>(row)];
      return to == Space::SrcNodeType ? ends.src : ends.dst;
    }
    bool dst = from == Space::Edge
                   ? to == Space::Dst || to == Space::DstPair ||
                         to == Space::DstNodeType
                   : from == Space::Dst || from == Space::DstPair;
    GraphSide side = dst ? GraphSide::Dst : GraphSide::Src;
    size_t r = static_cast<size_t>(row);
    int32_t node, type = 0;
    if (from == Space::Edge) {
      node = graph.ends(side)[r];
      type = graph.type[r];
    } else if (from == Space::SrcPair || from == Space::DstPair) {
      std::tie(type, node) = pairs[dst][r];
    } else {
      node = row;
    }
    switch (to) {
    case Space::Src:
    case Space::Dst:
      return node;
    case Space::EdgeType:
      return type;
    case Space::SrcNodeType:
    case Space::DstNodeType:
      return graph.typeOf(side)[static_cast<size_t>(node)];
    default:
      return static_cast<int32_t>(std::lower_bound(pairs[dst].begin(),
                                                   pairs[dst].end(),
                                                   std::make_pair(type, node)) -
                                  pairs[dst].begin());
    }
  }

  /// The rows of a space in one of its orders.
  const Array &list(OrderedSpace space) const {
    auto found = lists.find(space);
    if (found == lists.end())
      found = lists.emplace(space, sorted(space)).first;
    return found->second;
  }

  Array sorted(OrderedSpace space) const {
    Array rows(static_cast<size_t>(size(space.space)));
    std::iota(rows.begin(), rows.end(), 0);
    auto sortBy = [&](auto key) {
      std::sort(rows.begin(), rows.end(), [&](int32_t a, int32_t b) {
        auto keyA = key(static_cast<size_t>(a));
        auto keyB = key(static_cast<size_t>(b));
        return keyA != keyB ? keyA < keyB : a < b;
      });
    };
    bool dst = space.space == Space::Dst || space.space == Space::DstPair;
    switch (space.order) {
    case Order::Natural:
      break;
    case Order::InRows:
      sortBy([&](size_t e) { return graph.dst[e]; });
      break;
    case Order::OutRows:
      sortBy([&](size_t e) { return graph.src[e]; });
      break;
    case Order::SrcPairs:
      sortBy([&](size_t e) {
        return std::make_pair(graph.type[e], graph.src[e]);
      });
      break;
    case Order::DstPairs:
      sortBy([&](size_t e) {
        return std::make_pair(graph.type[e], graph.dst[e]);
      });
      break;
    case Order::ByNode:
      sortBy([&](size_t p) {
        return std::make_pair(pairs[dst][p].second, pairs[dst][p].first);
      });
      break;
    case Order::ByType:
      sortBy([&](size_t v) {
        return graph.typeOf(dst ? GraphSide::Dst : GraphSide::Src)[v];
      });
      break;
    case Order::SrcTypes:
    case Order::DstTypes:
    case Order::NodeTypes: {
      bool byDst = dst || space.order == Order::DstTypes;
      sortBy([&](size_t row) {
        return lead(space.space, static_cast<int32_t>(row),
                    byDst ? Space::DstNodeType : Space::SrcNodeType);
      });
      break;
    }
    case Order::ByDegree:
    case Order::DegreeWindows: {
      Array degree(rows.size(), 0);
      for (size_t e = 0; e < graph.src.size(); ++e)
        ++degree[static_cast<size_t>(
            lead(Space::Edge, static_cast<int32_t>(e), space.space))];
      size_t window =
          space.order == Order::ByDegree ? rows.size() : size_t(degreeWindow);
      sortBy([&](size_t row) {
        return std::make_pair(row / window, -degree[row]);
      });
      break;
    }
    }
    return rows;
  }

  Array map(OrderedSpace from, OrderedSpace to) const {
    Array rows;
    for (int32_t row : list(from))
      rows.push_back(lead(from.space, row, to.space));
    return positions(rows, to);
  }

  /// Where rows stand in an order of their space.
  Array positions(const Array &rows, OrderedSpace order) const {
    const Array &target = list(order);
    Array positions(target.size()), result;
    for (size_t i = 0; i < target.size(); ++i)
      positions[static_cast<size_t>(target[i])] = static_cast<int32_t>(i);
    for (int32_t row : rows)
      result.push_back(positions[static_cast<size_t>(row)]);
    return result;
  }

  /// The (type, node) of a pair, and the pair of these.
  std::pair<int32_t, int32_t> pair(GraphSide side, int32_t row) const {
    return pairs[side == GraphSide::Dst][static_cast<size_t>(row)];
  }
  int32_t rowOf(GraphSide side, std::pair<int32_t, int32_t> pair) const {
    const auto &list = pairs[side == GraphSide::Dst];
    return static_cast<int32_t>(
        std::lower_bound(list.begin(), list.end(), pair) - list.begin());
  }

  Array locate(Space group, OrderedSpace elements) const {
    Array result;
    for (int32_t row : list(elements))
      result.push_back(lead(elements.space, row, group));
    return result;
  }

  Array rows(Space group, OrderedSpace elements) const {
    Array located = locate(group, elements);
    EXPECT_TRUE(std::is_sorted(located.begin(), located.end()))
        << name(group) << " " << elements.str();
    Array result(static_cast<size_t>(size(group)) + 1, 0);
    for (int32_t g : located)
      ++result[static_cast<size_t>(g) + 1];
    std::partial_sum(result.begin(), result.end(), result.begin());
    return result;
  }

  Array tiles(Space group, OrderedSpace elements, int32_t tile) const {
    Array pointers = rows(group, elements), result;
    for (size_t g = 0; g + 1 < pointers.size(); ++g)
      for (int32_t begin = pointers[g]; begin < pointers[g + 1]; begin += tile)
        for (int32_t value : {static_cast<int32_t>(g), begin,
                              std::min(begin + tile, pointers[g + 1])})
          result.push_back(value);
    return result;
  }

private:
  const PlainGraph &graph;
  std::vector<std::pair<int32_t, int32_t>> pairs[2];
  mutable std::map<OrderedSpace, Array> lists;
};

inline std::vector<OrderedSpace> allOrderedSpaces() {
  std::vector<OrderedSpace> result;
  for (const char *text : {"edge",
                           "edge.in_rows",
                           "edge.out_rows",
                           "edge.src_pairs",
                           "edge.dst_pairs",
                           "edge.src_types",
                           "edge.dst_types",
                           "src_pair",
                           "src_pair.by_node",
                           "src_pair.node_types",
                           "src_pair.by_degree",
                           "src_pair.degree_windows",
                           "dst_pair",
                           "dst_pair.by_node",
                           "dst_pair.node_types",
                           "dst_pair.by_degree",
                           "dst_pair.degree_windows",
                           "src",
                           "src.by_type",
                           "src.by_degree",
                           "src.degree_windows",
                           "dst",
                           "dst.by_type",
                           "dst.by_degree",
                           "dst.degree_windows",
                           "node",
                           "edge_type",
                           "edge_type.src_types",
                           "edge_type.dst_types",
                           "node_type",
                           "src_node_type",
                           "dst_node_type",
                           "graph"}) {
    std::string error;
    auto space = OrderedSpace::parse(text, error);
    EXPECT_TRUE(space) << error;
    EXPECT_EQ(space->str(), text);
    result.push_back(*space);
  }
  return result;
}

/// The odd graphs with types so refined that there is a schema.
inline std::vector<PlainGraph> oddGraphsWithSchema() {
  std::vector<PlainGraph> graphs;
  for (const PlainGraph &given : oddGraphs()) {
    auto refined = refineTypes(*given.build());
    EXPECT_TRUE(refined) << refined.message();
    graphs.push_back(plain(*refined->graph));
  }
  return graphs;
}

inline Array build(const Graph &graph, const std::string &text) {
  auto key = parseStructureKey(text);
  EXPECT_TRUE(key) << key.message();
  EXPECT_EQ(key->str(), text);
  auto array = graph.structure(*key);
  EXPECT_TRUE(array) << array.message();
  return array ? Array((*array)->begin(), (*array)->end()) : Array{-1};
}

inline int64_t countOf(const Graph &graph, const std::string &text) {
  auto key = parseCountKey(text);
  EXPECT_TRUE(key) << key.message();
  EXPECT_EQ(key->str(), text);
  auto count = graph.count(*key);
  EXPECT_TRUE(count) << count.message();
  return count ? *count : -1;
}

} // namespace gnn::runtime::testing

#endif // GNN_UNITTESTS_RUNTIME_DEFINITION_H
