//===- FuseLayers.h - What fusing layers is made of -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_FUSELAYERS_H
#define GNN_LIB_TRANSFORMS_FUSELAYERS_H

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

namespace gnn {

class BatchNormOp;

/// What each rewrite of `gnn-fuse-layers` needs. A rewrite changes the op or
/// says in a remark why not.
struct LayerFuser {
  mlir::IRRewriter &rewriter;
  const CostModel &model;
  llvm::StringRef category;

  /// A cost of the model, as remarks have it: microseconds, or rows of products
  /// where they are all that counts.
  std::string textOf(double cost) const {
    return model.getKind() == CostKind::Rows
               ? llvm::formatv("{0:f0} rows of products", cost).str()
               : llvm::formatv("{0:f2} us", cost * 1e6).str();
  }

  void passed(mlir::Location loc, llvm::StringRef name,
              const llvm::Twine &what) const {
    mlir::remark::passed(
        loc, mlir::remark::RemarkOpts::name(name).category(category))
        << what.str();
  }
  void missed(mlir::Location loc, llvm::StringRef name,
              const llvm::Twine &why) const {
    mlir::remark::missed(
        loc, mlir::remark::RemarkOpts::name(name).category(category))
        << why.str();
  }
};

/// Folds a normalization into the weights of the products that it ends.
void foldBatchNorm(BatchNormOp op, const LayerFuser &fuser);

/// Adds up rows of groups of groups in one sum, weighted where the inner one is
/// a mean.
void joinAggregates(AggregateOp op, const LayerFuser &fuser);

/// Moves factors of what is added up to where there are fewer rows.
void moveScales(AggregateOp op, const LayerFuser &fuser);

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_FUSELAYERS_H
