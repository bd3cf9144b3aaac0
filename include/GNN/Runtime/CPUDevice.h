//===- CPUDevice.h - Kernels of one thread on the CPU -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory, and kernels as code of this process: nothing is checked, blocks
// are spread over the cores. Blocks are independent, so results have the same
// bits for any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_CPUDEVICE_H
#define GNN_RUNTIME_CPUDEVICE_H

#include "GNN/Runtime/HostMemory.h"
#include "GNN/Runtime/KernelTable.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gnn::runtime {

/// Runs blocks `begin` to `end` of a grid, x fastest. `arguments` has the
/// address of each argument.
using BlocksFunction = void (*)(void **arguments, const int64_t *grid,
                                int64_t begin, int64_t end);

/// A kernel whose code is in this process.
struct KernelCode : KernelEntry {
  BlocksFunction function = nullptr;
};

/// The kernels of an image as code. Safe to use from several threads.
class CodeImage {
public:
  virtual ~CodeImage();

  /// Compiles those kernels of `names` that exist and have no code yet, on at
  /// most `threads` threads.
  virtual Error prepare(const std::vector<std::string> &names,
                        unsigned threads) = 0;

  /// A prepared kernel, which lives as long as this object; null if the image
  /// has no kernel with this name.
  virtual const KernelCode *find(const std::string &name) = 0;
};

/// Makes code of an image of the format "mlir": the compiler.
using KernelCompiler =
    Expected<std::unique_ptr<CodeImage>> (*)(const std::string &image);

/// A device that runs shared objects, best processor first, and then images of
/// the format "mlir" if there is a compiler. Kernels of more than one thread a
/// block are an error. Blocks run on `threads`; 0 stands for numThreads().
std::shared_ptr<Device> createCPUDevice(unsigned threads,
                                        KernelCompiler compiler = nullptr);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_CPUDEVICE_H
