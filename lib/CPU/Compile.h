//===- Compile.h - Kernels of one thread as host code -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CPU_COMPILE_H
#define GNN_LIB_CPU_COMPILE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/Error.h"

#include <array>
#include <string>
#include <vector>

namespace gnn::cpu {

/// Runs blocks `begin` to `end` of a grid, x fastest. `arguments`: where the
/// value of each lies.
using KernelFunction = void (*)(void **arguments, const int64_t *grid,
                                int64_t begin, int64_t end);

struct CompiledKernel {
  std::string name;
  /// What the address of each argument is a multiple of; 1 of scalars.
  llvm::SmallVector<int64_t> alignments;
  int64_t sharedBytes = 0;
  KernelFunction function = nullptr;
};

/// The kernels of a module, and the code they live in.
struct Program {
  std::vector<CompiledKernel> kernels;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

/// Compiles all kernels of `module`, which stays as it is. Errors: a kernel
/// that has not the form of gnn-verify-kernel-form, has more than one thread,
/// or waits for others; two kernels of one name.
llvm::Expected<Program> compile(mlir::ModuleOp module);

} // namespace gnn::cpu

#endif // GNN_LIB_CPU_COMPILE_H
