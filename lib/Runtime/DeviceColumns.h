//===- DeviceColumns.h - Columns of ids by a kernel -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_DEVICECOLUMNS_H
#define GNN_LIB_RUNTIME_DEVICECOLUMNS_H

#include "DeviceIds.h"

#include "GNN/Runtime/Package.h"

#include <vector>

namespace gnn::runtime {

/// `count` int32 values at `out`: `base`, plus ids where there are some. An id
/// that is not from 0 to `limit` - 1 gives -1.
struct DeviceColumn {
  void *out = nullptr;
  int64_t count = 0;
  int64_t base = 0;
  DeviceIds ids;
  int64_t limit = 0;
};

/// Writes columns that do not overlap, many in one launch of the kernel
/// `columns` of Kernels/build_kernels.py. Does not wait: `out` and `ids` must
/// live until the stream is done. After an error nothing is in flight.
Error writeColumns(const std::vector<DeviceColumn> &columns,
                   const Package &package,
                   const std::shared_ptr<Device> &device, Stream stream);

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_DEVICECOLUMNS_H
