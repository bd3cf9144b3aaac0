//===- GraphTest.cpp - Typed graphs ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Plan.h"
#include "Testing.h"

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
PlainGraph twoByThree() {
  PlainGraph graph;
  graph.square = false;
  graph.srcNodes = 2;
  graph.dstNodes = 3;
  graph.nodeTypes = 2;
  graph.edgeTypes = 2;
  graph.src = {0, 1, 1};
  graph.dst = {2, 0, 1};
  graph.type = {0, 1, 1};
  graph.srcType = {0, 0};
  graph.dstType = {1, 1, 0};
  graph.nodeNames = {"user", "item"};
  graph.edgeNames = {"likes", "buys"};
  return graph;
}

std::string problem(const PlainGraph &graph) {
  return Graph::create(graph.arrays()).message();
}
} // namespace

TEST(Graph, HoldsWhatItIsGiven) {
  PlainGraph given = twoByThree();
  std::shared_ptr<const Graph> graph = given.build();
  EXPECT_FALSE(graph->isSquare());
  EXPECT_EQ(graph->numNodes(GraphSide::Src), 2);
  EXPECT_EQ(graph->numNodes(GraphSide::Dst), 3);
  EXPECT_EQ(graph->numEdges(), 3);
  EXPECT_EQ(graph->edgeEnds(GraphSide::Dst).vec(), given.dst);
  EXPECT_EQ(graph->edgeType().vec(), given.type);
  EXPECT_EQ(graph->nodeType(GraphSide::Dst).vec(), given.dstType);
  EXPECT_NE(graph->edgeEnds(GraphSide::Src).data(), given.src.data());
  EXPECT_EQ(*graph->findEdgeType("buys"), 1);
  EXPECT_TRUE(contains(graph->findEdgeType("sells").message(),
                       "likes, buys; got 'sells'"));
  EXPECT_EQ(*graph->findNodeType("item"), 1);
}

TEST(Graph, BorrowsAndReleases) {
  auto owner = std::make_shared<PlainGraph>(twoByThree());
  std::weak_ptr<PlainGraph> watch = owner;
  const int32_t *src = owner->src.data();
  auto graph = Graph::borrow(owner->arrays(), owner);
  ASSERT_TRUE(graph) << graph.message();
  owner.reset();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ((*graph)->edgeEnds(GraphSide::Src).data(), src);
  *graph = nullptr;
  EXPECT_TRUE(watch.expired());
}

TEST(Graph, ArraysLeftOutAreZero) {
  int32_t src[] = {0, 1}, dst[] = {1, 1};
  GraphArrays arrays;
  arrays.numSrcNodes = 2;
  arrays.numEdges = 2;
  arrays.edgeSrc = src;
  arrays.edgeDst = dst;
  auto graph = Graph::borrow(arrays, nullptr);
  ASSERT_TRUE(graph) << graph.message();
  EXPECT_EQ((*graph)->edgeType().vec(), (std::vector<int32_t>{0, 0}));
  EXPECT_EQ((*graph)->nodeType(GraphSide::Dst).vec(),
            (std::vector<int32_t>{0, 0}));
}

TEST(Graph, OddGraphsAreLegal) {
  for (const PlainGraph &graph : oddGraphs())
    EXPECT_EQ(problem(graph), "");
}

TEST(Graph, BadIds) {
  PlainGraph graph = twoByThree();
  graph.src[1] = 2;
  EXPECT_EQ(problem(graph), "source of edge 1: expected 0 <= id < 2, got 2");
  graph = twoByThree();
  graph.dst[2] = -1;
  EXPECT_EQ(problem(graph),
            "destination of edge 2: expected 0 <= id < 3, got -1");
  graph = twoByThree();
  graph.type[0] = 2;
  EXPECT_EQ(problem(graph), "type of edge 0: expected 0 <= id < 2, got 2");
  graph = twoByThree();
  graph.dstType[2] = 7;
  EXPECT_EQ(problem(graph),
            "type of destination node 2: expected 0 <= id < 2, got 7");
  graph = twoByThree();
  graph.srcType[1] = 7;
  EXPECT_EQ(problem(graph),
            "type of source node 1: expected 0 <= id < 2, got 7");
  graph = twoByThree();
  graph.edgeTypes = 0;
  graph.edgeNames.clear();
  EXPECT_EQ(problem(graph), "type of edge 0: expected 0 <= id < 0, got 0");
}

