//===- CAPIBind.cpp - C API of binding ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CAPIBinding.h"
#include "StructureBuilder.h"

#include <map>

using namespace gnn::runtime;

GnnError *gnnBind(const GnnPackage *package, const char *function,
                  GnnGraph *const *graphs, int64_t numGraphs,
                  const GnnDevice *device, const GnnBindOptions *options,
                  GnnBoundFunction **bound) {
  return guardedCall("bind", [&]() -> Error {
    if (Error error =
            expectPointers("a package, a function's name, a device and a "
                           "result",
                           package, function, device, bound))
      return error;
    Expected<BindOptions> converted = convertOptions(options);
    if (!converted)
      return converted.takeError();
    std::vector<std::shared_ptr<const Graph>> values;
    for (GnnGraph *graph : pointers(graphs, numGraphs))
      values.push_back(unwrap(graph));
    auto value = BoundFunction::bind(
        package->value, function, std::move(values), device->value, *converted);
    if (!value)
      return value.takeError();
    auto handle = std::make_unique<GnnBoundFunction>();
    handle->value = std::move(*value);
    *bound = handle.release();
    return {};
  });
}

/// Those of the named graphs that a function declares, in its order.
static Expected<std::vector<std::shared_ptr<const Graph>>>
graphsOf(const FunctionPlan &function, const char *const *names,
         ArrayView<GnnGraph *> graphs) {
  std::vector<std::shared_ptr<const Graph>> values;
  for (const GraphSpec &spec : function.graphs) {
    size_t i = 0;
    while (i < graphs.size() && spec.name != names[i])
      ++i;
    if (i == graphs.size())
      return failure("function '", function.name, "': expected a graph '",
                     spec.name, "', got none of that name");
    values.push_back(unwrap(graphs[i]));
  }
  return values;
}

GnnError *gnnBindAll(const GnnPackage *package, const char *const *functions,
                     int64_t numFunctions, const char *const *graphNames,
                     GnnGraph *const *graphs, int64_t numGraphs,
                     const GnnDevice *device, const GnnBindOptions *options,
                     GnnBoundFunction **bound) {
  return guardedCall("bind", [&]() -> Error {
    if (Error error = expectPointers("a package, functions' names, a device "
                                     "and results",
                                     package, functions, device, bound))
      return error;
    ArrayView<GnnGraph *> given = pointers(graphs, graphNames ? numGraphs : 0);
    Expected<BindOptions> converted = convertOptions(options);
    if (!converted)
      return converted.takeError();
    using Result = Expected<std::shared_ptr<const BoundFunction>>;
    return bindEach(pointers(functions, numFunctions), bound,
                    [&](const char *function) -> Result {
                      auto plan = package->value->plan().find(function);
                      if (!plan)
                        return plan.takeError();
                      auto values = graphsOf(**plan, graphNames, given);
                      if (!values)
                        return values.takeError();
                      return BoundFunction::bind(package->value, function,
                                                 std::move(*values),
                                                 device->value, *converted);
                    });
  });
}

namespace {
Expected<BuiltGraph> convert(const GnnBuiltGraph &given) {
  BuiltGraph graph;
  graph.square = given.square;
  graph.selfLoops = given.selfLoops;
  graph.dstSorted = given.dstSorted;
  if (Error error = checkTexts(given.countKeys, given.numCounts, "counts"))
    return error;
  if (Error error =
          checkTexts(given.structureKeys, given.numStructures, "structures"))
    return error;
  if ((given.numCounts > 0 && !given.counts) ||
      (given.numStructures > 0 && (!given.structures || !given.sizes)))
    return failure("expected values of all counts, and the addresses and sizes "
                   "of all structures, got null");
  for (int64_t i = 0; i < given.numCounts; ++i) {
    Expected<CountKey> key = parseCountKey(given.countKeys[i]);
    if (!key)
      return key.takeError();
    graph.counts[*key] = given.counts[i];
  }
  for (int64_t i = 0; i < given.numStructures; ++i) {
    Expected<StructureKey> key = parseStructureKey(given.structureKeys[i]);
    if (!key)
      return key.takeError();
    graph.structures[*key] = {static_cast<const int32_t *>(given.structures[i]),
                              given.sizes[i]};
  }
  auto types = graph.counts.find(CountKey::count(Space::EdgeType));
  if (!given.schema.data || types == graph.counts.end())
    return graph;
  Expected<std::vector<EdgeTypeEnds>> schema =
      readSchema(given.schema, types->second);
  if (!schema)
    return schema.takeError();
  graph.schema = std::move(*schema);
  return graph;
}
} // namespace

GnnError *gnnBindBuilt(const GnnPackage *package, const char *const *functions,
                       int64_t numFunctions, const GnnBuiltGraph *graphs,
                       int64_t numGraphs, const GnnDevice *device,
                       GnnBoundFunction **bound) {
  return guardedCall("bind", [&]() -> Error {
    if (Error error = expectPointers("a package, functions' names, a device "
                                     "and results",
                                     package, functions, device, bound))
      return error;
    std::map<std::string, BuiltGraph> built;
    for (int64_t i = 0; graphs && i < numGraphs; ++i) {
      std::string name = graphs[i].name ? graphs[i].name : "";
      Expected<BuiltGraph> graph = convert(graphs[i]);
      if (!graph)
        return graph.takeError().in("graph '" + name + "'");
      built[name] = std::move(*graph);
    }
    return bindEach(pointers(functions, numFunctions), bound,
                    [&](const char *function) {
                      return BoundFunction::bindBuilt(package->value, function,
                                                      built, device->value);
                    });
  });
}

GnnError *gnnTiles(const int32_t *rows, int64_t numGroups, int64_t tile,
                   bool ofLong, int32_t *tiles, int64_t capacity,
                   int32_t *tileRows, int64_t *count) {
  return guardedCall("tiles", [&]() -> Error {
    if (Error error = expectPointers("rows and a count", rows, count))
      return error;
    if (numGroups < 0 || tile < 1)
      return failure("expected 0 or more groups and tiles of 1 or more "
                     "elements, got ",
                     numGroups, " and ", tile);
    Cut cut{tile, ofLong};
    int64_t made = 0;
    for (int64_t g = 0; g < numGroups; ++g) {
      if (rows[g] < 0 || rows[g + 1] < rows[g])
        return failure("expected rows that ascend from 0, got ", rows[g],
                       " and ", rows[g + 1]);
      if (tileRows)
        tileRows[g] = static_cast<int32_t>(made);
      int64_t pieces = cut.count(int64_t(rows[g + 1]) - rows[g]);
      if (tiles && made + pieces > capacity)
        return failure("expected room for ", made + pieces,
                       " tiles or more, got room for ", capacity);
      if (tiles && pieces > 0)
        cut.write(static_cast<int32_t>(g), rows[g], rows[g + 1],
                  tiles + 3 * made);
      made += pieces;
    }
    if (tileRows)
      tileRows[numGroups] = static_cast<int32_t>(made);
    *count = made;
    return {};
  });
}
