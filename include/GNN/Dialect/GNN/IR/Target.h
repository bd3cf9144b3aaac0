//===- Target.h - The target of a module ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_TARGET_H
#define GNN_DIALECT_GNN_IR_TARGET_H

#include "GNN/Dialect/GNN/IR/GNNDialect.h"

namespace gnn {

/// The target of the module around `op`; null where it does not say.
TargetAttr findTarget(mlir::Operation *op);

/// The limits of a block on the target of the module around `op`; on a GPU
/// where it says none, or one whose blocks have one lane: these are weighed as
/// a GPU's before they have a schedule.
TargetLimits getBlockLimits(mlir::Operation *op);

/// Whether lanes share a row on the target of the module around `op`, as those
/// of a GPU do, which it is where it says none. A lane that has a row of its
/// own walks it again from its cache, and rescaling sums takes longer.
bool shareLanesRows(mlir::Operation *op);

} // namespace gnn

#endif // GNN_DIALECT_GNN_IR_TARGET_H
