//===- DeviceIds.h - Ids on a device ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_DEVICEIDS_H
#define GNN_LIB_RUNTIME_DEVICEIDS_H

#include <cstdint>

namespace gnn::runtime {

/// Ids on a device; none where `values` is null. `stride` counts ids.
struct DeviceIds {
  const void *values = nullptr;
  int64_t bits = 64;
  int64_t stride = 1;

  /// int32 words from one id to the next, and of so many ids.
  int64_t step() const { return stride * bits / 32; }
  int64_t words(int64_t count) const {
    return values && count > 0 ? (count - 1) * step() + bits / 32 : 0;
  }
};

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_DEVICEIDS_H
