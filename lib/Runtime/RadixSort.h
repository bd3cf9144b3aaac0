//===- RadixSort.h - Sorting keys on a device -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_RADIXSORT_H
#define GNN_LIB_RUNTIME_RADIXSORT_H

#include "BuildKernels.h"

#include <vector>

namespace gnn::runtime {

/// A stable sort of int32 keys by the kernels of Kernels/sort_kernels.py. Keys
/// lie in segments behind each other, each of which is sorted by itself. Each
/// digit is one pass from one of two buffers to the other.
class RadixSort {
public:
  /// Segments, and all arrays, begin at multiples of so many words.
  explicit RadixSort(int64_t alignment = 1) : alignment(alignment) {}

  /// Adds a segment behind the others, of keys from `least` to `greatest`. Its
  /// number.
  size_t add(int64_t size, int64_t least, int64_t greatest);

  /// The keys of all segments, with what lies between them.
  int64_t size() const { return keys; }
  /// Whether row numbers fit int32, rounded up to whole tiles.
  static bool isNarrow(int64_t size);
  bool isNarrow() const { return isNarrow(keys); }
  /// int32 words of memory.
  int64_t words() const { return 4 * keys + counts; }

  /// Where the keys of a segment have to be written before, in words from the
  /// beginning of memory.
  int64_t unsortedAt(size_t segment) const;
  int32_t *unsorted(int32_t *memory, size_t segment) const {
    return memory + unsortedAt(segment);
  }

  Error run(const BuildKernels &kernels, int32_t *memory, Stream stream) const;

  /// Where it is said of each sorted key of a segment which one it was.
  int64_t orderAt(size_t segment) const {
    return 2 * keys + segments[segment].begin;
  }

  /// The keys in their order, and which one of its segment each was.
  const int32_t *sorted(const int32_t *memory) const { return memory; }
  const int32_t *order(const int32_t *memory) const {
    return memory + 2 * keys;
  }

private:
  struct Segment {
    int64_t begin, size, least;
    /// Digits of what keys are above the least one.
    int64_t digits;
    int64_t tiles;
    /// Where its counts are among all.
    int64_t countsAt;
  };

  /// Sorts some segments by one digit; `left` is how many are still to be
  /// sorted after this one.
  Error runDigit(const BuildKernels &kernels, int32_t *memory,
                 const std::vector<Segment> &some, int64_t left,
                 Stream stream) const;

  std::vector<Segment> segments;
  int64_t alignment, keys = 0, counts = 0;
};

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_RADIXSORT_H
