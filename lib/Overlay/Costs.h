//===- Costs.h - Cycles of instructions -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_OVERLAY_COSTS_H
#define GNN_LIB_OVERLAY_COSTS_H

#include "Tiles.h"

#include "GNN/Overlay/Timing.h"

namespace gnn::overlay {

/// Modes of the computation kernel; other instructions leave it as it is.
enum class Mode : uint8_t { None, Gemm, Spdmm, Sddmm, VectorAdd };

/// What an instruction takes, apart from a change of the mode.
struct Cost {
  uint64_t cycles = 0;
  Mode mode = Mode::None;
  /// Where reports count it.
  uint64_t KernelCycles::*kernel = nullptr;
  /// Those of `cycles` that fill the array.
  uint64_t fill = 0;
};

/// Edges that an instruction is of: those of an entry, or a number of them.
struct EdgesInBuffer {
  static constexpr uint64_t noEntry = UINT64_MAX;
  uint64_t count = 0;
  uint64_t entry = noEntry;
};

/// The table of cycles (GraphAGILE's algorithms 1 to 3).
class Costs {
public:
  /// Counts what the network makes of each entry; on several threads.
  static runtime::Expected<Costs> create(const Program &program,
                                         const Partition &partition,
                                         const TimingOptions &options);

  /// `isFirst`: the first product of matrices of a tile.
  Cost of(const Instruction &instruction, const Csi &csi, uint64_t iteration,
          const EdgesInBuffer &edges, bool isFirst) const;

private:
  Costs(const Program &program, const TimingOptions &options)
      : parameters(program.parameters), options(options), fiber(program.n2) {}

  EntryCycles cyclesOf(const EdgesInBuffer &edges, uint64_t named) const;
  Cost ofAct(const Act &act, const EdgesInBuffer &edges) const;

  Parameters parameters;
  TimingOptions options;
  uint64_t fiber;
  /// Empty where counts say it.
  std::vector<EntryCycles> entries;
};

} // namespace gnn::overlay

#endif // GNN_LIB_OVERLAY_COSTS_H
