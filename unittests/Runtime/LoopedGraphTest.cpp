//===- LoopedGraphTest.cpp - Graphs with other self loops than their parent
//===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Definition.h"
#include "TestPlans.h"

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
/// Two loops at node 1, one at node 3.
std::shared_ptr<const Graph> parentGraph() {
  PlainGraph graph;
  graph.srcNodes = 4;
  graph.srcType = Array(4, 0);
  graph.src = {1, 0, 1, 3, 2};
  graph.dst = {1, 2, 1, 3, 0};
  graph.type = {0, 1, 1, 0, 1};
  graph.edgeTypes = 2;
  return graph.build();
}

std::shared_ptr<const Graph> withLoops(const std::shared_ptr<const Graph> &all,
                                       SelfLoops loops, int32_t type) {
  Derivation made;
  made.loops = loops;
  made.loopType = type;
  auto graph = deriveGraph(all, made);
  EXPECT_TRUE(graph) << graph.message();
  return *graph;
}
} // namespace

TEST(LoopedGraph, EdgesLieBehindThoseOfTheParent) {
  struct {
    SelfLoops loops;
    int32_t type;
    Array src, types, places, inRows;
  } cases[] = {
      {SelfLoops::Remove, -1, {0, 2}, {1, 1}, {1, 4}, {4, 1}},
      {SelfLoops::Add,
       2,
       {1, 0, 1, 3, 2, 0, 1, 2, 3},
       {0, 1, 1, 0, 1, 2, 2, 2, 2},
       {0, 1, 2, 3, 4, 5, 6, 7, 8},
       {4, 5, 0, 2, 6, 1, 7, 3, 8}},
      {SelfLoops::Replace,
       0,
       {0, 2, 0, 1, 2, 3},
       {1, 1, 0, 0, 0, 0},
       {1, 4, 5, 6, 7, 8},
       {4, 5, 6, 1, 7, 8}},
      {SelfLoops::Remaining,
       0,
       {0, 2, 0, 1, 2, 3},
       {1, 1, 0, 1, 0, 0},
       {1, 4, 5, 2, 7, 3},
       {4, 5, 2, 1, 7, 3}},
  };
  auto parent = parentGraph();
  for (auto &[loops, type, src, types, places, inRows] : cases) {
    auto graph = withLoops(parent, loops, type);
    PlainGraph got = plain(*graph);
    EXPECT_EQ(got.src, src);
    EXPECT_EQ(got.type, types);
    EXPECT_EQ(graph->numEdgeTypes(), type == 2 ? 3 : 2);
    EXPECT_EQ(build(*graph, "map edge parent_edge"), places);
    EXPECT_EQ(build(*graph, "map edge.in_rows parent_edge"), inRows);
    EXPECT_EQ(graph, withLoops(parent, loops, type)); // made once
    bool adds = loops != SelfLoops::Remove;
    EXPECT_EQ(countOf(*graph, "count parent_edge"), adds ? 9 : 5);
    if (adds) {
      EXPECT_EQ(build(*graph, "map dst parent_loop"), (Array{5, 6, 7, 8}));
      EXPECT_EQ(countOf(*graph, "count parent_loop"), 9);
    }
  }
}

/// In every order of the parent's edges, loops lie behind them.
TEST(LoopedGraph, OrdersOfTheParent) {
  auto graph = withLoops(parentGraph(), SelfLoops::Replace, 0);
  // The parent's edges by destination are 4, 0, 2, 1, 3.
  EXPECT_EQ(build(*graph, "map edge parent_edge.in_rows"),
            (Array{3, 0, 5, 6, 7, 8}));
}

TEST(LoopedGraph, RowsThatItHasNot) {
  auto parent = parentGraph();
  auto problem = [](const Graph &graph, const char *key) {
    return graph.structure(*parseStructureKey(key)).message();
  };
  auto looped = withLoops(parent, SelfLoops::Add, 0);
  EXPECT_EQ(problem(*looped, "map edge parent_edge_type"),
            "expected a graph derived without new self loops for "
            "'parent_edge_type'");
  auto kept = withLoops(parent, SelfLoops::Remove, -1);
  EXPECT_EQ(problem(*kept, "map dst parent_loop"),
            "expected a graph derived with new self loops for 'parent_loop'");
  EXPECT_EQ(build(*kept, "map edge_type parent_edge_type"), (Array{0, 1}));
  EXPECT_EQ(build(*kept, "map dst_pair parent_dst_pair"), (Array{2, 4}));
}

TEST(LoopedGraph, PlansAreReadBackAndChecked) {
  auto text = [](const std::string &made) {
    std::string text = sumPlanText();
    text.replace(text.find("\"version\": 1"), 12, "\"version\": 2");
    text.insert(text.find("\"inputs\": ["),
                "\"derived\": [{\"name\": \"s\", \"of\": \"g\", " + made +
                    ", \"schema\": null}],\n   ");
    return text;
  };
  auto plan =
      LaunchPlan::parse(text("\"loops\": \"remaining\", \"loop_type\": 0"));
  ASSERT_TRUE(plan) << plan.message();
  const Derivation &made = plan->functions[0].derived[0].made;
  EXPECT_EQ(made.loops, SelfLoops::Remaining);
  EXPECT_EQ(LaunchPlan::parse(plan->json())->json(), plan->json());
  EXPECT_TRUE(LaunchPlan::parse(text("\"loops\": \"remove\"")));
  struct {
    const char *made, *part;
  } wrong[] = {
      {"\"loops\": \"none\"", "expected add, replace, remaining or remove"},
      {"\"loops\": \"add\"", "expected a field 'loop_type'"},
      {"\"loops\": \"add\", \"loop_type\": 9", "loop_type: expected 0 to"},
      {"\"loops\": \"remove\", \"loop_type\": 0", "no field 'loop_type'"},
      {"\"loops\": \"remove\", \"types\": []", "no field 'types'"},
  };
  for (auto [made, part] : wrong)
    EXPECT_TRUE(contains(LaunchPlan::parse(text(made)).message(), part))
        << LaunchPlan::parse(text(made)).message();
}
