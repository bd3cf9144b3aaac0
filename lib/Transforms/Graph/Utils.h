//===- Utils.h - Helpers of passes on whole graphs --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_GRAPH_UTILS_H
#define GNN_LIB_TRANSFORMS_GRAPH_UTILS_H

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace gnn {

/// Remembers what is built, so that it can be weighed, and dropped again.
struct Recorder : mlir::OpBuilder::Listener {
  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint) override {
    ops.push_back(op);
  }
  llvm::SmallVector<mlir::Operation *> ops;
};

/// Erases the ops of `block` whose results nobody needs.
inline void eraseDeadOps(mlir::Block &block) {
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_GRAPH_UTILS_H
