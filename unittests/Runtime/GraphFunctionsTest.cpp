//===- GraphFunctionsTest.cpp - Graphs made from graphs -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <algorithm>
#include <set>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
using Array = std::vector<int32_t>;

DerivedGraph take(Expected<DerivedGraph> derived) {
  EXPECT_TRUE(derived) << derived.message();
  return derived ? std::move(*derived) : DerivedGraph();
}
} // namespace

TEST(GraphFunctions, AddSelfLoops) {
  for (const PlainGraph &given : oddGraphs()) {
    auto graph = given.build();
    if (!given.square) {
      EXPECT_TRUE(
          contains(addSelfLoops(*graph, SelfLoops::Add).message(), "square"));
      continue;
    }
    DerivedGraph result = take(addSelfLoops(
        *graph, SelfLoops::Add, static_cast<int32_t>(given.edgeTypes)));
    PlainGraph got = plain(*result.graph);
    size_t edges = given.src.size();
    ASSERT_EQ(got.src.size(), edges + static_cast<size_t>(given.srcNodes));
    EXPECT_EQ(got.edgeTypes, given.edgeTypes + 1);
    for (size_t e = 0; e < got.src.size(); ++e) {
      if (e < edges) {
        EXPECT_EQ(got.src[e], given.src[e]);
        EXPECT_EQ(got.dst[e], given.dst[e]);
        EXPECT_EQ(got.type[e], given.type[e]);
        EXPECT_EQ(result.edgeOrigin[e], static_cast<int32_t>(e));
      } else {
        EXPECT_EQ(got.src[e], static_cast<int32_t>(e - edges));
        EXPECT_EQ(got.dst[e], static_cast<int32_t>(e - edges));
        EXPECT_EQ(got.type[e], given.edgeTypes);
        EXPECT_EQ(result.edgeOrigin[e], -1);
      }
    }
    EXPECT_EQ(result.edgeTypeOrigin.back(), -1);
  }
}

TEST(GraphFunctions, ReplaceSelfLoops) {
  PlainGraph given;
  given.srcNodes = 3;
  given.src = {1, 0, 1, 1};
  given.dst = {1, 2, 1, 0};
  given.type = {0, 0, 0, 0};
  given.srcType = given.dstType = {0, 0, 0};
  DerivedGraph result =
      take(addSelfLoops(*given.build(), SelfLoops::Replace, 0));
  PlainGraph got = plain(*result.graph);
  EXPECT_EQ(got.src, (Array{0, 1, 0, 1, 2}));
  EXPECT_EQ(got.dst, (Array{2, 0, 0, 1, 2}));
  EXPECT_EQ(got.edgeTypes, 1);
  EXPECT_EQ(result.edgeOrigin, (Array{1, 3, -1, -1, -1}));
  EXPECT_TRUE(
      contains(addSelfLoops(*given.build(), SelfLoops::Replace, 2).message(),
               "expected -1 <= edge type <= 1, got 2"));
}

// Without a type they are of the one that there is, else of a new one.
TEST(GraphFunctions, SelfLoopsWithoutAType) {
  PlainGraph given;
  given.srcNodes = 2;
  given.src = {0, 1};
  given.dst = {1, 0};
  given.type = {0, 0};
  given.srcType = given.dstType = {0, 0};
  PlainGraph one =
      plain(*take(addSelfLoops(*given.build(), SelfLoops::Replace)).graph);
  EXPECT_EQ(one.edgeTypes, 1);
  EXPECT_EQ(one.type, (Array{0, 0, 0, 0}));
  given.edgeTypes = 2;
  PlainGraph several =
      plain(*take(addSelfLoops(*given.build(), SelfLoops::Replace)).graph);
  EXPECT_EQ(several.edgeTypes, 3);
  EXPECT_EQ(several.type, (Array{0, 0, 2, 2}));
}

