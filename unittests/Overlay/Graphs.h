//===- Graphs.h - Graphs of the overlay's tests -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_OVERLAY_GRAPHS_H
#define GNN_UNITTESTS_OVERLAY_GRAPHS_H

#include "GNN/Runtime/Graph.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace gnn::overlay::testing {

/// A graph, and the same as plain vectors.
struct TestGraph {
  std::string name;
  int64_t vertices = 0;
  std::vector<int32_t> src, dst;
  std::shared_ptr<const runtime::Graph> graph;

  TestGraph(std::string name, int64_t vertices, std::vector<int32_t> from,
            std::vector<int32_t> to)
      : name(std::move(name)), vertices(vertices), src(std::move(from)),
        dst(std::move(to)) {
    runtime::GraphArrays arrays;
    arrays.numSrcNodes = vertices;
    arrays.numEdges = static_cast<int64_t>(src.size());
    arrays.edgeSrc = src.data();
    arrays.edgeDst = dst.data();
    auto made = runtime::Graph::create(arrays);
    EXPECT_TRUE(bool(made)) << made.message();
    if (made)
      graph = *made;
  }

  size_t edges() const { return src.size(); }
};

/// Edges whose ends are drawn from [low, high).
inline TestGraph randomGraph(std::string name, int64_t vertices, size_t edges,
                             int32_t low, int32_t high, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int32_t> draw(low, high - 1);
  std::vector<int32_t> src(edges), dst(edges);
  for (size_t i = 0; i < edges; ++i) {
    src[i] = draw(random);
    dst[i] = draw(random);
  }
  return TestGraph(std::move(name), vertices, src, dst);
}

/// Graphs that are odd in one way each.
inline std::vector<TestGraph> oddGraphs() {
  std::vector<TestGraph> graphs;
  graphs.emplace_back("no edge", 40, std::vector<int32_t>(),
                      std::vector<int32_t>());
  graphs.emplace_back("one vertex", 1, std::vector<int32_t>(),
                      std::vector<int32_t>());
  graphs.emplace_back("self loop", 1, std::vector<int32_t>{0},
                      std::vector<int32_t>{0});
  graphs.push_back(randomGraph("uniform", 100, 700, 0, 100, 1));
  graphs.push_back(randomGraph("empty blocks", 150, 300, 70, 90, 2));
  graphs.push_back(randomGraph("multi-edges", 50, 400, 40, 45, 3));
  std::vector<int32_t> src, dst;
  for (int32_t i = 0; i < 90; ++i) {
    src.push_back(i);
    dst.push_back(17);
    src.push_back(17);
    dst.push_back(i);
  }
  graphs.emplace_back("hub", 90, src, dst);
  return graphs;
}

} // namespace gnn::overlay::testing

#endif // GNN_UNITTESTS_OVERLAY_GRAPHS_H
