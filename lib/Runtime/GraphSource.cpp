//===- GraphSource.cpp - Graphs of a binding ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphSource.h"

#include <algorithm>

using namespace gnn::runtime;

GraphSource::~GraphSource() = default;

//===----------------------------------------------------------------------===//
// Graphs of the host
//===----------------------------------------------------------------------===//

/// Starts to copy a structure to new memory of the device. Memory of a caller's
/// allocator may still be in use on one of his streams: such a copy is made at
/// once, as his other copies are.
static Expected<std::shared_ptr<DeviceArray>>
upload(const Indices &values, const std::shared_ptr<Device> &device,
       const std::shared_ptr<Allocator> &allocator) {
  auto array = std::make_shared<DeviceArray>();
  int64_t bytes = static_cast<int64_t>(values.size() * sizeof(int32_t));
  Expected<void *> memory =
      allocator ? allocator->allocate(bytes) : device->allocate(bytes);
  if (!memory)
    return memory.takeError();
  array->device = device;
  array->allocator = allocator;
  array->data = *memory;
  array->bytes = bytes;
  if (Error error =
          allocator ? device->copyToDevice(array->data, values.data(), bytes)
                    : device->startCopy(array->data, values.data(), bytes)) {
    // Parts of it may be under way to the memory, which goes with the array.
    (void)device->finishCopies();
    return error;
  }
  return array;
}

/// The structure on the device: the one that is there, or a new one.
static Expected<std::shared_ptr<const DeviceArray>>
place(const Graph &graph, const StructureKey &key,
      const std::shared_ptr<Device> &device,
      const std::shared_ptr<Allocator> &allocator) {
  StructureCache &cache = graph.cache();
  std::pair<const Device *, StructureKey> name(device.get(), key);
  if (!allocator) {
    std::lock_guard<std::mutex> lock(cache.mutex);
    auto found = cache.onDevice.find(name);
    if (found != cache.onDevice.end())
      if (std::shared_ptr<DeviceArray> array = found->second.lock())
        return std::shared_ptr<const DeviceArray>(std::move(array));
  }
  auto values = graph.structure(key);
  if (!values)
    return values.takeError();
  auto array = upload(**values, device, allocator);
  if (!array)
    return array.takeError();
  if (!allocator) {
    std::lock_guard<std::mutex> lock(cache.mutex);
    cache.onDevice[name] = *array;
  }
  return std::shared_ptr<const DeviceArray>(std::move(*array));
}

namespace {
class HostGraphs : public GraphSource {
public:
  HostGraphs(const FunctionPlan &plan,
             std::vector<std::shared_ptr<const Graph>> graphs,
             std::shared_ptr<Device> device,
             std::shared_ptr<Allocator> allocator)
      : plan(plan), graphs(std::move(graphs)), device(std::move(device)),
        allocator(std::move(allocator)) {}

  Error check() override {
    if (graphs.size() != plan.graphs.size())
      return failure("expected ", plan.graphs.size(), " graphs, got ",
                     graphs.size());
    for (size_t i = 0; i < graphs.size(); ++i) {
      Error error = graphs[i] ? checkGraph(plan.graphs[i], *graphs[i])
                              : failure("expected a graph, got none");
      if (error)
        return error.in("graph '" + plan.graphs[i].name + "'");
    }
    auto all = withDerived(plan, std::move(graphs));
    if (!all)
      return all.takeError();
    graphs = std::move(*all);
    for (const StructureSpec &spec : plan.structures)
      graphs[static_cast<size_t>(spec.graph)]->cache().expect(spec.key);
    return {};
  }

  Expected<int64_t> count(size_t graph, const CountKey &key) override {
    return graphs[graph]->count(key);
  }

  Expected<PlacedArray> structure(size_t graph,
                                  const StructureKey &key) override {
    auto array = place(*graphs[graph], key, device, allocator);
    if (!array)
      return array.takeError();
    return PlacedArray{(*array)->data, (*array)->bytes, *array};
  }

  Error finish() override { return device->finishCopies(); }

private:
  const FunctionPlan &plan;
  std::vector<std::shared_ptr<const Graph>> graphs;
  std::shared_ptr<Device> device;
  std::shared_ptr<Allocator> allocator;
};
} // namespace

std::unique_ptr<GraphSource> gnn::runtime::makeSource(
    const FunctionPlan &plan, std::vector<std::shared_ptr<const Graph>> graphs,
    std::shared_ptr<Device> device, std::shared_ptr<Allocator> allocator) {
  return std::make_unique<HostGraphs>(plan, std::move(graphs),
                                      std::move(device), std::move(allocator));
}

//===----------------------------------------------------------------------===//
// Graphs that the caller has built
//===----------------------------------------------------------------------===//

namespace {
class BuiltGraphs : public GraphSource {
public:
  BuiltGraphs(const FunctionPlan &plan,
              const std::map<std::string, BuiltGraph> &given)
      : plan(plan), given(given) {}

  Error check() override {
    for (size_t i = 0; i < plan.numGraphs(); ++i) {
      auto found = given.find(plan.graphName(i));
      if (found == given.end())
        return failure("expected a graph '", plan.graphName(i),
                       "', got none of that name");
      graphs.push_back(&found->second);
      bool isDerived = i >= plan.graphs.size();
      Error error = isDerived ? checkDerived(i) : checkDeclared(i);
      if (error)
        return error.in("graph '" + plan.graphName(i) + "'");
    }
    return {};
  }

