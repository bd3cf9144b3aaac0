//===- GNNOps.td - All ops of the dialect, by theme --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNOPS_TD
#define GNN_DIALECT_GNN_IR_GNNOPS_TD

include "GNN/Dialect/GNN/IR/GNNRowOps.td"
include "GNN/Dialect/GNN/IR/GNNDenseOps.td"
include "GNN/Dialect/GNN/IR/GNNSparseOps.td"
include "GNN/Dialect/GNN/IR/GNNFeatureOps.td"
include "GNN/Dialect/GNN/IR/GNNLoopOps.td"

#endif // GNN_DIALECT_GNN_IR_GNNOPS_TD
