//===- Machine.h - Execution of programs ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_OVERLAY_MACHINE_H
#define GNN_OVERLAY_MACHINE_H

#include "GNN/Overlay/Memory.h"

namespace gnn::overlay {

struct RunOptions {
  /// A value that is stored for a vertex or an edge and is not finite is an
  /// error. Softmax is not shifted by its maximum, so that exp may overflow.
  bool checkFinite = true;
  /// Most bytes of the memory of the overlay beside that of the host, of a
  /// program of parts.
  int64_t maxBytes = runtime::physicalMemory();
};

/// Executes the instructions of a program, or of its parts, on its memory: f32,
/// edges as they are stored, features ascending, exp and the like computed in
/// double and rounded. Bits depend neither on the number of processing elements
/// nor on that of threads. Errors name the layer, the tile and the instruction:
/// mutexes that are not set or not cleared, addresses outside of a region,
/// descriptors of other blocks, tiles of a layer that depend on each other.
runtime::Error execute(const Program &program, Memory &memory,
                       const RunOptions &options = {});

} // namespace gnn::overlay

#endif // GNN_OVERLAY_MACHINE_H
