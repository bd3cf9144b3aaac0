//===- HostArray.cpp - Arrays that are written once -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/HostArray.h"

#include <sys/mman.h>

#include <cstdlib>
#include <map>
#include <mutex>

using namespace gnn::runtime;

namespace {
constexpr size_t kHugePage = size_t(1) << 21;
constexpr size_t kLarge = 2 * kHugePage;

/// What was freed since the first of the scopes that there are.
struct Kept {
  std::mutex mutex;
  int64_t scopes = 0;
  std::multimap<size_t, void *> blocks;
};

/// Never destroyed: arrays may outlive whatever is.
Kept &kept() {
  static auto *state = new Kept();
  return *state;
}

size_t padded(size_t bytes) {
  if (bytes > SIZE_MAX - kHugePage)
    throw std::bad_alloc();
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

/// A block that is kept of that size or little more; null if none.
void *takeKept(size_t bytes) {
  Kept &state = kept();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto found = state.blocks.lower_bound(bytes);
  if (found == state.blocks.end() || found->first > bytes + bytes / 4)
    return nullptr;
  void *memory = found->second;
  state.blocks.erase(found);
  return memory;
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
  if (bytes >= kLarge) {
    Kept &state = kept();
    std::lock_guard<std::mutex> lock(state.mutex);
    if (state.scopes > 0) {
      try {
        state.blocks.emplace(padded(bytes), memory);
        return;
      } catch (const std::bad_alloc &) {
        // Then it is not kept.
      }
    }
  }
  std::free(memory);
}

HostMemoryScope::HostMemoryScope() {
  std::lock_guard<std::mutex> lock(kept().mutex);
  ++kept().scopes;
}

HostMemoryScope::~HostMemoryScope() {
  std::multimap<size_t, void *> blocks;
  {
    std::lock_guard<std::mutex> lock(kept().mutex);
    if (--kept().scopes == 0)
      blocks.swap(kept().blocks);
  }
  for (const auto &[size, memory] : blocks)
    std::free(memory);
}
