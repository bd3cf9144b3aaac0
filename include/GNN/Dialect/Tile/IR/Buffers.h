//===- Buffers.h - Buffers behind views -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_BUFFERS_H
#define GNN_DIALECT_TILE_IR_BUFFERS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace gnn::tile {

/// Every offset in the workspace is a multiple of this, in bytes; the runtime
/// aligns the workspace itself so (kWorkspaceAlignment).
inline constexpr int64_t workspaceAlignment = 256;

/// The buffer that `memref` is a view or a reshaped form of: an argument, an
/// allocation or a place in the workspace.
mlir::Value getBuffer(mlir::Value memref);

/// A buffer that an op reads or writes.
struct BufferAccess {
  mlir::Value buffer;
  bool isWrite;
};

/// The accesses of `op` by its own effects, those of ops in its regions aside;
/// none of an op whose effects are unknown.
llvm::SmallVector<BufferAccess> getAccesses(mlir::Operation *op);

/// `buffer` as a `type` of `rows` rows, whose other dimensions are static.
mlir::Value withRows(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value buffer, mlir::MemRefType type,
                     mlir::Value rows);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_BUFFERS_H
