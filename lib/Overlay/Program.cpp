//===- Program.cpp - Programs and their files -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Program.h"

#include "Guarded.h"
#include "Support.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <tuple>

using namespace gnn::overlay;
using namespace gnn::runtime;

bool Parameters::operator==(const Parameters &other) const {
  bool same = true;
#define GNN_OVERLAY_PARAMETER(name, keyword, value, summary)                   \
  same &= name == other.name;
#include "GNN/Overlay/Parameters.def"
  return same;
}

/// Numbers by their bits: one that is not a number equals itself.
static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

bool Piece::operator==(const Piece &other) const {
  return bitsOf(value) == bitsOf(other.value) &&
         std::tie(argument, transposed, argumentRow, argumentColumn, pitch, row,
                  column, rows, columns) ==
             std::tie(other.argument, other.transposed, other.argumentRow,
                      other.argumentColumn, other.pitch, other.row,
                      other.column, other.rows, other.columns);
}

bool Region::operator==(const Region &other) const {
  return std::tie(name, kind, role, address, bytes, rows, columns, firstRow,
                  firstColumn, pieces) ==
         std::tie(other.name, other.kind, other.role, other.address,
                  other.bytes, other.rows, other.columns, other.firstRow,
                  other.firstColumn, other.pieces);
}

bool Layer::operator==(const Layer &other) const {
  return name == other.name && firstInstruction == other.firstInstruction;
}

bool Program::operator==(const Program &other) const {
  return std::tie(parameters, vertices, edges, n1, n2, regions, layers,
                  instructions, parts) ==
         std::tie(other.parameters, other.vertices, other.edges, other.n1,
                  other.n2, other.regions, other.layers, other.instructions,
                  other.parts);
}

uint64_t Program::bytesOfInstructions() const {
  uint64_t bytes = instructions.size() * instructionBytes;
  for (const Program &part : parts)
    bytes += part.bytesOfInstructions();
  return bytes;
}

void Program::setElements(uint64_t pes) {
  parameters.pes = pes;
  for (Program &part : parts)
    part.setElements(pes);
}

const Region *Program::find(const std::string &name) const {
  for (const Region &region : regions)
    if (region.name == name)
      return &region;
  return nullptr;
}

uint64_t gnn::overlay::chooseN1(uint64_t vertices, const Parameters &parameters,
                                uint64_t blocksPerPe) {
  blocksPerPe = std::min(blocksPerPe, maxBlocksPerPe);
  uint64_t blocks =
      std::max({blocksPerPe * parameters.pes,
                divideUp(vertices, parameters.featureRows), uint64_t(1)});
  uint64_t rows = parameters.psys * blocks;
  return parameters.psys * std::max<uint64_t>(divideUp(vertices, rows), 1);
}

uint64_t gnn::overlay::regionBytes(RegionKind kind, uint64_t rows,
                                   uint64_t columns, const Program &program) {
  constexpr uint64_t word = 4;
  uint64_t fibers = divideUp(columns, program.n2);
  auto aligned = [](uint64_t bytes) { return alignUp(bytes, addressUnit); };
  switch (kind) {
  case RegionKind::Features:
    return aligned(word * program.n2 * alignUp(rows, program.n1) * fibers);
  case RegionKind::Weights:
    return aligned(word * program.n2 * program.n2 * divideUp(rows, program.n2) *
                   fibers);
  case RegionKind::Row:
    return aligned(word * program.n2 * fibers);
  case RegionKind::Affine:
    return aligned(word * 2 * program.n2 * fibers);
  case RegionKind::Edges:
    return aligned(descriptorBytes * rows) + aligned(edgeBytes * columns);
  }
  return 0;
}

// The file, numbers little-endian: "GNNA", u32 version, u32 number of
// parameters, u64 of each; u64 vertices, edges, N1, N2; u32 regions, of each
// its name (u32 length, bytes), u32 kind, u32 role, u64 address, bytes, rows,
// columns, first row, first column, u32 pieces, of each its argument (as a
// name), f32 value, u32 transposed, u64 argument's row and column, pitch, row,
// column, rows, columns; u32 layers, of each its name and u64 first
// instruction; u64 instructions, of each 16 bytes; u32 parts, of each u64 bytes
// and a file as this one.

static constexpr std::string_view magic = "GNNA";
static constexpr uint64_t version = 2;
/// Longest name of a region, a layer or an argument.
static constexpr uint64_t maxName = 4096;

namespace {
class Writer {
public:
  void number(uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i)
      bytes += static_cast<char>(value >> 8 * i & 0xff);
  }
  void name(const std::string &text) {
    number(text.size(), 4);
    bytes += text;
  }

  std::string bytes;
};

