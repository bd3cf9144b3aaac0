//===- StructuresTest.cpp - Structures against their definitions ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Definition.h"
#include "StructureCache.h"

#include "GNN/Runtime/ThreadPool.h"

#include <numeric>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

TEST(Structures, MapsAreAsDefined) {
  std::vector<OrderedSpace> spaces = allOrderedSpaces();
  size_t legal = 0;
  for (const PlainGraph &plain : oddGraphsWithSchema()) {
    std::shared_ptr<const Graph> graph = plain.build();
    Definition definition(plain);
    for (OrderedSpace from : spaces)
      for (OrderedSpace to : spaces) {
        if (!checkMap(from, to).empty())
          continue;
        ++legal;
        std::string text = "map " + from.str() + " " + to.str();
        EXPECT_EQ(build(*graph, text), definition.map(from, to)) << text;
      }
  }
  // edge 7 x 24, pairs 2 x 3 x 10, nodes 2 x 3 x 4, edge types 3 x 5, and node
  // types at both ends and the graph to themselves.
  EXPECT_EQ(legal,
            oddGraphs().size() * (7 * 30 + 2 * 5 * 13 + 2 * 4 * 5 + 3 * 5 + 3));
}

TEST(Structures, RowsTilesAndCountsAreAsDefined) {
  std::vector<OrderedSpace> spaces = allOrderedSpaces();
  size_t legal = 0;
  for (const PlainGraph &plain : oddGraphsWithSchema()) {
    std::shared_ptr<const Graph> graph = plain.build();
    Definition definition(plain);
    for (OrderedSpace group : spaces)
      for (OrderedSpace elements : spaces) {
        if (group.order != Order::Natural ||
            !checkRows(group.space, elements).empty())
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
          Array longTiles, longRows(rows.size(), 0);
          int64_t inLong = 0;
          for (size_t t = 0; t < tiles.size(); t += 3) {
            auto g = static_cast<size_t>(tiles[t]);
            if (rows[g + 1] - rows[g] <= tile)
              continue;
            longTiles.insert(longTiles.end(),
                             {tiles[t], tiles[t + 1], tiles[t + 2]});
            ++longRows[g + 1];
            inLong += tiles[t + 2] - tiles[t + 1];
          }
          std::partial_sum(longRows.begin(), longRows.end(), longRows.begin());
          EXPECT_EQ(build(*graph, "long_tiles " + tiled), longTiles) << tiled;
          EXPECT_EQ(build(*graph, "long_tile_rows " + tiled), longRows)
              << tiled;
          EXPECT_EQ(countOf(*graph, "long_tile_count " + tiled),
                    static_cast<int64_t>(longTiles.size() / 3));
          EXPECT_EQ(countOf(*graph, "long_element_count " + tiled), inLong);
        }
      }
  }
  // 18 groupings of the lattice, and the graph over 25 ordered spaces.
  EXPECT_EQ(legal, oddGraphs().size() * (18 + 31));
}

/// Where the table says that numbers ascend in groups they do in all graphs,
/// and elsewhere they do not in some.
TEST(Structures, NumbersAscendInGroupsAsTheTableSays) {
  size_t ascending = 0, others = 0;
  for (OrderedSpace elements : allOrderedSpaces())
    for (OrderedSpace group : allOrderedSpaces()) {
      if (group.order != Order::Natural ||
          !checkRows(group.space, elements).empty())
        continue;
      bool ascend = true;
      for (const PlainGraph &plain : oddGraphsWithSchema()) {
        std::shared_ptr<const Graph> graph = plain.build();
        std::string walked = elements.str();
        Array rows = build(*graph, "rows " + group.str() + " " + walked);
        Array numbers = build(*graph, "map " + walked + " " +
                                          OrderedSpace{elements.space}.str());
        for (size_t g = 0; g + 1 < rows.size(); ++g)
          ascend &= std::is_sorted(numbers.begin() + rows[g],
                                   numbers.begin() + rows[g + 1]);
      }
      EXPECT_EQ(ascendInGroups(group.space, elements), ascend)
          << group.str() << " " << elements.str();
      ++(ascend ? ascending : others);
    }
  // 16 groupings of the table and the graph over 9 natural orders; 2 and 22.
  EXPECT_EQ(ascending, 16u + 9);
  EXPECT_EQ(others, 2u + 22);
}

