//===- Buffers.h - Buffers that instructions use ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an instruction waits for and what it fills, for the functional and the
// timed execution alike.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_OVERLAY_BUFFERS_H
#define GNN_LIB_OVERLAY_BUFFERS_H

#include "Tiles.h"

#include <string>

namespace gnn::overlay {

/// A set of the buffers of a processing element: weights 0 and 1, edges 0 and
/// 1, features 0 and 1, and the output, a bit each.
using BufferSet = unsigned;

constexpr BufferSet weightBuffer(uint64_t index) { return 1u << index; }
constexpr BufferSet edgeBuffer(uint64_t index) { return 4u << index; }
constexpr BufferSet featureBuffer(uint64_t index) { return 16u << index; }
constexpr BufferSet outputBufferBit = 64;
constexpr BufferSet allWeights = 3, allEdges = 12, allFeatures = 48;
constexpr unsigned numBuffers = 7;

/// The buffers of a kind that `unlock` names.
constexpr BufferSet buffersOfBits(uint64_t bits) {
  return (bits & WeightBit ? allWeights : 0) | (bits & EdgeBit ? allEdges : 0) |
         (bits & FeatureBit ? allFeatures : 0) |
         (bits & OutputBit ? outputBufferBit : 0);
}

/// The first buffer of a set, for messages.
inline std::string nameOf(BufferSet set) {
  for (unsigned index = 0; index < 2; ++index) {
    if (set & weightBuffer(index))
      return "weight buffer " + std::to_string(index);
    if (set & edgeBuffer(index))
      return "edge buffer " + std::to_string(index);
    if (set & featureBuffer(index))
      return "feature buffer " + std::to_string(index);
  }
  return "the output";
}

/// Buffers that an instruction reads or adds to, all of which have to be full,
/// and the one that it fills, which has to be empty where it locks it.
struct BufferUse {
  BufferSet reads = 0;
  BufferSet fills = 0;
};

/// The buffers of an instruction in an iteration. `lastEdges` is the edge
/// buffer that the last load of edges before it filled: the one of an inner
/// product, of an activation of edges and of a store of edges.
inline BufferUse usesOf(const Instruction &instruction, uint64_t iteration,
                        uint64_t lastEdges) {
  uint64_t buffer = bufferAt(instruction, iteration);
  uint64_t input = buffer & 1;
  BufferUse use;
  // The output is taken by what locks it, and there already for all others.
  auto takeOutput = [&] {
    (instruction.lock ? use.fills : use.reads) |= outputBufferBit;
  };
  if (const Load *load = instruction.as<Load>()) {
    use.fills = load->space == uint64_t(Space::Weights) ? weightBuffer(input)
                : load->space == uint64_t(Space::Edges) ? edgeBuffer(input)
                                                        : featureBuffer(input);
  } else if (const Store *store = instruction.as<Store>()) {
    use.reads = outputBufferBit;
    if (store->space == uint64_t(Space::Edges))
      use.reads |= edgeBuffer(lastEdges);
  } else if (instruction.as<Init>()) {
    takeOutput();
  } else if (instruction.as<Gemm>()) {
    use.reads = weightBuffer(input) | featureBuffer(input) | outputBufferBit;
  } else if (instruction.as<Spdmm>()) {
    use.reads = edgeBuffer(input) | featureBuffer(input) | outputBufferBit;
  } else if (instruction.as<Sddmm>()) {
    use.reads = edgeBuffer(lastEdges) | allFeatures | outputBufferBit;
  } else if (instruction.as<Vadd>()) {
    use.reads = allFeatures;
    takeOutput();
  } else if (const Act *act = instruction.as<Act>()) {
    if (buffer == outputBuffer) {
      use.reads = outputBufferBit;
      return use;
    }
    use.reads = act->onEdges ? edgeBuffer(input)
                : act->kind == uint64_t(ActivationKind::Divide)
                    ? allFeatures
                    : featureBuffer(input);
    takeOutput();
  }
  return use;
}

} // namespace gnn::overlay

#endif // GNN_LIB_OVERLAY_BUFFERS_H
