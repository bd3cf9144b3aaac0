//===- BuiltGraphTest.cpp - Bound to structures that are there ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/BoundFunction.h"
#include "TestPlans.h"
#include "Testing.h"

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
StructureKey structure(const char *text) { return *parseStructureKey(text); }
CountKey count(const char *text) { return *parseCountKey(text); }

/// Three nodes in a ring, 0 -> 1 -> 2 -> 0, for the function of sumPlanText.
struct Ring {
  alignas(16) int32_t rows[4] = {0, 1, 2, 3};
  alignas(16) int32_t sources[8] = {2, 0, 1, 0, 0, 0, 0, 0};
  BuiltGraph graph;

  Ring() {
    graph.counts = {{count("count dst"), 3},
                    {count("count src"), 3},
                    {count("count edge"), 3},
                    {count("count node_type"), 1},
                    {count("count edge_type"), 2}};
    graph.structures = {{structure("rows dst edge.in_rows"), {rows, 4}},
                        {structure("map edge.in_rows src"), {sources, 3}}};
  }

  Expected<std::shared_ptr<const BoundFunction>>
  bind(const char *name = "g", std::string text = sumPlanText()) const {
    auto plan = LaunchPlan::parse(text);
    EXPECT_TRUE(plan) << plan.message();
    auto package = Package::create(std::move(*plan), {{"ptx", ""}});
    auto device = std::make_shared<FakeDevice>();
    device->addSumKernels();
    return BoundFunction::bindBuilt(*package, "sum", {{name, graph}}, device);
  }
};
} // namespace

TEST(BuiltGraph, Runs) {
  Ring ring;
  auto bound = ring.bind();
  ASSERT_TRUE(bound) << bound.message();
  EXPECT_EQ((*bound)->structureBytes(), 4 * (4 + 3));
  alignas(256) float x[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, y[9] = {};
  alignas(256) char workspace[512];
  ASSERT_EQ((*bound)->workspaceBytes(), 512);
  ConstBuffer input = {x, sizeof x};
  Buffer output = {y, sizeof y};
  ASSERT_FALSE((*bound)->run({&input, 1}, {&output, 1},
                             {workspace, sizeof workspace}, nullptr));
  EXPECT_EQ(std::vector<float>(y, y + 9),
            (std::vector<float>{14, 16, 18, 2, 4, 6, 8, 10, 12}));
}

TEST(BuiltGraph, NamesWhatLacks) {
  auto problem = [](auto change) {
    Ring ring;
    change(ring.graph, ring);
    return ring.bind().message();
  };
  EXPECT_EQ(Ring().bind("h").message(),
            "function 'sum': expected a graph 'g', got none of that name");
  EXPECT_EQ(problem([](BuiltGraph &g, Ring &) {
              g.counts.erase(count("count dst"));
            }),
            "function 'sum': exprs[0]: expected 'count dst' among the counts "
            "of graph 'g', got none");
  EXPECT_EQ(
      problem([](BuiltGraph &g, Ring &) { g.counts[count("count dst")] = -1; }),
      "function 'sum': exprs[0]: expected 'count dst' of 0 or more, got "
      "-1");
  EXPECT_EQ(problem([](BuiltGraph &g, Ring &) {
              g.structures.erase(structure("map edge.in_rows src"));
            }),
            "function 'sum': structure 'map edge.in_rows src': expected it "
            "among the structures of graph 'g', got none");
  EXPECT_EQ(problem([](BuiltGraph &g, Ring &) {
              g.structures[structure("rows dst edge.in_rows")].size = 3;
            }),
            "function 'sum': structure 'rows dst edge.in_rows': expected 4 "
            "values, got 3");
  EXPECT_TRUE(contains(problem([](BuiltGraph &g, Ring &ring) {
                         g.structures[structure("map edge.in_rows src")].data =
                             ring.sources + 1;
                       }),
                       "expected an address aligned to 16 bytes"));
  EXPECT_EQ(problem([](BuiltGraph &g, Ring &) { g.square = false; }),
            "function 'sum': graph 'g': expected a square graph, got a "
            "bipartite one");
  EXPECT_EQ(problem([](BuiltGraph &g, Ring &) {
              g.counts[count("count edge_type")] = 1;
            }),
            "function 'sum': graph 'g': expected 2 edge types, got 1");
}

TEST(BuiltGraph, PromisesOfDeclarations) {
  std::string text = sumPlanText(), none = "\"schema\": null";
  text.replace(text.find(none), none.size(),
               "\"schema\": [[0, 0], [0, -1]], \"self_loops\": true");
  Ring ring;
  EXPECT_EQ(ring.bind("g", text).message(),
            "function 'sum': graph 'g': expected one self loop at each node, "
            "got a graph that was not checked for them");
  ring.graph.selfLoops = true;
  ring.graph.schema = {{0, 0}, {0, 0}};
  EXPECT_EQ(ring.bind("g", text).message(),
            "function 'sum': graph 'g': expected edges that obey the declared "
            "schema, got a graph that was not checked for it");
  ring.graph.schema = {{0, 0}, {0, -1}};
  EXPECT_TRUE(ring.bind("g", text)) << ring.bind("g", text).message();
}

TEST(BuiltGraph, OrderOfEdges) {
  std::string text = sumPlanText(), none = "\"schema\": null";
  text.replace(text.find(none), none.size(),
               "\"schema\": null, \"dst_sorted\": true");
  Ring ring;
  ring.graph.selfLoops = true; // It is another promise.
  EXPECT_EQ(ring.bind("g", text).message(),
            "function 'sum': graph 'g': expected edges sorted by destination, "
            "got a graph that was not checked for it");
  ring.graph.selfLoops = false;
  ring.graph.dstSorted = true;
  EXPECT_TRUE(ring.bind("g", text)) << ring.bind("g", text).message();
}
