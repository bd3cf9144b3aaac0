//===- Parts.h - Super partitions -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of parts, for graphs that do not fit the memory (GraphAGILE, section
// 9): what goes between the memory of the host and that of the overlay.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_OVERLAY_PARTS_H
#define GNN_LIB_OVERLAY_PARTS_H

#include "GNN/Overlay/Memory.h"
#include "GNN/Overlay/Report.h"

namespace gnn::overlay {

/// Checks that a part is of its program, and that its regions lie apart from
/// each other and from what is copied or read while it runs.
runtime::Error verifyPart(const Program &program, size_t part);

/// Bytes that are copied before and behind a part.
struct PartTransfer {
  uint64_t in = 0;
  uint64_t out = 0;
  /// Whether it reads what the part before it writes and does not leave in
  /// place, so that nothing can be copied while that one runs.
  bool waits = false;
};
PartTransfer transferOf(const Program &program, size_t part);

/// The memory of the overlay while parts run.
class PartMemory {
public:
  static runtime::Expected<PartMemory> create(const Program &program,
                                              int64_t maxBytes);

  /// Copies what a part reads from the memory of the host.
  runtime::Error copyIn(const Program &program, size_t part,
                        const Memory &host);
  /// Copies what it wrote to the memory of the host.
  runtime::Error copyOut(const Program &program, size_t part,
                         Memory &host) const;

  Memory memory;
};

} // namespace gnn::overlay

#endif // GNN_LIB_OVERLAY_PARTS_H
