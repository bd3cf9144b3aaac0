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

int64_t HostMemoryDevice::bytesBehind(const void *memory) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto next = allocations.upper_bound(memory);
  if (next == allocations.begin())
    return -1;
  auto [begin, bytes] = *std::prev(next);
  int64_t offset =
      static_cast<const char *>(memory) - static_cast<const char *>(begin);
  return offset < bytes ? bytes - offset : -1;
}

/// Whether memory of this device, if it is that, has so many bytes.
Error HostMemoryDevice::checkRoom(const char *what, const void *memory,
                                  int64_t bytes) const {
  int64_t room = bytesBehind(memory);
  if (room < 0 || bytes <= room)
    return {};
  return failure(what, ": expected at most ", room,
                 " bytes, as many as were allocated there, got ", bytes);
}

Error HostMemoryDevice::copyToDevice(void *to, const void *from,
                                     int64_t bytes) {
  if (bytes <= 0)
    return {};
  for (const void *memory : {static_cast<const void *>(to), from})
    if (Error error = checkRoom("copy", memory, bytes))
      return error;
  std::memcpy(to, from, static_cast<size_t>(bytes));
  return {};
}

Error HostMemoryDevice::copyToHost(void *to, const void *from, int64_t bytes) {
  return copyToDevice(to, from, bytes);
}

Error HostMemoryDevice::copyOnDevice(void *to, const void *from, int64_t bytes,
                                     Stream) {
  return copyToDevice(to, from, bytes);
}

Error HostMemoryDevice::fillInStream(void *memory, uint8_t value, int64_t bytes,
                                     Stream) {
  return fill(memory, value, bytes);
}

Error HostMemoryDevice::fill(void *memory, uint8_t value, int64_t bytes) {
  if (bytes <= 0)
    return {};
  if (Error error = checkRoom("fill", memory, bytes))
    return error;
  std::memset(memory, value, static_cast<size_t>(bytes));
  return {};
}

Error HostMemoryDevice::prepare(const Kernel &, const Launch &launch) {
  return checkLaunch(launch);
}

Error HostMemoryDevice::synchronize(Stream) { return {}; }
