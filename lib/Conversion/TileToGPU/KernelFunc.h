//===- KernelFunc.h - A kernel and its launch -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gpu.func whose arguments are added one by one, with what the host passes
// for each, and the launch that passes it.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_TILETOGPU_KERNELFUNC_H
#define GNN_LIB_CONVERSION_TILETOGPU_KERNELFUNC_H

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace gnn::tile {

/// Refuses a buffer that a bare pointer cannot stand for, at `op`.
mlir::LogicalResult checkBuffer(mlir::Operation *op, mlir::MemRefType type);

class KernelFunc {
public:
  /// An empty kernel in `module`, which is made of `op`.
  KernelFunc(mlir::Operation *op, mlir::gpu::GPUModuleOp module,
             llvm::StringRef name);

  /// An argument for the buffer `memref`: a bare pointer of static type, which
  /// `host` casts to. No buffer of a kernel overlaps another one. `from`: where
  /// its values come from.
  mlir::Value addPointer(mlir::OpBuilder &host, mlir::Value memref,
                         mlir::Location from, bool readOnly);
  /// An argument for a scalar of the host.
  mlir::Value addScalar(mlir::Value hostValue);
  /// An array of the workgroup.
  mlir::Value addShared(mlir::MemRefType type);

  /// Builds at the start of the body, in the order of the calls, where views of
  /// arguments and constants belong.
  mlir::OpBuilder atStart();
  /// Builds at the end of the body, in front of its gpu.return.
  mlir::OpBuilder atEnd();

  /// Launches it with `threads` a block. `schedule`: for plan and reports; may
  /// be null.
  mlir::gpu::LaunchFuncOp launch(mlir::OpBuilder &host,
                                 mlir::gpu::KernelDim3 grid, int64_t threads,
                                 mlir::Attribute schedule);

private:
  mlir::Value addArgument(mlir::Value hostValue, mlir::Type type,
                          mlir::Location from,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes);

  mlir::Location loc;
  mlir::gpu::GPUFuncOp func;
  /// Between the start of the body and the rest, until the launch is made.
  mlir::Operation *marker;
  llvm::SmallVector<mlir::Value> operands;
};

} // namespace gnn::tile

#endif // GNN_LIB_CONVERSION_TILETOGPU_KERNELFUNC_H
