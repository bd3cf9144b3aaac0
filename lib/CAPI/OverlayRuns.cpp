//===- OverlayRuns.cpp - C API of partitions, runs and times --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OverlayHandles.h"
#include "OverlayOptions.h"

#include "GNN/Overlay/Machine.h"
#include "GNN/Overlay/Timing.h"
#include "GNN/Runtime/GraphFunctions.h"

#include "llvm/ADT/StringRef.h"

#include <cmath>
#include <cstring>
#include <map>

using namespace gnn;
using namespace gnn::overlay;
using gnn::capi::OptionReader;
using gnn::runtime::Error;
using gnn::runtime::ErrorKind;
using gnn::runtime::expectBytes;
using gnn::runtime::Expected;
using gnn::runtime::expectPointers;
using gnn::runtime::failure;
using gnn::runtime::guardedCall;
using llvm::StringRef;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Reads the name of one of the models.
template <typename Model>
static void addModel(OptionReader &reader, StringRef name, Model &value,
                     std::vector<Model> models, std::string expected) {
  reader.add(name, [&value, models, expected](StringRef text) -> std::string {
    for (Model model : models)
      if (text == nameOf(model)) {
        value = model;
        return "";
      }
    return expected;
  });
}

static void addMemory(OptionReader &reader, MemoryModel &value) {
  addModel(reader, "memory", value, {MemoryModel::Ideal, MemoryModel::Shared},
           "ideal or shared");
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

static Error expectRange(const char *what, int64_t value, int64_t least,
                         int64_t most) {
  if (least <= value && value <= most)
    return {};
  return failure(what, ": expected a number from ", least, " to ", most,
                 ", got ", value);
}

static Error give(Expected<Partition> made, GnnOverlayPartition **partition) {
  if (!made)
    return made.takeError();
  *partition = new GnnOverlayPartition;
  (*partition)->value = std::make_shared<const Partition>(std::move(*made));
  return {};
}

GnnError *gnnOverlayPartitionCreate(const GnnGraph *graph, const char *options,
                                    GnnOverlayPartition **partition) {
  return guardedCall("partition", [&]() -> Error {
    if (Error error = expectPointers("a graph and a result", graph, partition))
      return error;
    Parameters parameters;
    PartitionOptions given;
    uint64_t n1 = 0, blocksPerPe = 4;
    OptionReader reader;
    reader.addNumber("n1", n1);
    reader.addNumber("blocks-per-pe", blocksPerPe, 1, maxBlocksPerPe);
    reader.addSwitch("skip-empty", given.skipEmpty);
    if (Error error = reader.read(options))
      return error;
    auto nodes =
        static_cast<uint64_t>(graph->value->numNodes(runtime::GraphSide::Src));
    if (!n1)
      n1 = chooseN1(nodes, parameters, blocksPerPe);
    if (n1 % parameters.psys != 0 || n1 > parameters.featureRows)
      return Error("n1: expected a multiple of " +
                       std::to_string(parameters.psys) + " up to " +
                       std::to_string(parameters.featureRows) + ", got " +
                       std::to_string(n1),
                   ErrorKind::Option);
    return give(Partition::create(graph->value, n1, parameters, given),
                partition);
  });
}

GnnError *gnnOverlayPartitionForProgram(const GnnOverlayProgram *program,
                                        const GnnGraph *graph,
                                        GnnOverlayPartition **partition) {
  return guardedCall("partition", [&]() -> Error {
    if (Error error = expectPointers("a program, a graph and a result", program,
                                     graph, partition))
      return error;
    std::shared_ptr<const runtime::Graph> value = graph->value;
    if (!program->loops.empty()) {
      auto mode = runtime::parseSelfLoops(program->loops);
      auto looped = runtime::addSelfLoops(*value, *mode);
      if (!looped)
        return looped.takeError();
      value = looped->graph;
    }
    return give(Partition::forProgram(value, program->value), partition);
  });
}

GnnError *gnnOverlayPartitionOfCounts(int64_t vertices, int64_t n1,
                                      GnnConstBuffer counts,
                                      const char *options,
                                      GnnOverlayPartition **partition) {
  return guardedCall("partition", [&]() -> Error {
    if (Error error = expectPointers("a result", partition))
      return error;
    PartitionOptions given;
    OptionReader reader;
    reader.addSwitch("skip-empty", given.skipEmpty);
    if (Error error = reader.read(options))
      return error;
    if (Error error = expectRange("vertices", vertices, 1, INT32_MAX))
      return error;
    if (Error error = expectRange("n1", n1, 1, INT32_MAX))
      return error;
    int64_t blocks = (vertices + n1 - 1) / n1;
    constexpr int64_t most = 1 << 20; // whose square is far from overflow
    if (blocks > most)
      return failure("expected at most ", most, " blocks, got ", blocks);
    int64_t size = blocks * blocks;
    if (Error error =
            expectBytes("counts", counts.data, counts.bytes, 8 * size))
      return error;
    auto *first = static_cast<const uint64_t *>(counts.data);
    return give(
        Partition::ofCounts(vertices, n1, {first, first + size}, {}, given),
        partition);
  });
}

void gnnOverlayPartitionRetain(GnnOverlayPartition *partition) {
  if (partition)
    partition->retain();
}

void gnnOverlayPartitionRelease(GnnOverlayPartition *partition) {
  if (partition)
    partition->release();
}

/// A program with what sizes of regions depend on.
static Program sizesOf(const Partition &partition) {
  Program program;
  program.vertices = partition.vertices();
  program.edges = partition.edges();
  program.n1 = partition.n1();
  program.n2 = program.parameters.featureColumns;
  return program;
}

static uint64_t edgeRegionBytes(const Partition &partition) {
  return regionBytes(overlay::RegionKind::Edges, partition.entries().size(),
                     partition.edges(), sizesOf(partition));
}

GnnError *gnnOverlayPartitionDescribe(const GnnOverlayPartition *handle,
                                      int64_t features, char **text) {
  return guardedCall("partition", [&]() -> Error {
    if (Error error = expectPointers("a partition and a result", handle, text))
      return error;
    if (Error error = expectRange("features", features, 0, INT32_MAX))
      return error;
    const Partition &partition = *handle->value;
    uint64_t bytes = edgeRegionBytes(partition), width = features;
    *text = capi::copyJson(json::Object{
        {"vertices", partition.vertices()},
        {"edges", partition.edges()},
        {"n1", partition.n1()},
        {"blocks", partition.blocks()},
        {"entries", partition.entries().size()},
        {"bytes", bytes},
        {"unpadded",
         4 * partition.vertices() * width + edgeBytes * partition.edges()},
        {"padded",
         bytes + regionBytes(overlay::RegionKind::Features,
                             partition.vertices(), width, sizesOf(partition))},
        {"seconds", json::Object{{"count", partition.times().count},
                                 {"place", partition.times().place}}}});
    return {};
  });
}

GnnError *gnnOverlayPartitionWrite(const GnnOverlayPartition *handle,
                                   GnnConstBuffer weights, GnnBuffer image) {
  return guardedCall("partition", [&]() -> Error {
    if (Error error = expectPointers("a partition", handle))
      return error;
    const Partition &partition = *handle->value;
    if (!partition.hasEdges())
      return failure("expected a partition of a graph, got one of counts");
    uint64_t bytes = edgeRegionBytes(partition);
    if (Error error = expectBytes("image", image.data, image.bytes,
                                  static_cast<int64_t>(bytes)))
      return error;
    if (weights.data)
      if (Error error =
              expectBytes("weights", weights.data, weights.bytes,
                          static_cast<int64_t>(4 * partition.edges())))
        return error;
    overlay::Region region;
    region.kind = overlay::RegionKind::Edges;
    region.bytes = bytes;
    region.rows = partition.entries().size();
    region.columns = partition.edges();
    uint64_t edges = edgesAddress(region);
    auto *to = static_cast<uint8_t *>(image.data);
    if (bytes)
      std::memset(to, 0, edges);
    partition.writeTable(edges, reinterpret_cast<Descriptor *>(to));
    partition.writeEdges(static_cast<const float *>(weights.data),
                         reinterpret_cast<Edge *>(to + edges));
    return {};
  });
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Most dimensions of an argument.
constexpr int64_t maxRank = 8;

/// The arguments of a program by name.
static Expected<std::map<std::string, Argument>>
readInputs(const GnnOverlayInput *inputs, int64_t numInputs) {
  std::map<std::string, Argument> arguments;
  for (int64_t i = 0; i < numInputs; ++i) {
    const GnnOverlayInput &input = inputs[i];
    if (Error error = expectPointers("a name of an input", input.name))
      return error;
    if (Error error = expectRange("rank of an input", input.rank, 0, maxRank))
      return error;
    if (input.rank)
      if (Error error = expectPointers("a shape of an input", input.shape))
        return error;
    Argument argument;
    int64_t size = 4;
    for (int64_t d = 0; d < input.rank; ++d) {
      int64_t extent = input.shape[d];
      if (extent < 0 || __builtin_mul_overflow(size, extent, &size))
        return failure("input '", input.name,
                       "': expected a shape of numbers of 0 or more");
      argument.shape.push_back(extent);
    }
    if (Error error = expectBytes(input.name, input.values.data,
                                  input.values.bytes, size))
      return error;
    argument.values = {static_cast<const float *>(input.values.data),
                       static_cast<size_t>(size) / 4};
    if (!arguments.emplace(input.name, std::move(argument)).second)
      return failure("expected input '", input.name, "' once, got it again");
  }
  return arguments;
}

/// Writes an output to memory of the caller.
static Error writeOutput(const Program &program, const Memory &memory,
                         const Partition &partition,
                         const overlay::Region &region,
                         const GnnBuffer &output) {
  auto values = region.kind == overlay::RegionKind::Edges
                    ? memory.readWeights(program, region, partition)
                    : memory.readFeatures(program, region);
  if (!values)
    return values.takeError();
  size_t size = 4 * values->size();
  if (Error error = expectBytes(region.name.c_str(), output.data, output.bytes,
                                static_cast<int64_t>(size)))
    return error;
  if (size)
    std::memcpy(output.data, values->data(), size);
  return {};
}

GnnError *gnnOverlayRun(const GnnOverlayProgram *handle,
                        const GnnOverlayPartition *partition,
                        const GnnOverlayInput *inputs, int64_t numInputs,
                        const char *options, const GnnBuffer *outputs,
                        int64_t numOutputs) {
  return guardedCall("run", [&]() -> Error {
    if (Error error =
            expectPointers("a program and a partition", handle, partition))
      return error;
    if (numInputs > 0)
      if (Error error = expectPointers("inputs", inputs))
        return error;
    const Program &program = handle->value;
    bool allowNonFinite = false;
    OptionReader reader;
    reader.addSwitch("allow-non-finite", allowNonFinite);
    if (Error error = reader.read(options))
      return error;
    if (!partition->value->hasEdges())
      return failure("expected a partition of a graph, got one of counts");
    if (Error error = partition->value->checkProgram(program))
      return error;
    std::vector<const overlay::Region *> regions;
    for (const overlay::Region &region : program.regions)
      if (region.role == RegionRole::Output)
        regions.push_back(&region);
    if (numOutputs != static_cast<int64_t>(regions.size()))
      return failure("expected ", regions.size(), " outputs, got ", numOutputs);
    if (numOutputs > 0)
      if (Error error = expectPointers("outputs", outputs))
        return error;
    auto arguments = readInputs(inputs, numInputs);
    if (!arguments)
      return arguments.takeError();
    auto memory = Memory::create(program);
    if (!memory)
      return memory.takeError();
    if (Error error = memory->fill(program, *partition->value, *arguments))
      return error;
    RunOptions how;
    how.checkFinite = !allowNonFinite;
    if (Error error = execute(program, *memory, how))
      return error;
    for (size_t i = 0; i < regions.size(); ++i)
      if (Error error = writeOutput(program, *memory, *partition->value,
                                    *regions[i], outputs[i]))
        return error;
    return {};
  });
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

static void addTiming(OptionReader &reader, TimingOptions &options) {
  addMemory(reader, options.memory);
  addModel(reader, "network", options.network,
           {NetworkModel::Ideal, NetworkModel::Banks, NetworkModel::Network},
           "ideal, banks or network");
  reader.addSwitch("overlap", options.overlap);
  reader.addSwitch("multicast", options.multicast);
  reader.addSwitch("overheads", options.hasOverheads);
#define GNN_OVERLAY_TIMING(name, keyword, value, summary)                      \
  reader.addNumber(keyword, options.name);
#include "GNN/Overlay/TimingOptions.def"
}

GnnError *gnnOverlaySimulate(const GnnOverlayProgram *handle,
                             const GnnOverlayPartition *partition,
                             const char *options, char **text) {
  return guardedCall("simulate", [&]() -> Error {
    if (Error error = expectPointers("a program, a partition and a result",
                                     handle, partition, text))
      return error;
    TimingOptions timing;
    uint64_t pes = handle->value.parameters.pes;
    OptionReader reader;
    addTiming(reader, timing);
    reader.addNumber("pes", pes, 1, maxPes);
    if (Error error = reader.read(options))
      return error;
    const Program *program = &handle->value;
    Program changed;
    if (pes != program->parameters.pes) {
      changed = *program;
      changed.setElements(pes);
      if (Error error = verify(changed))
        return error;
      program = &changed;
    }
    auto report = simulate(*program, *partition->value, timing);
    if (!report)
      return report.takeError();
    *text = runtime::copyString(report->json());
    return {};
  });
}

GnnError *gnnOverlayRoofline(const GnnOverlayLayer *layers, int64_t numLayers,
                             int64_t vertices, double edges,
                             const char *options, double *cycles) {
  return guardedCall("closed form", [&]() -> Error {
    if (Error error = expectPointers("a result", cycles))
      return error;
    if (numLayers > 0)
      if (Error error = expectPointers("layers", layers))
        return error;
    if (Error error = expectRange("vertices", vertices, 0, INT32_MAX))
      return error;
    if (!(edges >= 0) || !std::isfinite(edges))
      return failure("edges: expected a number of 0 or more, got ", edges);
    TimingOptions timing;
    timing.memory = MemoryModel::Ideal;
    Parameters parameters;
    uint64_t n1 = 0;
    OptionReader reader;
    addMemory(reader, timing.memory);
    reader.addNumber("bandwidth", timing.bandwidth, 1);
    reader.addNumber("frequency", timing.frequency, 1);
    reader.addNumber("pes", parameters.pes, 1, maxPes);
    reader.addNumber("n1", n1, 0, INT32_MAX);
    if (Error error = reader.read(options))
      return error;
    if (timing.memory == MemoryModel::Ideal)
      if (Error error = reader.refuse({"n1", "bandwidth", "frequency"},
                                      "without memory=shared"))
        return error;
    std::vector<RooflineLayer> given;
    for (int64_t i = 0; i < numLayers; ++i) {
      if (layers[i].type < 0 ||
          layers[i].type > static_cast<int32_t>(LayerType::BatchNorm))
        return failure("layer ", i, ": expected a type of table II, 0 to ",
                       static_cast<int32_t>(LayerType::BatchNorm), ", got ",
                       layers[i].type);
      for (int64_t features : {layers[i].in, layers[i].out})
        if (Error error = expectRange("features", features, 0, INT32_MAX))
          return error.in("layer " + std::to_string(i));
      given.push_back({static_cast<LayerType>(layers[i].type),
                       static_cast<uint64_t>(layers[i].in),
                       static_cast<uint64_t>(layers[i].out)});
    }
    if (!n1)
      n1 = chooseN1(vertices, parameters);
    *cycles = timing.memory == MemoryModel::Shared
                  ? sharedRooflineCycles(given, vertices, edges, n1, parameters,
                                         timing)
                  : rooflineCycles(given, vertices, edges, parameters);
    return {};
  });
}
