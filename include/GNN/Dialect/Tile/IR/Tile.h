//===- Tile.h - The gnn_tile dialect ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one header that users of the dialect include.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TILE_H
#define GNN_DIALECT_TILE_IR_TILE_H

#include "GNN/Dialect/Tile/IR/RowDomain.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "GNN/Dialect/Tile/IR/TileDialect.h.inc"
#include "GNN/Dialect/Tile/IR/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "GNN/Dialect/Tile/IR/TileAttributes.h.inc"
#define GET_OP_CLASSES
#include "GNN/Dialect/Tile/IR/TileOps.h.inc"

namespace gnn::tile {

/// The dimensions inside a group by which a value of a body varies.
struct Level {
  bool element = false, head = false, feature = false;

  Level operator|(Level other) const {
    return {element || other.element, head || other.head,
            feature || other.feature};
  }
  /// True where this level varies by no dimension that `other` does not.
  bool within(Level other) const {
    return (!element || other.element) && (!head || other.head) &&
           (!feature || other.feature);
  }
};

/// The level of an operand with this access.
Level getLevel(AtAttr at);

/// The level of a value in the body of `op`. Values from outside are constants
/// of the whole domain.
Level getLevel(mlir::Value value);

/// The columns of a block's tile that the schedule of a product says; reports a
/// schedule that says none.
mlir::FailureOr<int64_t> getTileColumns(GemmOp op);
mlir::FailureOr<int64_t> getTileColumns(OuterOp op);

/// The columns of its last dimension that a template writes of an output; all
/// other dimensions are written wholly (traverse C6, gemm C2).
struct ColumnRange {
  int64_t begin = 0, end = 0;
  bool isWhole = false; ///< there are no more
};
ColumnRange getWrittenColumns(mlir::OpOperand &output);

/// Registers how the templates bufferize with `registry`.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_TILE_H
