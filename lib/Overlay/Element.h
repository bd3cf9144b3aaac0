//===- Element.h - A processing element, functionally -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_OVERLAY_ELEMENT_H
#define GNN_LIB_OVERLAY_ELEMENT_H

#include "Locks.h"

#include "GNN/Overlay/Machine.h"

#include <optional>

namespace gnn::overlay {

/// Buffers of a processing element, on which it executes tiles.
class Element {
public:
  Element(const Program &program, Memory &memory, const RunOptions &options);

  /// Executes a tile of a layer from empty buffers.
  runtime::Error run(const Csi &csi, const Tile &tile);

private:
  struct Features {
    std::vector<float> words;
    uint64_t rows = 0, width = 0;
    /// Where the rows come from.
    uint64_t address = 0;
  };
  struct Weights {
    std::vector<float> words;
    uint64_t rows = 0, width = 0;
  };
  struct Edges {
    std::vector<Edge> list;
    uint64_t count = 0;
    bool byDescriptor = false;
    /// Of the sources.
    uint64_t block = 0;
  };
  /// Rows, or weights of edges; which one is known from its reader.
  struct Output {
    std::vector<float> words;
    uint64_t rows = 0;
    bool onEdges = false;
    /// It began with the lowest or the highest number: rows that nothing came
    /// to are 0.
    bool isExtreme = false;
    std::vector<uint8_t> touched;
  };

  runtime::Error step(const Instruction &instruction, uint64_t iteration);

  runtime::Error execute(const Csi &) { return {}; }
  runtime::Error execute(const Load &load);
  runtime::Error execute(const Store &store);
  runtime::Error execute(const Init &init);
  runtime::Error execute(const Gemm &gemm);
  runtime::Error execute(const Spdmm &spdmm);
  runtime::Error execute(const Sddmm &sddmm);
  runtime::Error execute(const Vadd &vadd);
  runtime::Error execute(const Act &act);

  runtime::Error loadEdges(const Load &load);
  runtime::Error loadRows(const Load &load);
  runtime::Error storeEdges(const Store &store);
  runtime::Expected<Descriptor> readDescriptor(uint64_t address) const;
  runtime::Error activateEdges(const Act &act);
  runtime::Error activateRows(const Act &act);

  /// The edges of an instruction: those of a descriptor where it says 0.
  runtime::Expected<uint64_t> countOf(const Edges &edges, uint64_t named) const;
  /// The first vertices of the blocks of sources and destinations.
  struct Bases {
    uint32_t src = 0, dst = 0;
  };
  runtime::Expected<Bases> basesOf(const Edges &edges, uint64_t count);
  runtime::Error checkBlock(const Features &features, uint64_t block,
                            const char *what) const;
  bool holdsBlock(uint64_t address, uint64_t block) const;
  /// Of rows `from` the output that go to an address.
  runtime::Error checkFinite(const float *from, uint64_t address, uint64_t rows,
                             uint64_t width) const;
  runtime::Error checkMemory(uint64_t address, uint64_t bytes) const;
  /// Rows without a value become 0.
  void settle();

  float *words(uint64_t address) {
    return reinterpret_cast<float *>(memory.data() + address);
  }

  const Program &program;
  Memory &memory;
  const RunOptions options;
  const uint64_t columns;

  Weights weights[2];
  Edges edges[2];
  Features features[2];
  Output output;
  Locks locks;

  const Csi *layer = nullptr;
  const Instruction *current = nullptr;
  uint64_t iteration = 0, buffer = 0, lastEdges = 0;
  /// The block of the destinations of the tile's edges.
  std::optional<uint64_t> shard;
};

} // namespace gnn::overlay

#endif // GNN_LIB_OVERLAY_ELEMENT_H
