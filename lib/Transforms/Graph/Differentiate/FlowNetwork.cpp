//===- FlowNetwork.cpp - A smallest cut by augmenting shortest ways -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dinic's algorithm: rounds, each of which numbers nodes by their distance from
// the source and then fills all shortest ways. Ways of deep models are long, so
// nothing here recurses.
//
//===----------------------------------------------------------------------===//

#include "FlowNetwork.h"

#include <algorithm>

using namespace gnn;

/// The distance of a node that the source does not reach.
static constexpr unsigned unreached = ~0U;

void FlowNetwork::connect(unsigned from, unsigned to, double capacity) {
  edgesOf[from].push_back(edges.size());
  edges.push_back({to, capacity});
  edgesOf[to].push_back(edges.size());
  edges.push_back({from, 0});
}

std::vector<unsigned> FlowNetwork::findDistances() const {
  std::vector<unsigned> distances(edgesOf.size(), unreached);
  distances[0] = 0;
  std::vector<unsigned> queue = {0};
  for (size_t next = 0; next < queue.size(); ++next)
    for (unsigned edge : edgesOf[queue[next]])
      if (unsigned to = edges[edge].to;
          edges[edge].capacity > 0 && distances[to] == unreached) {
        distances[to] = distances[queue[next]] + 1;
        queue.push_back(to);
      }
  return distances;
}

void FlowNetwork::fill(llvm::ArrayRef<unsigned> way) {
  double room = infinite;
  for (unsigned edge : way)
    room = std::min(room, edges[edge].capacity);
  for (unsigned edge : way) {
    // An infinite capacity stays so.
    if (edges[edge].capacity < infinite)
      edges[edge].capacity -= room;
    edges[edge ^ 1].capacity += room;
  }
}

void FlowNetwork::fillShortest(const std::vector<unsigned> &distances) {
  // The first edge of each node that may still lead to the end.
  std::vector<unsigned> next(edgesOf.size(), 0);
  llvm::SmallVector<unsigned> way;
  while (true) {
    unsigned node = way.empty() ? 0 : edges[way.back()].to;
    if (node == 1) {
      fill(way);
      // Back to where the first full edge starts.
      way.truncate(
          llvm::find_if(
              way, [&](unsigned edge) { return edges[edge].capacity <= 0; }) -
          way.begin());
    } else if (next[node] < edgesOf[node].size()) {
      unsigned edge = edgesOf[node][next[node]];
      if (edges[edge].capacity > 0 &&
          distances[edges[edge].to] == distances[node] + 1)
        way.push_back(edge);
      else
        ++next[node];
    } else if (way.empty()) {
      return;
    } else { // no way on from here: nor by the edge that led here
      way.pop_back();
      ++next[way.empty() ? 0 : edges[way.back()].to];
    }
  }
}

llvm::BitVector FlowNetwork::cut() {
  std::vector<unsigned> distances = findDistances();
  for (; distances[1] != unreached; distances = findDistances())
    fillShortest(distances);
  // The last one of several smallest cuts: all but what still leads to the end.
  llvm::BitVector before(edgesOf.size(), true);
  before.reset(1);
  std::vector<unsigned> queue = {1};
  for (size_t next = 0; next < queue.size(); ++next)
    for (unsigned edge : edgesOf[queue[next]])
      if (unsigned from = edges[edge].to;
          edges[edge ^ 1].capacity > 0 && before.test(from)) {
        before.reset(from);
        queue.push_back(from);
      }
  return before;
}
