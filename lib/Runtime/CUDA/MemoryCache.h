//===- MemoryCache.h - Memory of a GPU that is used again -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_CUDA_MEMORYCACHE_H
#define GNN_LIB_RUNTIME_CUDA_MEMORYCACHE_H

#include "CUDA/Driver.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>

namespace gnn::runtime::cuda {

/// Small pieces of a GPU's memory that were freed and wait to be used again:
/// the driver's own free waits for all that runs on the GPU, which a program
/// that binds a sampled block at each step would pay for. Calls need the
/// context to be current.
class MemoryCache {
public:
  explicit MemoryCache(const Driver &driver) : driver(driver) {}

  /// Where the driver has no more, what waits is given back first.
  Expected<DevicePointer> allocate(size_t bytes);
  void free(DevicePointer memory);

  /// Gives back what waits.
  void clear();

private:
  /// The caller holds the mutex.
  void giveBack();

  const Driver &driver;
  std::mutex mutex;
  /// Sizes of the pieces that are in use.
  std::unordered_map<DevicePointer, size_t> used;
  std::multimap<size_t, DevicePointer> waiting;
  size_t waitingBytes = 0;
};

} // namespace gnn::runtime::cuda

#endif // GNN_LIB_RUNTIME_CUDA_MEMORYCACHE_H
