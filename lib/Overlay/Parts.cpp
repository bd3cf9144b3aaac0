//===- Parts.cpp - Super partitions ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "Support.h"

#include <algorithm>
#include <cstring>

using namespace gnn::overlay;
using namespace gnn::runtime;

//===----------------------------------------------------------------------===//
// What lies where
//===----------------------------------------------------------------------===//

static bool overlap(const Region &one, const Region &other) {
  return one.address < other.address + other.bytes &&
         other.address < one.address + one.bytes;
}

static bool isSameWindow(const Region &one, const Region &other) {
  return one.name == other.name && one.address == other.address &&
         one.rows == other.rows && one.columns == other.columns &&
         one.firstRow == other.firstRow && one.firstColumn == other.firstColumn;
}

/// Whether the part before left a region at its place.
static bool isKept(const Program &program, size_t part, const Region &region) {
  if (part == 0 || region.role != RegionRole::Input)
    return false;
  for (const Region &before : program.parts[part - 1].regions)
    if (isSameWindow(before, region))
      return true;
  return false;
}

/// Whether windows of one region have elements in common.
static bool meet(const Region &one, const Region &other) {
  auto reach = [](uint64_t first, uint64_t count, uint64_t otherFirst,
                  uint64_t otherCount) {
    return first < otherFirst + otherCount && otherFirst < first + count;
  };
  if (one.name != other.name ||
      !reach(one.firstRow, one.rows, other.firstRow, other.rows))
    return false;
  return one.kind == RegionKind::Edges ||
         reach(one.firstColumn, one.columns, other.firstColumn, other.columns);
}

static Error checkWindows(const Program &program, const Program &part) {
  for (const Region &region : part.regions) {
    const Region *whole = program.find(region.name);
    bool isRead = region.role == RegionRole::Input;
    if (!whole || whole->kind != region.kind)
      return failure("expected a region of the program, got '", region.name,
                     "'");
    if (region.role == RegionRole::Temporary ||
        (!isRead && whole->role == RegionRole::Input))
      return failure("expected inputs, and outputs that are no inputs of the "
                     "program, got '",
                     region.name, "'");
    bool isCut =
        region.kind == RegionKind::Features || region.kind == RegionKind::Edges;
    bool isWithin = region.firstRow + region.rows <= whole->rows &&
                    region.firstColumn + region.columns <= whole->columns &&
                    (isCut || (region.rows == whole->rows &&
                               region.columns == whole->columns));
    if (!isWithin)
      return failure("expected a part of the region '", region.name, "', got ",
                     region.rows, " x ", region.columns, " from row ",
                     region.firstRow, ", column ", region.firstColumn);
    for (const Region &other : part.regions)
      if (&other != &region && overlap(region, other))
        return failure("expected '", region.name, "' apart from '", other.name,
                       "'");
  }
  return {};
}

