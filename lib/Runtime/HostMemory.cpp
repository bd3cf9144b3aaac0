//===- HostMemory.cpp - Base of devices whose memory is the host's --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/HostMemory.h"

#include "Guarded.h"

#include <cstdlib>
#include <cstring>

using namespace gnn::runtime;

HostMemoryDevice::~HostMemoryDevice() {
  for (const auto &[memory, bytes] : allocations)
    std::free(const_cast<void *>(memory));
}

Expected<void *> HostMemoryDevice::allocate(int64_t bytes) {
  return guarded("allocate", [&]() -> Expected<void *> {
    if (bytes < 0)
      return failure("expected 0 or more bytes, got ", bytes);
    if (bytes == 0)
      return static_cast<void *>(nullptr);
    if (bytes > INT64_MAX - 256)
      return failure("out of host memory: ", bytes, " bytes asked for");
    size_t padded = (static_cast<size_t>(bytes) + 255) / 256 * 256;
    void *memory = std::aligned_alloc(256, padded);
    if (!memory)
      return failure("out of host memory: ", bytes, " bytes asked for");
    if (fresh == Fresh::Poison)
      std::memset(memory, 0xff, padded);
    std::lock_guard<std::mutex> lock(mutex);
    allocations[memory] = bytes;
    return memory;
  });
}

void HostMemoryDevice::free(void *memory) {
  if (!memory)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (allocations.erase(memory))
    std::free(memory);
}

Error HostMemoryDevice::copyToDevice(void *to, const void *from,
                                     int64_t bytes) {
  if (bytes > 0)
    std::memcpy(to, from, static_cast<size_t>(bytes));
  return {};
}

Error HostMemoryDevice::copyToHost(void *to, const void *from, int64_t bytes) {
  return copyToDevice(to, from, bytes);
}

Error HostMemoryDevice::fill(void *memory, uint8_t value, int64_t bytes) {
  if (bytes > 0)
    std::memset(memory, value, static_cast<size_t>(bytes));
  return {};
}

Error HostMemoryDevice::prepare(const Kernel &, const Launch &launch) {
  return checkLaunch(launch);
}

Error HostMemoryDevice::synchronize(Stream) { return {}; }

std::optional<MemoryRange>
HostMemoryDevice::findAllocation(const void *pointer) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto next = allocations.upper_bound(pointer);
  if (next == allocations.begin())
    return std::nullopt;
  auto found = std::prev(next);
  const char *begin = static_cast<const char *>(found->first);
  if (static_cast<const char *>(pointer) >= begin + found->second)
    return std::nullopt;
  return MemoryRange{const_cast<char *>(begin), found->second};
}
