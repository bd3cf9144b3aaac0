//===- DerivedGraphTest.cpp - Graphs of some edge types of another --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Definition.h"
#include "TestPlans.h"

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
/// No types, the first, every second, all.
std::vector<Array> listsOf(int64_t types) {
  std::vector<Array> lists(4);
  for (int32_t t = 0; t < types; ++t) {
    if (t == 0)
      lists[1].push_back(t);
    if (t % 2)
      lists[2].push_back(t);
    lists[3].push_back(t);
  }
  return lists;
}

/// The edges of these types, and which of all edges each is.
PlainGraph selected(const PlainGraph &all, const Array &types, Array &origin) {
  PlainGraph graph = all;
  graph.edgeTypes = static_cast<int64_t>(types.size());
  graph.src.clear();
  graph.dst.clear();
  graph.type.clear();
  graph.schema.clear();
  graph.edgeNames.clear();
  for (int32_t type : types) {
    graph.schema.push_back(all.schema[static_cast<size_t>(type)]);
    graph.edgeNames.push_back(all.edgeNames[static_cast<size_t>(type)]);
  }
  for (size_t e = 0; e < all.src.size(); ++e) {
    auto place = std::find(types.begin(), types.end(), all.type[e]);
    if (place == types.end())
      continue;
    graph.src.push_back(all.src[e]);
    graph.dst.push_back(all.dst[e]);
    graph.type.push_back(static_cast<int32_t>(place - types.begin()));
    origin.push_back(static_cast<int32_t>(e));
  }
  return graph;
}

std::shared_ptr<const Graph> derive(const std::shared_ptr<const Graph> &parent,
                                    const Array &types) {
  Derivation made;
  made.types = types;
  auto graph = deriveGraph(parent, made);
  EXPECT_TRUE(graph) << graph.message();
  return *graph;
}
} // namespace

TEST(DerivedGraph, HasTheEdgesOfItsTypes) {
  for (const PlainGraph &all : oddGraphsWithSchema())
    for (const Array &types : listsOf(all.edgeTypes)) {
      Array origin;
      PlainGraph expected = selected(all, types, origin);
      auto got = selectEdgeTypes(*all.build(), types);
      ASSERT_TRUE(got) << got.message();
      PlainGraph graph = plain(*got->graph);
      EXPECT_EQ(graph.src, expected.src);
      EXPECT_EQ(graph.dst, expected.dst);
      EXPECT_EQ(graph.type, expected.type);
      EXPECT_EQ(graph.edgeTypes, expected.edgeTypes);
      EXPECT_EQ(graph.srcType, expected.srcType);
      EXPECT_EQ(graph.dstType, expected.dstType);
      EXPECT_EQ(graph.schema, expected.schema);
      EXPECT_EQ(graph.edgeNames, expected.edgeNames);
      EXPECT_EQ(got->edgeOrigin, origin);
      EXPECT_EQ(got->edgeTypeOrigin, types);
    }
}

TEST(DerivedGraph, RefusesOtherLists) {
  auto graph = randomGraph(3, true, 7, 0, 40, 3, 4).build();
  auto problem = [&](Array types) {
    return selectEdgeTypes(*graph, types).message();
  };
  EXPECT_EQ(problem({4}),
            "select_edge_types: expected 0 <= edge type < 4, got 4");
  EXPECT_EQ(problem({1, 1}),
            "select_edge_types: expected 2 <= edge type < 4, got 1");
  EXPECT_EQ(problem({-1}),
            "select_edge_types: expected 0 <= edge type < 4, got -1");
}

