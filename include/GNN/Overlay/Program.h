//===- Program.h - Programs of the overlay ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program as a `.ga` file: its hardware, the places of its operands in
// memory, and its instructions. Edges and descriptors are not in it: the
// partitioner makes them from a graph (Partition.h).
//
//===----------------------------------------------------------------------===//

#ifndef GNN_OVERLAY_PROGRAM_H
#define GNN_OVERLAY_PROGRAM_H

#include "GNN/Overlay/Instruction.h"

#include <optional>
#include <string>
#include <vector>

namespace gnn::overlay {

/// The hardware that a program is compiled for: the fields of Parameters.def.
struct Parameters {
#define GNN_OVERLAY_PARAMETER(name, keyword, value, summary)                   \
  uint64_t name = value;
#include "GNN/Overlay/Parameters.def"

  bool operator==(const Parameters &other) const;
};

/// The layout of a region.
enum class RegionKind : uint32_t {
  /// Rows of all vertices as fibers of N2 columns, each in subfibers of N1
  /// rows; fibers are adjacent, rows after the last vertex and columns after
  /// the last feature are padding.
  Features = 0,
  /// A matrix of rows x columns in tiles of p x p words, with the tiles of one
  /// fiber of columns adjacent; padding is 0.
  Weights = 1,
  /// One row of `columns` words: a bias. Padding to whole fibers is 0.
  Row = 2,
  /// Scales and shifts of `columns` columns: 16 and 16 words a fiber.
  Affine = 3,
  /// Descriptors of subshards, followed by edges (src, dst, weight).
  Edges = 4
};

/// The layout of the regions for loads and stores of a space.
constexpr RegionKind regionKindOf(Space space) {
  return space == Space::Weights ? RegionKind::Weights
         : space == Space::Edges ? RegionKind::Edges
                                 : RegionKind::Features;
}

/// The bytes of a unit of the address of a load or store.
constexpr uint64_t addressUnitOf(Space space, bool byDescriptor) {
  return space == Space::Edges && byDescriptor ? descriptorBytes : addressUnit;
}

/// The use of a region: filled before the program runs, read afterwards, or
/// neither.
enum class RegionRole : uint32_t { Input = 0, Output = 1, Temporary = 2 };

/// A block of an argument of the program, or of a number, in a region of
/// weights or a row: element (row + i, column + j) of the region is element (i,
/// j) of the block. Elements that no piece writes are 0.
struct Piece {
  /// The argument of the block; empty: `value` everywhere.
  std::string argument;
  float value = 0;
  /// The argument as a matrix is transposed first.
  bool transposed = false;
  /// The first element of the block in the argument, as a matrix of `pitch`
  /// columns: its last dimension.
  uint64_t argumentRow = 0, argumentColumn = 0, pitch = 0;
  /// The first element in the region, and the size of the block.
  uint64_t row = 0, column = 0, rows = 0, columns = 0;

  bool operator==(const Piece &other) const;
};

/// A named part of the memory.
struct Region {
  std::string name;
  RegionKind kind = RegionKind::Features;
  RegionRole role = RegionRole::Temporary;
  /// Bytes, both multiples of 64.
  uint64_t address = 0;
  uint64_t bytes = 0;
  /// Features: vertices and features. Weights: inputs and outputs of the layer.
  /// Row, Affine: 1 and columns. Edges: entries of the table of descriptors,
  /// and edges.
  uint64_t rows = 0;
  uint64_t columns = 0;
  /// In a part of a program, which has some of the rows (for edges, entries)
  /// and columns of the whole region of that name: the first of them. Rows
  /// begin with a block, columns with a fiber.
  uint64_t firstRow = 0;
  uint64_t firstColumn = 0;
  /// For inputs of weights, rows and scales: their pieces, in order; scales are
  /// row 0, shifts row 1. Features are one whole argument, whose piece has only
  /// a name. So are edges, or they have no piece and the weight 1.
  std::vector<Piece> pieces;

  bool operator==(const Region &other) const;
};

/// A layer, for reports: its instructions begin at its csi.
struct Layer {
  std::string name;
  uint64_t firstInstruction = 0;

  bool operator==(const Layer &other) const;
};

struct Program {
  Parameters parameters;
  uint64_t vertices = 0;
  /// The number of edges for which regions have room. A graph for which the
  /// compiler only knows a bound, such as one whose self loops are replaced,
  /// may have fewer.
  uint64_t edges = 0;
  /// Rows of a shard and a subfiber, and columns of a fiber.
  uint64_t n1 = 0;
  uint64_t n2 = 0;
  std::vector<Region> regions;
  std::vector<Layer> layers;
  std::vector<Instruction> instructions;
  /// Super partitions (GraphAGILE, section 9): programs that run one after the
  /// other in the memory of the overlay, for a graph that does not fit it. The
  /// regions of the program are then those of the host, and it has no
  /// instructions of its own. A region of a part is a window of the host's
  /// region of that name: inputs are copied from it before the part runs,
  /// unless the previous part left the same window at the same address, and
  /// outputs to it afterwards.
  std::vector<Program> parts;

  bool operator==(const Program &other) const;

  /// Shards and subfibers: ceil(vertices / n1).
  uint64_t blocks() const { return (vertices + n1 - 1) / n1; }
  /// Rows of a fiber of a region of features, with padding.
  uint64_t fiberRows(const Region &region) const {
    return (region.rows + n1 - 1) / n1 * n1;
  }
  /// Bytes of all instructions, including those of parts.
  uint64_t bytesOfInstructions() const;
  /// Sets another number of processing elements.
  void setElements(uint64_t pes);
  /// The region of that name; null if there is none.
  const Region *find(const std::string &name) const;
};

/// The maximum number of processing elements.
constexpr uint64_t maxPes = 4096;

/// The maximum number of blocks for each processing element.
constexpr uint64_t maxBlocksPerPe = uint64_t(1) << 31;

/// The default N1 for that many vertices: 16 ceil(V / 16 n0) with n0 =
/// max(blocksPerPe * pes, ceil(V / N_F1)); a multiple of p_sys. Values above
/// maxBlocksPerPe count as that.
uint64_t chooseN1(uint64_t vertices, const Parameters &parameters,
                  uint64_t blocksPerPe = 4);

/// The bytes that a region of that shape needs.
uint64_t regionBytes(RegionKind kind, uint64_t rows, uint64_t columns,
                     const Program &program);

/// The part and the instruction of an error, if it is about one.
struct InstructionPlace {
  std::optional<size_t> part, instruction;
};

/// Checks the assumptions of a machine: aligned, disjoint regions within the
/// memory, tiles that end, loads and stores within one region and one buffer.
/// Errors name the instruction, and `place` identifies it.
runtime::Error verify(const Program &program,
                      InstructionPlace *place = nullptr);

/// The `.ga` file of a program, and back. Errors name the problem and its
/// place.
runtime::Expected<std::string> write(const Program &program);
runtime::Expected<Program> read(const std::string &bytes);

} // namespace gnn::overlay

#endif // GNN_OVERLAY_PROGRAM_H
