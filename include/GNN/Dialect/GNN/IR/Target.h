//===- Target.h - The target of a module ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_TARGET_H
#define GNN_DIALECT_GNN_IR_TARGET_H

#include "GNN/Dialect/GNN/IR/GNNDialect.h"

namespace gnn {

/// The target of the module around `op`; null if the module states none.
TargetAttr findTarget(mlir::Operation *op);

/// The limits of a block on the target of the module around `op`. They are
/// those of a GPU if the module states no target, or if blocks of the target
/// have one lane, since such blocks are weighed as a GPU's before they have a
/// schedule.
TargetLimits getBlockLimits(mlir::Operation *op);

/// Whether lanes share a row on the target of the module around `op`, as on a
/// GPU, which is the default. A lane with a row of its own walks the row again
/// from its cache, and rescaling sums takes longer.
bool shareLanesRows(mlir::Operation *op);

} // namespace gnn

#endif // GNN_DIALECT_GNN_IR_TARGET_H
