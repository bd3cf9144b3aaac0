//===- KernelLaunches.h - Launches that build structures --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_KERNELLAUNCHES_H
#define GNN_LIB_RUNTIME_KERNELLAUNCHES_H

#include "BuildKernels.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gnn::runtime {

/// Launches of kernels on one stream. Those that read what others write come
/// behind them, and the rest share launches. Sorts are not among them
/// (RadixSort.h).
class KernelLaunches {
public:
  /// Blocks that a kernel needs for so many rows.
  static int64_t blocksFor(BuildKernel kernel, int64_t rows);

  /// Records that are added from here on read nothing that was added before.
  /// (All is compared with what came before it in its group.)
  void beginGroup() { groupBegin = written.size(); }

  /// A launch for so many rows, of a kernel with its arrays and then its
  /// numbers.
  void add(BuildKernel kernel, int64_t rows, ArrayView<KernelArray> arrays,
           ArrayView<int64_t> numbers);
  void add(BuildKernel kernel, int64_t rows,
           std::initializer_list<KernelArray> arrays,
           std::initializer_list<int64_t> numbers) {
    add(kernel, rows, {arrays.begin(), arrays.size()},
        ArrayView<int64_t>(numbers.begin(), numbers.size()));
  }

  /// Words of the host that go to the memory of structures first.
  void addCopy(int64_t offset, std::vector<int32_t> words) {
    if (!words.empty())
      copies.push_back({offset, std::move(words)});
  }

  /// Launches all, and forgets them.
  Error run(const BuildKernels &kernels, void *memory, Stream stream);

  /// Forgets all, but keeps its memory.
  void clear();

private:
  struct Record {
    BuildKernel kernel;
    int64_t rows;
    /// The places of its first array and of its first number among all.
    size_t arrays, numbers;
    /// The first step that it can be in, the last, and the one that it is in.
    int64_t first = 0, last = 0, launched = -1;
    /// How many of those that it comes after are not launched.
    size_t waiting = 0;
  };

  Error launch(ArrayView<size_t> records, const BuildKernels &kernels,
               void *memory, Stream stream) const;

  std::vector<std::pair<int64_t, std::vector<int32_t>>> copies;
  std::vector<Record> list;
  std::vector<KernelArray> allArrays;
  std::vector<int64_t> allNumbers;
  /// The arrays that are written, by which record, and where those of the group
  /// begin.
  std::vector<std::pair<KernelArray, size_t>> written;
  size_t groupBegin = 0;
  /// Pairs of records, of which the second comes after the first; ordered by
  /// the second.
  std::vector<std::pair<size_t, size_t>> orders;
  /// Records that wait for none.
  std::vector<size_t> ready;
};

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_KERNELLAUNCHES_H
