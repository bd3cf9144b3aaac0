//===- DegreeOrders.h - Rows by degree on a device --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_DEGREEORDERS_H
#define GNN_LIB_RUNTIME_DEGREEORDERS_H

#include "KernelLaunches.h"
#include "RadixSort.h"

namespace gnn::runtime {

/// Rows are sorted by degree once structures say how many edges each has. Those
/// of windows are then sorted by their window: a stable sort leaves each window
/// by degree. All of this lies in the memory of structures.
class DegreeOrders {
public:
  /// Places the memory of sorts, all keys of which were added, from `bytes` on.
  /// Where it ends.
  int64_t place(int64_t bytes);

  /// Runs what follows the launches that write the keys of `degrees`.
  Error run(const BuildKernels &kernels, void *memory, Stream stream);

  /// Where the keys of a segment have to be written, and the order of it is.
  KernelArray degreeKeys(size_t segment, int64_t rows) const {
    return at(degreesBegin, degrees.unsortedAt(segment), rows);
  }
  KernelArray byDegree(size_t segment, int64_t rows) const {
    return at(degreesBegin, degrees.orderAt(segment), rows);
  }
  KernelArray windowKeys(size_t segment, int64_t rows) const {
    return at(windowsBegin, windows.unsortedAt(segment), rows);
  }
  KernelArray byWindow(size_t segment, int64_t rows) const {
    return at(windowsBegin, windows.orderAt(segment), rows);
  }

  /// Orders are structures themselves, so that they are aligned as these.
  static constexpr int64_t alignment = kTensorAlignment / kWord;
  RadixSort degrees{alignment}, windows{alignment};
  /// The launches that read rows by degree, and those that read rows by window.
  KernelLaunches afterDegrees, afterWindows;

private:
  static KernelArray at(int64_t begin, int64_t word, int64_t rows) {
    return {begin + kWord * word, kWord * rows, /*inMemory=*/true};
  }

  int64_t degreesBegin = 0, windowsBegin = 0;
};

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_DEGREEORDERS_H
