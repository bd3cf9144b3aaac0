//===- Outline.h - Kernels of loops over blocks -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_TILETOGPU_OUTLINE_H
#define GNN_LIB_CONVERSION_TILETOGPU_OUTLINE_H

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace gnn::tile {

/// Makes a kernel in `module`, and its launch in place of `op`, of a loop over
/// blocks. `writers`: the op that wrote what is in a buffer before, by its
/// root; this one is entered.
mlir::LogicalResult
outline(BlocksOp op, mlir::gpu::GPUModuleOp module, llvm::StringRef name,
        llvm::DenseMap<mlir::Value, mlir::Location> &writers);

} // namespace gnn::tile

#endif // GNN_LIB_CONVERSION_TILETOGPU_OUTLINE_H
