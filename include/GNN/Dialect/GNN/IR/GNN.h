//===- GNN.h - The gnn dialect: typed graphs, whole tensors -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole dialect, for code that handles ops of most themes. Other code
// includes the themes that it uses.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNN_H
#define GNN_DIALECT_GNN_IR_GNN_H

#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNLoopOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"

#endif // GNN_DIALECT_GNN_IR_GNN_H
