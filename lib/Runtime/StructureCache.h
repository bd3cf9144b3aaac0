//===- StructureCache.h - What a graph keeps --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_STRUCTURECACHE_H
#define GNN_LIB_RUNTIME_STRUCTURECACHE_H

#include "GNN/Lattice/Lattice.h"
#include "GNN/Runtime/Device.h"
#include "GNN/Runtime/Graph.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace gnn::runtime {

using Int32Array = std::shared_ptr<const std::vector<int32_t>>;

/// A structure on a device; frees itself.
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

/// (node, edge type) pairs of one side, by (type, node), and the pair of each
/// edge.
struct PairLists {
  Int32Array node;
  Int32Array type;
  Int32Array ofEdge;
};

/// Where the rows of a derived graph lie in its parent.
struct Origin {
  /// Keeps this graph, and so is there as long as it.
  const Graph *parent = nullptr;
  /// int32[edges], int32[edge types]: the parent's row of each.
  std::vector<int32_t> edge, edgeType;
};

struct StructureCache {
  /// That of a graph is taken before that of its parent.
  std::mutex mutex;
  std::map<StructureKey, Int32Array> arrays;
  /// By side; null where not built.
  std::shared_ptr<const PairLists> pairs[2];
  /// On devices, shared by the functions bound to the graph. A device stays as
  /// long as one of its arrays does, so its address names it.
  std::map<std::pair<const Device *, StructureKey>, std::weak_ptr<DeviceArray>>
      onDevice;
  /// Of a derived graph, else null. Never changes.
  std::unique_ptr<const Origin> origin;
  /// By the list of edge types: the graphs derived from this one.
  std::map<std::vector<int32_t>, std::shared_ptr<const Graph>> derived;
};

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_STRUCTURECACHE_H
