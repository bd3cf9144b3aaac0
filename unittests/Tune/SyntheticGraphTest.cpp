//===- SyntheticGraphTest.cpp - Graphs of equal statistics ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/SyntheticGraph.h"

#include "../../lib/Tune/SyntheticDegrees.h"

#include "GNN/InitDialects.h"
#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Runtime/Structures.h"
#include "GNN/Target/AttachStatistics.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;

namespace {
/// A module with one declaration, and a graph of these statistics.
class Declared {
public:
  explicit Declared(const std::string &declaration) {
    DialectRegistry registry;
    registerDialects(registry);
    context = std::make_unique<MLIRContext>(registry);
    module = parseSourceString<ModuleOp>("gnn.graph @g " + declaration,
                                         context.get());
  }
  GraphOp op() { return *module->getOps<GraphOp>().begin(); }

  /// Declares the statistics of a graph.
  void take(std::shared_ptr<const runtime::Graph> graph) {
    ASSERT_TRUE(succeeded(attachStatistics(*module, {{"g", graph}})));
  }

private:
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
};

/// A graph whose in-degrees are skewed and whose sources are partly near.
std::shared_ptr<const runtime::Graph> drawGraph(int64_t nodes, int64_t edges,
                                                int64_t types, double nearPart,
                                                bool isBipartite = false,
                                                bool loops = false) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit;
  std::vector<int32_t> src, dst, type;
  for (int64_t e = 0; e < edges; ++e) {
    auto to = int64_t(std::pow(unit(random), 2) * double(nodes));
    to = to * 7919 % nodes; // popular nodes lie anywhere
    auto from = int64_t(unit(random) * double(nodes));
    if (unit(random) < nearPart)
      from = (to + int64_t(unit(random) * 5000) - 2500 + 5 * nodes) % nodes;
    if (loops && from == to)
      continue;
    src.push_back(int32_t(from));
    dst.push_back(int32_t(to));
    auto kind = int32_t(std::pow(unit(random), 2) * double(types));
    type.push_back(std::min<int32_t>(kind, int32_t(types) - 1));
  }
  for (int64_t node = 0; loops && node < nodes; ++node) {
    src.push_back(int32_t(node));
    dst.push_back(int32_t(node));
    type.push_back(0);
  }
  runtime::GraphArrays arrays;
  arrays.square = !isBipartite;
  arrays.numSrcNodes = nodes;
  arrays.numDstNodes = nodes;
  arrays.numEdges = int64_t(src.size());
  arrays.numEdgeTypes = types;
  arrays.edgeSrc = src.data();
  arrays.edgeDst = dst.data();
  arrays.edgeType = type.data();
  auto graph = runtime::Graph::create(arrays);
  EXPECT_TRUE(graph) << graph.message();
  return *graph;
}

double variation(const runtime::DegreeStatistics &degree) {
  return std::sqrt(degree.secondMoment - degree.mean * degree.mean) /
         degree.mean;
}

/// Counts are equal, and variations within 2 %.
void expectAlike(const runtime::GraphStatistics &made,
                 const runtime::GraphStatistics &wanted, double nearTolerance,
                 double tolerance = 0.02) {
  EXPECT_EQ(made.srcNodes, wanted.srcNodes);
  EXPECT_EQ(made.dstNodes, wanted.dstNodes);
  ASSERT_EQ(made.relations.size(), wanted.relations.size());
  for (auto [x, y] : llvm::zip_equal(made.relations, wanted.relations)) {
    EXPECT_EQ(x.edges, y.edges);
    EXPECT_EQ(x.srcPairs, y.srcPairs);
    EXPECT_EQ(x.dstPairs, y.dstPairs);
    EXPECT_EQ(x.srcPairMax, y.srcPairMax);
    EXPECT_EQ(x.dstPairMax, y.dstPairMax);
  }
  EXPECT_EQ(made.inDegree.max, wanted.inDegree.max);
  EXPECT_EQ(made.outDegree.max, wanted.outDegree.max);
  EXPECT_NEAR(variation(made.inDegree), variation(wanted.inDegree),
              tolerance * variation(wanted.inDegree));
  EXPECT_NEAR(variation(made.outDegree), variation(wanted.outDegree),
              tolerance * variation(wanted.outDegree));
  ASSERT_EQ(made.nearEdges.size(), wanted.nearEdges.size());
  for (auto [x, y] : llvm::zip_equal(made.nearEdges, wanted.nearEdges))
    EXPECT_NEAR(double(x), double(y), nearTolerance * double(wanted.edges));
}

