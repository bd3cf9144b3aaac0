//===- Support.h - Common parts of the overlay ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_OVERLAY_SUPPORT_H
#define GNN_LIB_OVERLAY_SUPPORT_H

#include <cstdint>

namespace gnn::overlay {

inline uint64_t divideUp(uint64_t value, uint64_t by) {
  return value / by + (value % by != 0);
}

inline uint64_t alignUp(uint64_t value, uint64_t by) {
  return divideUp(value, by) * by;
}

} // namespace gnn::overlay

#endif // GNN_LIB_OVERLAY_SUPPORT_H
