//===- Verify.cpp - Checks of programs ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Program.h"
#include "GNN/Overlay/Words.h"

#include "Guarded.h"
#include "Parts.h"
#include "Tiles.h"

#include <algorithm>
#include <set>

using namespace gnn::overlay;
using namespace gnn::runtime;

/// Limits of sizes, under which their products fit 64 bits.
static constexpr uint64_t maxMemory = uint64_t(1) << 44;
static constexpr uint64_t maxVertices = uint64_t(1) << 31;
static constexpr uint64_t maxColumns = uint64_t(1) << 31;

static Error expectRange(const char *what, uint64_t value, uint64_t least,
                         uint64_t most) {
  if (least <= value && value <= most)
    return {};
  return failure("expected ", what, " from ", least, " to ", most, ", got ",
                 value);
}

static Error checkHead(const Program &program) {
  const Parameters &p = program.parameters;
  if (Error error = expectRange("pes", p.pes, 1, maxPes))
    return error;
  if (Error error = expectRange("psys", p.psys, 2, 16))
    return error;
  if (p.psys & (p.psys - 1))
    return failure("expected psys to be a power of two, got ", p.psys);
  // Addresses count in units of 64 bytes, so a row of a fiber is one.
  if (p.featureColumns != 16 || program.n2 != 16)
    return failure("expected fibers of 16 columns, got ", p.featureColumns,
                   " words of a row of a buffer and N2 ", program.n2);
  if (Error error = expectRange("feature_rows", p.featureRows, 1, 1 << 17))
    return error;
  if (Error error = expectRange("weight_rows", p.weightRows, 1, 1 << 17))
    return error;
  if (Error error = expectRange("edges of a buffer", p.edges, 1, 1 << 17))
    return error;
  if (Error error =
          expectRange("memory_bytes", p.memoryBytes, addressUnit, maxMemory))
    return error;
  if (Error error =
          expectRange("vertices", program.vertices, 0, maxVertices - 1))
    return error;
  if (Error error = expectRange("edges", program.edges, 0, maxVertices - 1))
    return error;
  if (Error error = expectRange("N1", program.n1, 1, p.featureRows))
    return error;
  if (program.n1 % p.psys)
    return failure("expected N1 to be a multiple of psys ", p.psys, ", got ",
                   program.n1);
  // The output holds the weights of as many edges.
  if (p.edges > p.featureRows * p.featureColumns)
    return failure("expected weights of ", p.edges,
                   " edges to fit an output of ",
                   p.featureRows * p.featureColumns, " words");
  return {};
}

static bool isFilledBefore(const Region &region) {
  return region.role == RegionRole::Input || region.kind == RegionKind::Edges;
}

/// Whether two regions may lie in the same memory: what is filled before the
/// run may not, nor what is read behind it.
static bool mayShare(const Region &one, const Region &other) {
  if (one.kind == RegionKind::Edges || other.kind == RegionKind::Edges)
    return false;
  return !(isFilledBefore(one) && isFilledBefore(other)) &&
         !(one.role == RegionRole::Output && other.role == RegionRole::Output);
}

/// Checks that rows are those of all vertices, or blocks of them in a part.
static Error checkWindow(const Region &region, const Program &program,
                         bool isPart) {
  if (!isPart || (region.kind != RegionKind::Features &&
                  region.kind != RegionKind::Edges)) {
    if (region.firstRow || region.firstColumn)
      return failure("expected a whole region, got one from row ",
                     region.firstRow, ", column ", region.firstColumn);
  }
  uint64_t end = region.firstRow + region.rows;
  if (region.firstRow > maxMemory || end > maxMemory ||
      region.firstColumn > maxColumns)
    return failure("expected rows and columns up to ", maxMemory, " and ",
                   maxColumns, ", got those from row ", region.firstRow,
                   ", column ", region.firstColumn);
  if (region.kind == RegionKind::Edges) {
    if (isPart ? region.columns > program.edges || region.firstColumn
               : region.columns != program.edges)
      return failure("expected ", isPart ? "at most " : "", program.edges,
                     " edges, got ", region.columns);
    return {};
  }
  if (region.kind != RegionKind::Features)
    return {};
  if (!isPart && region.rows != program.vertices)
    return failure("expected a row of each of ", program.vertices,
                   " vertices, got ", region.rows);
  if (end > program.vertices || region.firstRow % program.n1 ||
      region.firstColumn % program.n2 ||
      (end != program.vertices && end % program.n1))
    return failure("expected whole blocks of ", program.n1, " of ",
                   program.vertices, " rows and fibers of ", program.n2,
                   ", got rows ", region.firstRow, " to ", end, " from column ",
                   region.firstColumn);
  return {};
}