runtime::GraphStatistics statisticsOf(const runtime::Graph &graph) {
  auto statistics = runtime::statistics(graph);
  EXPECT_TRUE(statistics) << statistics.message();
  return *statistics;
}

std::shared_ptr<const runtime::Graph> make(Declared &declared,
                                           uint64_t seed = 3) {
  auto made = makeSyntheticGraph(declared.op(), seed);
  EXPECT_TRUE(made) << made.message();
  return made ? *made : nullptr;
}
} // namespace

TEST(SyntheticGraph, HasTheStatisticsOfAGraphWithoutTypes) {
  for (double near : {0.0, 0.6, 0.95}) {
    auto wanted = drawGraph(60001, 700003, 1, near);
    Declared declared("square {node_types = 1, edge_types = 1}");
    declared.take(wanted);
    auto made = make(declared);
    expectAlike(statisticsOf(*made), statisticsOf(*wanted), 0.08);
    EXPECT_FALSE(made->checkDstSorted());
  }
}

TEST(SyntheticGraph, HasTheStatisticsOfATypedGraph) {
  for (bool isBipartite : {false, true}) {
    auto wanted = drawGraph(2003, 40007, 5, 0, isBipartite);
    Declared declared(std::string(isBipartite ? "bipartite" : "square") +
                      " {node_types = 1, edge_types = 5}");
    declared.take(wanted);
    expectAlike(statisticsOf(*make(declared)), statisticsOf(*wanted), 0.02);
  }
}

TEST(SyntheticGraph, HasOneSelfLoopANode) {
  auto wanted = drawGraph(503, 6007, 1, 0, false, /*loops=*/true);
  Declared declared("square {node_types = 1, edge_types = 1, self_loops}");
  declared.take(wanted);
  auto made = make(declared);
  EXPECT_FALSE(made->checkSelfLoops());
  expectAlike(statisticsOf(*made), statisticsOf(*wanted), 0.02);
}

TEST(SyntheticGraph, ObeysItsSchema) {
  Declared declared(R"(square {node_types = 2, edge_types = 2,
    schema = [[0, 1], [1, -1]],
    stats = #gnn.stats<src_nodes = 100, dst_nodes = 100, edges = 700,
      type_edges = [400, 300], src_pairs = [60, 30], dst_pairs = [40, 70]>})");
  auto made = make(declared);
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->checkSchema({{0, 1}, {1, -1}}));
  runtime::GraphStatistics found = statisticsOf(*made);
  EXPECT_EQ(found.relations[0].edges, 400);
  EXPECT_EQ(found.relations[1].dstPairs, 70);
}

/// The least and the largest squares that the other numbers leave.
TEST(SyntheticGraph, ReachesTheEndsOfWhatThereMayBe) {
  for (int64_t squares : {10 * 10 + 18 * 5 * 5, 9 * 10 * 10 + 10}) {
    Declared declared(
        "square {node_types = 1, edge_types = 1, stats = #gnn.stats<"
        "src_nodes = 50, dst_nodes = 50, edges = 100, type_edges = [100], "
        "src_pairs = [50], dst_pairs = [19], in_degree_max = 10, "
        "in_degree_squares = " +
        std::to_string(squares) + ">}");
    auto made = make(declared);
    ASSERT_TRUE(made);
    runtime::GraphStatistics found = statisticsOf(*made);
    EXPECT_EQ(found.relations[0].dstPairs, 19);
    EXPECT_EQ(found.inDegree.max, 10);
    EXPECT_EQ(found.inDegree.squares, squares);
  }
}

TEST(SyntheticGraph, IsTheSameForTheSameSeed) {
  Declared declared("square {node_types = 1, edge_types = 1}");
  declared.take(drawGraph(1009, 9001, 1, 0.3));
  auto ends = [](const runtime::Graph &graph) {
    auto src = graph.edgeEnds(runtime::GraphSide::Src);
    return std::vector<int32_t>(src.begin(), src.end());
  };
  auto first = ends(*make(declared, 1));
  EXPECT_EQ(first, ends(*make(declared, 1)));
  EXPECT_NE(first, ends(*make(declared, 2)));
}

