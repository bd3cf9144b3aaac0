//===- StructuresTest.cpp - Structures against their definitions ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
using Array = std::vector<int32_t>;

/// Structures by their definitions, without a thought for speed.
class Definition {
public:
  explicit Definition(const PlainGraph &graph) : graph(graph) {
    for (Side side : {Side::Src, Side::Dst}) {
      auto &list = pairs[side == Side::Dst];
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
      return graph.nodes(Side::Src);
    case Space::Dst:
      return graph.nodes(Side::Dst);
    case Space::EdgeType:
      return graph.edgeTypes;
    case Space::NodeType:
    case Space::SrcNodeType:
    case Space::DstNodeType:
      return graph.nodeTypes;
    case Space::Graph:
      return 1;
    }
    return -1;
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
    Side side = dst ? Side::Dst : Side::Src;
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
  Array list(OrderedSpace space) const {
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
    const auto &ends = graph.ends(dst ? Side::Dst : Side::Src);
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
        return graph.typeOf(dst ? Side::Dst : Side::Src)[v];
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
      sortBy([&](size_t v) {
        return -std::count(ends.begin(), ends.end(), static_cast<int32_t>(v));
      });
      break;
    }
    return rows;
  }

  Array map(OrderedSpace from, OrderedSpace to) const {
    Array target = list(to), result;
    for (int32_t row : list(from)) {
      int32_t lands = lead(from.space, row, to.space);
      if (to.order == Order::Natural)
        result.push_back(lands);
      else
        result.push_back(static_cast<int32_t>(
            std::find(target.begin(), target.end(), lands) - target.begin()));
    }
    return result;
  }

  Array locate(Space group, OrderedSpace elements) const {
    Array result;
    for (int32_t row : list(elements))
      result.push_back(lead(elements.space, row, group));
    return result;
  }

  Array rows(Space group, OrderedSpace elements) const {
    Array located = locate(group, elements), result = {0};
    EXPECT_TRUE(std::is_sorted(located.begin(), located.end()))
        << name(group) << " " << elements.str();
    for (int32_t g = 0; g < size(group); ++g)
      result.push_back(result.back() + static_cast<int32_t>(std::count(
                                           located.begin(), located.end(), g)));
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
};

std::vector<OrderedSpace> allOrderedSpaces() {
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
                           "dst_pair",
                           "dst_pair.by_node",
                           "dst_pair.node_types",
                           "src",
                           "src.by_type",
                           "src.by_degree",
                           "dst",
                           "dst.by_type",
                           "dst.by_degree",
                           "node",
                           "edge_type",
                           "edge_type.src_types",
                           "edge_type.dst_types",
                           "node_type",
                           "src_node_type",
                           "dst_node_type",
                           "graph"}) {
    auto space = OrderedSpace::parse(text);
    EXPECT_TRUE(space) << space.message();
    EXPECT_EQ(space->str(), text);
    result.push_back(*space);
  }
  return result;
}

/// The odd graphs with types so refined that there is a schema.
std::vector<PlainGraph> oddGraphsWithSchema() {
  std::vector<PlainGraph> graphs;
  for (const PlainGraph &given : oddGraphs()) {
    auto refined = refineTypes(*given.build());
    EXPECT_TRUE(refined) << refined.message();
    graphs.push_back(plain(*refined->graph));
  }
  return graphs;
}

Array build(const Graph &graph, const std::string &text) {
  auto key = StructureKey::parse(text);
  EXPECT_TRUE(key) << key.message();
  EXPECT_EQ(key->str(), text);
  auto array = graph.structure(*key);
  EXPECT_TRUE(array) << array.message();
  return array ? **array : Array{-1};
}

int64_t countOf(const Graph &graph, const std::string &text) {
  auto key = CountKey::parse(text);
  EXPECT_TRUE(key) << key.message();
  EXPECT_EQ(key->str(), text);
  auto count = graph.count(*key);
  EXPECT_TRUE(count) << count.message();
  return count ? *count : -1;
}
} // namespace