/// Reads what lies behind each other; the first thing that is not there is the
/// error, and everything behind it reads as 0.
class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes(bytes) {}

  std::string_view take(uint64_t count, const char *what) {
    if (error || bytes.size() - at < count) {
      if (!error)
        error = failure("expected ", count, " bytes of ", what, " at byte ", at,
                        ", got ", bytes.size() - at);
      return {};
    }
    std::string_view taken = bytes.substr(at, count);
    at += count;
    return taken;
  }

  uint64_t number(unsigned width, const char *what) {
    std::string_view taken = take(width, what);
    uint64_t value = 0;
    for (size_t i = 0; i < taken.size(); ++i)
      value |= uint64_t(static_cast<unsigned char>(taken[i])) << 8 * i;
    return value;
  }

  /// A number of things of at least `least` bytes each, which are behind it.
  uint64_t count(unsigned width, uint64_t least, const char *what) {
    uint64_t value = number(width, what);
    if (!error && value > (bytes.size() - at) / least)
      error = failure("expected at most ", (bytes.size() - at) / least, " ",
                      what, " at byte ", at, ", got ", value);
    return error ? 0 : value;
  }

  std::string name(const char *what) {
    uint64_t length = number(4, what);
    if (!error && length > maxName)
      error = failure("expected at most ", maxName, " bytes of ", what,
                      " at byte ", at, ", got ", length);
    return std::string(take(error ? 0 : length, what));
  }

  uint64_t place() const { return at; }
  uint64_t left() const { return bytes.size() - at; }

  Error error;

private:
  std::string_view bytes;
  uint64_t at = 0;
};
} // namespace

static Error readHead(Reader &reader, Program &program) {
  std::string_view start = reader.take(magic.size(), "'GNNA'");
  if (!reader.error && start != magic)
    return failure("expected a file that begins with 'GNNA'");
  uint64_t found = reader.number(4, "the version");
  if (!reader.error && found != version)
    return failure("expected version ", version, ", got ", found);
  std::vector<uint64_t *> parameters = {
#define GNN_OVERLAY_PARAMETER(name, keyword, value, summary)                   \
  &program.parameters.name,
#include "GNN/Overlay/Parameters.def"
  };
  uint64_t count = reader.count(4, 8, "parameters");
  if (!reader.error && count != parameters.size())
    return failure("expected ", parameters.size(), " parameters, got ", count);
  for (uint64_t *parameter : parameters)
    *parameter = reader.number(8, "a parameter");
  program.vertices = reader.number(8, "the vertices");
  program.edges = reader.number(8, "the edges");
  program.n1 = reader.number(8, "N1");
  program.n2 = reader.number(8, "N2");
  return reader.error;
}

static Error readPieces(Reader &reader, Region &region) {
  uint64_t count = reader.count(4, 3 * 4 + 7 * 8, "pieces");
  for (uint64_t i = 0; i < count; ++i) {
    Piece piece;
    piece.argument = reader.name("the argument of a piece");
    auto bits = static_cast<uint32_t>(reader.number(4, "the value of a piece"));
    std::memcpy(&piece.value, &bits, sizeof bits);
    uint64_t transposed = reader.number(4, "the side of a piece");
    if (transposed > 1)
      return failure("expected a piece as it is or transposed, 0 or 1, got ",
                     transposed);
    piece.transposed = transposed;
    for (uint64_t *number :
         {&piece.argumentRow, &piece.argumentColumn, &piece.pitch, &piece.row,
          &piece.column, &piece.rows, &piece.columns})
      *number = reader.number(8, "the place of a piece");
    if (reader.error)
      return reader.error;
    region.pieces.push_back(std::move(piece));
  }
  return reader.error;
}

static Error readRegions(Reader &reader, Program &program) {
  uint64_t count = reader.count(4, 4 + 2 * 4 + 6 * 8 + 4, "regions");
  for (uint64_t i = 0; i < count; ++i) {
    Region region;
    region.name = reader.name("the name of a region");
    uint64_t kind = reader.number(4, "the kind of a region");
    uint64_t role = reader.number(4, "the role of a region");
    region.address = reader.number(8, "the address of a region");
    region.bytes = reader.number(8, "the bytes of a region");
    region.rows = reader.number(8, "the rows of a region");
    region.columns = reader.number(8, "the columns of a region");
    region.firstRow = reader.number(8, "the first row of a region");
    region.firstColumn = reader.number(8, "the first column of a region");
    if (Error error = readPieces(reader, region))
      return error.in("region '" + region.name + "'");
    if (kind > uint64_t(RegionKind::Edges))
      return failure("region '", region.name,
                     "': expected a kind from 0 to 4, ", "got ", kind);
    if (role > uint64_t(RegionRole::Temporary))
      return failure("region '", region.name,
                     "': expected a role from 0 to 2, ", "got ", role);
    region.kind = static_cast<RegionKind>(kind);
    region.role = static_cast<RegionRole>(role);
    program.regions.push_back(std::move(region));
  }
  return reader.error;
}

static Error readInstructions(Reader &reader, Program &program) {
  uint64_t layers = reader.count(4, 4 + 8, "layers");
  for (uint64_t i = 0; i < layers; ++i) {
    Layer layer;
    layer.name = reader.name("the name of a layer");
    layer.firstInstruction = reader.number(8, "a layer's first instruction");
    program.layers.push_back(std::move(layer));
  }
  uint64_t count = reader.count(8, instructionBytes, "instructions");
  program.instructions.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    std::string_view bytes = reader.take(instructionBytes, "an instruction");
    if (reader.error)
      return reader.error;
    auto instruction = decode(reinterpret_cast<const uint8_t *>(bytes.data()));
    if (!instruction)
      return instruction.takeError().in("instruction " + std::to_string(i));
    program.instructions.push_back(*instruction);
  }
  return reader.error;
}

