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
#include <optional>

namespace gnn::runtime {

/// A piece of memory.
struct MemoryRange {
  void *begin = nullptr;
  int64_t bytes = 0;
};

/// The memory half of a device that runs on the CPU. What is left to a subclass
/// is its name, its kernels and its launches.
class HostMemoryDevice : public Device {
public:
  /// What is in memory at first: where it is poison, every byte is 0xff, so
  /// that floats read before they are written are NaN.
  enum class Fresh { Poison, Anything };

  explicit HostMemoryDevice(Fresh fresh = Fresh::Poison) : fresh(fresh) {}
  ~HostMemoryDevice() override;

  /// Aligned to 256 bytes.
  Expected<void *> allocate(int64_t bytes) override;
  void free(void *memory) override;
  Error copyToDevice(void *to, const void *from, int64_t bytes) override;
  Error copyToHost(void *to, const void *from, int64_t bytes) override;
  Error fill(void *memory, uint8_t value, int64_t bytes) override;
  Error prepare(const Kernel &kernel, const Launch &launch) override;
  Error synchronize(Stream stream) override;

  /// The allocation of this device that `pointer` lies in (its end excluded);
  /// none for memory that came from elsewhere.
  std::optional<MemoryRange> findAllocation(const void *pointer) const;

private:
  const Fresh fresh;
  mutable std::mutex mutex;
  std::map<const void *, int64_t> allocations;
};

} // namespace gnn::runtime

#endif // GNN_RUNTIME_HOSTMEMORY_H
