//===- GraphSource.h - Graphs of a binding ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_GRAPHSOURCE_H
#define GNN_LIB_RUNTIME_GRAPHSOURCE_H

#include "StructureCache.h"

#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Runtime/Plan.h"

#include <memory>
#include <string>
#include <vector>

namespace gnn::runtime {

/// A structure on a device.
struct PlacedArray {
  void *data = nullptr;
  int64_t bytes = 0;
  /// The owner of the memory; null where that is the caller's.
  std::shared_ptr<const DeviceArray> owner;
};

/// The counts and structures of the graphs of one function, those that it
/// derives among them: graphs are named by their index in its plan.
class GraphSource {
public:
  virtual ~GraphSource();

  /// Checks the graphs against their declarations. Called first.
  virtual Error check() = 0;

  virtual Expected<int64_t> count(size_t graph, const CountKey &key) = 0;

  /// The structure on the device, or on its way there until `finish`.
  virtual Expected<PlacedArray> structure(size_t graph,
                                          const StructureKey &key) = 0;

  /// Waits for what is on its way; also called where a structure failed.
  virtual Error finish() { return {}; }
};

/// Graphs of the host, whose structures are built and uploaded.
std::unique_ptr<GraphSource> makeSource(
    const FunctionPlan &plan, std::vector<std::shared_ptr<const Graph>> graphs,
    std::shared_ptr<Device> device, std::shared_ptr<Allocator> allocator);

/// Graphs that the caller has built on the device, by name. They are there as
/// long as the source.
std::unique_ptr<GraphSource>
makeSource(const FunctionPlan &plan,
           const std::map<std::string, BuiltGraph> &graphs);

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_GRAPHSOURCE_H