TEST(SyntheticGraph, OfNothing) {
  for (const char *edges : {"0", "1"}) {
    std::string one = edges;
    Declared declared("square {node_types = 1, edge_types = 1, stats = "
                      "#gnn.stats<src_nodes = " +
                      one + ", dst_nodes = " + one + ", edges = " + one +
                      ", type_edges = [" + one + "], src_pairs = [" + one +
                      "], dst_pairs = [" + one + "]>}");
    auto made = make(declared);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->numEdges(), one == "1");
  }
}

TEST(SyntheticGraph, SaysWhichStatisticsNoGraphHas) {
  auto refusal = [](const std::string &body, int64_t maxBytes) {
    Declared declared("square {node_types = 1, edge_types = 1, " + body + "}");
    return makeSyntheticGraph(declared.op(), 0, {maxBytes}).message();
  };
  auto stats = [](const char *more) {
    return std::string("stats = #gnn.stats<src_nodes = 3, dst_nodes = 3, edges "
                       "= 9, type_edges = [9], ") +
           more + ">";
  };
  EXPECT_EQ(refusal(stats("src_pairs = [4], dst_pairs = [3]"), 1 << 20),
            "expected from 1 to 3 src_pairs of edge type 0, got 4");
  EXPECT_EQ(refusal(stats("src_pairs = [3], dst_pairs = [0]"), 1 << 20),
            "expected from 1 to 3 dst_pairs of edge type 0, got 0");
  EXPECT_EQ(
      refusal(stats("src_pairs = [3], dst_pairs = [2], in_degree_max = 4"),
              1 << 20),
      "expected at most 8 edges of type 0 by its dst_pairs and the longest "
      "of them, got 9");
  EXPECT_EQ(
      refusal("self_loops, " + stats("src_pairs = [3], dst_pairs = [2]"),
              1 << 20),
      "expected an edge type with pairs at each of the 3 nodes for its self "
      "loops, got none");
  EXPECT_EQ(refusal(stats("src_pairs = [3], dst_pairs = [3]"), 100),
            "expected at most 100 bytes for a synthetic graph, got 1152");
}

/// Wherever that is.
TEST(SyntheticGraph, IsStopped) {
  Declared declared(
      "square {node_types = 1, edge_types = 2, self_loops, stats = "
      "#gnn.stats<src_nodes = 50, dst_nodes = 50, edges = 400, type_edges = "
      "[100, 300], src_pairs = [40, 50], dst_pairs = [20, 50], "
      "in_degree_squares = 7000, in_degree_max = 40, near_edges = [50, 90, "
      "200]>}");
  SyntheticLimits limits;
  int asked = 0, stop = 0;
  limits.isStopped = [&] { return ++asked > stop; };
  while (true) {
    asked = 0;
    auto made = makeSyntheticGraph(declared.op(), 0, limits);
    if (made)
      break;
    EXPECT_EQ(made.message(), "the making of a synthetic graph was stopped");
    ASSERT_LT(++stop, 1000);
  }
  EXPECT_GT(stop, 20);
}

/// However few edges there are.
TEST(SyntheticGraph, AsksWhetherToStopWhileItPassesThroughNodes) {
  Declared declared(
      "square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = "
      "2000000, dst_nodes = 2000000, edges = 10, type_edges = [10], src_pairs "
      "= [5], dst_pairs = [5]>}");
  SyntheticLimits limits;
  size_t asked = 0;
  limits.isStopped = [&] { return ++asked == 0; };
  EXPECT_TRUE(makeSyntheticGraph(declared.op(), 0, limits));
  // To lay them out, and for the degrees of both ends.
  EXPECT_GE(asked, 3 * (2000000 / stepsBetweenChecks));
}

/// Whenever that is.
TEST(SyntheticGraph, HasDegreesThatAreNumbersWhereItIsStopped) {
  Declared declared(
      "square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = "
      "4, dst_nodes = 4, edges = 90, type_edges = [90], src_pairs = [3], "
      "dst_pairs = [3]>}");
  EndStatistics statistics(*declared.op().getStats(), EndPoint::Dst);
  const Nodes nodes = {{0, 0, 0, 0}, {2, 0, 3, 1}, {{2, 0, 3, 1}}};
  int asked = 0;
  for (int stop = 0; asked >= stop; ++stop) {
    asked = 0;
    auto pairs = findDegrees(declared.op(), EndPoint::Dst, statistics, nodes,
                             /*seed=*/0, [&] { return ++asked > stop; });
    for (const std::vector<Pair> &ofType : pairs)
      for (const Pair &pair : ofType) {
        EXPECT_GE(pair.edges, 1) << "stopped at " << stop;
        EXPECT_LE(pair.edges, 90) << "stopped at " << stop;
      }
  }
  EXPECT_GE(asked, 3);
}

