//===- Compile.h - From kernels to host code --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_EMULATOR_COMPILE_H
#define GNN_LIB_EMULATOR_COMPILE_H

#include "Run/Program.h"

#include "GNN/Host/HostCode.h"
#include "GNN/Host/Jit.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace gnn::emulator {

/// The kernels of a module, compiled, and the code they live in.
struct Program {
  std::vector<Site> sites;
  std::vector<CompiledKernel> kernels;
  std::unique_ptr<host::Jit> jit;
};

/// Compiles all kernels of `module`, which stays as it is. Errors: a kernel
/// that has not the form of gnn-verify-kernel-form, two kernels of one name.
llvm::Expected<Program> compile(mlir::ModuleOp module, bool checked);

/// Lowers a host module that lowerKernel filled to the LLVM dialect and adds
/// the function of each kernel.
mlir::LogicalResult
lowerToLLVM(mlir::ModuleOp host, llvm::ArrayRef<CompiledKernel> kernels,
            llvm::ArrayRef<llvm::SmallVector<int64_t>> sharedOffsets);

/// Turns a lowered host module into code and sets the kernels' functions.
llvm::Error generateCode(mlir::ModuleOp host, Program &program);

} // namespace gnn::emulator

#endif // GNN_LIB_EMULATOR_COMPILE_H