Error gnn::overlay::verifyPart(const Program &program, size_t number) {
  const Program &part = program.parts[number];
  if (!program.instructions.empty() || !program.layers.empty())
    return failure("expected instructions in parts alone");
  if (!part.parts.empty())
    return failure("expected no parts of a part");
  if (!(part.parameters == program.parameters) ||
      part.vertices != program.vertices || part.edges != program.edges ||
      part.n1 != program.n1 || part.n2 != program.n2)
    return failure("expected the hardware and the partition of the program");
  if (Error error = checkWindows(program, part))
    return error;
  // Inputs come while the part before runs and the one before that is read.
  for (const Region &region : part.regions) {
    if (isKept(program, number, region))
      continue;
    if (number > 0)
      for (const Region &before : program.parts[number - 1].regions)
        if (overlap(region, before))
          return failure("expected '", region.name, "' apart from '",
                         before.name, "' of the part before");
    if (number > 1)
      for (const Region &before : program.parts[number - 2].regions)
        if (before.role == RegionRole::Output && overlap(region, before))
          return failure("expected '", region.name, "' apart from '",
                         before.name, "', which is copied meanwhile");
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

static uint64_t descriptorsOf(const Region &region) {
  return region.rows * descriptorBytes;
}

PartTransfer gnn::overlay::transferOf(const Program &program, size_t number) {
  const Program &part = program.parts[number];
  PartTransfer transfer;
  transfer.in = part.bytesOfInstructions();
  for (const Region &region : part.regions) {
    bool ofEdges = region.kind == RegionKind::Edges;
    if (region.role == RegionRole::Output) {
      transfer.out += ofEdges ? region.columns * edgeBytes : region.bytes;
      transfer.in += ofEdges ? descriptorsOf(region) : 0;
      continue;
    }
    if (isKept(program, number, region))
      continue;
    transfer.in += region.bytes;
    if (number > 0)
      for (const Region &before : program.parts[number - 1].regions)
        transfer.waits |=
            before.role == RegionRole::Output && meet(before, region);
  }
  return transfer;
}

Expected<PartMemory> PartMemory::create(const Program &program,
                                        int64_t maxBytes) {
  uint64_t bytes = 0;
  for (const Program &part : program.parts)
    for (const Region &region : part.regions)
      bytes = std::max(bytes, region.address + region.bytes);
  auto memory = Memory::allocate(bytes, maxBytes);
  if (!memory)
    return memory.takeError();
  return PartMemory{std::move(*memory)};
}

/// Calls copy(place in the window, place in the whole, bytes) for what lies
/// side by side in both.
template <typename Copy>
static void forFibers(const Program &program, const Region &whole,
                      const Region &window, Copy copy) {
  uint64_t rows = program.fiberRows(whole), part = program.fiberRows(window);
  uint64_t first = window.firstColumn / program.n2;
  for (uint64_t fiber = 0; fiber < divideUp(window.columns, program.n2);
       ++fiber)
    copy(window.address + fiber * part * addressUnit,
         whole.address +
             ((first + fiber) * rows + window.firstRow) * addressUnit,
         part * addressUnit);
}

static Descriptor descriptorAt(const Region &whole, const uint8_t *memory,
                               uint64_t entry) {
  Descriptor descriptor;
  std::memcpy(&descriptor, memory + whole.address + entry * descriptorBytes,
              sizeof descriptor);
  return descriptor;
}

namespace {
/// Where the edges of a window lie in the memory of the host.
struct EdgeRange {
  uint64_t begin = 0, bytes = 0;
};
} // namespace

static Expected<EdgeRange> rangeOf(const Region &whole, const Region &window,
                                   const uint8_t *host) {
  EdgeRange range;
  if (!window.rows)
    return range;
  Descriptor last =
      descriptorAt(whole, host, window.firstRow + window.rows - 1);
  range.begin = descriptorAt(whole, host, window.firstRow).address;
  range.bytes = last.address + last.count * edgeBytes - range.begin;
  if (range.bytes > window.columns * edgeBytes)
    return failure("expected at most ", window.columns, " edges of '",
                   window.name,
                   "': a program for this graph has to be made with it");
  return range;
}

/// Writes the descriptors of a window, whose edges lie behind them.
static void copyDescriptors(const Region &whole, const Region &window,
                            uint64_t begin, const uint8_t *host,
                            uint8_t *memory) {
  for (uint64_t i = 0; i < window.rows; ++i) {
    Descriptor descriptor = descriptorAt(whole, host, window.firstRow + i);
    descriptor.address += edgesAddress(window) - begin;
    std::memcpy(memory + window.address + i * descriptorBytes, &descriptor,
                sizeof descriptor);
  }
}

Error PartMemory::copyIn(const Program &program, size_t number,
                         const Memory &host) {
  for (const Region &region : program.parts[number].regions) {
    const Region &whole = *program.find(region.name);
    bool ofEdges = region.kind == RegionKind::Edges;
    if (isKept(program, number, region) ||
        (region.role == RegionRole::Output && !ofEdges))
      continue;
    const uint8_t *from = host.data();
    uint8_t *to = memory.data();
    if (ofEdges) {
      auto edges = rangeOf(whole, region, from);
      if (!edges)
        return edges.takeError();
      copyDescriptors(whole, region, edges->begin, from, to);
      if (region.role == RegionRole::Input)
        std::memcpy(to + edgesAddress(region), from + edges->begin,
                    edges->bytes);
    } else if (region.kind == RegionKind::Features) {
      forFibers(program, whole, region,
                [&](uint64_t window, uint64_t place, uint64_t bytes) {
                  std::memcpy(to + window, from + place, bytes);
                });
    } else {
      std::memcpy(to + region.address, from + whole.address,
                  std::min(region.bytes, whole.bytes));
    }
  }
  return {};
}

Error PartMemory::copyOut(const Program &program, size_t number,
                          Memory &host) const {
  for (const Region &region : program.parts[number].regions) {
    if (region.role != RegionRole::Output)
      continue;
    const Region &whole = *program.find(region.name);
    const uint8_t *from = memory.data();
    uint8_t *to = host.data();
    if (region.kind == RegionKind::Edges) {
      auto edges = rangeOf(whole, region, to);
      if (!edges)
        return edges.takeError();
      std::memcpy(to + edges->begin, from + edgesAddress(region), edges->bytes);
      continue;
    }
    forFibers(program, whole, region,
              [&](uint64_t window, uint64_t place, uint64_t bytes) {
                std::memcpy(to + place, from + window, bytes);
              });
  }
  return {};
}
