//===- PartitionTest.cpp - Subshards against a plain sort -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Partition.h"

#include "Builder.h"
#include "Graphs.h"

#include "GNN/Runtime/ThreadPool.h"

#include <algorithm>
#include <numeric>

using namespace gnn::overlay;
using namespace gnn::overlay::testing;

namespace {
Parameters withEdges(uint64_t edges) {
  Parameters parameters;
  parameters.edges = edges;
  return parameters;
}

/// Compares a partition with a stable sort of the edges.
void expectSorted(const TestGraph &graph, const Partition &partition,
                  uint64_t maxEdges, bool skipEmpty) {
  uint64_t n1 = partition.n1(), blocks = (graph.vertices + n1 - 1) / n1;
  auto key = [&](int32_t edge) {
    return graph.dst[edge] / n1 * blocks + graph.src[edge] / n1;
  };
  std::vector<int32_t> order(graph.edges());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t one, int32_t other) {
    return std::pair(key(one), one) < std::pair(key(other), other);
  });
  EXPECT_EQ(
      std::vector<int32_t>(partition.order().begin(), partition.order().end()),
      order)
      << graph.name;
  ASSERT_EQ(partition.blocks(), blocks);
  std::vector<Entry> entries;
  uint64_t first = 0;
  for (uint64_t j = 0; j < blocks; ++j) {
    EXPECT_EQ(partition.firstEntry(j), entries.size());
    for (uint64_t k = 0; k < blocks; ++k) {
      auto count = static_cast<uint64_t>(
          std::count_if(order.begin(), order.end(), [&](int32_t edge) {
            return key(edge) == j * blocks + k;
          }));
      if (count == 0 && !skipEmpty)
        entries.push_back({first, 0, static_cast<uint32_t>(k)});
      for (; count; count -= entries.back().count,
                    first = entries.back().first + entries.back().count)
        entries.push_back({first,
                           static_cast<uint32_t>(std::min(count, maxEdges)),
                           static_cast<uint32_t>(k)});
    }
  }
  EXPECT_EQ(partition.firstEntry(blocks), entries.size());
  EXPECT_TRUE(partition.entries() == entries) << graph.name;
}
} // namespace

TEST(Partition, SortsStably) {
  for (const TestGraph &graph : oddGraphs())
    for (uint64_t n1 : {16, 32, 112})
      for (uint64_t maxEdges : {7, 65536})
        for (bool skipEmpty : {false, true}) {
          auto partition = Partition::create(graph.graph, n1,
                                             withEdges(maxEdges), {skipEmpty});
          ASSERT_TRUE(bool(partition)) << partition.message();
          expectSorted(graph, *partition, maxEdges, skipEmpty);
        }
}

TEST(Partition, IsTheSameForAnyNumberOfThreads) {
  TestGraph graph = randomGraph("large", 5003, 1000000, 0, 5003, 4);
  gnn::runtime::setNumThreads(1);
  auto one = Partition::create(graph.graph, 160, withEdges(200));
  ASSERT_TRUE(bool(one)) << one.message();
  for (unsigned threads : {2, 7}) {
    gnn::runtime::setNumThreads(threads);
    auto other = Partition::create(graph.graph, 160, withEdges(200));
    ASSERT_TRUE(bool(other)) << other.message();
    EXPECT_TRUE(one->entries() == other->entries());
    EXPECT_TRUE(one->order() == other->order());
  }
  gnn::runtime::setNumThreads(0);
}

TEST(Partition, DividesLargeIds) {
  // The first and the last vertex of each block of AP.
  constexpr int64_t vertices = 1569960, n1 = 16368;
  std::vector<int32_t> ends;
  for (int64_t first = 0; first < vertices; first += n1) {
    ends.push_back(static_cast<int32_t>(first));
    ends.push_back(static_cast<int32_t>(std::min(first + n1, vertices) - 1));
  }
  TestGraph graph("ends", vertices, ends, ends);
  auto partition = Partition::create(graph.graph, n1, {}, {true});
  ASSERT_TRUE(bool(partition)) << partition.message();
  ASSERT_EQ(partition->entries().size(), 96u);
  for (uint64_t block = 0; block < 96; ++block)
    EXPECT_TRUE((partition->entries()[block] ==
                 Entry{2 * block, 2, static_cast<uint32_t>(block)}));
}

TEST(Partition, FindsShards) {
  TestGraph graph = randomGraph("graph", 100, 300, 0, 40, 5);
  auto partition = Partition::create(graph.graph, 16, withEdges(4), {true});
  ASSERT_TRUE(bool(partition));
  for (uint64_t shard = 0; shard < partition->blocks(); ++shard)
    for (uint64_t entry = partition->firstEntry(shard);
         entry < partition->firstEntry(shard + 1); ++entry)
      EXPECT_EQ(partition->shardOf(entry), shard);
}

