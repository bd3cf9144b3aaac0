//===- FlowNetwork.cpp - A smallest cut by augmenting shortest ways -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edmonds and Karp: functions have some hundred values.
//
//===----------------------------------------------------------------------===//

#include "FlowNetwork.h"

#include <algorithm>

using namespace gnn;

void FlowNetwork::connect(unsigned from, unsigned to, double capacity) {
  edgesOf[from].push_back(edges.size());
  edges.push_back({to, capacity});
  edgesOf[to].push_back(edges.size());
  edges.push_back({from, 0});
}

/// The edges by which a search from node 0 first came to each node.
static constexpr unsigned unseen = ~0U;

bool FlowNetwork::augment() {
  std::vector<unsigned> cameBy(edgesOf.size(), unseen);
  std::vector<unsigned> queue = {0};
  for (size_t next = 0; next < queue.size() && cameBy[1] == unseen; ++next)
    for (unsigned edge : edgesOf[queue[next]])
      if (unsigned to = edges[edge].to;
          edges[edge].capacity > 0 && to != 0 && cameBy[to] == unseen) {
        cameBy[to] = edge;
        queue.push_back(to);
      }
  if (cameBy[1] == unseen)
    return false;
  double room = infinite;
  for (unsigned node = 1; node != 0; node = edges[cameBy[node] ^ 1].to)
    room = std::min(room, edges[cameBy[node]].capacity);
  for (unsigned node = 1; node != 0; node = edges[cameBy[node] ^ 1].to) {
    // What is infinite stays so.
    if (edges[cameBy[node]].capacity < infinite)
      edges[cameBy[node]].capacity -= room;
    edges[cameBy[node] ^ 1].capacity += room;
  }
  return room < infinite;
}

llvm::BitVector FlowNetwork::cut() {
  while (augment())
    ;
  llvm::BitVector reached(edgesOf.size());
  std::vector<unsigned> queue = {0};
  reached.set(0);
  while (!queue.empty()) {
    unsigned node = queue.back();
    queue.pop_back();
    for (unsigned edge : edgesOf[node])
      if (edges[edge].capacity > 0 && !reached[edges[edge].to]) {
        reached.set(edges[edge].to);
        queue.push_back(edges[edge].to);
      }
  }
  return reached;
}