/// Large enough for several threads and buckets; each order expects maps, or
/// does not.
TEST(Structures, AreTheSameForAnyThreads) {
  PlainGraph given = randomGraph(12, true, 3000, 0, 140000, 3, 40);
  for (size_t e = 0; e < given.src.size(); e += 3)
    given.dst[e] = given.src[e / 2] / 50; // hubs
  given = plain(*(*refineTypes(*given.build())).graph);
  Definition definition(given);
  std::vector<StructureKey> keys;
  std::vector<Array> defined;
  for (OrderedSpace from : allOrderedSpaces())
    for (OrderedSpace to : allOrderedSpaces()) {
      if (checkMap(from, to).empty()) {
        keys.push_back(StructureKey::map(from, to));
        defined.push_back(definition.map(from, to));
      }
      if (from.order == Order::Natural && checkRows(from.space, to).empty()) {
        keys.push_back(StructureKey::rows(from.space, to));
        defined.push_back(definition.rows(from.space, to));
        keys.push_back(StructureKey::tiles(from.space, to, 32));
        defined.push_back(definition.tiles(from.space, to, 32));
      }
    }
  GraphStatistics first;
  for (unsigned threads : {1, 2, 7})
    for (bool expects : {false, true}) {
      setNumThreads(threads);
      std::shared_ptr<const Graph> graph = given.build();
      if (expects)
        for (const StructureKey &key : keys)
          graph->cache().expect(key);
      for (size_t i = 0; i < keys.size(); ++i)
        EXPECT_TRUE(build(*graph, keys[i].str()) == defined[i])
            << keys[i].str() << " " << threads;
      EXPECT_TRUE(graph->cache().expected.empty());
      auto found = statistics(*graph);
      if (threads == 1)
        first = *found;
      EXPECT_EQ(found->json(), first.json());
    }
  setNumThreads(0);
}

/// The structures of a plan are made with one sort: the order itself only where
/// it is asked for.
TEST(Structures, ExpectedMapsComeWithTheSort) {
  PlainGraph plain = randomGraph(13, true, 500, 0, 3000, 2, 5);
  std::shared_ptr<const Graph> graph = plain.build();
  Definition definition(plain);
  auto key = [](const char *text) { return *parseStructureKey(text); };
  StructureCache &cache = graph->cache();
  cache.expect(key("map edge.in_rows src_pair"));
  cache.expect(key("map edge.in_rows dst_node_type"));
  build(*graph, "rows dst edge.in_rows");
  EXPECT_EQ(cache.arrays.count(key("map edge.in_rows src_pair")), 1u);
  EXPECT_EQ(cache.arrays.count(key("map edge.in_rows dst_node_type")), 1u);
  EXPECT_EQ(cache.arrays.count(key("map edge.in_rows edge")), 0u);
  EXPECT_TRUE(cache.expected.empty());
  for (const char *text :
       {"map edge.in_rows src_pair", "map edge.in_rows dst_node_type"})
    EXPECT_EQ(build(*graph, text),
              definition.map(key(text).elements, key(text).target));
  // Asked for behind the sort: by the order, which is made now and kept.
  build(*graph, "map edge.in_rows src");
  EXPECT_EQ(cache.arrays.count(key("map edge.in_rows edge")), 1u);
  cache.expect(key("map edge.out_rows edge.in_rows"));
  cache.expect(key("map edge.out_rows dst"));
  build(*graph, "map edge.out_rows dst");
  EXPECT_EQ(cache.arrays.count(key("map edge.out_rows edge")), 1u);
}

