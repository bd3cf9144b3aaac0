//===- KernelCall.h - A launch with its arguments ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_KERNELCALL_H
#define GNN_LIB_RUNTIME_KERNELCALL_H

#include "GNN/Runtime/Device.h"
#include "GNN/Runtime/Plan.h"

namespace gnn::runtime {

/// One launch of a kernel of `device_build_kernels.py`: its arguments in their
/// order.
class KernelCall {
public:
  static constexpr int64_t kThreads = 256; ///< of a block

  KernelCall() = default;
  KernelCall(const KernelCall &) = delete;
  KernelCall &operator=(const KernelCall &) = delete;

  /// An array of int32. The kernel is told how many there are.
  void addArray(int64_t address, int64_t bytes) {
    add(address, bytes);
    addNumber(bytes / static_cast<int64_t>(sizeof(int32_t)));
  }
  void addArray(const void *address, int64_t bytes) {
    addArray(static_cast<int64_t>(reinterpret_cast<intptr_t>(address)), bytes);
  }
  void addNumber(int64_t value) { add(value, -1); }

  /// So many blocks for each of some slots.
  Error launch(const Kernel &kernel, Device &device, int64_t blocks,
               int64_t slots, Stream stream) {
    Launch launch;
    launch.grid[0] = blocks;
    launch.grid[1] = slots;
    launch.block[0] = kThreads;
    if (Error error =
            device.launch(kernel, launch, {pointers, bytes, used}, stream))
      return error.in("kernel '" + kernel.name() + "'");
    return {};
  }

private:
  void add(int64_t value, int64_t size) {
    values[used] = value;
    bytes[used] = size;
    pointers[used] = &values[used];
    ++used;
  }

  int64_t values[kMaxKernelArguments], bytes[kMaxKernelArguments];
  void *pointers[kMaxKernelArguments];
  size_t used = 0;
};

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_KERNELCALL_H
