//===- Tile.h - The gnn_tile dialect ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one header that users of the dialect include.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TILE_H
#define GNN_DIALECT_TILE_IR_TILE_H

#include "GNN/Dialect/Tile/IR/CountSum.h"
#include "GNN/Dialect/Tile/IR/RowDomain.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "GNN/Dialect/Tile/IR/TileDialect.h.inc"
#include "GNN/Dialect/Tile/IR/TileEnums.h.inc"

#include "GNN/Dialect/Tile/IR/ScheduleFields.h"

#include "GNN/Dialect/Tile/IR/TileSchedules.h.inc"
#define GET_ATTRDEF_CLASSES
#include "GNN/Dialect/Tile/IR/TileAttributes.h.inc"

namespace gnn::tile {
/// Columns of an output that a template writes.
struct ColumnRange {
  int64_t begin = 0, end = 0;
  bool isWhole = false;      ///< there are no more columns and rows
  bool isOfSomeRows = false; ///< no column is written of all rows
};

/// The resources of a launch by its schedule.
struct LayoutFacts {
  int64_t threads = 0;     ///< of a block
  int64_t rounds = 0;      ///< vectors or tiles that a thread goes through
  int64_t sharedBytes = 0; ///< of a block
  int64_t registers = 0;   ///< of a thread; an estimate, ptxas decides
};

using ScheduleUser =
    llvm::function_ref<void(mlir::Attribute, const LayoutFacts &)>;

/// Accounting that kernels do not touch: the contents of the launch plan beside
/// launches.
struct PlanResource : mlir::SideEffects::Resource::Base<PlanResource> {
  llvm::StringRef getName() final { return "launch plan"; }
};
} // namespace gnn::tile

namespace gnn::tile {
class WalkOp;
class ParallelOp;
class StageWindowOp;
class AddAtomicallyOp;
class TeamsOp;
class BlocksOp;

/// In the assembly of a traversal: that of a GPU without the name of its kind.
mlir::ParseResult parseTraversalSchedule(mlir::OpAsmParser &parser,
                                         TraversalScheduleInterface &schedule);
void printTraversalSchedule(mlir::OpAsmPrinter &printer, TraverseOp op,
                            TraversalScheduleInterface schedule);
} // namespace gnn::tile

#include "GNN/Dialect/Tile/IR/TileInterfaces.h.inc"
#define GET_OP_CLASSES
#include "GNN/Dialect/Tile/IR/TileOps.h.inc"
#define GET_OP_CLASSES
#include "GNN/Dialect/Tile/IR/TileRowOps.h.inc"
#define GET_OP_CLASSES
#include "GNN/Dialect/Tile/IR/TileProductOps.h.inc"
#define GET_OP_CLASSES
#include "GNN/Dialect/Tile/IR/TileLoopOps.h.inc"

namespace gnn::tile {

/// `isMapped` on the graph of a template, for schedules and costs. The
/// structures of a template follow from its accesses; `gnn-tile-use-edge-order`
/// drops the maps that are not needed if edges are sorted.
bool isMapped(TileOpInterface op, RowDomain from, RowDomain to);
/// The number of map targets of a traversal that remain then.
int64_t countMapped(TraverseOp op);

/// The order of a tensor's rows; null for the natural one, or without rows.
OrderAttr getOrder(mlir::Type type);
/// The encoding of a tensor with this order of its rows; null for the natural
/// one.
OrderAttr getOrderFor(mlir::MLIRContext *context, RowDomain rows);

/// The dimensions inside a group by which a value of a body varies.
struct Level {
  bool element = false, head = false, feature = false;

  Level operator|(Level other) const {
    return {element || other.element, head || other.head,
            feature || other.feature};
  }
  /// Whether each dimension by which this level varies is also one of `other`.
  bool within(Level other) const {
    return (!element || other.element) && (!head || other.head) &&
           (!feature || other.feature);
  }
};

/// The level of an operand with this access.
Level getLevel(AtAttr at);

/// The access from the group of a domain, if the row that an element leads to
/// is that of its group; else the access itself.
AtAttr hoistAccess(AtAttr at, DomainAttr domain);

/// The level of a value in the body of `op`. Values from outside are constants
/// of the whole domain.
Level getLevel(mlir::Value value);

/// The frequency at which an operation of a body computes floats: the level of
/// its operands and results; none for a constant, and without a float result.
std::optional<Level> getFloatLevel(mlir::Operation &op);

/// The number of times that a traversal walks the elements of a group: a value
/// that depends on a reduction over them needs another walk.
int64_t countWalks(TraverseOp op);

/// Registers how the templates bufferize with `registry`.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_TILE_H
