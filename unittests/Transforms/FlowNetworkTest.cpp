//===- FlowNetworkTest.cpp - The smallest of all cuts ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Transforms/Graph/Differentiate/FlowNetwork.h"

#include "gtest/gtest.h"

#include <random>

using namespace gnn;

namespace {
struct Edge {
  unsigned from, to;
  double capacity;
};
} // namespace

/// The flow out of the nodes of a set, a bit each.
static double weigh(const std::vector<Edge> &edges, unsigned side) {
  double sum = 0;
  for (const Edge &edge : edges)
    if ((side >> edge.from & 1) && !(side >> edge.to & 1))
      sum += edge.capacity;
  return sum;
}

// The set found has, of all with the source and without the end, the least
// weight, and all nodes that any one of that weight has.
TEST(FlowNetwork, SmallestOfAllCuts) {
  std::mt19937 random(1);
  for (unsigned trial = 0; trial < 5000; ++trial) {
    unsigned numNodes = 4 + random() % 6;
    std::vector<Edge> edges;
    FlowNetwork network(numNodes);
    for (unsigned i = 0, count = random() % (3 * numNodes); i < count; ++i) {
      unsigned from = random() % numNodes, to = random() % numNodes;
      if (from == to)
        continue;
      // Into the end no edge is infinite, so that there is a cut.
      bool isInfinite = to != 1 && random() % 5 == 0;
      double capacity = isInfinite ? FlowNetwork::infinite : random() % 6;
      edges.push_back({from, to, capacity});
      network.connect(from, to, capacity);
    }
    double least = FlowNetwork::infinite;
    unsigned inAny = 0;
    for (unsigned side = 1; side < 1U << numNodes; side += 2) {
      if (side & 2)
        continue;
      double weight = weigh(edges, side);
      if (weight < least) {
        least = weight;
        inAny = side;
      } else if (weight == least) {
        inAny |= side;
      }
    }
    llvm::BitVector cut = network.cut();
    unsigned found = 0;
    for (unsigned node : cut.set_bits())
      found |= 1U << node;
    EXPECT_EQ(weigh(edges, found), least) << "trial " << trial;
    EXPECT_EQ(found, inAny) << "trial " << trial;
  }
}

// Long ways, each of which is one longer than the one before.
TEST(FlowNetwork, LongWays) {
  constexpr unsigned length = 20000;
  FlowNetwork network(2 + length);
  network.connect(0, 2, FlowNetwork::infinite);
  for (unsigned node = 2; node < 1 + length; ++node)
    network.connect(node, node + 1, node == length / 2 ? 1 : 4);
  for (unsigned node = 1 + length; node > 1; node -= length / 4)
    network.connect(node, 1, 2);
  llvm::BitVector cut = network.cut();
  EXPECT_TRUE(cut[length / 2]);
  EXPECT_FALSE(cut[length / 2 + 1]);
}