TEST(Graph, BadCounts) {
  PlainGraph graph = twoByThree();
  graph.edgeTypes = 65536;
  EXPECT_TRUE(
      contains(problem(graph), "expected 0 to 65535 edge types, got 65536"));
  graph = twoByThree();
  graph.srcNodes = -1;
  EXPECT_TRUE(contains(problem(graph), "source nodes, got -1"));
  graph = twoByThree();
  graph.edgeNames.pop_back();
  EXPECT_EQ(problem(graph), "expected 2 edge type names, got 1");
  GraphArrays arrays;
  arrays.numEdges = 3;
  EXPECT_TRUE(contains(Graph::create(arrays).message(), "3 edges, got none"));
  arrays.numEdges = int64_t(1) << 31;
  EXPECT_TRUE(contains(Graph::create(arrays).message(), "got 2147483648"));
}

TEST(Graph, Schema) {
  PlainGraph graph = twoByThree();
  graph.schema = {{0, 0}, {0, 1}};
  EXPECT_EQ(problem(graph), "");
  graph.schema = {{-1, -1}, {0, -1}};
  EXPECT_EQ(problem(graph), "");
  graph.schema = {{0, 1}, {0, 1}};
  EXPECT_EQ(problem(graph),
            "edge 0 of edge type 0 ('likes'): expected a destination of node "
            "type 1 ('item'), got 0 ('user')");
  graph.schema = {{0, 0}};
  EXPECT_EQ(problem(graph), "expected a schema of 2 edge types, got 1");
  graph.schema = {{0, 0}, {0, 2}};
  EXPECT_EQ(problem(graph),
            "schema of edge type 1: expected -1 <= node type < 2, got 2");
}

TEST(Graph, NarrowIds) {
  std::vector<int64_t> good = {0, 2147483647}, big = {1, 2147483648},
                       negative = {-1};
  EXPECT_EQ(*narrowIds(good, "source"), (Indices{0, 2147483647}));
  EXPECT_EQ(narrowIds(big, "source").message(),
            "source 1: expected 0 <= id <= 2147483647, got 2147483648");
  EXPECT_FALSE(narrowIds(negative, "source"));
}

TEST(Graph, OrderOfEdges) {
  auto problem = [](std::vector<int32_t> dst) {
    PlainGraph graph = twoByThree();
    graph.src.assign(dst.size(), 0);
    graph.type.assign(dst.size(), 0);
    graph.dst = std::move(dst);
    return graph.build()->checkDstSorted().message();
  };
  EXPECT_EQ(problem({}), "");
  EXPECT_EQ(problem({2}), "");
  EXPECT_EQ(problem({0, 0, 0, 2, 2}), "");
  EXPECT_EQ(problem({0, 2, 2, 1, 0}),
            "expected edges sorted by destination, got edge 3 to node 1 behind "
            "edge 2 to node 2; sort them by destination, in Python by "
            "gnn_mlir.sort_edges(graph)");
  EXPECT_TRUE(contains(problem({1, 0}), "got edge 1 to node 0 behind edge 0"));
}

/// A graph is checked where a function declares it so.
TEST(Graph, OrderOfEdgesThatIsDeclared) {
  GraphSpec spec;
  spec.square = false;
  spec.nodeTypes = spec.edgeTypes = 2;
  auto graph = twoByThree().build();
  EXPECT_FALSE(checkGraph(spec, *graph));
  spec.dstSorted = true;
  EXPECT_TRUE(contains(checkGraph(spec, *graph).message(),
                       "got edge 1 to node 0 behind edge 0 to node 2"));
}

/// The first edge is named, whichever thread finds one.
TEST(Graph, FirstEdgeOutOfOrder) {
  PlainGraph graph = randomGraph(1, true, 300000, 0, 0, 1, 1);
  for (int32_t v = 0; v < 300000; ++v)
    graph.dst.push_back(v);
  graph.src.assign(graph.dst.size(), 0);
  graph.type.assign(graph.dst.size(), 0);
  EXPECT_FALSE(graph.build()->checkDstSorted());
  for (size_t e : {299999, 270000, 150001, 2}) {
    graph.dst[e] = 0;
    EXPECT_TRUE(contains(graph.build()->checkDstSorted().message(),
                         "got edge " + std::to_string(e) + " to node 0"));
  }
}