static Error checkRegion(const Region &region, const Program &program,
                         bool isPart) {
  if (region.name.empty())
    return failure("expected a name");
  if (region.address % addressUnit || region.bytes % addressUnit)
    return failure("expected an address and bytes that are multiples of ",
                   addressUnit, ", got ", region.address, " and ",
                   region.bytes);
  // Regions of a program of parts are the host's.
  uint64_t memory =
      program.parts.empty() ? program.parameters.memoryBytes : maxMemory;
  if (region.address > memory || region.bytes > memory - region.address)
    return failure("expected an end within ", memory, " bytes of memory, got ",
                   region.bytes, " bytes at ", region.address);
  if (Error error = expectRange("rows", region.rows, 0, maxMemory))
    return error;
  if (Error error = expectRange("columns", region.columns, 0, maxColumns))
    return error;
  if (region.kind == RegionKind::Weights && region.rows > maxColumns)
    return failure("expected at most ", maxColumns, " rows, got ", region.rows);
  if (Error error = checkWindow(region, program, isPart))
    return error;
  // Each of the factors is small enough, yet not their product.
  uint64_t height = region.kind == RegionKind::Weights    ? region.rows
                    : region.kind == RegionKind::Features ? program.vertices
                                                          : 1;
  double words = double(region.columns) * double(height);
  if (words > double(maxMemory))
    return failure("expected at most ", maxMemory, " words, got ", words);
  uint64_t needed =
      regionBytes(region.kind, region.rows, region.columns, program);
  if (region.bytes != needed)
    return failure("expected ", needed, " bytes, got ", region.bytes);
  return {};
}

/// Whether the block of each piece lies in the region, and has numbers whose
/// products fit 64 bits.
static Error checkPieces(const Region &region, bool isPart) {
  if (isPart) // copied from the host's
    return region.pieces.empty() ? Error()
                                 : failure("expected no pieces in a part, got ",
                                           region.pieces.size());
  if (region.role != RegionRole::Input)
    return region.pieces.empty()
               ? Error()
               : failure("expected pieces of an input alone, got ",
                         toWord(region.role), " ", toWord(region.kind));
  if (region.kind == RegionKind::Features || region.kind == RegionKind::Edges) {
    // Features are an argument; edges are one, or all of weight 1.
    bool mayBeNone = region.kind == RegionKind::Edges;
    if (region.pieces.size() == 1) {
      Piece whole;
      whole.argument = region.pieces[0].argument;
      if (!whole.argument.empty() && region.pieces[0] == whole)
        return {};
    } else if (region.pieces.empty() && mayBeNone) {
      return {};
    }
    return failure("expected ", toWord(region.kind),
                   " of one argument as a whole, got ", region.pieces.size(),
                   " pieces");
  }
  uint64_t rows = region.kind == RegionKind::Affine ? 2 : region.rows;
  for (const Piece &piece : region.pieces) {
    if (piece.row > rows || piece.rows > rows - piece.row ||
        piece.column > region.columns ||
        piece.columns > region.columns - piece.column)
      return failure("expected a piece within ", rows, "x", region.columns,
                     ", got ", piece.rows, "x", piece.columns, " at (",
                     piece.row, ", ", piece.column, ")");
    for (uint64_t place :
         {piece.argumentRow, piece.argumentColumn, piece.pitch})
      if (place > maxColumns)
        return failure("expected at most ", maxColumns,
                       " rows and columns of an argument, got ", place);
    if (piece.argument.empty())
      continue;
    uint64_t end = piece.transposed ? piece.argumentRow + piece.rows
                                    : piece.argumentColumn + piece.columns;
    if (end > piece.pitch)
      return failure("expected a piece of argument '", piece.argument,
                     "' within its ", piece.pitch, " columns, got ", end);
  }
  return {};
}

static Error checkRegions(const Program &program, bool isPart) {
  std::set<std::string> names;
  for (const Region &region : program.regions) {
    if (Error error = checkRegion(region, program, isPart))
      return error.in("region '" + region.name + "'");
    if (Error error = checkPieces(region, isPart))
      return error.in("region '" + region.name + "'");
    if (!names.insert(region.name).second)
      return failure("expected one region '", region.name, "', got two");
  }
  // By address, each against those before it that reach into it.
  std::vector<const Region *> sorted;
  for (const Region &region : program.regions)
    if (region.bytes)
      sorted.push_back(&region);
  std::sort(sorted.begin(), sorted.end(), [](auto *one, auto *other) {
    return one->address < other->address;
  });
  std::vector<const Region *> open;
  for (const Region *region : sorted) {
    open.erase(std::remove_if(open.begin(), open.end(),
                              [&](const Region *before) {
                                return before->address + before->bytes <=
                                       region->address;
                              }),
               open.end());
    for (const Region *before : open)
      if (!mayShare(*before, *region))
        return failure("expected regions '", before->name, "' and '",
                       region->name, "' apart from each other, got both at ",
                       region->address);
    open.push_back(region);
  }
  return {};
}

