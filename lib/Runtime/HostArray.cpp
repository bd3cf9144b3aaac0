//===- HostArray.cpp - Arrays that are written once -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/HostArray.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>

using namespace gnn::runtime;

namespace {
constexpr size_t kHugePage = size_t(1) << 21;
constexpr size_t kLarge = 2 * kHugePage;
/// The most that waits to be used again: so many bytes, or blocks of the last
/// size.
constexpr size_t kMostKept = size_t(1) << 30;
constexpr size_t kBlocksKept = 8;
constexpr size_t kMostBlocks = 64;

struct Block {
  size_t bytes = 0;
  void *memory = nullptr;
};

/// The blocks that were freed since the first of the open scopes, the last one
/// at the end.
struct Kept {
  std::mutex mutex;
  int64_t scopes = 0;
  size_t bytes = 0, count = 0;
  std::array<Block, kMostBlocks> blocks;

  void *take(size_t number) {
    Block block = blocks[number];
    std::move(blocks.begin() + number + 1, blocks.begin() + count,
              blocks.begin() + number);
    --count;
    bytes -= block.bytes;
    return block.memory;
  }
};

/// Never destroyed: arrays may outlive whatever is.
Kept &kept() {
  static auto *state = new Kept();
  return *state;
}

/// So that the child of a fork does not find it locked.
const int heldOverForks =
    ::pthread_atfork([] { kept().mutex.lock(); }, [] { kept().mutex.unlock(); },
                     [] { kept().mutex.unlock(); });

size_t padded(size_t bytes) {
  if (bytes > SIZE_MAX - kHugePage)
    throw std::bad_alloc();
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

/// A block that is kept of that size or little more; null if none.
void *takeKept(size_t bytes) {
  Kept &state = kept();
  std::lock_guard<std::mutex> lock(state.mutex);
  size_t best = state.count;
  for (size_t i = 0; i < state.count; ++i) {
    size_t size = state.blocks[i].bytes;
    if (size >= bytes && size <= bytes + bytes / 4 &&
        (best == state.count || size < state.blocks[best].bytes))
      best = i;
  }
  return best == state.count ? nullptr : state.take(best);
}

/// Keeps a block where there is a scope.
bool keep(Block block) {
  Kept &state = kept();
  std::lock_guard<std::mutex> lock(state.mutex);
  // Bindings that overlap may never all be done at once, and sizes differ.
  size_t most = std::max(kMostKept, kBlocksKept * block.bytes);
  if (state.scopes == 0)
    return false;
  while (state.count == kMostBlocks || state.bytes + block.bytes > most)
    std::free(state.take(0));
  state.blocks[state.count++] = block;
  state.bytes += block.bytes;
  return true;
}
} // namespace

void *gnn::runtime::allocateHost(size_t bytes) {
  if (bytes < kLarge) {
    void *memory = std::malloc(bytes ? bytes : 1);
    if (!memory)
      throw std::bad_alloc();
    return memory;
  }
  size_t size = padded(bytes);
  if (void *memory = takeKept(size))
    return memory;
  void *memory = std::aligned_alloc(kHugePage, size);
  if (!memory)
    throw std::bad_alloc();
  // Sorts write all over an array: small pages would cost them dearly. A system
  // without huge pages refuses, and all is well.
  (void)::madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

void gnn::runtime::freeHost(void *memory, size_t bytes) {
  if (bytes < kLarge || !keep({padded(bytes), memory}))
    std::free(memory);
}

HostMemoryScope::HostMemoryScope() {
  std::lock_guard<std::mutex> lock(kept().mutex);
  ++kept().scopes;
}

HostMemoryScope::~HostMemoryScope() {
  Kept &state = kept();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (--state.scopes == 0)
    while (state.count > 0)
      std::free(state.take(state.count - 1));
}
