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

/// A shape as Python prints it.
static std::string textOf(const std::vector<int64_t> &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// Whether an array is a matrix of that shape: its last dimension are the
/// columns, and the others the rows. A matrix of one column may be its rows
/// alone, and rows of one number may be a matrix.
static bool isMatrix(const Argument &argument,
                     const std::vector<int64_t> &shape) {
  auto rows = static_cast<uint64_t>(shape[0]);
  auto columns = shape.size() == 2 ? static_cast<uint64_t>(shape[1]) : 1;
  if (argument.values.size() != rows * columns)
    return false;
  if (argument.shape.empty())
    return rows == 1 && columns == 1;
  return static_cast<uint64_t>(argument.shape.back()) == columns ||
         (columns == 1 && argument.shape.size() == 1);
}

/// The rows of an argument that a piece reads, and those before them.
static int64_t reachOf(const Piece &piece) {
  return static_cast<int64_t>(piece.transposed
                                  ? piece.argumentColumn + piece.columns
                                  : piece.argumentRow + piece.rows);
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
      std::vector<int64_t> &shape = shapes[piece.argument];
      if (shape.empty())
        shape = {0, static_cast<int64_t>(piece.pitch)};
      shape[0] = std::max(shape[0], reachOf(piece));
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
        memory(memory), shapes(argumentShapes(program)) {}

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
        return error;
    }
    for (const auto &[name, argument] : arguments)
      if (!read.count(name))
        return failure("expected no argument '", name,
                       "', which the program does not read");
    return {};
  }

private:
  Expected<const Argument *> find(const std::string &name,
                                  const std::vector<int64_t> &shape) {
    auto found = arguments.find(name);
    if (found == arguments.end())
      return failure("expected an argument '", name, "', got none");
    read.insert(name);
    if (!isMatrix(found->second, shape))
      return failure("input '", name, "': expected shape ", textOf(shape),
                     ", got ", textOf(found->second.shape));
    return &found->second;
  }

  /// The values of the one argument of a region; null where it has none.
  Expected<const float *> wholeOf(const Region &region,
                                  const std::vector<int64_t> &shape) {
    if (region.pieces.empty())
      return nullptr;
    auto argument = find(region.pieces[0].argument, shape);
    if (!argument)
      return argument.takeError();
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
    auto weights = wholeOf(region, {static_cast<int64_t>(partition.edges())});
    if (!weights)
      return weights.takeError();
    if (partition.edges())
      partition.writeEdges(
          *weights, reinterpret_cast<Edge *>(memory + edgesAddress(region)));
    return {};
  }

  Error fillFeatures(const Region &region) {
    auto values = wholeOf(region, {static_cast<int64_t>(region.rows),
                                   static_cast<int64_t>(region.columns)});
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
        auto found = find(piece.argument, shapeOf(piece));
        if (!found)
          return found.takeError();
        argument = *found;
      }
      fillPiece(region, piece, argument);
    }
    return {};
  }

  /// The shape of a piece's argument, which other pieces may be of too.
  std::vector<int64_t> shapeOf(const Piece &piece) const {
    return {std::max(shapes.at(piece.argument).front(), reachOf(piece)),
            static_cast<int64_t>(piece.pitch)};
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
  std::map<std::string, std::vector<int64_t>> shapes;
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
