//===- CAPIBuild.cpp - C API of building on a device ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN-c/DeviceBuild.h"
#include "GNN-c/DeviceColumns.h"

#include "CAPIHandles.h"
#include "DeviceBuild.h"
#include "DeviceColumns.h"
#include "StructureKernels.h"

#include <algorithm>
#include <tuple>

using namespace gnn::runtime;

struct GnnBuilder : GnnCounted<GnnBuilder> {
  std::shared_ptr<const DeviceBuilder> value;
};

struct GnnBuild : GnnCounted<GnnBuild> {
  explicit GnnBuild(std::shared_ptr<const DeviceBuilder> builder)
      : value(std::move(builder)) {}
  DeviceBuild value;
  /// The last step that was done. After an error nothing may follow.
  enum class State { Made, Counted, Filled, Failed };
  State state = State::Made;
};

using State = GnnBuild::State;

static const char *describe(State state) {
  switch (state) {
  case State::Made:
    return "gnnBuildCreate";
  case State::Counted:
    return "gnnBuildCount";
  case State::Filled:
    return "gnnBuildFill";
  case State::Failed:
    return "a step that failed, or graphs that were wrong";
  }
  return "";
}

static Error expectState(const GnnBuild &build, State expected) {
  if (build.state == expected)
    return {};
  return failure("expected a call after ", describe(expected),
                 ", got one after ", describe(build.state));
}

/// Does a step. Where it fails, what it has launched is done before the error
/// returns: the caller frees the memory that kernels may write.
template <typename Run>
static Error doStep(GnnBuild &build, State next, void *stream, Run run) {
  build.state = State::Failed;
  if (Error error = run()) {
    // The first of two errors is the one to tell.
    (void)static_cast<bool>(
        build.value.of().kernels.device().synchronize(stream));
    return error;
  }
  build.state = next;
  return {};
}

static Expected<std::shared_ptr<const Package>>
structureKernelsOf(const GnnDevice &device) {
  std::lock_guard<std::mutex> lock(device.mutex);
  if (!device.structureKernels) {
    auto loaded = loadStructureKernels();
    if (!loaded)
      return loaded.takeError();
    device.structureKernels = std::move(*loaded);
  }
  return device.structureKernels;
}

static Error readShards(const GnnGraphNeeds &given, Derivation &made) {
  if (!given.shards)
    return {};
  std::string end = given.shardEnd ? given.shardEnd : "";
  if (given.shards < 2 || given.shards > kMaxTypes)
    return failure("expected 0 or 2 to ", kMaxTypes, " shards, got ",
                   given.shards);
  if (end != "src" && end != "dst")
    return failure("expected shards of src or dst, got '", end, "'");
  made.shards = static_cast<int32_t>(given.shards);
  made.shardEnd = end == "src" ? GraphSide::Src : GraphSide::Dst;
  return {};
}

static Expected<DeviceBuilder::Needs> convert(const GnnGraphNeeds &given) {
  DeviceBuilder::Needs needs;
  if (Error error = checkTexts(given.countKeys, given.numCounts, "counts"))
    return error;
  if (Error error =
          checkTexts(given.structureKeys, given.numStructures, "structures"))
    return error;
  if (given.parent) {
    needs.parent = given.parent;
    std::string loops = given.loops ? given.loops : "";
    needs.derivation.loops = parseSelfLoops(loops);
    if (Error error = readShards(given, needs.derivation))
      return error;
    if (!needs.derivation.loops && (given.loops || !given.shards))
      return failure("expected add, replace, remaining or remove, got '", loops,
                     "'");
    if (needs.derivation.addsLoops())
      needs.derivation.loopType = static_cast<int32_t>(given.loopType);
  }
  if (given.selfLoops)
    needs.sorts.insert(DeviceSort::Loops);
  needs.dstSorted = given.dstSorted;
  if (given.schema.data) {
    auto schema =
        readSchema(given.schema, given.schema.bytes / (2 * int64_t(kWord)));
    if (!schema)
      return schema.takeError();
    needs.schema = std::move(*schema);
  }
  for (const char *text : pointers(given.countKeys, given.numCounts)) {
    Expected<CountKey> key = parseCountKey(text);
    if (!key)
      return key.takeError();
    needs.counts.push_back(*key);
  }
  for (const char *text : pointers(given.structureKeys, given.numStructures)) {
    Expected<StructureKey> key = parseStructureKey(text);
    if (!key)
      return key.takeError();
    needs.structures.push_back(*key);
  }
  return needs;
}