TEST(Structures, MapsAreAsDefined) {
  std::vector<OrderedSpace> spaces = allOrderedSpaces();
  size_t legal = 0;
  for (const PlainGraph &plain : oddGraphsWithSchema()) {
    std::shared_ptr<const Graph> graph = plain.build();
    Definition definition(plain);
    for (OrderedSpace from : spaces)
      for (OrderedSpace to : spaces) {
        if (checkMap(from, to))
          continue;
        ++legal;
        std::string text = "map " + from.str() + " " + to.str();
        EXPECT_EQ(build(*graph, text), definition.map(from, to)) << text;
      }
  }
  // edge 7 x 24, pairs 2 x 3 x 10, nodes 2 x 3 x 4, edge types 3 x 5.
  EXPECT_EQ(legal,
            oddGraphs().size() * (7 * 24 + 2 * 3 * 10 + 2 * 3 * 4 + 3 * 5));
}

TEST(Structures, RowsTilesAndCountsAreAsDefined) {
  std::vector<OrderedSpace> spaces = allOrderedSpaces();
  size_t legal = 0;
  for (const PlainGraph &plain : oddGraphsWithSchema()) {
    std::shared_ptr<const Graph> graph = plain.build();
    Definition definition(plain);
    for (OrderedSpace group : spaces)
      for (OrderedSpace elements : spaces) {
        if (group.order != Order::Natural || checkRows(group.space, elements))
          continue;
        ++legal;
        std::string text = group.str() + " " + elements.str();
        Array rows = definition.rows(group.space, elements);
        EXPECT_EQ(build(*graph, "rows " + text), rows) << text;
        int64_t longest = 0;
        for (size_t g = 0; g + 1 < rows.size(); ++g)
          longest = std::max<int64_t>(longest, rows[g + 1] - rows[g]);
        EXPECT_EQ(countOf(*graph, "max_row " + text), longest) << text;
        for (int32_t tile : {1, 3, 32, 1 << 30}) {
          std::string tiled = text + " " + std::to_string(tile);
          Array tiles = definition.tiles(group.space, elements, tile);
          EXPECT_EQ(build(*graph, "tiles " + tiled), tiles) << tiled;
          EXPECT_EQ(countOf(*graph, "tile_count " + tiled),
                    static_cast<int64_t>(tiles.size() / 3));
          Array tileRows(rows.size(), 0);
          for (size_t t = 0; t < tiles.size(); t += 3)
            ++tileRows[static_cast<size_t>(tiles[t]) + 1];
          std::partial_sum(tileRows.begin(), tileRows.end(), tileRows.begin());
          EXPECT_EQ(build(*graph, "tile_rows " + tiled), tileRows) << tiled;
        }
      }
  }
  // 18 groupings of the lattice, and the graph over 25 ordered spaces.
  EXPECT_EQ(legal, oddGraphs().size() * (18 + 25));
}

TEST(Structures, NodeTypesOfEdgeTypesNeedASchema) {
  PlainGraph given = randomGraph(3, true, 5, 0, 9, 2, 2);
  auto problem = [&](const char *text) {
    auto array = given.build()->structure(*StructureKey::parse(text));
    return array ? "" : array.message();
  };
  EXPECT_EQ(problem("map edge_type src_node_type"),
            "expected a graph with a schema, got none");
  given.schema = {{-1, -1}, {-1, -1}};
  EXPECT_EQ(problem("rows dst_node_type edge_type.dst_types"),
            "expected a schema that gives the destination's node type of every "
            "edge type, got none of edge type 0");
  EXPECT_EQ(problem("map edge_type edge_type"), "");
}

