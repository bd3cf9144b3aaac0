//===- Parallel.h - Loops on several threads --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_PARALLEL_H
#define GNN_LIB_RUNTIME_PARALLEL_H

#include "GNN/Runtime/ArrayView.h"
#include "GNN/Runtime/HostArray.h"
#include "GNN/Runtime/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace gnn::runtime {

/// Items that are worth a thread: waking it takes as long as some ten thousand
/// steps. A sampled batch of a thousand nodes is less, and has its thread to
/// itself.
constexpr size_t kItemsOfThread = size_t(1) << 17;

/// More threads than these wait for the same memory.
constexpr unsigned kMaxParts = 32;

/// The parts into which `count` items are cut, one a thread. A result made of
/// the parts must not depend on where they are cut.
inline unsigned partsOf(size_t count, size_t itemsOfThread = kItemsOfThread) {
  size_t most = count / std::max<size_t>(itemsOfThread, 1);
  return most < 2 ? 1
                  : static_cast<unsigned>(std::min<size_t>(
                        most, std::min(numThreads(), kMaxParts)));
}

/// Where part `part` of `parts` begins.
inline size_t beginOf(size_t count, unsigned part, unsigned parts) {
  return count / parts * part + std::min<size_t>(part, count % parts);
}

/// Calls body(part, begin, end) for each part.
template <typename Body>
void forParts(size_t count, unsigned parts, Body body) {
  runOnThreads(parts, [&](unsigned part) {
    body(part, beginOf(count, part, parts), beginOf(count, part + 1, parts));
  });
}

/// Calls body(begin, end) for pieces that cover all items.
template <typename Body> void forRanges(size_t count, Body body) {
  forParts(count, partsOf(count),
           [&](unsigned, size_t begin, size_t end) { body(begin, end); });
}

/// Calls body(worker, task) for each task, tasks in ascending order as workers
/// become free.
template <typename Body>
void forTasks(size_t tasks, unsigned workers, Body body) {
  std::atomic<size_t> next{0};
  runOnThreads(workers, [&](unsigned worker) {
    for (size_t task = next++; task < tasks; task = next++)
      body(worker, task);
  });
}

/// The least index of [0, count) for which `isBad` holds; `count` if none.
template <typename IsBad> size_t findFirst(size_t count, IsBad isBad) {
  std::atomic<size_t> found{count};
  forParts(count, partsOf(count), [&](unsigned, size_t begin, size_t end) {
    // In blocks, so that the check itself has no way out.
    constexpr size_t kBlock = 1024;
    for (size_t block = begin; block < end && block < found; block += kBlock) {
      size_t stop = std::min(block + kBlock, end);
      bool any = false;
      for (size_t i = block; i < stop; ++i)
        any |= isBad(i);
      if (!any)
        continue;
      size_t i = block;
      while (!isBad(i))
        ++i;
      size_t least = found;
      while (i < least && !found.compare_exchange_weak(least, i))
        ;
      return;
    }
  });
  return found;
}

/// Copies bytes.
inline void copyBytes(void *to, const void *from, size_t bytes) {
  if (bytes == 0) // memcpy takes no null.
    return;
  forParts(bytes, partsOf(bytes, 4 * kItemsOfThread),
           [&](unsigned, size_t begin, size_t end) {
             std::memcpy(static_cast<char *>(to) + begin,
                         static_cast<const char *>(from) + begin, end - begin);
           });
}

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_PARALLEL_H
