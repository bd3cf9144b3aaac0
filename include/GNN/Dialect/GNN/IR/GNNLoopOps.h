//===- GNNLoopOps.h - Loops over rows, and ops on one row -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNLOOPOPS_H
#define GNN_DIALECT_GNN_IR_GNNLOOPOPS_H

#include "GNN/Dialect/GNN/IR/GNNDialect.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace gnn {
class AttentionOp; // its body ends with a yield, too
} // namespace gnn

#define GET_OP_CLASSES
#include "GNN/Dialect/GNN/IR/GNNLoopOps.h.inc"

#endif // GNN_DIALECT_GNN_IR_GNNLOOPOPS_H
