//===- GNNSparseOps.h - Rows of several spaces at once ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNSPARSEOPS_H
#define GNN_DIALECT_GNN_IR_GNNSPARSEOPS_H

#include "GNN/Dialect/GNN/IR/GNNDialect.h"

namespace gnn {

/// The forms in which an attention may be computed.
enum class AttentionForm {
  Apart,    ///< the ops that it stands for, as kernels fuse them
  Computed, ///< scores are computed in each of two walks
  Online,   ///< one walk finds the highest score and adds up
  Stored,   ///< scores are computed once and kept
};

} // namespace gnn

#define GET_OP_CLASSES
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h.inc"

#endif // GNN_DIALECT_GNN_IR_GNNSPARSEOPS_H
