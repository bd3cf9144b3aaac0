//===- GNNDenseOps.h - Products with weights --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNDENSEOPS_H
#define GNN_DIALECT_GNN_IR_GNNDENSEOPS_H

#include "GNN/Dialect/GNN/IR/GNNDialect.h"

#define GET_OP_CLASSES
#include "GNN/Dialect/GNN/IR/GNNDenseOps.h.inc"

#endif // GNN_DIALECT_GNN_IR_GNNDENSEOPS_H
