//===- Memory.cpp - Regions, filled and read ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Memory.h"

#include "Guarded.h"
#include "Parallel.h"
#include "Support.h"

#include <cstdlib>
#include <cstring>
#include <set>

using namespace gnn::overlay;
using namespace gnn::runtime;

void Memory::Free::operator()(uint8_t *memory) const { std::free(memory); }

uint64_t gnn::overlay::edgesAddress(const Region &region) {
  return region.address + alignUp(region.rows * descriptorBytes, addressUnit);
}

Expected<Memory> Memory::create(const Program &program, int64_t maxBytes) {
  uint64_t bytes = 0;
  for (const Region &region : program.regions)
    bytes = std::max(bytes, region.address + region.bytes);
  return allocate(bytes, maxBytes);
}

Expected<Memory> Memory::allocate(uint64_t bytes, int64_t maxBytes) {
  Memory memory;
  memory.count = bytes;
  if (memory.count > static_cast<uint64_t>(std::max<int64_t>(maxBytes, 0)))
    return limitExceeded("expected at most ", maxBytes,
                         " bytes of memory of the overlay, got ", memory.count);
  // Pages that nothing touches take no memory.
  memory.bytes.reset(static_cast<uint8_t *>(
      std::calloc(std::max<uint64_t>(memory.count, 1), 1)));
  if (!memory.bytes)
    return failure("out of host memory for ", memory.count,
                   " bytes of memory of the overlay");
  return memory;
}

static std::string textOf(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::map<std::string, std::vector<int64_t>>
gnn::overlay::argumentShapes(const Program &program) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const Region &region : program.regions) {
    if (region.role != RegionRole::Input)
      continue;
    bool isWhole =
        region.kind == RegionKind::Features || region.kind == RegionKind::Edges;
    if (isWhole && !region.pieces.empty()) {
      std::vector<int64_t> &shape = shapes[region.pieces[0].argument];
      shape = {static_cast<int64_t>(region.columns)};
      if (region.kind == RegionKind::Features)
        shape.insert(shape.begin(), static_cast<int64_t>(region.rows));
      continue;
    }
    // Of an argument in pieces, as much as they read.
    for (const Piece &piece : region.pieces) {
      if (piece.argument.empty())
        continue;
      uint64_t reach = piece.transposed ? piece.argumentColumn + piece.columns
                                        : piece.argumentRow + piece.rows;
      std::vector<int64_t> &shape = shapes[piece.argument];
      if (shape.empty())
        shape = {0, static_cast<int64_t>(piece.pitch)};
      shape[0] = std::max(shape[0], static_cast<int64_t>(reach));
    }
  }
  return shapes;
}

InputBytes gnn::overlay::inputBytes(const Program &program) {
  InputBytes bytes;
  bytes.all = program.bytesOfInstructions();
  bool hasEdges = false;
  for (const Region &region : program.regions) {
    if (region.role != RegionRole::Input)
      continue;
    uint64_t padded =
        regionBytes(region.kind, region.rows, region.columns, program);
    bytes.all += padded;
    if (region.kind == RegionKind::Features) {
      bytes.padded += padded;
      bytes.unpadded += 4 * region.rows * region.columns;
    }
    // Weights of other layers are on the same edges.
    if (region.kind == RegionKind::Edges && !hasEdges) {
      hasEdges = true;
      bytes.padded += padded;
      bytes.unpadded += edgeBytes * region.columns;
    }
  }
  return bytes;
}

namespace {
/// The word of element (row, column) of a region of fibers.
struct FiberLayout {
  uint64_t fiberRows, columns;

  uint64_t at(uint64_t row, uint64_t column) const {
    return (column / columns * fiberRows + row) * columns + column % columns;
  }
};

/// The word of an element of weights, a row, or scales and shifts.
uint64_t wordOf(const Region &region, uint64_t n2, uint64_t row,
                uint64_t column) {
  uint64_t fiber = column / n2, inside = column % n2;
  switch (region.kind) {
  case RegionKind::Weights:
    return (fiber * divideUp(region.rows, n2) + row / n2) * n2 * n2 +
           row % n2 * n2 + inside;
  case RegionKind::Affine:
    return (fiber * 2 + row) * n2 + inside;
  default:
    return fiber * n2 + inside;
  }
}

/// Fills regions from arguments.
class Filler {
public:
  Filler(const Program &program, const Partition &partition,
         const std::map<std::string, Argument> &arguments, uint8_t *memory)
      : program(program), partition(partition), arguments(arguments),
        memory(memory) {}

  Error fill() {
    for (const Region &region : program.regions) {
      Error error;
      if (region.kind == RegionKind::Edges)
        error = fillEdges(region);
      else if (region.role != RegionRole::Input)
        continue;
      else if (region.kind == RegionKind::Features)
        error = fillFeatures(region);
      else
        error = fillPieces(region);
      if (error)
        return error.in("region '" + region.name + "'");
    }
    for (const auto &[name, argument] : arguments)
      if (!read.count(name))
        return failure("expected no argument '", name,
                       "', which the program does not read");
    return {};
  }

private:
  Expected<const Argument *> find(const std::string &name) {
    auto found = arguments.find(name);
    if (found == arguments.end())
      return failure("expected an argument '", name, "', got none");
    read.insert(name);
    return &found->second;
  }