  Expected<int64_t> count(size_t graph, const CountKey &key) override {
    auto found = graphs[graph]->counts.find(key);
    if (found == graphs[graph]->counts.end())
      return failure("expected '", key.str(), "' among the counts of graph '",
                     plan.graphName(graph), "', got none");
    if (found->second < 0)
      return failure("expected '", key.str(), "' of 0 or more, got ",
                     found->second);
    return found->second;
  }

  Expected<PlacedArray> structure(size_t graph,
                                  const StructureKey &key) override {
    auto found = graphs[graph]->structures.find(key);
    if (found == graphs[graph]->structures.end())
      return failure("expected it among the structures of graph '",
                     plan.graphName(graph), "', got none");
    const BuiltGraph::Array &array = found->second;
    Expected<int64_t> size = sizeOf(graph, key);
    if (!size)
      return size.takeError();
    if (array.size != *size)
      return failure("expected ", *size, " values, got ", array.size);
    auto address = reinterpret_cast<uintptr_t>(array.data);
    if (*size > 0 && (address == 0 || address % kTensorAlignment != 0))
      return failure("expected an address aligned to ", kTensorAlignment,
                     " bytes, got ", array.data);
    return PlacedArray{const_cast<int32_t *>(array.data),
                       *size * static_cast<int64_t>(sizeof(int32_t)), nullptr};
  }

private:
  Error checkDeclared(size_t index) {
    const GraphSpec &spec = plan.graphs[index];
    Expected<int64_t> nodeTypes =
        count(index, CountKey::count(Space::NodeType));
    if (!nodeTypes)
      return nodeTypes.takeError();
    Expected<int64_t> edgeTypes =
        count(index, CountKey::count(Space::EdgeType));
    if (!edgeTypes)
      return edgeTypes.takeError();
    if (Error error =
            checkKind(spec, graphs[index]->square, *nodeTypes, *edgeTypes))
      return error;
    if (spec.selfLoops && !graphs[index]->selfLoops)
      return failure("expected one self loop at each node, got a graph that "
                     "was not checked for them");
    if (spec.dstSorted && !graphs[index]->dstSorted)
      return failure("expected edges sorted by destination, got a graph that "
                     "was not checked for it");
    return checkSchema(spec.schema, index);
  }

  Error checkDerived(size_t index) {
    const DerivedSpec &spec = plan.derived[index - plan.graphs.size()];
    Expected<int64_t> types = count(index, CountKey::count(Space::EdgeType));
    if (!types)
      return types.takeError();
    int64_t expected = spec.made.numEdgeTypes(
        plan.graphs[static_cast<size_t>(spec.parent)].edgeTypes);
    if (*types != expected)
      return failure("expected ", expected, " edge types, got ", *types);
    return checkSchema(spec.schema, index);
  }

  Error checkSchema(const std::optional<std::vector<EdgeTypeEnds>> &schema,
                    size_t index) const {
    if (schema && *schema != graphs[index]->schema)
      return failure("expected edges that obey the declared schema, got a "
                     "graph that was not checked for it");
    return {};
  }

  /// The number of values of a structure.
  Expected<int64_t> sizeOf(size_t graph, const StructureKey &key) {
    bool ofLong = key.isOfLong();
    switch (key.kind) {
    case StructureKey::Kind::Map:
      return count(graph, CountKey::count(key.elements.space));
    case StructureKey::Kind::Tiles:
    case StructureKey::Kind::LongTiles: {
      auto tiles = count(
          graph,
          ofLong ? CountKey::longTileCount(key.group, key.elements, key.tile)
                 : CountKey::tileCount(key.group, key.elements, key.tile));
      return tiles ? Expected<int64_t>(3 * *tiles) : tiles;
    }
    case StructureKey::Kind::Rows:
    case StructureKey::Kind::TileRows:
    case StructureKey::Kind::LongTileRows:
    case StructureKey::Kind::MergedRows: {
      auto groups = count(graph, CountKey::count(key.group));
      return groups ? Expected<int64_t>(*groups + 1) : groups;
    }
    case StructureKey::Kind::Filled: {
      auto groups = count(graph, CountKey::count(key.group));
      return groups ? gnn::TeamShare::filledLength(*groups) : groups;
    }
    case StructureKey::Kind::Stream:
    case StructureKey::Kind::Shares: {
      auto rows = count(graph, CountKey::count(key.elements.space));
      if (!rows)
        return rows;
      return key.hasTarget() ? gnn::TeamShare::streamLength(*rows)
                             : gnn::TeamShare::sharesLength(*rows, key.tile);
    }
    case StructureKey::Kind::CutRows: {
      auto rows = count(
          graph, CountKey::cutRowCount(key.group, key.elements, key.tile));
      return rows ? Expected<int64_t>(3 * *rows) : rows;
    }
    case StructureKey::Kind::Merged: {
      auto entries = count(graph, CountKey::mergedCount(key));
      return entries ? Expected<int64_t>(
                           gnn::MergedRows::entryLength(key.tile) * *entries)
                     : entries;
    }
    }
    return failure("unknown kind of structure");
  }

  const FunctionPlan &plan;
  const std::map<std::string, BuiltGraph> &given;
  std::vector<const BuiltGraph *> graphs;
};
} // namespace

std::unique_ptr<GraphSource>
gnn::runtime::makeSource(const FunctionPlan &plan,
                         const std::map<std::string, BuiltGraph> &graphs) {
  return std::make_unique<BuiltGraphs>(plan, graphs);
}