TEST(GraphFunctions, AddInverses) {
  for (PlainGraph given : oddGraphs()) {
    if (!given.square)
      continue;
    given.edgeNames.clear();
    for (int64_t r = 0; r < given.edgeTypes; ++r)
      given.edgeNames.push_back("r" + std::to_string(r));
    DerivedGraph result = take(addInverses(*given.build()));
    PlainGraph got = plain(*result.graph);
    size_t edges = given.src.size();
    ASSERT_EQ(got.src.size(), 2 * edges);
    EXPECT_EQ(got.edgeTypes, 2 * given.edgeTypes);
    for (size_t e = 0; e < edges; ++e) {
      EXPECT_EQ(got.src[e], given.src[e]);
      EXPECT_EQ(got.src[edges + e], given.dst[e]);
      EXPECT_EQ(got.dst[edges + e], given.src[e]);
      EXPECT_EQ(got.type[edges + e], given.type[e] + given.edgeTypes);
      EXPECT_EQ(result.edgeOrigin[edges + e], static_cast<int32_t>(e));
    }
    if (given.edgeTypes)
      EXPECT_EQ(got.edgeNames.back(), given.edgeNames.back() + "_inverse");
  }
}

TEST(GraphFunctions, InversesTurnTheSchema) {
  PlainGraph given;
  given.srcNodes = 2;
  given.nodeTypes = 2;
  given.src = {0};
  given.dst = {1};
  given.type = {0};
  given.srcType = given.dstType = {0, 1};
  given.schema = {{0, 1}};
  PlainGraph got = plain(*take(addInverses(*given.build())).graph);
  EXPECT_EQ(got.schema, (std::vector<EdgeTypeEnds>{{0, 1}, {1, 0}}));
}

TEST(GraphFunctions, RefineTypes) {
  for (const PlainGraph &given : oddGraphs()) {
    DerivedGraph result = take(refineTypes(*given.build()));
    PlainGraph got = plain(*result.graph);
    EXPECT_EQ(got.src, given.src);
    std::set<std::array<int32_t, 3>> triples;
    for (size_t e = 0; e < given.src.size(); ++e) {
      int32_t from =
          given.typeOf(GraphSide::Src)[static_cast<size_t>(given.src[e])];
      int32_t to =
          given.typeOf(GraphSide::Dst)[static_cast<size_t>(given.dst[e])];
      triples.insert({given.type[e], from, to});
      size_t r = static_cast<size_t>(got.type[e]);
      EXPECT_EQ(got.schema[r], (EdgeTypeEnds{from, to}));
      EXPECT_EQ(result.edgeTypeOrigin[r], given.type[e]);
    }
    EXPECT_EQ(got.edgeTypes, static_cast<int64_t>(triples.size()));
    // Ordered by (edge type, source type, destination type).
    size_t r = 0;
    for (const auto &[type, from, to] : triples) {
      EXPECT_EQ(result.edgeTypeOrigin[r], type);
      EXPECT_EQ(got.schema[r], (EdgeTypeEnds{from, to}));
      ++r;
    }
  }
}

TEST(GraphFunctions, RefinedNames) {
  PlainGraph given;
  given.srcNodes = 2;
  given.nodeTypes = 2;
  given.src = {0, 1};
  given.dst = {1, 1};
  given.type = {0, 0};
  given.srcType = given.dstType = {0, 1};
  given.nodeNames = {"paper", "author"};
  given.edgeNames = {"by"};
  PlainGraph got = plain(*take(refineTypes(*given.build())).graph);
  EXPECT_EQ(got.edgeNames,
            (std::vector<std::string>{"paper by author", "author by author"}));
}

TEST(GraphFunctions, MergeTypes) {
  PlainGraph given = randomGraph(3, true, 7, 0, 40, 3, 4);
  PlainGraph got = plain(*take(mergeTypes(*given.build(), true, true)).graph);
  EXPECT_EQ(got.edgeTypes, 1);
  EXPECT_EQ(got.nodeTypes, 1);
  EXPECT_EQ(got.type, Array(40, 0));
  EXPECT_EQ(got.srcType, Array(7, 0));
  got = plain(*take(mergeTypes(*given.build(), false, true)).graph);
  EXPECT_EQ(got.edgeTypes, 4);
  EXPECT_EQ(got.type, given.type);
}

