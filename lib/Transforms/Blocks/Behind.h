//===- Behind.h - Memory behind that of buffers -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_BLOCKS_BEHIND_H
#define GNN_LIB_TRANSFORMS_BLOCKS_BEHIND_H

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gnn::tile {

/// The memory behind what the workspace of a function has for its buffers.
/// Memory taken for one op and for the next are the same bytes.
class Behind {
public:
  explicit Behind(mlir::func::FuncOp func);

  bool isThere() const { return workspace && size; }
  /// Buffers of these types with a row for each of `rows`, one behind the
  /// other.
  llvm::SmallVector<mlir::Value>
  take(TraverseOp op, llvm::ArrayRef<mlir::MemRefType> types, RowDomain rows);
  /// Has the workspace reach up to the end of what was taken.
  void finish();

private:
  mlir::Value workspace, end;
  WorkspaceSizeOp size;
};

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_BLOCKS_BEHIND_H
