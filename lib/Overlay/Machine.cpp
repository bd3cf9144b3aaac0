//===- Machine.cpp - Execution of programs --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Element.h"
#include "Guarded.h"
#include "Parallel.h"
#include "Parts.h"

using namespace gnn::overlay;
using namespace gnn::runtime;

namespace {
/// Bytes that a tile reads or writes; of edges by descriptor, those of the
/// descriptor, which stand for its edges.
struct Range {
  uint64_t begin = 0, end = 0;
  size_t tile = 0;
};

class IndependenceCheck {
public:
  IndependenceCheck(const Program &program, const LayerBlock &layer)
      : program(program), layer(layer) {}

  Error run() {
    for (size_t tile = 0; tile < layer.tiles.size(); ++tile)
      for (size_t at = layer.tiles[tile].begin; at < layer.tiles[tile].end;
           ++at)
        if (const Store *store = program.instructions[at].as<Store>())
          add(store->space, store->address, store->count, store->byDescriptor,
              tile);
    std::sort(stores.begin(), stores.end(),
              [](const Range &one, const Range &other) {
                return one.begin < other.begin;
              });
    for (size_t i = 1; i < stores.size(); ++i)
      if (stores[i].begin < stores[i - 1].end &&
          stores[i].tile != stores[i - 1].tile)
        return failure("expected tiles that are independent, got tiles ",
                       stores[i - 1].tile, " and ", stores[i].tile,
                       " that both write address ", stores[i].begin);
    for (size_t tile = 0; tile < layer.tiles.size(); ++tile)
      if (Error error = checkLoads(layer.tiles[tile], tile))
        return error;
    return {};
  }

private:
  void add(uint64_t space, uint64_t address, uint64_t count, bool byDescriptor,
           size_t tile) {
    Range range = rangeOf(space, address, count, byDescriptor);
    range.tile = tile;
    if (range.begin < range.end)
      stores.push_back(range);
  }

  static Range rangeOf(uint64_t space, uint64_t address, uint64_t count,
                       bool byDescriptor) {
    bool onEdges = space == uint64_t(gnn::overlay::Space::Edges);
    uint64_t unit = onEdges && byDescriptor ? descriptorBytes : addressUnit;
    uint64_t bytes = !onEdges       ? count * addressUnit
                     : byDescriptor ? descriptorBytes
                                    : count * edgeBytes;
    return {address * unit, address * unit + bytes, 0};
  }

  Error checkLoads(const Tile &tile, size_t number) {
    for (size_t at = tile.begin; at < tile.end; ++at) {
      const Instruction &instruction = program.instructions[at];
      const Load *load = instruction.as<Load>();
      if (!load || load->space == uint64_t(gnn::overlay::Space::Weights))
        continue;
      bool onEdges = load->space == uint64_t(gnn::overlay::Space::Edges);
      uint64_t trips = instruction.loop ? tile.trips : 1;
      uint64_t stride = load->stride;
      if (onEdges && load->byDescriptor)
        stride = 1;
      else if (load->byDescriptor)
        trips = program.blocks();
      for (uint64_t trip = 0; trip < trips; ++trip) {
        Range range = rangeOf(load->space, load->address + trip * stride,
                              load->count, load->byDescriptor);
        if (const Range *store = overlapping(range);
            store && store->tile != number)
          return failure("expected tiles that are independent, got tile ",
                         number, " that reads address ", store->begin,
                         ", which tile ", store->tile, " writes");
      }
    }
    return {};
  }

  const Range *overlapping(const Range &range) const {
    auto behind = std::lower_bound(
        stores.begin(), stores.end(), range.end,
        [](const Range &store, uint64_t end) { return store.begin < end; });
    if (behind == stores.begin())
      return nullptr;
    const Range &last = *(behind - 1);
    return last.end > range.begin && range.begin < range.end ? &last : nullptr;
  }

  const Program &program;
  const LayerBlock &layer;
  std::vector<Range> stores;
};

/// Executes the tiles of a layer, on as many threads as there are.
Error runLayer(const Program &program, const LayerBlock &layer, Memory &memory,
               const RunOptions &options,
               std::vector<std::unique_ptr<Element>> &elements) {
  if (Error error = IndependenceCheck(program, layer).run())
    return error;
  const Csi &csi = *program.instructions[layer.csi].as<Csi>();
  auto workers = static_cast<unsigned>(
      std::min<size_t>(elements.size(), layer.tiles.size()));
  std::mutex mutex;
  size_t failed = layer.tiles.size();
  Error first;
  forTasks(layer.tiles.size(), std::max(workers, 1u),
           [&](unsigned worker, size_t tile) {
             // The first tile that fails is the one that is reported.
             {
               std::lock_guard<std::mutex> lock(mutex);
               if (failed < tile)
                 return;
             }
             if (!elements[worker])
               elements[worker] =
                   std::make_unique<Element>(program, memory, options);
             Error error = elements[worker]->run(csi, layer.tiles[tile]);
             if (!error)
               return;
             std::lock_guard<std::mutex> lock(mutex);
             if (tile < failed) {
               failed = tile;
               first = error;
             }
           });
  return first ? first.in("tile " + std::to_string(failed)) : first;
}
} // namespace

static Error runLayers(const Program &program, Memory &memory,
                       const RunOptions &options) {
  auto layers = splitTiles(program);
  if (!layers)
    return layers.takeError();
  std::vector<std::unique_ptr<Element>> elements(numThreads());
  for (size_t i = 0; i < layers->size(); ++i)
    if (Error error =
            runLayer(program, (*layers)[i], memory, options, elements))
      return error.in("layer '" + program.layers[i].name + "'");
  return {};
}

/// Runs parts one behind the other in the memory of the overlay.
static Error runParts(const Program &program, Memory &host,
                      const RunOptions &options) {
  auto memory = PartMemory::create(program, options.maxBytes);
  if (!memory)
    return memory.takeError();
  for (size_t part = 0; part < program.parts.size(); ++part) {
    Error error = memory->copyIn(program, part, host);
    if (!error)
      error = runLayers(program.parts[part], memory->memory, options);
    if (!error)
      error = memory->copyOut(program, part, host);
    if (error)
      return error.in("part " + std::to_string(part));
  }
  return {};
}

Error gnn::overlay::execute(const Program &program, Memory &memory,
                            const RunOptions &options) {
  return guarded("overlay", [&]() -> Error {
    if (Error error = verify(program))
      return error;
    return program.parts.empty() ? runLayers(program, memory, options)
                                 : runParts(program, memory, options);
  });
}
