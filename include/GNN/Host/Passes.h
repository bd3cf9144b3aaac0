//===- Passes.h - The form of kernels ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_HOST_PASSES_H
#define GNN_HOST_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace gnn {

#define GEN_PASS_DECL
#include "GNN/Host/Passes.h.inc"

/// Elements of a vector in a kernel. Longer ones would keep LLVM busy for ever.
constexpr int64_t maxVectorElements = 1024;
/// Dimensions of memory.
constexpr unsigned maxMemoryRank = 8;

/// Whether `kernel` has the form of gnn-verify-kernel-form; emits an error if
/// not.
mlir::LogicalResult verifyKernelForm(mlir::gpu::GPUFuncOp kernel);

/// The first op that may write through `memory`, an argument of a kernel, or
/// through a view of it; null if all only read.
mlir::Operation *findWriter(mlir::Value memory);

} // namespace gnn

#endif // GNN_HOST_PASSES_H