TEST(Structures, CountsOfSpaces) {
  for (const PlainGraph &plain : oddGraphs()) {
    std::shared_ptr<const Graph> graph = plain.build();
    Definition definition(plain);
    for (OrderedSpace space : allOrderedSpaces()) {
      if (space.order != Order::Natural)
        continue;
      if (space.space == Space::Node && !plain.square)
        continue;
      EXPECT_EQ(countOf(*graph, "count " + space.str()),
                definition.size(space.space))
          << space.str();
    }
  }
  auto graph = randomGraph(1, false, 2, 3, 4, 1, 1).build();
  auto count = graph->count(*CountKey::parse("count node"));
  EXPECT_TRUE(contains(count.message(), "bipartite"));
}

TEST(Structures, OneGraphByHand) {
  PlainGraph plain;
  plain.srcNodes = 4;
  plain.edgeTypes = 2;
  plain.src = {3, 0, 3, 0, 1};
  plain.dst = {0, 2, 0, 2, 0};
  plain.type = {1, 0, 0, 1, 1};
  plain.srcType = plain.dstType = {0, 0, 0, 0};
  std::shared_ptr<const Graph> graph = plain.build();
  EXPECT_EQ(build(*graph, "rows dst edge.in_rows"), (Array{0, 3, 3, 5, 5}));
  EXPECT_EQ(build(*graph, "map edge.in_rows edge"), (Array{0, 2, 4, 1, 3}));
  EXPECT_EQ(build(*graph, "map edge edge.in_rows"), (Array{0, 3, 1, 4, 2}));
  EXPECT_EQ(build(*graph, "map edge.in_rows src"), (Array{3, 3, 1, 0, 0}));
  EXPECT_EQ(build(*graph, "map src_pair src"), (Array{0, 3, 0, 1, 3}));
  EXPECT_EQ(build(*graph, "map src_pair edge_type"), (Array{0, 0, 1, 1, 1}));
  EXPECT_EQ(build(*graph, "map edge src_pair"), (Array{4, 0, 1, 2, 3}));
  EXPECT_EQ(build(*graph, "rows edge_type src_pair"), (Array{0, 2, 5}));
  EXPECT_EQ(build(*graph, "tiles dst edge.in_rows 2"),
            (Array{0, 0, 2, 0, 2, 3, 2, 3, 5}));
  EXPECT_EQ(build(*graph, "tile_rows dst edge.in_rows 2"),
            (Array{0, 2, 2, 3, 3}));
  EXPECT_EQ(build(*graph, "map dst.by_degree dst"), (Array{0, 2, 1, 3}));
  EXPECT_EQ(countOf(*graph, "max_row dst edge.in_rows"), 3);
}

TEST(Structures, KeptUntilCleared) {
  std::shared_ptr<const Graph> graph =
      randomGraph(1, true, 9, 0, 30, 2, 3).build();
  StructureKey key = *StructureKey::parse("map edge.src_pairs src");
  auto first = *graph->structure(key);
  EXPECT_EQ(first, *graph->structure(key));
  graph->clearStructures();
  auto second = *graph->structure(key);
  EXPECT_NE(first, second);
  EXPECT_EQ(*first, *second);
}

