//===- ProcessorCache.h - Workgroup memory and the L1 -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_CUDA_PROCESSORCACHE_H
#define GNN_LIB_RUNTIME_CUDA_PROCESSORCACHE_H

#include "CUDA/Driver.h"

#include "GNN/Runtime/Device.h"

namespace gnn::runtime::cuda {

/// The cache of a multiprocessor: a part of it is workgroup memory, what is
/// left the L1.
class ProcessorCache {
public:
  /// Asks the driver for the sizes.
  Error read(const Driver &driver, DeviceOrdinal device);

  /// Has the workgroup memory hold the blocks of `launch` that a multiprocessor
  /// has registers and threads for, and not more; the driver by itself takes
  /// more. `percent` is what the function was told to take so far, -1 nothing.
  /// Launches of few blocks leave it to the driver.
  Error carveOut(const Driver &driver, Function function, int64_t staticBytes,
                 const Launch &launch, int64_t &percent) const;

private:
  int processors = 0, bytes = 0;
  int reservedBytes = 0; ///< workgroup memory of a block that the driver takes
};

} // namespace gnn::runtime::cuda

#endif // GNN_LIB_RUNTIME_CUDA_PROCESSORCACHE_H
