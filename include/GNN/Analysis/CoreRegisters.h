//===- CoreRegisters.h - The vector registers of a core ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_COREREGISTERS_H
#define GNN_ANALYSIS_COREREGISTERS_H

#include <cstdint>

namespace gnn {

/// The vector registers of a core: the elements of 32 bits of each, and how
/// many there are. The defaults are those of AVX-512.
struct CoreRegisters {
  int64_t vector = 16, count = 32;

  bool operator==(const CoreRegisters &other) const {
    return vector == other.vector && count == other.count;
  }
};

} // namespace gnn

#endif // GNN_ANALYSIS_COREREGISTERS_H