TEST(Partition, PlacesWeights) {
  TestGraph graph = randomGraph("graph", 100, 300, 0, 100, 6);
  auto partition = Partition::create(graph.graph, 32, withEdges(5));
  ASSERT_TRUE(bool(partition));
  std::vector<float> weights(300), back(300);
  std::iota(weights.begin(), weights.end(), 1.0f);
  std::vector<Edge> edges(300);
  partition->writeEdges(weights.data(), edges.data());
  for (size_t place = 0; place < edges.size(); ++place) {
    auto edge = static_cast<size_t>(edges[place].weight) - 1;
    EXPECT_EQ(edges[place].src, static_cast<uint32_t>(graph.src[edge]));
    EXPECT_EQ(edges[place].dst, static_cast<uint32_t>(graph.dst[edge]));
    EXPECT_EQ(partition->edgeAt(place).dst, edges[place].dst);
  }
  partition->readWeights(edges.data(), back.data());
  EXPECT_EQ(back, weights);
  partition->writeEdges(nullptr, edges.data());
  EXPECT_EQ(edges[123].weight, 1.0f);
  std::vector<Descriptor> table(partition->entries().size());
  partition->writeTable(640, table.data());
  EXPECT_EQ(table[0].address, 640u);
  EXPECT_EQ(table[1].address, 640u + 12 * table[0].count);
  EXPECT_EQ(table[1].block, partition->entries()[1].block);
}

TEST(Partition, OfCounts) {
  auto partition = Partition::ofCounts(32, 16, {20, 5, 0, 9}, withEdges(8), {});
  ASSERT_TRUE(bool(partition)) << partition.message();
  std::vector<Entry> expected = {{0, 8, 0},  {8, 8, 0},  {16, 4, 0}, {20, 5, 1},
                                 {25, 0, 0}, {25, 8, 1}, {33, 1, 1}};
  EXPECT_TRUE(partition->entries() == expected);
  EXPECT_EQ(partition->edges(), 34u);
  EXPECT_FALSE(partition->hasEdges());
  EXPECT_EQ(Partition::ofCounts(33, 16, {1}, Parameters()).message(),
            "expected counts of 3 x 3 subshards, got 1");
}

TEST(Partition, OfProgram) {
  TestGraph graph = randomGraph("graph", 100, 300, 0, 40, 5);
  for (bool skipEmpty : {false, true}) {
    auto first = Partition::create(graph.graph, 16, {}, {skipEmpty});
    ASSERT_TRUE(bool(first));
    Builder builder(*first);
    builder.addEdges("a", RegionRole::Input, /*isWeighted=*/false);
    auto second = Partition::forProgram(graph.graph, builder.program);
    ASSERT_TRUE(bool(second)) << second.message();
    EXPECT_TRUE(second->entries() == first->entries());
    for (uint64_t shard = 0; shard <= first->blocks(); ++shard)
      EXPECT_EQ(second->firstEntry(shard), first->firstEntry(shard));
  }
}

/// Other hardware has larger buffers.
TEST(Partition, RefusesEntriesOfOtherHardware) {
  TestGraph graph = randomGraph("graph", 16, 60, 0, 16, 5);
  auto partition = Partition::create(graph.graph, 16, withEdges(60));
  ASSERT_TRUE(bool(partition)) << partition.message();
  Builder builder(*partition);
  builder.addFeatures("x", RegionRole::Input, 4);
  builder.program.parameters.edges = 60;
  EXPECT_EQ(partition->checkProgram(builder.program).message(), "");
  builder.program.parameters.edges = 59;
  EXPECT_EQ(partition->checkProgram(builder.program).message(),
            "expected entries of at most 59 edges, as an edge buffer of the "
            "program's hardware takes, got one of 60");
}

TEST(Partition, RefusesSizes) {
  TestGraph graph = randomGraph("graph", 100, 300, 0, 100, 6);
  EXPECT_EQ(Partition::create(graph.graph, 0, Parameters()).message(),
            "expected N1 from 1 to 16384, got 0");
  EXPECT_EQ(Partition::create(graph.graph, 16400, Parameters()).message(),
            "expected N1 from 1 to 16384, got 16400");
  Parameters large;
  large.featureRows = uint64_t(1) << 62;
  EXPECT_EQ(
      Partition::ofCounts(uint64_t(1) << 31, uint64_t(1) << 62, {0}, large)
          .message(),
      "expected at most 2147483647 vertices, got 2147483648");
}
