//===- LowerKernels.h - Kernels as loops over blocks ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CPU_LOWERKERNELS_H
#define GNN_LIB_CPU_LOWERKERNELS_H

#include "GNN/Host/CodeGeneration.h"
#include "GNN/Runtime/KernelTable.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace gnn::cpu {

/// A kernel as a module of the LLVM dialect, whose function
/// runtime::KernelTable::symbolOf is a runtime::BlocksFunction.
struct LoweredKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  runtime::KernelEntry entry;
};

/// The kernels of an image; emits an error where one has not the form of
/// gnn-verify-kernel-form, has more than one thread, or waits for others, or
/// two have one name.
mlir::LogicalResult
collectKernels(mlir::ModuleOp image,
               llvm::SmallVectorImpl<mlir::gpu::GPUFuncOp> &kernels);

mlir::FailureOr<LoweredKernel> lowerKernel(mlir::gpu::GPUFuncOp kernel);

/// As LLVM works on kernels that run often.
host::Optimization getOptimization(llvm::StringRef processor);

} // namespace gnn::cpu

#endif // GNN_LIB_CPU_LOWERKERNELS_H