static Expected<Program> readProgram(std::string_view bytes, bool isPart);

static Error readParts(Reader &reader, Program &program, bool isPart) {
  uint64_t parts = reader.count(4, 8, "parts");
  if (isPart && parts)
    return failure("expected no parts of a part, got ", parts);
  for (uint64_t i = 0; i < parts; ++i) {
    uint64_t size = reader.number(8, "the bytes of a part");
    std::string_view bytes = reader.take(size, "a part");
    if (reader.error)
      return reader.error;
    auto part = readProgram(bytes, /*isPart=*/true);
    if (!part)
      return part.takeError().in("part " + std::to_string(i));
    program.parts.push_back(std::move(*part));
  }
  if (!reader.error && reader.left())
    return failure("expected the end of the file at byte ", reader.place(),
                   ", got ", reader.left(), " bytes more");
  return reader.error;
}

static Expected<Program> readProgram(std::string_view bytes, bool isPart) {
  Program program;
  Reader reader(bytes);
  if (Error error = readHead(reader, program))
    return error;
  if (Error error = readRegions(reader, program))
    return error;
  if (Error error = readInstructions(reader, program))
    return error;
  if (Error error = readParts(reader, program, isPart))
    return error;
  return program;
}

Expected<Program> gnn::overlay::read(const std::string &bytes) {
  return guarded("overlay program", [&]() -> Expected<Program> {
    auto program = readProgram(bytes, /*isPart=*/false);
    if (!program)
      return program.takeError().in("overlay program");
    return program;
  });
}

/// Names that the reader takes.
static Error checkNames(const Program &program) {
  auto check = [](const std::string &name) -> Error {
    if (name.size() <= maxName)
      return {};
    return failure("expected names of at most ", maxName, " bytes, got ",
                   name.size());
  };
  for (const Region &region : program.regions) {
    if (Error error = check(region.name))
      return error;
    for (const Piece &piece : region.pieces)
      if (Error error = check(piece.argument))
        return error;
  }
  for (const Layer &layer : program.layers)
    if (Error error = check(layer.name))
      return error;
  return {};
}

static void writeRegion(Writer &writer, const Region &region) {
  writer.name(region.name);
  writer.number(uint64_t(region.kind), 4);
  writer.number(uint64_t(region.role), 4);
  for (uint64_t value : {region.address, region.bytes, region.rows,
                         region.columns, region.firstRow, region.firstColumn})
    writer.number(value, 8);
  writer.number(region.pieces.size(), 4);
  for (const Piece &piece : region.pieces) {
    writer.name(piece.argument);
    writer.number(bitsOf(piece.value), 4);
    writer.number(piece.transposed, 4);
    for (uint64_t value : {piece.argumentRow, piece.argumentColumn, piece.pitch,
                           piece.row, piece.column, piece.rows, piece.columns})
      writer.number(value, 8);
  }
}

static Error writeProgram(Writer &writer, const Program &program) {
  if (Error error = checkNames(program))
    return error;
  writer.bytes += magic;
  writer.number(version, 4);
  std::vector<uint64_t> parameters = {
#define GNN_OVERLAY_PARAMETER(name, keyword, value, summary)                   \
  program.parameters.name,
#include "GNN/Overlay/Parameters.def"
  };
  writer.number(parameters.size(), 4);
  for (uint64_t parameter : parameters)
    writer.number(parameter, 8);
  for (uint64_t value :
       {program.vertices, program.edges, program.n1, program.n2})
    writer.number(value, 8);
  writer.number(program.regions.size(), 4);
  for (const Region &region : program.regions)
    writeRegion(writer, region);
  writer.number(program.layers.size(), 4);
  for (const Layer &layer : program.layers) {
    writer.name(layer.name);
    writer.number(layer.firstInstruction, 8);
  }
  writer.number(program.instructions.size(), 8);
  writer.bytes.reserve(writer.bytes.size() +
                       instructionBytes * program.instructions.size());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    auto bytes = encode(program.instructions[i]);
    if (!bytes)
      return bytes.takeError().in("instruction " + std::to_string(i));
    writer.bytes.append(reinterpret_cast<const char *>(bytes->data()),
                        bytes->size());
  }
  writer.number(program.parts.size(), 4);
  for (size_t i = 0; i < program.parts.size(); ++i) {
    Writer part;
    if (Error error = writeProgram(part, program.parts[i]))
      return error.in("part " + std::to_string(i));
    writer.number(part.bytes.size(), 8);
    writer.bytes += part.bytes;
  }
  return {};
}

Expected<std::string> gnn::overlay::write(const Program &program) {
  return guarded("overlay program", [&]() -> Expected<std::string> {
    Writer writer;
    if (Error error = writeProgram(writer, program))
      return error.in("overlay program");
    return std::move(writer.bytes);
  });
}
