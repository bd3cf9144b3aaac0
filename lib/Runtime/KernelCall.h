//===- KernelCall.h - A launch with its arguments ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_KERNELCALL_H
#define GNN_LIB_RUNTIME_KERNELCALL_H

#include "BuildKernels.h"

namespace gnn::runtime {

/// One launch of a kernel that builds structures: its arguments in their order.
class KernelCall {
public:
  static constexpr int64_t kThreads = 256; ///< of a block

  KernelCall() = default;
  KernelCall(const KernelCall &) = delete;
  KernelCall &operator=(const KernelCall &) = delete;

  /// An array of int32. The kernel is told how many there are.
  void addArray(const void *address, int64_t bytes) {
    KernelArray array = KernelArray::at(address, bytes);
    addArrays({&array, 1}, nullptr);
  }
  /// Arrays, of which some are in `memory`.
  void addArrays(ArrayView<KernelArray> arrays, void *memory) {
    size_t at = used; // `used` is memory that what is written might be.
    for (const KernelArray &array : arrays) {
      int64_t start = array.inMemory ? reinterpret_cast<intptr_t>(memory) : 0;
      add(at++, start + array.begin, array.bytes);
      add(at++, array.bytes / static_cast<int64_t>(sizeof(int32_t)), -1);
    }
    used = at;
  }
  void addNumbers(ArrayView<int64_t> numbers) {
    size_t at = used;
    for (int64_t number : numbers)
      add(at++, number, -1);
    used = at;
  }
  void addNumber(int64_t value) { add(used++, value, -1); }

  /// Launches `blocks` x `slots` blocks: each of the first `slots` slots has
  /// `blocks` of them. An error where the arguments are not as many as the
  /// kernel takes.
  Error launch(const BuildKernels &kernels, BuildKernel which, int64_t blocks,
               int64_t slots, Stream stream) {
    const Kernel &kernel = kernels[which];
    auto expected = static_cast<size_t>(formOf(which).numArguments());
    Error error;
    if (used != expected) {
      error = failure("expected ", expected, " arguments, got ", used);
    } else {
      Launch launch;
      launch.grid[0] = blocks;
      launch.grid[1] = slots;
      launch.block[0] = kThreads;
      error = kernels.device().launch(kernel, launch, {pointers, bytes, used},
                                      stream);
    }
    return error ? error.in("kernel '" + kernel.name() + "'") : error;
  }

private:
  /// An argument without room is counted alone; `launch` refuses it.
  void add(size_t at, int64_t value, int64_t size) {
    if (at >= kMost)
      return;
    values[at] = value;
    bytes[at] = size;
    pointers[at] = &values[at];
  }

  static constexpr size_t kMost = kMaxKernelArguments;
  int64_t values[kMost], bytes[kMost];
  void *pointers[kMost];
  size_t used = 0;
};

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_KERNELCALL_H
