//===- GNNSparseOps.h - Rows of several spaces at once ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNSPARSEOPS_H
#define GNN_DIALECT_GNN_IR_GNNSPARSEOPS_H

#include "GNN/Dialect/GNN/IR/GNNDialect.h"

#define GET_OP_CLASSES
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h.inc"

#endif // GNN_DIALECT_GNN_IR_GNNSPARSEOPS_H
