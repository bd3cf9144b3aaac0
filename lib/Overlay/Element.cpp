//===- Element.cpp - Loads, stores and the order of a tile ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Element.h"

#include "Support.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace gnn::overlay;
using namespace gnn::runtime;

Element::Element(const Program &program, Memory &memory,
                 const RunOptions &options)
    : program(program), memory(memory), options(options), columns(program.n2) {
  const Parameters &p = program.parameters;
  for (Weights &half : weights)
    half.words.resize(p.weightRows * columns);
  for (Edges &half : edges)
    half.list.resize(p.edges);
  for (Features &buffer : features)
    buffer.words.resize(p.featureRows * columns);
  output.words.resize(p.featureRows * columns);
  output.touched.resize(p.featureRows);
}

Error Element::run(const Csi &csi, const Tile &tile) {
  layer = &csi;
  locks = Locks();
  lastEdges = 0;
  shard.reset();
  for (Weights &half : weights)
    half.rows = 0;
  for (Edges &half : edges)
    half.count = 0;
  for (Features &buffer : features)
    buffer.rows = 0;
  output.rows = 0;
  output.isExtreme = false;
  Error error = walkTile(
      program, tile, [&](const Instruction &instruction, uint64_t iteration) {
        return step(instruction, iteration);
      });
  return error ? error : locks.finish();
}

Error Element::step(const Instruction &instruction, uint64_t now) {
  BufferUse use = usesOf(instruction, now, lastEdges);
  if (Error error = locks.step(instruction, use))
    return error;
  current = &instruction;
  iteration = now;
  buffer = bufferAt(instruction, now);
  return std::visit([&](const auto &body) { return execute(body); },
                    instruction.body);
}

Error Element::checkMemory(uint64_t address, uint64_t bytes) const {
  if (address <= memory.size() && bytes <= memory.size() - address)
    return {};
  return failure("expected an address within the memory, got ", bytes,
                 " bytes at ", address);
}

Expected<Descriptor> Element::readDescriptor(uint64_t address) const {
  for (const Region &region : program.regions) {
    if (region.kind != RegionKind::Edges || address < region.address ||
        (address - region.address) / descriptorBytes >= region.rows)
      continue;
    Descriptor descriptor;
    std::memcpy(&descriptor, memory.data() + address, sizeof descriptor);
    uint64_t end = region.address + region.bytes;
    if (descriptor.count > program.parameters.edges)
      return failure("expected a descriptor of at most ",
                     program.parameters.edges, " edges, got ",
                     descriptor.count);
    if (descriptor.address < edgesAddress(region) || descriptor.address > end ||
        descriptor.count * edgeBytes > end - descriptor.address)
      return failure("expected a descriptor of edges within region '",
                     region.name, "', got ", descriptor.count, " edges at ",
                     descriptor.address);
    if (descriptor.block >= program.blocks())
      return failure("expected a descriptor of a block under ",
                     program.blocks(), ", got ", descriptor.block);
    return descriptor;
  }
  return failure("expected a descriptor within a region, got address ",
                 address);
}

Error Element::execute(const Load &load) {
  return load.space == uint64_t(gnn::overlay::Space::Edges) ? loadEdges(load)
                                                            : loadRows(load);
}

Error Element::loadEdges(const Load &load) {
  Edges &half = edges[buffer & 1];
  uint64_t address =
      load.address * addressUnit + load.stride * addressUnit * iteration;
  half.count = load.count;
  half.byDescriptor = load.byDescriptor;
  if (load.byDescriptor) {
    auto descriptor =
        readDescriptor((load.address + iteration) * descriptorBytes);
    if (!descriptor)
      return descriptor.takeError();
    address = descriptor->address;
    half.count = descriptor->count;
    half.block = descriptor->block;
  }
  if (Error error = checkMemory(address, half.count * edgeBytes))
    return error;
  std::memcpy(half.list.data(), memory.data() + address,
              half.count * edgeBytes);
  if (!load.byDescriptor)
    half.block = half.count ? half.list[0].src / program.n1 : 0;
  lastEdges = buffer & 1;
  return {};
}

Error Element::loadRows(const Load &load) {
  uint64_t steps = iteration;
  if (load.byDescriptor) {
    const Edges &half = edges[buffer & 1];
    if (!half.byDescriptor)
      return failure("expected edges by descriptor in edge buffer ",
                     buffer & 1);
    steps = half.block;
  }
  uint64_t address = (load.address + load.stride * steps) * addressUnit;
  if (Error error = checkMemory(address, bytesAcross(load, columns)))
    return error;
  bool isWeight = load.space == uint64_t(gnn::overlay::Space::Weights);
  std::vector<float> &to =
      isWeight ? weights[buffer & 1].words : features[buffer & 1].words;
  const float *from = words(address);
  std::fill(to.begin(), to.begin() + load.count * columns, 0.0f);
  for (uint64_t row = 0; row < load.count; ++row) {
    uint64_t place = load.fiberStride
                         ? row / columns * load.fiberStride + row % columns
                         : row;
    std::copy_n(from + place * columns, load.width, to.data() + row * columns);
  }
  if (isWeight) {
    weights[buffer & 1].rows = load.count;
    weights[buffer & 1].width = load.width;
  } else {
    features[buffer & 1].rows = load.count;
    features[buffer & 1].width = load.width;
    features[buffer & 1].address = address;
  }
  return {};
}

void Element::settle() {
  if (!output.isExtreme)
    return;
  for (uint64_t row = 0; row < output.rows; ++row)
    if (!output.touched[row])
      std::fill_n(output.words.begin() + row * columns, columns, 0.0f);
  output.isExtreme = false;
}