Expected<std::vector<LayerBlock>>
gnn::overlay::splitTiles(const Program &program) {
  std::vector<LayerBlock> layers;
  const std::vector<Instruction> &all = program.instructions;
  auto at = [](size_t place) { return "instruction " + std::to_string(place); };
  size_t next = 0;
  while (next < all.size()) {
    const Csi *csi = all[next].as<Csi>();
    if (!csi)
      return failure("expected a csi, got an instruction outside of a tile")
          .in(at(next));
    LayerBlock layer;
    layer.csi = next++;
    for (uint64_t tile = 0; tile < csi->tiles; ++tile) {
      Tile found;
      found.begin = next;
      bool ended = false;
      for (; next < all.size() && !ended; ++next) {
        const Instruction &instruction = all[next];
        if (instruction.as<Csi>())
          break;
        if (const Init *init = instruction.as<Init>()) {
          if (next != found.begin)
            return failure("expected an init first in its tile").in(at(next));
          found.trips = init->trips;
        }
        if (instruction.loop) {
          if (instruction.as<Init>() || instruction.as<Store>())
            return failure("expected no init and no store in a loop")
                .in(at(next));
          if (found.hasLoop() && found.loopEnd != next)
            return failure("expected one loop in a tile, got a second one")
                .in(at(next));
          if (!found.hasLoop())
            found.loopBegin = next;
          found.loopEnd = next + 1;
        }
        ended = instruction.end;
      }
      if (!ended)
        return failure("expected the end of tile ", tile, " of ", csi->tiles)
            .in(at(next));
      found.end = next;
      if (found.trips && !found.hasLoop())
        return failure("expected a loop of ", found.trips, " iterations")
            .in(at(found.begin));
      layer.tiles.push_back(found);
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

namespace {
/// Checks what instructions of a tile reach.
class TileVerifier {
public:
  explicit TileVerifier(const Program &program) : program(program) {}

  Error check(const Instruction &instruction, const Tile &tile) {
    trips = instruction.loop ? tile.trips : 1;
    bool isAct = instruction.as<Act>();
    if (instruction.buffer == outputBuffer && !isAct)
      return failure("expected buffer 0 or 1, got the output");
    return std::visit([&](const auto &body) { return check(body); },
                      instruction.body);
  }

private:
  const Parameters &p() const { return program.parameters; }

  /// Whether `bytes` from `address` lie in one region of that kind.
  Error checkInside(RegionKind kind, uint64_t address, uint64_t bytes) {
    for (const Region &region : program.regions)
      if (region.kind == kind && region.address <= address &&
          address - region.address <= region.bytes &&
          bytes <= region.bytes - (address - region.address))
        return {};
    return failure("expected an address within a region, got ", bytes,
                   " bytes at ", address);
  }

  Error checkDescriptors(uint64_t address, uint64_t count) {
    for (const Region &region : program.regions)
      if (region.kind == RegionKind::Edges && region.address <= address &&
          (address - region.address) / descriptorBytes <= region.rows &&
          count <= region.rows - (address - region.address) / descriptorBytes)
        return {};
    return failure("expected descriptors within a region, got ", count, " at ",
                   address);
  }

  Error checkRows(uint64_t count, uint64_t width) {
    if (Error error = expectRange("rows", count, 0, p().featureRows))
      return error;
    return expectRange("width", width, 0, p().featureColumns);
  }

  Error check(const Csi &) { return {}; }

  Error check(const Load &load) {
    if (load.space == uint64_t(gnn::overlay::Space::Edges)) {
      if (Error error = expectRange("edges", load.count, 0, p().edges))
        return error;
      if (load.byDescriptor)
        return checkDescriptors(load.address * descriptorBytes, trips);
      uint64_t reach = load.stride * addressUnit * (trips ? trips - 1 : 0);
      return checkInside(RegionKind::Edges, load.address * addressUnit,
                         reach + load.count * edgeBytes);
    }
    bool isWeight = load.space == uint64_t(gnn::overlay::Space::Weights);
    if (Error error = expectRange("rows", load.count, 0,
                                  isWeight ? p().weightRows : p().featureRows))
      return error;
    if (Error error = expectRange("width", load.width, 0, p().featureColumns))
      return error;
    uint64_t steps = load.byDescriptor ? program.blocks() : trips;
    uint64_t reach = load.stride * addressUnit * (steps ? steps - 1 : 0);
    uint64_t bytes = steps ? reach + bytesAcross(load, program.n2) : 0;
    return checkInside(isWeight ? RegionKind::Weights : RegionKind::Features,
                       load.address * addressUnit, bytes);
  }

  Error check(const Store &store) {
    if (store.space == uint64_t(gnn::overlay::Space::Edges)) {
      if (Error error = expectRange("edges", store.count, 0, p().edges))
        return error;
      if (store.byDescriptor)
        return checkDescriptors(store.address * descriptorBytes, 1);
      return checkInside(RegionKind::Edges, store.address * addressUnit,
                         store.count * edgeBytes);
    }
    if (Error error =
            checkRows(store.fiber * program.n1 + store.count, store.width))
      return error;
    return checkInside(RegionKind::Features, store.address * addressUnit,
                       store.count * addressUnit);
  }

  Error check(const Init &init) {
    if (Error error = checkRows(init.count, init.width))
      return error;
    if (init.value != uint64_t(InitValue::Bias))
      return {};
    if (init.onEdges)
      return failure("expected a bias of rows, got one of edges");
    return checkInside(RegionKind::Row, init.address * addressUnit,
                       biasBytes(init, program.n1));
  }

  Error check(const Gemm &gemm) {
    if (Error error =
            checkRows(gemm.fiber * program.n1 + gemm.rows, gemm.columns))
      return error;
    if (Error error = expectRange("length", gemm.length, 0, p().featureColumns))
      return error;
    return expectRange("rows of weights", gemm.fiber * program.n2 + gemm.length,
                       0, p().weightRows);
  }
  Error check(const Spdmm &spdmm) {
    if (Error error = expectRange("edges", spdmm.edges, 0, p().edges))
      return error;
    return expectRange("width", spdmm.width, 0, p().featureColumns);
  }
  Error check(const Sddmm &sddmm) {
    if (Error error = expectRange("edges", sddmm.edges, 0, p().edges))
      return error;
    return expectRange("width", sddmm.width, 0, p().featureColumns);
  }
  Error check(const Vadd &vadd) { return checkRows(vadd.rows, vadd.width); }
  Error check(const Act &act) {
    if (Error error = expectRange(act.onEdges ? "edges" : "rows", act.count, 0,
                                  act.onEdges ? p().edges : p().featureRows))
      return error;
    if (act.kind == uint64_t(ActivationKind::Divide))
      return expectRange("the divisor's column", act.parameter, 0,
                         p().featureColumns - 1);
    if (act.kind == uint64_t(ActivationKind::Affine))
      return checkInside(RegionKind::Affine, act.parameter * addressUnit,
                         2 * addressUnit);
    return {};
  }

  const Program &program;
  uint64_t trips = 1;
};
} // namespace

static Error checkLayers(const Program &program,
                         const std::vector<LayerBlock> &layers) {
  if (program.layers.size() != layers.size())
    return failure("expected names of ", layers.size(), " layers, got ",
                   program.layers.size());
  for (size_t i = 0; i < layers.size(); ++i)
    if (program.layers[i].firstInstruction != layers[i].csi)
      return failure("layer '", program.layers[i].name,
                     "': expected it to begin at instruction ", layers[i].csi,
                     ", got ", program.layers[i].firstInstruction);
  return {};
}

static Error verifyProgram(const Program &program, bool isPart,
                           InstructionPlace &place) {
  if (Error error = checkHead(program))
    return error;
  if (Error error = checkRegions(program, isPart))
    return error;
  auto layers = splitTiles(program);
  if (!layers)
    return layers.takeError();
  if (Error error = checkLayers(program, *layers))
    return error;
  TileVerifier verifier(program);
  for (const LayerBlock &layer : *layers)
    for (const Tile &tile : layer.tiles)
      for (size_t at = tile.begin; at < tile.end; ++at)
        if (Error error = verifier.check(program.instructions[at], tile)) {
          place.instruction = at;
          return error.in("instruction " + std::to_string(at));
        }
  return {};
}

Error gnn::overlay::verify(const Program &program, InstructionPlace *place) {
  InstructionPlace unread;
  InstructionPlace &found = place ? *place : unread;
  return guarded("overlay program", [&]() -> Error {
    if (Error error = verifyProgram(program, /*isPart=*/false, found))
      return error;
    for (size_t i = 0; i < program.parts.size(); ++i) {
      Error error = verifyProgram(program.parts[i], /*isPart=*/true, found);
      if (!error)
        error = verifyPart(program, i);
      if (error) {
        found.part = i;
        return error.in("part " + std::to_string(i));
      }
    }
    return {};
  });
}