TEST(Structures, NodeTypesOfEdgeTypesNeedASchema) {
  PlainGraph given = randomGraph(3, true, 5, 0, 9, 2, 2);
  auto problem = [&](const char *text) {
    auto array = given.build()->structure(*parseStructureKey(text));
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
  auto count = graph->count(*parseCountKey("count node"));
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
  // A row of as many as a tile has is not long.
  EXPECT_EQ(build(*graph, "long_tiles dst edge.in_rows 2"),
            (Array{0, 0, 2, 0, 2, 3}));
  EXPECT_EQ(build(*graph, "long_tile_rows dst edge.in_rows 2"),
            (Array{0, 2, 2, 2, 2}));
  EXPECT_EQ(countOf(*graph, "long_tile_count dst edge.in_rows 2"), 2);
  EXPECT_EQ(countOf(*graph, "long_element_count dst edge.in_rows 2"), 3);
  EXPECT_EQ(countOf(*graph, "long_tile_count dst edge.in_rows 3"), 0);
  EXPECT_EQ(build(*graph, "map dst.by_degree dst"), (Array{0, 2, 1, 3}));
  EXPECT_EQ(build(*graph, "map dst_pair.by_degree dst_pair"),
            (Array{2, 0, 1, 3}));
  EXPECT_EQ(countOf(*graph, "max_row dst edge.in_rows"), 3);
}

/// Nodes and pairs of three windows, the last of which is not full.
TEST(Structures, RowsByDegreeWithinWindows) {
  PlainGraph plain = randomGraph(3, true, 9000, 0, 30000, 1, 2);
  std::fill(plain.dst.begin(), plain.dst.begin() + 500, 8500);
  std::shared_ptr<const Graph> graph = plain.build();
  Definition definition(plain);
  for (const char *text :
       {"src.degree_windows", "dst.degree_windows", "src_pair.degree_windows",
        "dst_pair.degree_windows", "dst.by_degree", "dst_pair.by_degree"}) {
    std::string error;
    OrderedSpace order = *OrderedSpace::parse(text, error);
    std::string natural = name(order.space);
    EXPECT_GT(definition.size(order.space), 2 * gnn::degreeWindow);
    EXPECT_EQ(build(*graph, "map " + order.str() + " " + natural),
              definition.list(order));
  }
  Array rows = build(*graph, "map dst.degree_windows dst");
  EXPECT_EQ(rows[2 * gnn::degreeWindow], 8500);
  EXPECT_EQ(build(*graph, "map dst.by_degree dst")[0], 8500);
}

TEST(Structures, KeptUntilCleared) {
  std::shared_ptr<const Graph> graph =
      randomGraph(1, true, 9, 0, 30, 2, 3).build();
  StructureKey key = *parseStructureKey("map edge.src_pairs src");
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
      {"", "expected map, rows, tiles, tile_rows, long_tiles, "
           "long_tile_rows, stream, filled, shares, cut_rows, merged or "
           "merged_rows, got ''"},
      {"row dst edge.in_rows", "got 'row'"},
      {"map edge", "'map A B'"},
      {"map edge  src", "'map A B'"},
      {"map edge src ", "'map A B'"},
      {"map edges src", "expected a row space"},
      {"map edge node", "no map leads from 'edge' to 'node': expected one of "
                        "edge, src_pair, dst_pair, src, dst, edge_type, "
                        "src_node_type, dst_node_type, or the parent's"},
      {"map edge graph", "no map leads from 'edge' to 'graph'"},
      {"map src edge", "no map leads"},
      {"map src_pair dst", "no map leads"},
      {"map edge.by_node src", "expected one of edge, edge.in_rows"},
      {"map edge.in_rows. src", "got 'edge.in_rows.'"},
      {"map edge_type.by_type src",
       "expected one of edge_type, edge_type.src_types"},
      {"rows dst edge", "side by side in 'edge': expected one of "
                        "edge.in_rows, dst_pair.by_node"},
      {"rows dst edge.out_rows", "of a 'dst' do not lie side by side in"},
      {"rows node edge.in_rows", "side by side"},
      {"rows dst edge.in_rows 4", "'rows G A'"},
      {"tiles dst edge.in_rows", "'tiles G A N'"},
      {"tiles dst edge.in_rows 0", "expected a tile size"},
      {"long_tiles dst edge.in_rows", "'long_tiles G A N'"},
      {"long_tile_rows dst edge 4", "side by side"},
      {"tiles dst edge.in_rows 04", "expected a tile size"},
      {"tiles dst edge.in_rows -4", "expected a tile size"},
      {"tiles dst edge.in_rows 4x", "expected a tile size"},
      {"tiles dst edge.in_rows ", "expected a tile size"},
      {"tiles dst edge.in_rows 3000000000", "expected a tile size"},
  };
  for (const auto &[text, part] : cases) {
    auto key = parseStructureKey(text);
    EXPECT_FALSE(key) << text;
    EXPECT_TRUE(contains(key.message(), part));
    EXPECT_TRUE(contains(key.message(), "structure '" + std::string(text)));
  }
  EXPECT_TRUE(contains(parseCountKey("number edge").message(),
                       "expected count, tile_count, max_row, "
                       "long_tile_count, long_element_count, piece_count, "
                       "cut_row_count or merged_count"));
  EXPECT_TRUE(contains(parseCountKey("count edge.in_rows").message(),
                       "expected a row space"));
  EXPECT_TRUE(
      contains(parseCountKey("max_row dst edge").message(), "side by side"));
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
    EXPECT_EQ(result->dstNodes, plain.nodes(GraphSide::Dst));
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
        int64_t most = 0;
        for (int32_t node : list)
          most = std::max<int64_t>(most,
                                   std::count(list.begin(), list.end(), node));
        EXPECT_EQ(&list == ends ? relation.srcPairMax : relation.dstPairMax,
                  most);
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
