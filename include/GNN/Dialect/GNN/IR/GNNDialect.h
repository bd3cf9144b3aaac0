//===- GNNDialect.h - The gnn dialect without its ops -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes, types and interfaces. Ops are in one header a theme, so that a
// changed op rebuilds its users alone.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNDIALECT_H
#define GNN_DIALECT_GNN_IR_GNNDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "GNN/Dialect/GNN/IR/RowSpaces.h"
#include "GNN/Dialect/GNN/IR/TargetFields.h"

#include "GNN/Dialect/GNN/IR/GNNDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "GNN/Dialect/GNN/IR/GNNAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "GNN/Dialect/GNN/IR/GNNTypes.h.inc"

#include "GNN/Dialect/GNN/IR/Properties.h"

namespace gnn {
class Lowering; // GNN/Conversion/GNNToTile.h
} // namespace gnn

#include "GNN/Dialect/GNN/IR/GNNInterfaces.h.inc"

#endif // GNN_DIALECT_GNN_IR_GNNDIALECT_H