bool Element::holdsBlock(uint64_t address, uint64_t block) const {
  for (const Region &region : program.regions)
    if (region.kind == RegionKind::Features && region.rows &&
        region.address <= address && address - region.address < region.bytes &&
        region.firstRow + (address - region.address) / addressUnit %
                              program.fiberRows(region) ==
            block * program.n1)
      return true;
  return false;
}

Error Element::checkBlock(const Features &from, uint64_t block,
                          const char *what) const {
  if (holdsBlock(from.address, block))
    return {};
  return failure("wrong descriptor: expected rows of block ", block, " of ",
                 what, ", got those at address ", from.address);
}

Expected<uint64_t> Element::countOf(const Edges &half, uint64_t named) const {
  if (named == 0)
    return half.count;
  if (named > half.count)
    return failure("expected at most ", half.count,
                   " edges, as are in the "
                   "buffer, got ",
                   named);
  return named;
}

Expected<Element::Bases> Element::basesOf(const Edges &half, uint64_t count) {
  if (count && !shard)
    shard = half.list[0].dst / program.n1;
  uint64_t src = half.block * program.n1;
  uint64_t dst = shard.value_or(0) * program.n1;
  for (uint64_t i = 0; i < count; ++i) {
    const Edge &edge = half.list[i];
    if (edge.src >= src && edge.src - src < program.n1 && edge.dst >= dst &&
        edge.dst - dst < program.n1)
      continue;
    return failure("wrong descriptor: expected edges from block ", half.block,
                   " to block ", shard.value_or(0), ", got one from vertex ",
                   edge.src, " to ", edge.dst);
  }
  return Bases{static_cast<uint32_t>(src), static_cast<uint32_t>(dst)};
}

Error Element::checkFinite(const float *from, uint64_t address, uint64_t rows,
                           uint64_t width) const {
  if (!options.checkFinite)
    return {};
  // Sums that are finite prove a row, and most rows are.
  for (uint64_t row = 0; row < rows; ++row) {
    const float *values = from + row * columns;
    float sum = 0;
    for (uint64_t column = 0; column < width; ++column)
      sum += values[column] * 0;
    if (sum == 0)
      continue;
    for (const Region &region : program.regions) {
      uint64_t block = program.n1 * addressUnit;
      if (region.kind != RegionKind::Features || !region.rows ||
          address < region.address ||
          address - region.address >= region.bytes ||
          (address - region.address) % block ||
          (shard && !holdsBlock(address, *shard)))
        continue;
      uint64_t place = (address - region.address) / addressUnit + row;
      uint64_t fiberRows = program.fiberRows(region), column = 0;
      uint64_t vertex = region.firstRow + place % fiberRows;
      if (vertex >= program.vertices)
        break; // padding
      while (std::isfinite(values[column]))
        ++column;
      return failure("layer ", layer->layer, " gives ", values[column],
                     ", which is not finite, for vertex ", vertex, ", feature ",
                     region.firstColumn + place / fiberRows * columns + column,
                     " of '", region.name, "'");
    }
  }
  return {};
}

Error Element::execute(const Store &store) {
  if (store.space == uint64_t(gnn::overlay::Space::Edges))
    return storeEdges(store);
  if (output.onEdges)
    return failure("expected rows in the output, got weights of edges");
  uint64_t first = store.fiber * program.n1;
  if (first + store.count > output.rows)
    return failure("expected at most ", output.rows,
                   " rows, as the output has, got ", first + store.count);
  settle();
  uint64_t address = store.address * addressUnit;
  if (Error error = checkMemory(address, store.count * addressUnit))
    return error;
  if (shard && !holdsBlock(address, *shard))
    return failure("wrong descriptor: expected to store block ", *shard,
                   " of destinations, got address ", address);
  const float *from = output.words.data() + first * columns;
  if (Error error = checkFinite(from, address, store.count, store.width))
    return error;
  float *to = words(address);
  for (uint64_t row = 0; row < store.count; ++row) {
    std::copy_n(from + row * columns, store.width, to + row * columns);
    std::fill_n(to + row * columns + store.width, columns - store.width, 0.0f);
  }
  return {};
}

Error Element::storeEdges(const Store &store) {
  if (!output.onEdges)
    return failure("expected weights of edges in the output, got rows");
  const Edges &half = edges[lastEdges];
  uint64_t count = half.count, address = store.address * addressUnit;
  if (store.byDescriptor) {
    auto descriptor = readDescriptor(store.address * descriptorBytes);
    if (!descriptor)
      return descriptor.takeError();
    if (descriptor->count != half.count ||
        (half.byDescriptor && descriptor->block != half.block))
      return failure("wrong descriptor: expected ", half.count,
                     " edges from block ", half.block, ", got ",
                     descriptor->count, " from block ", descriptor->block);
    address = descriptor->address;
  } else if (store.count) {
    auto named = countOf(half, store.count);
    if (!named)
      return named.takeError();
    count = *named;
  }
  if (Error error = checkMemory(address, count * edgeBytes))
    return error;
  for (uint64_t i = 0; i < count; ++i) {
    Edge edge = half.list[i];
    edge.weight = output.words[i];
    if (options.checkFinite && !std::isfinite(edge.weight))
      return failure("layer ", layer->layer, " gives ", edge.weight,
                     ", which is not finite, for the edge from vertex ",
                     edge.src, " to ", edge.dst);
    std::memcpy(memory.data() + address + i * edgeBytes, &edge, sizeof edge);
  }
  return {};
}
