//===- GNN.h - The gnn dialect: typed graphs, whole tensors -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one header that users of the dialect include.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNN_H
#define GNN_DIALECT_GNN_IR_GNN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "GNN/Dialect/GNN/IR/RowSpaces.h"

#include "GNN/Dialect/GNN/IR/GNNDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "GNN/Dialect/GNN/IR/GNNAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "GNN/Dialect/GNN/IR/GNNTypes.h.inc"

#include "GNN/Dialect/GNN/IR/Properties.h"

#include "GNN/Dialect/GNN/IR/GNNInterfaces.h.inc"

#define GET_OP_CLASSES
#include "GNN/Dialect/GNN/IR/GNNOps.h.inc"

#endif // GNN_DIALECT_GNN_IR_GNN_H
