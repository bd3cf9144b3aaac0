//===- RunByEach.h - What all threads of a block run ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars of the loops form are computed once a block. In the lanes form each
// thread computes them: that must not be seen.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_LANES_RUNBYEACH_H
#define GNN_LIB_TRANSFORMS_LANES_RUNBYEACH_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace gnn::tile {

/// Checks an operation that is cloned for every thread as it is: one that
/// reads, computes, or lets threads wait for each other.
inline mlir::LogicalResult verifyRunByEach(mlir::Operation *op) {
  if (isMemoryEffectFree(op) ||
      mlir::isa<mlir::memref::LoadOp, mlir::memref::AllocaOp,
                mlir::gpu::BarrierOp, mlir::nvgpu::DeviceAsyncCreateGroupOp,
                mlir::nvgpu::DeviceAsyncWaitOp>(op))
    return mlir::success();
  return op->emitOpError("cannot be done by every thread of a block: expected "
                         "no effects but those of a load");
}

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_LANES_RUNBYEACH_H
