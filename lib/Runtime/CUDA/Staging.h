//===- Staging.h - Copies through pinned memory -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_CUDA_STAGING_H
#define GNN_LIB_RUNTIME_CUDA_STAGING_H

#include "CUDA/Driver.h"

#include <array>
#include <cstdint>
#include <mutex>

namespace gnn::runtime::cuda {

/// A ring of pinned chunks through which bytes go to the GPU on a stream of
/// their own, while the host goes on. All calls need the context to be current.
class Staging {
public:
  explicit Staging(const Driver &driver) : driver(driver) {}

  /// Puts a copy on the stream; `from` has been read when it returns. False
  /// where there is no pinned memory: nothing was copied.
  Expected<bool> start(DevicePointer to, const void *from, size_t bytes);

  /// Waits for all copies.
  Error finish();

  /// Gives the memory back, copies done or not.
  void close();

private:
  static constexpr size_t kChunkBytes = size_t(8) << 20;
  static constexpr size_t kChunks = 3;

  struct Chunk {
    char *memory = nullptr;
    DriverEvent event = nullptr;
    size_t used = 0;
    /// The event has been recorded behind the copies from this chunk.
    bool pending = false;
  };

  bool open(Chunk &chunk);
  Error turn();

  const Driver &driver;
  std::mutex mutex;
  DriverStream stream = nullptr;
  std::array<Chunk, kChunks> chunks;
  size_t current = 0;
  bool refused = false;
};

} // namespace gnn::runtime::cuda

#endif // GNN_LIB_RUNTIME_CUDA_STAGING_H