TEST(GraphFunctions, Renumber) {
  for (const PlainGraph &given : oddGraphs()) {
    std::mt19937 random(7);
    Array ids[2];
    for (GraphSide side : {GraphSide::Src, GraphSide::Dst}) {
      Array &list = ids[side == GraphSide::Dst];
      list.resize(static_cast<size_t>(given.nodes(side)));
      for (size_t v = 0; v < list.size(); ++v)
        list[v] = static_cast<int32_t>(v);
      std::shuffle(list.begin(), list.end(), random);
    }
    if (given.square)
      ids[1].clear();
    DerivedGraph result = take(renumber(*given.build(), ids[0], ids[1]));
    PlainGraph got = plain(*result.graph);
    const Array &dstIds = given.square ? ids[0] : ids[1];
    for (size_t e = 0; e < given.src.size(); ++e) {
      EXPECT_EQ(got.src[e], ids[0][static_cast<size_t>(given.src[e])]);
      EXPECT_EQ(got.dst[e], dstIds[static_cast<size_t>(given.dst[e])]);
    }
    for (size_t v = 0; v < ids[0].size(); ++v)
      EXPECT_EQ(got.srcType[static_cast<size_t>(ids[0][v])], given.srcType[v]);
    for (size_t v = 0; v < dstIds.size(); ++v)
      EXPECT_EQ(got.typeOf(GraphSide::Dst)[static_cast<size_t>(dstIds[v])],
                given.typeOf(GraphSide::Dst)[v]);
  }
  auto graph = randomGraph(1, true, 3, 0, 4, 1, 1).build();
  Array twice = {0, 1, 1}, outside = {0, 1, 3}, few = {0, 1}, good = {2, 1, 0};
  EXPECT_TRUE(contains(renumber(*graph, twice, {}).message(), "got 1 again"));
  EXPECT_TRUE(contains(renumber(*graph, outside, {}).message(), "got 3"));
  EXPECT_TRUE(contains(renumber(*graph, few, {}).message(), "3 nodes, got 2"));
  EXPECT_TRUE(contains(renumber(*graph, good, good).message(), "got two"));
}

/// Nodes 0 and 1 are seeds, 2 and 3 were found through them, 4 through these.
TEST(GraphFunctions, Blocks) {
  for (bool inOrder : {true, false}) {
    PlainGraph given;
    given.srcNodes = 6;
    given.src = {2, 3, 0, 4, 1};
    given.dst = {0, 1, 1, 3, 2};
    given.type = {0, 1, 1, 0, 1};
    if (!inOrder)
      for (Array *array : {&given.src, &given.dst, &given.type})
        std::rotate(array->begin(), array->begin() + 3, array->end());
    given.srcType = given.dstType = {0, 1, 0, 1, 0, 1};
    given.nodeTypes = given.edgeTypes = 2;
    auto graph = given.build();
    auto made = makeBlocks(graph, 2, 2);
    ASSERT_TRUE(made) << made.message();
    ASSERT_EQ(made->size(), 2u);
    PlainGraph first = plain(*(*made)[0]), last = plain(*(*made)[1]);
    EXPECT_EQ((*made)[0]->edgeType().data() == graph->edgeType().data(), true);
    EXPECT_EQ((*made)[1]->edgeType().data() == graph->edgeType().data(),
              inOrder);
    EXPECT_EQ(first.src, given.src);
    EXPECT_EQ(first.dst, given.dst);
    EXPECT_EQ(last.src, (Array{2, 3, 0}));
    EXPECT_EQ(last.dst, (Array{0, 1, 1}));
    EXPECT_EQ(last.type, (Array{0, 1, 1}));
    EXPECT_EQ(first.srcType, given.srcType);
    EXPECT_EQ(first.dstType, (Array{0, 1, 0, 1}));
    EXPECT_EQ(last.srcType, (Array{0, 1, 0, 1}));
    EXPECT_EQ(last.dstType, (Array{0, 1}));
    EXPECT_FALSE(last.square);
    EXPECT_EQ(makeBlocks(graph, 7, 2).message(),
              "expected 0 to 6 seeds, got 7");
    EXPECT_EQ(makeBlocks(graph, 2, 0).message(),
              "expected 1 layer or more, got 0");
    EXPECT_TRUE(contains(makeBlocks((*made)[0], 2, 2).message(), "square"));
  }
}

TEST(GraphFunctions, Degrees) {
  for (const PlainGraph &given : oddGraphs()) {
    auto graph = given.build();
    for (GraphSide side : {GraphSide::Src, GraphSide::Dst})
      for (int32_t type = -1; type < given.edgeTypes; ++type) {
        Array expected(static_cast<size_t>(given.nodes(side)), 0);
        for (size_t e = 0; e < given.src.size(); ++e)
          if (type == -1 || given.type[e] == type)
            ++expected[static_cast<size_t>(given.ends(side)[e])];
        EXPECT_EQ(*degrees(*graph, side, type), expected);
      }
    EXPECT_FALSE(
        degrees(*graph, GraphSide::Src, static_cast<int32_t>(given.edgeTypes)));
  }
}
