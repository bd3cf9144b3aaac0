//===- HostMemory.h - Devices whose memory is the host's --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_HOSTMEMORY_H
#define GNN_RUNTIME_HOSTMEMORY_H

#include "GNN/Runtime/Device.h"

#include <map>
#include <mutex>

namespace gnn::runtime {

/// The memory half of a device that runs on the CPU. A subclass adds its name,
/// its kernels and its launches.
class HostMemoryDevice : public Device {
public:
  /// The initial content of memory. Poison sets every byte to 0xff, so floats
  /// that are read before they are written are NaN.
  enum class Fresh { Poison, Anything };

  explicit HostMemoryDevice(Fresh fresh = Fresh::Poison) : fresh(fresh) {}
  ~HostMemoryDevice() override;

  /// Aligned to 256 bytes.
  Expected<void *> allocate(int64_t bytes) override;
  void free(void *memory) override;
  int64_t bytesBehind(const void *memory) const override;
  Error copyToDevice(void *to, const void *from, int64_t bytes) override;
  Error copyToHost(void *to, const void *from, int64_t bytes) override;
  Error copyOnDevice(void *to, const void *from, int64_t bytes,
                     Stream stream) override;
  Error fillInStream(void *memory, uint8_t value, int64_t bytes,
                     Stream stream) override;
  Error fill(void *memory, uint8_t value, int64_t bytes) override;
  Error prepare(const Kernel &kernel, const Launch &launch) override;
  Error synchronize(Stream stream) override;

private:
  Error checkRoom(const char *what, const void *memory, int64_t bytes) const;

  const Fresh fresh;
  mutable std::mutex mutex;
  std::map<const void *, int64_t> allocations;
};

} // namespace gnn::runtime

#endif // GNN_RUNTIME_HOSTMEMORY_H
