//===- Staging.cpp - Copies through pinned memory -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDA/Staging.h"

#include "Parallel.h"

#include <algorithm>

using namespace gnn::runtime;
using namespace gnn::runtime::cuda;

/// Gives a chunk its memory, and the ring its stream. False where the driver
/// refuses.
bool Staging::open(Chunk &chunk) {
  if (!stream && driver.streamCreate(&stream, kStreamNonBlocking) != kSuccess)
    return false;
  if (!chunk.event &&
      driver.eventCreate(&chunk.event, kEventDisableTiming) != kSuccess)
    return false;
  void *memory = nullptr;
  if (driver.memHostAlloc(&memory, kChunkBytes, 0) != kSuccess)
    return false;
  chunk.memory = static_cast<char *>(memory);
  return true;
}

/// Goes on with the next chunk, when the copies from it are done.
Error Staging::turn() {
  Chunk &full = chunks[current];
  if (Error error =
          driver.check(driver.eventRecord(full.event, stream), "cuEventRecord"))
    return error;
  full.pending = true;
  size_t next = (current + 1) % kChunks;
  // With one chunk alone its own copies are waited for.
  if (!chunks[next].memory && !open(chunks[next]))
    next = 0;
  current = next;
  Chunk &chunk = chunks[current];
  if (chunk.pending)
    if (Error error = driver.check(driver.eventSynchronize(chunk.event),
                                   "cuEventSynchronize"))
      return error;
  chunk.pending = false;
  chunk.used = 0;
  return {};
}

Expected<bool> Staging::start(DevicePointer to, const void *from,
                              size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (refused || (!chunks[0].memory && !open(chunks[0]))) {
    refused = true;
    return false;
  }
  const char *source = static_cast<const char *>(from);
  while (bytes > 0) {
    // Small copies share a chunk, but none of them is cut.
    size_t room = kChunkBytes - chunks[current].used;
    if (room < std::min(bytes, kChunkBytes / 8)) {
      if (Error error = turn())
        return error;
      room = kChunkBytes;
    }
    Chunk &chunk = chunks[current];
    size_t size = std::min(bytes, room);
    char *place = chunk.memory + chunk.used;
    copyBytes(place, source, size);
    if (Error error =
            driver.check(driver.memcpyHtoDAsync(to, place, size, stream),
                         "cuMemcpyHtoDAsync"))
      return error;
    chunk.used = std::min(kChunkBytes, chunk.used + (size + 255) / 256 * 256);
    to += size;
    source += size;
    bytes -= size;
  }
  return true;
}

Error Staging::finish() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!stream)
    return {};
  Error error =
      driver.check(driver.streamSynchronize(stream), "cuStreamSynchronize");
  for (Chunk &chunk : chunks) {
    chunk.pending = false;
    chunk.used = 0;
  }
  return error;
}

void Staging::close() {
  if (stream)
    driver.streamSynchronize(stream);
  for (Chunk &chunk : chunks) {
    if (chunk.memory)
      driver.memFreeHost(chunk.memory);
    if (chunk.event)
      driver.eventDestroy(chunk.event);
    chunk = Chunk();
  }
  if (stream)
    driver.streamDestroy(stream);
  stream = nullptr;
}