TEST(SyntheticGraph, EndsInTime) {
  Declared declared("bipartite {node_types = 1, edge_types = 1, stats = "
                    "#gnn.stats<src_nodes = 3, dst_nodes = 2, edges = 4, "
                    "type_edges = [4], src_pairs = [3], dst_pairs = [2]>}");
  SyntheticLimits limits;
  limits.seconds = 1;
  limits.begin -= std::chrono::seconds(2);
  EXPECT_EQ(makeSyntheticGraph(declared.op(), 0, limits).message(),
            "expected statistics whose graph is made within 1.0 s, got those "
            "of 3 and 2 nodes and 4 edges: give a graph, or a larger budget");
}

TEST(SyntheticGraph, RefusesAbsurdCounts) {
  auto refusal = [](const std::string &kind, const std::string &counts) {
    Declared declared(kind + ", stats = #gnn.stats<" + counts + ">}");
    auto made = makeSyntheticGraph(declared.op(), 0, {int64_t(1) << 62});
    EXPECT_FALSE(made) << counts;
    return made.message();
  };
  const std::string schema = " {node_types = 2, edge_types = 2, schema = "
                             "[[0, 1], [1, -1]]";
  const std::string pairs = "edges = 700, type_edges = [400, 300], src_pairs = "
                            "[60, 30], dst_pairs = [60, 70]";
  EXPECT_EQ(
      refusal("square" + schema, "src_nodes = 100, dst_nodes = 100, " + pairs),
      "expected at least 120 nodes by the pairs at node types, which the "
      "schema keeps apart: 60, 60; got 100");
  EXPECT_EQ(refusal("bipartite" + schema,
                    "src_nodes = 89, dst_nodes = 100, " + pairs),
            "expected at least 90 src_nodes by the pairs at node types, which "
            "the schema keeps apart: 60, 30; got 89");
  EXPECT_EQ(refusal("bipartite {node_types = 2, edge_types = 2, schema = [[-1, "
                    "1], [1, 0]]",
                    "src_nodes = 100, dst_nodes = 129, " + pairs),
            "expected at least 130 dst_nodes by the pairs at node types, which "
            "the schema keeps apart: 70, 60; got 129");
  const std::string plain = "square {node_types = 1, edge_types = 1";
  EXPECT_EQ(refusal(plain, "src_nodes = 0, dst_nodes = 0, edges = 5, "
                           "type_edges = [5], src_pairs = [1], dst_pairs = "
                           "[1]"),
            "expected at least 1 of src_nodes for the 5 edges of type 0, got "
            "0");
  const std::string huge = "9223372036854775807";
  EXPECT_EQ(refusal(plain, "src_nodes = 3, dst_nodes = 3, edges = " + huge +
                               ", type_edges = [" + huge +
                               "], src_pairs = [3], dst_pairs = [3]"),
            "expected at most 2147483647 edges of a synthetic graph, got " +
                huge);
  EXPECT_EQ(refusal(plain, "src_nodes = " + huge + ", dst_nodes = " + huge +
                               ", edges = 0, type_edges = [0], src_pairs = "
                               "[0], dst_pairs = [0]"),
            "expected at most 2147483647 src_nodes of a synthetic graph, got " +
                huge);
}

TEST(SyntheticGraph, IsDescribed) {
  Declared declared("square {node_types = 1, edge_types = 1}");
  declared.take(drawGraph(503, 6007, 1, 0));
  auto line = describeSynthetic(declared.op(), 3, *make(declared));
  ASSERT_TRUE(line);
  EXPECT_EQ(
      line->find("graph 'g' is synthetic, made of its statistics by seed "
                 "3: 503 nodes, 6007 edges of 1 type; in-degrees vary by "),
      0u)
      << *line;
  EXPECT_NE(line->find("near edges [6007, 6007, 6007] (declared "),
            std::string::npos)
      << *line;
}