GnnError *gnnBuilderCreate(const GnnGraphNeeds *graphs, int64_t numGraphs,
                           const GnnDevice *device, GnnBuilder **builder) {
  return guardedCall("builder", [&]() -> Error {
    if (Error error = expectPointers("graphs, a device and a result", graphs,
                                     device, builder))
      return error;
    std::map<std::string, DeviceBuilder::Needs> all;
    for (int64_t i = 0; i < numGraphs; ++i) {
      std::string name = graphs[i].name ? graphs[i].name : "";
      Expected<DeviceBuilder::Needs> needs = convert(graphs[i]);
      if (!needs)
        return needs.takeError().in("graph '" + name + "'");
      all[name] = std::move(*needs);
    }
    auto kernels = structureKernelsOf(*device);
    if (!kernels)
      return kernels.takeError();
    auto made = DeviceBuilder::create(std::move(all), **kernels, device->value);
    if (!made)
      return made.takeError();
    *builder = nullptr;
    if (*made) {
      *builder = new GnnBuilder;
      (*builder)->value = std::move(*made);
    }
    return {};
  });
}

void gnnBuilderRelease(GnnBuilder *builder) {
  if (builder)
    builder->release();
}

bool gnnBuilderCovers(const GnnBuilder *builder, const GnnBuilder *other) {
  return builder && other && builder->value->covers(*other->value);
}

/// `count` ids of a caller.
static Error convert(const char *name, const GnnDeviceIds &ids, int64_t count,
                     DeviceIds &out) {
  if (ids.values && ids.bits != 32 && ids.bits != 64)
    return failure(name, ": expected integers of 32 or 64 bits, got ",
                   ids.bits);
  if (ids.values && ids.stride < 1)
    return failure(name, ": expected a stride from 1, got ", ids.stride);
  if (ids.values && count > 0) {
    int64_t width = ids.bits / 8, bytes = 0;
    if (__builtin_mul_overflow(count - 1, ids.stride, &bytes) ||
        __builtin_add_overflow(bytes, 1, &bytes) ||
        __builtin_mul_overflow(bytes, width, &bytes))
      return failure(name, ": expected ids in under 2^63 bytes, got ", count,
                     " at a stride of ", ids.stride);
    if (Error error = expectBytes(name, ids.values, ids.bytes, bytes))
      return error;
  }
  out = {ids.values, ids.bits, ids.stride};
  return {};
}

