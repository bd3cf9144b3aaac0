//===- LayerRewrite.h - Parts of rewrites of layers -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that bring what follows a product or a sum into the form that its
// kernel can end with (GraphAGILE 6.4, Hector 3.4.1).
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_GRAPH_LAYERREWRITE_H
#define GNN_LIB_TRANSFORMS_GRAPH_LAYERREWRITE_H

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {

/// The context of a rewrite, which changes the op or says in a remark why not.
struct LayerRewrite {
  mlir::IRRewriter &rewriter;
  llvm::StringRef pass; // its flag

  void passed(mlir::Location loc, llvm::StringRef name,
              const llvm::Twine &what) const {
    gnn::passed(pass, loc, name) << what.str();
  }
  void refused(mlir::Location loc, const llvm::Twine &why) const {
    gnn::refused(pass, loc) << why.str();
  }
};

/// Calls `change` on all ops of a kind; it may replace them.
template <typename OpT>
void forAll(mlir::func::FuncOp func, llvm::function_ref<void(OpT)> change) {
  llvm::SmallVector<OpT> ops(func.getOps<OpT>());
  for (OpT op : ops)
    change(op);
}

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_GRAPH_LAYERREWRITE_H
