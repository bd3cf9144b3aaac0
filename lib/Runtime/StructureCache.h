//===- StructureCache.h - Structures that a graph keeps ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_STRUCTURECACHE_H
#define GNN_LIB_RUNTIME_STRUCTURECACHE_H

#include "GNN/Lattice/Lattice.h"
#include "GNN/Runtime/Device.h"
#include "GNN/Runtime/Graph.h"
#include "GNN/Runtime/GraphFunctions.h"
#include "GNN/Runtime/HostArray.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gnn::runtime {

using SharedIndices = std::shared_ptr<const Indices>;

/// An array on a device; frees itself.
struct DeviceArray {
  DeviceArray() = default;
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;
  ~DeviceArray() {
    if (allocator)
      allocator->free(data);
    else if (device)
      device->free(data);
  }

  std::shared_ptr<Device> device;
  std::shared_ptr<Allocator> allocator;
  void *data = nullptr;
  int64_t bytes = 0;
};

/// (node, edge type) pairs of one side, by (type, node).
struct PairLists {
  SharedIndices node, type;
  /// The pair of each edge.
  SharedIndices ofEdge;
  /// [pairs + 1]: where each pair's edges begin in the order by pairs.
  SharedIndices begin;
};

/// Where the rows of a derived graph lie in its parent.
struct Origin {
  /// Keeps this graph, and so is there as long as it.
  const Graph *parent = nullptr;
  /// int32[edges], int32[edge types]: the parent's row of each. Behind the
  /// parent's edges lie rows of its nodes, for loops that the parent has not; a
  /// type that it has not is -1.
  std::vector<int32_t> edge, edgeType;
  /// Whether there are such loops.
  bool addsLoops = false;
  /// Whether edge types are shards, which the parent has not.
  bool hasShards = false;
};

struct GraphStatistics;

struct StructureCache {
  /// Tells that a structure will be asked for.
  void expect(const StructureKey &key);

  /// The mutex of a graph is taken before that of its parent.
  std::mutex mutex;
  std::map<StructureKey, SharedIndices> arrays;
  /// By side; null where not built.
  std::shared_ptr<const PairLists> pairs[2];
  /// Maps that will be asked for. They are made with the sort of the rows that
  /// they lead from.
  std::set<StructureKey> expected;
  std::shared_ptr<const GraphStatistics> statistics;
  /// On devices, shared by the functions bound to the graph. A device stays as
  /// long as one of its arrays does, so its address names it.
  std::map<std::pair<const Device *, StructureKey>, std::weak_ptr<DeviceArray>>
      onDevice;
  /// The origin of a derived graph, else null. Never changes.
  std::unique_ptr<const Origin> origin;
  /// The graphs derived from this one.
  std::map<Derivation, std::shared_ptr<const Graph>> derived;
};

/// The pairs of one side. The cache's lock is held meanwhile.
const PairLists &pairLists(const Graph &graph, GraphSide side);

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_STRUCTURECACHE_H