GnnError *gnnBuildCreate(const GnnBuilder *builder,
                         const GnnDeviceGraph *graphs, int64_t numGraphs,
                         GnnBuild **build, int64_t *sizes) {
  return guardedCall("build", [&]() -> Error {
    if (Error error = expectPointers("a builder, graphs and results", builder,
                                     graphs, build, sizes))
      return error;
    std::map<std::string, DeviceEdges> all;
    for (int64_t i = 0; i < numGraphs; ++i) {
      const GnnDeviceGraph &graph = graphs[i];
      DeviceEdges edges;
      edges.square = graph.square;
      edges.numSrcNodes = graph.numSrcNodes;
      edges.numDstNodes = graph.numDstNodes;
      edges.numEdges = graph.numEdges;
      edges.numNodeTypes = graph.numNodeTypes;
      edges.numEdgeTypes = graph.numEdgeTypes;
      if (std::min({edges.numSrcNodes, edges.numDstNodes, edges.numEdges}) < 0)
        return failure("expected numbers of nodes and edges from 0, got ",
                       edges.numSrcNodes, ", ", edges.numDstNodes, " and ",
                       edges.numEdges);
      if (edges.numEdges && (!graph.src.values || !graph.dst.values))
        return failure("expected both ends of ", edges.numEdges,
                       " edges, got one or none");
      for (auto [name, from, count, to] :
           {std::tuple("src", &graph.src, edges.numEdges, &edges.src),
            std::tuple("dst", &graph.dst, edges.numEdges, &edges.dst),
            std::tuple("edge_type", &graph.edgeType, edges.numEdges,
                       &edges.edgeType),
            std::tuple("src_node_type", &graph.srcNodeType, edges.numSrcNodes,
                       &edges.srcNodeType),
            std::tuple("dst_node_type", &graph.dstNodeType, edges.numDstNodes,
                       &edges.dstNodeType)})
        if (Error error = convert(name, *from, count, *to))
          return error;
      all[graph.name ? graph.name : ""] = edges;
    }
    auto made = std::make_unique<GnnBuild>(builder->value);
    if (Error error = made->value.layOut(all))
      return error;
    sizes[0] = made->value.scratchWords();
    sizes[1] = made->value.hostWords();
    *build = made.release();
    return {};
  });
}

void gnnBuildRelease(GnnBuild *build) {
  if (build)
    build->release();
}

GnnError *gnnBuildCount(GnnBuild *build, GnnBuffer scratch, GnnBuffer numbers,
                        void *stream, int64_t *bytes) {
  return guardedCall("build", [&]() -> Error {
    if (Error error =
            expectPointers("what is being built and a result", build, bytes))
      return error;
    if (Error error = expectState(*build, State::Made))
      return error;
    DeviceBuild &value = build->value;
    if (value.scratchWords() < 0)
      return failure(
          "expected graphs whose keys have 32 bits, got larger ones");
    if (Error error = expectBytes("scratch", scratch.data, scratch.bytes,
                                  kWord * value.scratchWords()))
      return error;
    if (Error error = expectBytes("numbers", numbers.data, numbers.bytes,
                                  kWord * value.hostWords()))
      return error;
    bool isGood = false;
    if (Error error = doStep(*build, State::Counted, stream, [&]() -> Error {
          Expected<bool> good = value.count(scratch.data, numbers.data, stream);
          if (!good)
            return good.takeError();
          isGood = *good;
          return {};
        }))
      return error;
    *bytes = isGood ? value.bytes() : -1;
    if (!isGood)
      build->state = State::Failed;
    return {};
  });
}

const char *gnnBuildProblem(const GnnBuild *build) {
  return build && !build->value.problem().empty()
             ? build->value.problem().c_str()
             : nullptr;
}

GnnError *gnnBuildFill(GnnBuild *build, GnnBuffer memory, void *stream) {
  return guardedCall("build", [&]() -> Error {
    if (Error error = expectPointers("what is being built", build))
      return error;
    if (Error error = expectState(*build, State::Counted))
      return error;
    if (Error error = expectBytes("memory", memory.data, memory.bytes,
                                  build->value.bytes()))
      return error;
    return doStep(*build, State::Filled, stream,
                  [&] { return build->value.fill(memory.data, stream); });
  });
}

GnnError *gnnBuildSetSorted(GnnBuild *build, const char *graph) {
  return guardedCall("build", [&]() -> Error {
    if (Error error = expectPointers("what is built and a graph", build, graph))
      return error;
    if (Error error = expectState(*build, State::Filled))
      return error;
    return build->value.setSorted(graph);
  });
}

GnnError *gnnBuildBind(const GnnBuild *build, const GnnPackage *package,
                       const char *const *functions, int64_t numFunctions,
                       GnnBoundFunction **bound) {
  return guardedCall("bind", [&]() -> Error {
    if (Error error = expectPointers("what is built, a package, functions' "
                                     "names and results",
                                     build, package, functions, bound))
      return error;
    if (Error error = expectState(*build, State::Filled))
      return error;
    return bindEach(pointers(functions, numFunctions), bound,
                    [&](const char *function) {
                      return BoundFunction::bindBuilt(
                          package->value, function, build->value.built(),
                          build->value.of().kernels.sharedDevice());
                    });
  });
}