TEST(Structures, BadKeys) {
  struct {
    const char *text, *part;
  } cases[] = {
      {"", "expected map, rows, tiles or tile_rows, got ''"},
      {"row dst edge.in_rows", "got 'row'"},
      {"map edge", "'map A B'"},
      {"map edge  src", "'map A B'"},
      {"map edge src ", "'map A B'"},
      {"map edges src", "expected a row space"},
      {"map edge node", "got 'node'"},
      {"map edge graph", "got 'graph'"},
      {"map src edge", "got 'edge'"},
      {"map src_pair dst", "got 'dst'"},
      {"map edge.by_node src", "expected one of edge, edge.in_rows"},
      {"map edge.in_rows. src", "got 'edge.in_rows.'"},
      {"map edge_type.by_type src",
       "expected one of edge_type, edge_type.src_types"},
      {"rows dst edge", "contiguous and ascending"},
      {"rows dst edge.out_rows", "got 'dst edge.out_rows'"},
      {"rows node edge.in_rows", "contiguous and ascending"},
      {"rows dst edge.in_rows 4", "'rows G A'"},
      {"tiles dst edge.in_rows", "'tiles G A N'"},
      {"tiles dst edge.in_rows 0", "expected a tile size"},
      {"tiles dst edge.in_rows 04", "expected a tile size"},
      {"tiles dst edge.in_rows -4", "expected a tile size"},
      {"tiles dst edge.in_rows 4x", "expected a tile size"},
      {"tiles dst edge.in_rows ", "expected a tile size"},
      {"tiles dst edge.in_rows 3000000000", "expected a tile size"},
  };
  for (const auto &[text, part] : cases) {
    auto key = StructureKey::parse(text);
    EXPECT_FALSE(key) << text;
    EXPECT_TRUE(contains(key.message(), part));
    EXPECT_TRUE(contains(key.message(), "structure '" + std::string(text)));
  }
  EXPECT_TRUE(contains(CountKey::parse("number edge").message(),
                       "expected count, tile_count or max_row"));
  EXPECT_TRUE(contains(CountKey::parse("count edge.in_rows").message(),
                       "expected a row space"));
  EXPECT_TRUE(
      contains(CountKey::parse("max_row dst edge").message(), "contiguous"));
  // Keys made in memory are checked where they are used.
  auto graph = randomGraph(1, true, 2, 0, 3, 1, 1).build();
  EXPECT_FALSE(graph->structure(
      StructureKey::rows(Space::Dst, {Space::Edge, Order::OutRows})));
}

TEST(Statistics, AreAsDefined) {
  for (const PlainGraph &plain : oddGraphs()) {
    auto result = statistics(*plain.build());
    ASSERT_TRUE(result) << result.message();
    EXPECT_EQ(result->srcNodes, plain.srcNodes);
    EXPECT_EQ(result->dstNodes, plain.nodes(Side::Dst));
    ASSERT_EQ(static_cast<int64_t>(result->relations.size()), plain.edgeTypes);
    int64_t srcPairs = 0, dstPairs = 0;
    for (int32_t r = 0; r < plain.edgeTypes; ++r) {
      std::vector<int32_t> ends[2];
      for (size_t e = 0; e < plain.src.size(); ++e)
        if (plain.type[e] == r) {
          ends[0].push_back(plain.src[e]);
          ends[1].push_back(plain.dst[e]);
        }
      const RelationStatistics &relation =
          result->relations[static_cast<size_t>(r)];
      EXPECT_EQ(relation.edges, static_cast<int64_t>(ends[0].size()));
      for (auto &list : ends) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
      }
      EXPECT_EQ(relation.srcPairs, static_cast<int64_t>(ends[0].size()));
      EXPECT_EQ(relation.dstPairs, static_cast<int64_t>(ends[1].size()));
      srcPairs += relation.srcPairs;
      dstPairs += relation.dstPairs;
    }
    EXPECT_EQ(result->srcPairs, srcPairs);
    EXPECT_EQ(result->dstPairs, dstPairs);
    double edges = static_cast<double>(plain.src.size());
    if (plain.srcNodes)
      EXPECT_NEAR(result->outDegree.mean,
                  edges / static_cast<double>(plain.srcNodes), 1e-9);
    EXPECT_TRUE(contains(result->json(), "\"src_pairs\":"));
  }
  // Degrees 3, 1, 0: mean 4/3, mean of squares 10/3.
  PlainGraph plain;
  plain.srcNodes = 3;
  plain.src = {0, 1, 2, 2};
  plain.dst = {0, 0, 0, 1};
  plain.type = {0, 0, 0, 0};
  plain.srcType = plain.dstType = {0, 0, 0};
  auto result = statistics(*plain.build());
  EXPECT_EQ(result->inDegree.max, 3);
  EXPECT_NEAR(result->inDegree.mean, 4.0 / 3, 1e-12);
  EXPECT_NEAR(result->inDegree.secondMoment, 10.0 / 3, 1e-12);
  EXPECT_EQ(result->outDegree.max, 2);
}
