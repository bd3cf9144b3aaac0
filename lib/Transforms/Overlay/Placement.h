//===- Placement.h - Addresses of values by their lives ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_OVERLAY_PLACEMENT_H
#define GNN_LIB_TRANSFORMS_OVERLAY_PLACEMENT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace gnn::overlay {

/// Bytes, and the first and the last step that needs them.
struct Life {
  uint64_t bytes = 0;
  int64_t first = 0, last = 0;
};

/// The lowest address from `begin` on of each, in order, that no other before
/// it has while it lives.
inline mlir::SmallVector<uint64_t> placeByLife(llvm::ArrayRef<Life> lives,
                                               uint64_t begin) {
  mlir::SmallVector<uint64_t> addresses;
  for (const Life &life : lives) {
    mlir::SmallVector<std::pair<uint64_t, uint64_t>> taken;
    for (auto [other, from] : llvm::zip(lives, addresses))
      if (other.first <= life.last && life.first <= other.last)
        taken.push_back({from, from + other.bytes});
    llvm::sort(taken);
    uint64_t address = begin;
    for (auto [from, to] : taken) {
      if (address + life.bytes <= from)
        break;
      address = std::max(address, to);
    }
    addresses.push_back(address);
  }
  return addresses;
}

} // namespace gnn::overlay

#endif // GNN_LIB_TRANSFORMS_OVERLAY_PLACEMENT_H