TEST(DerivedGraph, MapsToTheParentAreAsDefined) {
  size_t checked = 0;
  for (const PlainGraph &all : oddGraphsWithSchema()) {
    auto parent = all.build();
    Definition ofParent(all);
    for (const Array &types : listsOf(all.edgeTypes)) {
      Array origin;
      PlainGraph some = selected(all, types, origin);
      auto graph = derive(parent, types);
      Definition definition(some);
      // The parent's row of a row of this graph.
      auto rise = [&](Space space, int32_t row) {
        if (space == Space::Edge)
          return origin[static_cast<size_t>(row)];
        if (space == Space::EdgeType)
          return types[static_cast<size_t>(row)];
        GraphSide side =
            space == Space::SrcPair ? GraphSide::Src : GraphSide::Dst;
        auto [type, node] = definition.pair(side, row);
        return ofParent.rowOf(side, {types[static_cast<size_t>(type)], node});
      };
      for (OrderedSpace from : allOrderedSpaces())
        for (OrderedSpace to : allOrderedSpaces()) {
          std::string parentSpace = "parent_" + to.str();
          std::string error;
          auto target = OrderedSpace::parse(parentSpace, error);
          if (!target || !checkMap(from, *target).empty())
            continue;
          ++checked;
          Array rows;
          for (int32_t row : definition.list(from))
            rows.push_back(
                rise(to.space, definition.lead(from.space, row, to.space)));
          std::string text = "map " + from.str() + " " + parentSpace;
          EXPECT_EQ(build(*graph, text), ofParent.positions(rows, to)) << text;
        }
      for (const char *space : {"edge", "src_pair", "dst_pair", "edge_type"})
        EXPECT_EQ(countOf(*graph, std::string("count parent_") + space),
                  countOf(*parent, std::string("count ") + space));
    }
  }
  // Edges to 7 + 5 + 5 + 3 orders, each kind of pair to 5 + 3, edge types to 3.
  EXPECT_EQ(checked, 4 * oddGraphs().size() * (7 * 20 + 2 * 5 * 8 + 3 * 3));
}

TEST(DerivedGraph, ItsOwnStructuresAreThoseOfItsEdges) {
  PlainGraph all = oddGraphsWithSchema()[2];
  Array origin, types = listsOf(all.edgeTypes)[2];
  PlainGraph some = selected(all, types, origin);
  Definition definition(some);
  auto graph = derive(all.build(), types);
  EXPECT_EQ(build(*graph, "rows dst edge.in_rows"),
            definition.rows(Space::Dst, {Space::Edge, Order::InRows}));
  EXPECT_EQ(
      build(*graph, "tiles edge_type src_pair 4"),
      definition.tiles(Space::EdgeType, {Space::SrcPair, Order::Natural}, 4));
}

/// The edges with the range of their node at `end` as types.
static PlainGraph sharded(PlainGraph graph, GraphSide end, int32_t shards) {
  int64_t nodes = graph.build()->numNodes(end);
  const Array &ids = end == GraphSide::Src ? graph.src : graph.dst;
  graph.schema.clear();
  graph.edgeNames.clear();
  graph.edgeTypes = shards;
  graph.type.clear();
  for (int64_t id : ids) {
    int32_t range = 0; // the last one that begins at or before it
    while (range + 1 < shards && (range + 1) * nodes <= id * shards)
      ++range;
    graph.type.push_back(range);
  }
  return graph;
}

TEST(DerivedGraph, ItsTypesMayBeShards) {
  for (const PlainGraph &all : oddGraphs()) {
    auto parent = all.build();
    for (GraphSide end : {GraphSide::Src, GraphSide::Dst})
      for (int32_t shards : {2, 3, 64}) {
        Derivation made;
        made.shards = shards;
        made.shardEnd = end;
        auto graph = deriveGraph(parent, made);
        ASSERT_TRUE(graph) << graph.message();
        PlainGraph cut = sharded(all, end, shards);
        EXPECT_EQ((*graph)->edgeType().vec(), cut.type);
        Definition definition(cut);
        EXPECT_EQ(
            build(**graph, "rows dst_pair edge.dst_pairs"),
            definition.rows(Space::DstPair, {Space::Edge, Order::DstPairs}));
        // The parent's edges, by the order of both.
        EXPECT_EQ(build(**graph, "map edge parent_edge"),
                  build(*parent, "map edge edge"));
        auto types = (*graph)->structure(
            *parseStructureKey("map edge parent_edge_type"));
        EXPECT_EQ(types.message(), "expected a graph whose edge types are not "
                                   "shards for 'parent_edge_type'");
        EXPECT_EQ(*deriveGraph(parent, made), *graph);
      }
  }
}

TEST(DerivedGraph, ShardsOfSomeEdges) {
  PlainGraph all = randomGraph(3, true, 7, 0, 40, 3, 4);
  auto parent = all.build();
  Derivation made;
  made.types = Array{1, 3};
  made.shards = 3;
  auto graph = deriveGraph(parent, made);
  ASSERT_TRUE(graph) << graph.message();
  Array origin;
  all.schema.assign(4, {-1, -1});
  all.edgeNames.assign(4, "");
  PlainGraph some = selected(all, {1, 3}, origin);
  some.schema.clear();
  EXPECT_EQ((*graph)->edgeType().vec(), sharded(some, GraphSide::Src, 3).type);
  EXPECT_EQ(build(**graph, "map edge parent_edge"), origin);
}