/// The graph of that name; it must be built.
static Expected<const BuiltGraph *> find(const GnnBuild &build,
                                         const std::string &name) {
  if (Error error = expectState(build, State::Filled))
    return error;
  auto found = build.value.built().find(name);
  if (found == build.value.built().end())
    return failure("expected a graph that is built, got '", name, "'");
  return &found->second;
}

GnnError *gnnBuildNumber(const GnnBuild *build, const char *graph,
                         const char *key, int64_t *value) {
  return guardedCall("build", [&]() -> Error {
    if (Error error = expectPointers("what is built, a graph, a key and a "
                                     "result",
                                     build, graph, key, value))
      return error;
    auto built = find(*build, graph);
    if (!built)
      return built.takeError();
    Expected<CountKey> count = parseCountKey(key);
    if (!count)
      return count.takeError();
    auto found = (*built)->counts.find(*count);
    if (found == (*built)->counts.end())
      return failure("expected a count that was asked for, got '", key, "'");
    *value = found->second;
    return {};
  });
}

GnnError *gnnBuildStructure(const GnnBuild *build, const char *graph,
                            const char *key, const void **values,
                            int64_t *size) {
  return guardedCall("build", [&]() -> Error {
    if (Error error = expectPointers("what is built, a graph, a key and "
                                     "results",
                                     build, graph, key, values, size))
      return error;
    auto built = find(*build, graph);
    if (!built)
      return built.takeError();
    Expected<StructureKey> structure = parseStructureKey(key);
    if (!structure)
      return structure.takeError();
    auto found = (*built)->structures.find(*structure);
    if (found == (*built)->structures.end())
      return failure("expected a structure that was asked for, got '", key,
                     "'");
    *values = found->second.data;
    *size = found->second.size;
    return {};
  });
}

GnnError *gnnWriteColumns(const GnnDevice *device,
                          const GnnDeviceColumn *columns, int64_t numColumns,
                          void *stream) {
  return guardedCall("columns", [&]() -> Error {
    if (Error error = expectPointers("a device", device))
      return error;
    auto kernels = structureKernelsOf(*device);
    if (!kernels)
      return kernels.takeError();
    if (numColumns < 0)
      return failure("expected 0 or more columns, got ", numColumns);
    if (numColumns > 0 && !columns)
      return failure("expected ", numColumns, " columns, got null");
    std::vector<DeviceColumn> all(static_cast<size_t>(numColumns));
    for (int64_t i = 0; i < numColumns; ++i) {
      const GnnDeviceColumn &column = columns[i];
      std::string name = "column " + std::to_string(i);
      DeviceColumn &one = all[static_cast<size_t>(i)];
      if (column.count < 0 || column.limit < 0)
        return failure(name, ": expected a count and a limit from 0, got ",
                       column.count, " and ", column.limit);
      int64_t last = 0;
      if (column.base < 0 ||
          __builtin_add_overflow(
              column.base, std::max<int64_t>(column.limit, 1) - 1, &last) ||
          last > INT32_MAX)
        return failure(name,
                       ": expected a base from 0, and sums of it and ids "
                       "below the limit of under 2^31, got the base ",
                       column.base, " and the limit ", column.limit);
      if (column.count > INT64_MAX / kWord)
        return failure(name, ": expected under 2^61 values, got ",
                       column.count);
      if (Error error = expectBytes(name.c_str(), column.out.data,
                                    column.out.bytes, kWord * column.count))
        return error;
      if (Error error =
              convert(name.c_str(), column.ids, column.count, one.ids))
        return error;
      one.out = column.out.data;
      one.count = column.count;
      one.base = column.base;
      one.limit = column.limit;
    }
    return writeColumns(all, **kernels, device->value, stream);
  });
}