  /// The values of the one argument of a region; null where it has none.
  Expected<const float *> wholeOf(const Region &region, uint64_t size) {
    if (region.pieces.empty())
      return nullptr;
    auto argument = find(region.pieces[0].argument);
    if (!argument)
      return argument.takeError();
    if ((*argument)->values.size() != size)
      return failure("expected ", size, " values of argument '",
                     region.pieces[0].argument, "', got shape ",
                     textOf((*argument)->shape));
    return (*argument)->values.data();
  }

  float *words(const Region &region) {
    return reinterpret_cast<float *>(memory + region.address);
  }

  Error fillEdges(const Region &region) {
    if (!partition.hasEdges() && partition.edges())
      return failure("expected the edges of a graph, got counts alone");
    auto *table = reinterpret_cast<Descriptor *>(memory + region.address);
    partition.writeTable(edgesAddress(region), table);
    if (region.role != RegionRole::Input)
      return {};
    auto weights = wholeOf(region, partition.edges());
    if (!weights)
      return weights.takeError();
    if (partition.edges())
      partition.writeEdges(
          *weights, reinterpret_cast<Edge *>(memory + edgesAddress(region)));
    return {};
  }

  Error fillFeatures(const Region &region) {
    auto values = wholeOf(region, region.rows * region.columns);
    if (!values)
      return values.takeError();
    FiberLayout layout{program.n1 * program.blocks(), program.n2};
    const float *from = *values;
    float *to = words(region);
    forRanges(region.rows, [&](size_t begin, size_t end) {
      for (uint64_t column = 0; column < region.columns; column += program.n2) {
        uint64_t width = std::min(program.n2, region.columns - column);
        for (size_t row = begin; row < end; ++row)
          std::memcpy(to + layout.at(row, column),
                      from + row * region.columns + column, 4 * width);
      }
    });
    return {};
  }

  Error fillPieces(const Region &region) {
    for (const Piece &piece : region.pieces) {
      const Argument *argument = nullptr;
      if (!piece.argument.empty()) {
        auto found = find(piece.argument);
        if (!found)
          return found.takeError();
        argument = *found;
        if (Error error = checkPiece(piece, *argument))
          return error;
      }
      fillPiece(region, piece, argument);
    }
    return {};
  }

  Error checkPiece(const Piece &piece, const Argument &argument) {
    if (!piece.rows || !piece.columns)
      return {};
    uint64_t lastRow = (piece.transposed ? piece.argumentColumn + piece.columns
                                         : piece.argumentRow + piece.rows) -
                       1;
    uint64_t lastColumn =
        (piece.transposed ? piece.argumentRow + piece.rows
                          : piece.argumentColumn + piece.columns) -
        1;
    if (lastRow * piece.pitch + lastColumn < argument.values.size() &&
        argument.values.size() % piece.pitch == 0)
      return {};
    return failure("expected argument '", piece.argument, "' of ", lastRow + 1,
                   " or more rows of ", piece.pitch, ", got shape ",
                   textOf(argument.shape));
  }

  void fillPiece(const Region &region, const Piece &piece,
                 const Argument *argument) {
    float *to = words(region);
    for (uint64_t i = 0; i < piece.rows; ++i)
      for (uint64_t j = 0; j < piece.columns; ++j) {
        float value = piece.value;
        if (argument) {
          uint64_t row = piece.argumentRow + i;
          uint64_t column = piece.argumentColumn + j;
          if (piece.transposed)
            std::swap(row, column);
          value = argument->values[row * piece.pitch + column];
        }
        to[wordOf(region, program.n2, piece.row + i, piece.column + j)] = value;
      }
  }

  const Program &program;
  const Partition &partition;
  const std::map<std::string, Argument> &arguments;
  uint8_t *memory;
  std::set<std::string> read;
};
} // namespace

Error Memory::fill(const Program &program, const Partition &partition,
                   const std::map<std::string, Argument> &arguments) {
  return guarded("memory of the overlay", [&]() -> Error {
    if (Error error = partition.checkProgram(program))
      return error;
    return Filler(program, partition, arguments, data()).fill();
  });
}

Expected<std::vector<float>> Memory::readFeatures(const Program &program,
                                                  const Region &region) const {
  return guarded(
      "memory of the overlay", [&]() -> Expected<std::vector<float>> {
        if (region.kind != RegionKind::Features)
          return failure("expected a region of features, got '", region.name,
                         "'");
        std::vector<float> values(region.rows * region.columns);
        FiberLayout layout{program.n1 * program.blocks(), program.n2};
        auto *from = reinterpret_cast<const float *>(data() + region.address);
        forRanges(region.rows, [&](size_t begin, size_t end) {
          for (size_t row = begin; row < end; ++row)
            for (uint64_t column = 0; column < region.columns; ++column)
              values[row * region.columns + column] =
                  from[layout.at(row, column)];
        });
        return values;
      });
}

Expected<std::vector<float>>
Memory::readWeights(const Program &, const Region &region,
                    const Partition &partition) const {
  return guarded(
      "memory of the overlay", [&]() -> Expected<std::vector<float>> {
        if (region.kind != RegionKind::Edges)
          return failure("expected a region of edges, got '", region.name, "'");
        std::vector<float> weights(partition.order().size());
        if (region.columns < weights.size())
          return failure("expected the partition of at most ", region.columns,
                         " edges, got one of ", weights.size());
        partition.readWeights(
            reinterpret_cast<const Edge *>(data() + edgesAddress(region)),
            weights.data());
        return weights;
      });
}
