//===- GNNRowOps.h - Graphs and the paths between rows ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNROWOPS_H
#define GNN_DIALECT_GNN_IR_GNNROWOPS_H

#include "GNN/Dialect/GNN/IR/GNNDialect.h"

#define GET_OP_CLASSES
#include "GNN/Dialect/GNN/IR/GNNRowOps.h.inc"

#endif // GNN_DIALECT_GNN_IR_GNNROWOPS_H