TEST(DerivedGraph, RefusesShards) {
  auto graph = randomGraph(3, true, 7, 0, 40, 3, 4).build();
  for (int32_t shards : {1, 0, -2, 65536})
    EXPECT_EQ(shardEdges(*graph, GraphSide::Src, shards).message(),
              "shard_edges: expected 2 to 65535 shards, got " +
                  std::to_string(shards));
  EXPECT_EQ(deriveGraph(graph, Derivation()).message(),
            "derive_graph: expected edge types, loops or shards, got none");
}

TEST(DerivedGraph, IsMadeOnceAndKeepsItsParent) {
  auto parent = randomGraph(3, true, 7, 0, 40, 3, 4).build();
  auto graph = derive(parent, {0, 2});
  EXPECT_EQ(graph, derive(parent, {0, 2}));
  EXPECT_NE(graph, derive(parent, {0, 1}));
  Array before = build(*graph, "map edge.in_rows parent_edge.in_rows");
  parent->clearStructures();
  EXPECT_EQ(graph, derive(parent, {0, 2}));
  std::weak_ptr<const Graph> watch = parent;
  parent = nullptr;
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(build(*graph, "map edge.in_rows parent_edge.in_rows"), before);
  graph = nullptr;
  EXPECT_TRUE(watch.expired()); // no ring of references
}

TEST(DerivedGraph, ParentsAreNotDerived) {
  auto parent = randomGraph(3, true, 7, 0, 40, 3, 4).build();
  EXPECT_EQ(deriveGraph(derive(parent, {0, 2}), Derivation()).message(),
            "derive_graph: expected a graph that is not derived");
  auto array = parent->structure(*parseStructureKey("map edge parent_edge"));
  EXPECT_EQ(array.message(), "expected a graph derived from another, got one "
                             "that is not, for 'parent_edge'");
  auto count = parent->count(*parseCountKey("count parent_edge"));
  EXPECT_TRUE(contains(count.message(), "derived from another"));
}

TEST(DerivedGraph, OrdersOfTheParentMayNeedItsSchema) {
  auto parent = randomGraph(3, true, 7, 0, 40, 3, 4).build();
  auto graph = derive(parent, {0, 2});
  for (const char *text : {"map edge parent_edge_type.src_types",
                           "map edge edge_type.src_types"}) {
    auto array = graph->structure(*parseStructureKey(text));
    EXPECT_TRUE(contains(array.message(), "expected a graph with a schema"))
        << text;
  }
}

//===----------------------------------------------------------------------===//
// In launch plans
//===----------------------------------------------------------------------===//

/// The sum over the edges of type 1 alone.
static std::string derivedPlanText() {
  std::string text = sumPlanText();
  for (const char *key : {"rows dst edge.in_rows", "map edge.in_rows src"}) {
    std::string piece = std::string("{\"graph\": \"g\", \"key\": \"") + key;
    text.replace(text.find(piece), 13, "{\"graph\": \"s\"");
  }
  text.replace(text.find("\"version\": 1"), 12, "\"version\": 2");
  text.insert(text.find("\"inputs\": ["),
              "\"derived\": [{\"name\": \"s\", \"of\": \"g\", \"types\": "
              "[1], \"schema\": null}],\n   ");
  return text;
}

TEST(DerivedGraph, IsBoundWithItsParent) {
  PlainGraph plain = randomGraph(1, true, 20, 0, 90, 1, 2);
  for (size_t e = 0; e < plain.type.size(); ++e)
    plain.type[e] = e % 3 ? 0 : 1;
  auto plan = LaunchPlan::parse(derivedPlanText());
  ASSERT_TRUE(plan) << plan.message();
  auto package = Package::create(std::move(*plan), {{"ptx", ""}});
  ASSERT_TRUE(package) << package.message();
  auto fake = std::make_shared<FakeDevice>();
  fake->addSumKernels();
  auto bound = BoundFunction::bind(*package, "sum", {plain.build()}, fake);
  ASSERT_TRUE(bound) << bound.message();
  EXPECT_EQ((*bound)->structureBytes(), 4 * (21 + 30));
  std::vector<float> x(60), y(60, -1), expected(60, 0);
  std::iota(x.begin(), x.end(), 0.0f);
  for (size_t e = 0; e < plain.src.size(); e += 3)
    for (size_t j = 0; j < 3; ++j)
      expected[static_cast<size_t>(plain.dst[e]) * 3 + j] +=
          2 * x[static_cast<size_t>(plain.src[e]) * 3 + j];
  void *memory[3];
  int64_t sizes[] = {240, 240, (*bound)->workspaceBytes()};
  for (size_t i = 0; i < 3; ++i)
    memory[i] = *fake->allocate(sizes[i]);
  std::copy(x.begin(), x.end(), static_cast<float *>(memory[0]));
  ConstBuffer input = {memory[0], sizes[0]};
  Buffer output = {memory[1], sizes[1]};
  EXPECT_FALSE(
      (*bound)->run({&input, 1}, {&output, 1}, {memory[2], sizes[2]}, nullptr));
  std::copy_n(static_cast<float *>(memory[1]), 60, y.begin());
  EXPECT_EQ(y, expected);
  for (void *each : memory)
    fake->free(each);
}

