//===- Tiles.h - Layers and tiles of a program ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_OVERLAY_TILES_H
#define GNN_LIB_OVERLAY_TILES_H

#include "GNN/Overlay/Program.h"

#include <algorithm>

namespace gnn::overlay {

/// Instructions that one processing element executes: those from `begin` to
/// under `end`, of which those from `loopBegin` to under `loopEnd` are executed
/// `trips` times.
struct Tile {
  size_t begin = 0, end = 0;
  size_t loopBegin = 0, loopEnd = 0;
  uint64_t trips = 0;

  bool hasLoop() const { return loopBegin < loopEnd; }
};

/// A csi and its tiles, in their order.
struct LayerBlock {
  size_t csi = 0;
  std::vector<Tile> tiles;
};

/// The layers of a program. Errors: an instruction outside of a tile, a tile
/// without an end, and a loop that is none.
runtime::Expected<std::vector<LayerBlock>> splitTiles(const Program &program);

/// Calls body(instruction, iteration) in the order of execution; `body` returns
/// an Error, the first of which ends the walk and names its instruction.
template <typename Body>
runtime::Error walkTile(const Program &program, const Tile &tile, Body body) {
  auto call = [&](size_t at, uint64_t iteration) {
    runtime::Error error = body(program.instructions[at], iteration);
    return error ? error.in("instruction " + std::to_string(at)) : error;
  };
  for (size_t at = tile.begin; at < tile.end; ++at) {
    if (at != tile.loopBegin || !tile.hasLoop()) {
      if (runtime::Error error = call(at, 0))
        return error;
      continue;
    }
    for (uint64_t trip = 0; trip < tile.trips; ++trip)
      for (size_t inside = at; inside < tile.loopEnd; ++inside)
        if (runtime::Error error = call(inside, trip))
          return error;
    at = tile.loopEnd - 1;
  }
  return {};
}

/// The buffer of a kind that an instruction names in an iteration.
inline uint64_t bufferAt(const Instruction &instruction, uint64_t iteration) {
  if (instruction.buffer >= outputBuffer || !instruction.loop)
    return instruction.buffer;
  return instruction.buffer ^ (iteration & 1);
}

/// Bytes from the first to the last row of a load of weights or features, whose
/// tiles of weights have `tileRows` rows.
inline uint64_t bytesAcross(const Load &load, uint64_t tileRows) {
  if (!load.fiberStride || !load.count)
    return load.count * addressUnit;
  return ((load.count - 1) / tileRows * load.fiberStride +
          std::min(load.count, tileRows)) *
         addressUnit;
}

/// Bytes of the bias of an init: a row for each `n1` rows of the output.
inline uint64_t biasBytes(const Init &init, uint64_t n1) {
  return (init.count + n1 - 1) / n1 * addressUnit;
}

/// The words that products of an iteration sum: `length` at most, and no more
/// than the layer's input has left.
inline uint64_t lengthAt(const Instruction &instruction, uint64_t length,
                         uint64_t in, uint64_t fiber, uint64_t iteration) {
  if (!instruction.loop)
    return length;
  uint64_t done = std::min(in, fiber * iteration);
  return std::min(length, in - done);
}

} // namespace gnn::overlay

#endif // GNN_LIB_OVERLAY_TILES_H
