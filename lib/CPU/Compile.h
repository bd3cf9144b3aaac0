//===- Compile.h - Kernels of one thread as host code -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CPU_COMPILE_H
#define GNN_LIB_CPU_COMPILE_H

#include "GNN/Host/HostCode.h"
#include "GNN/Host/Jit.h"
#include "GNN/Host/Signature.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <map>
#include <mutex>
#include <string>

namespace gnn::cpu {

/// Runs blocks `begin` to `end` of a grid, x fastest. `arguments`: where the
/// value of each lies.
using KernelFunction = void (*)(void **arguments, const int64_t *grid,
                                int64_t begin, int64_t end);

struct CompiledKernel {
  std::string name;
  host::Signature signature;
  int64_t sharedBytes = 0;
  KernelFunction function = nullptr;
};

/// The kernels of an image, compiled when they are asked for. Safe to use from
/// several threads.
class Program {
public:
  /// Errors: a kernel that has not the form of gnn-verify-kernel-form, has more
  /// than one thread, or waits for others; two kernels of one name.
  static llvm::Expected<std::unique_ptr<Program>>
  create(host::ParsedKernels image);

  bool has(llvm::StringRef name) const { return kernels.contains(name); }
  /// Compiles those of `names` that are there and were not compiled yet, on up
  /// to so many threads.
  llvm::Error compile(llvm::ArrayRef<std::string> names, unsigned threads);
  /// A kernel that was compiled, else null. Lives as long as this object.
  const CompiledKernel *find(llvm::StringRef name);

private:
  explicit Program(host::ParsedKernels image) : image(std::move(image)) {}

  host::ParsedKernels image;
  llvm::StringMap<mlir::gpu::GPUFuncOp> kernels;
  std::mutex mutex;
  std::unique_ptr<host::Jit> jit;
  /// By name; where they are does not change.
  std::map<std::string, CompiledKernel, std::less<>> compiled;
};

} // namespace gnn::cpu

#endif // GNN_LIB_CPU_COMPILE_H