TEST(DerivedGraph, PlansAreReadBack) {
  auto plan = LaunchPlan::parse(derivedPlanText());
  ASSERT_TRUE(plan) << plan.message();
  auto again = LaunchPlan::parse(plan->json());
  ASSERT_TRUE(again) << again.message();
  EXPECT_EQ(again->json(), plan->json());
  const FunctionPlan &function = again->functions[0];
  ASSERT_EQ(function.derived.size(), 1u);
  EXPECT_EQ(function.derived[0].made.types, Array{1});
  EXPECT_EQ(function.structures[0].graph, 1);
  EXPECT_EQ(function.graphs.size(), 1u);
}

TEST(DerivedGraph, PlansWithShardsAreReadBack) {
  std::string text = derivedPlanText();
  text.replace(text.find("\"types\": [1]"), 12,
               "\"shards\": 4, \"shard_end\": \"dst\"");
  auto plan = LaunchPlan::parse(text);
  ASSERT_TRUE(plan) << plan.message();
  auto again = LaunchPlan::parse(plan->json());
  ASSERT_TRUE(again) << again.message();
  EXPECT_EQ(again->json(), plan->json());
  const Derivation &made = again->functions[0].derived[0].made;
  EXPECT_FALSE(made.types);
  EXPECT_EQ(made.shards, 4);
  EXPECT_EQ(made.shardEnd, GraphSide::Dst);
}

TEST(DerivedGraph, MalformedPlans) {
  struct {
    const char *piece, *other, *part;
  } cases[] = {
      {"\"types\": [1]", "\"types\": [2]",
       "derived[0] ('s'): expected 0 <= edge type < 2, got 2"},
      {"\"types\": [1]", "\"types\": [1, 0]",
       "expected 2 <= edge type < 2, got 0"},
      {"\"types\": [1]", "\"types\": [-1]", "expected an edge type, got -1"},
      {"\"types\": [1]", "\"shards\": 1, \"shard_end\": \"src\"",
       "derived[0] ('s'): shards: expected 2 or more, got 1"},
      {"\"types\": [1]", "\"shards\": 2, \"shard_end\": \"edge\"",
       "expected src or dst, got 'edge'"},
      {"\"of\": \"g\"", "\"of\": \"h\"",
       "derived[0].of: expected the name of one of the graphs, got 'h'"},
      {"\"derived\": [",
       "\"derived\": [{\"name\": \"g\", \"of\": \"g\", \"types\": [], "
       "\"schema\": null}, ",
       "expected a name of its own, got 'g' again"},
      {"\"schema\": null}],\n   \"inputs\"", "\"schema\": []}],\n   \"inputs\"",
       "expected a schema of 1 edge types, got 0"},
      {"\"graph\": \"s\"", "\"graph\": \"t\"", "got 't'"},
  };
  for (auto [piece, other, part] : cases) {
    std::string text = derivedPlanText();
    size_t place = text.find(piece);
    ASSERT_NE(place, std::string::npos) << piece;
    auto plan = LaunchPlan::parse(
        text.replace(place, std::string(piece).size(), other));
    EXPECT_TRUE(contains(plan.message(), part));
  }
}

TEST(DerivedGraph, ASchemaIsChecked) {
  std::string text = derivedPlanText();
  size_t place = text.find("\"schema\": null}],\n   \"inputs\"");
  text.replace(place, 14, "\"schema\": [[1, -1]]");
  text.replace(text.find("\"node_types\": 1"), 15, "\"node_types\": 2");
  auto plan = LaunchPlan::parse(text);
  ASSERT_TRUE(plan) << plan.message();
  PlainGraph plain = randomGraph(1, true, 20, 0, 90, 2, 2);
  std::fill(plain.type.begin(), plain.type.end(), 1);
  auto all = withDerived(plan->functions[0], {plain.build()});
  EXPECT_TRUE(contains(all.message(), "graph 's': edge 0 of edge type 0: "
                                      "expected a source of node type 1"));
}
