//===- MemoryCache.cpp - Memory of a GPU that is used again ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDA/MemoryCache.h"

#include <new>

using namespace gnn::runtime;
using namespace gnn::runtime::cuda;

namespace {
/// The largest piece that waits, and all that do.
constexpr size_t kMostBytes = size_t(4) << 20;
constexpr size_t kMostWaiting = size_t(64) << 20;

/// Sizes go in steps of a quarter of a power of two, so that pieces fit again.
size_t roundUp(size_t bytes) {
  size_t step = 256;
  while (step * 8 < bytes)
    step *= 2;
  return (bytes + step - 1) / step * step;
}
} // namespace

Expected<DevicePointer> MemoryCache::allocate(size_t bytes) {
  bool isSmall = bytes <= kMostBytes;
  size_t size = isSmall ? roundUp(bytes) : bytes;
  std::lock_guard<std::mutex> lock(mutex);
  DevicePointer memory = 0;
  auto found = waiting.find(size);
  if (isSmall && found != waiting.end()) {
    memory = found->second;
    waiting.erase(found);
    waitingBytes -= size;
  } else {
    Error error = driver.check(driver.memAlloc(&memory, size), "cuMemAlloc");
    if (error && !waiting.empty()) { // which may be all that there is
      giveBack();
      error = driver.check(driver.memAlloc(&memory, size), "cuMemAlloc");
    }
    if (error)
      return error;
  }
  if (isSmall)
    used[memory] = size;
  return memory;
}

void MemoryCache::free(DevicePointer memory) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = used.find(memory);
  if (found != used.end()) {
    size_t size = found->second;
    used.erase(found);
    if (waitingBytes + size <= kMostWaiting) {
      try {
        waiting.emplace(size, memory);
        waitingBytes += size;
        return;
      } catch (const std::bad_alloc &) {
        // Then it does not wait.
      }
    }
  }
  // Nobody could do anything about a failure here.
  driver.memFree(memory);
}

void MemoryCache::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  giveBack();
}

void MemoryCache::giveBack() {
  for (const auto &[size, memory] : waiting)
    driver.memFree(memory);
  waiting.clear();
  waitingBytes = 0;
}
