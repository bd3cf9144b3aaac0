//===- TileInterfaces.td - What passes ask of a template ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TILEINTERFACES_TD
#define GNN_DIALECT_TILE_IR_TILEINTERFACES_TD

include "mlir/IR/OpBase.td"

def Tile_TileOpInterface : OpInterface<"TileOpInterface"> {
  let cppNamespace = "::gnn::tile";
  let description = [{
    A template: one kernel on rows of one graph, a `DestinationStyleOpInterface`
    and a `SymbolUserOpInterface` too. For each row of `getGroups`, and
    each of its `getElements` where there are any, it reads its operands at
    `getAccess`. Passes on templates ask these methods alone, so that a new
    template joins them by it.

    Every template verifies that its graph is declared and has the rows that its
    accesses and structures name.
  }];
  let methods = [
    InterfaceMethod<"The `gnn.graph` whose rows are walked.",
      "::mlir::FlatSymbolRefAttr", "getGraphAttr">,
    InterfaceMethod<"The rows for each of which something is computed; all rows "
                    "at once are those of `graph`.",
      "::gnn::tile::RowDomain", "getGroups">,
    InterfaceMethod<"The rows that each of the groups has; none where it has none.",
      "::gnn::tile::RowDomain", "getElements">,
    InterfaceMethod<"Where the row of an operand lies; none for one that is no "
                    "tensor of rows, such as a weight.",
      "::gnn::tile::AtAttr", "getAccess", (ins "::mlir::OpOperand &":$operand)>,
    InterfaceMethod<"The index arrays of the graph that the kernel reads, by the "
                    "schedule as far as it is chosen.",
      "::llvm::SmallVector<::gnn::StructureKey>", "getStructures">,
    InterfaceMethod<"How the work is laid out; null where nothing is chosen.",
      "::mlir::Attribute", "getTileSchedule">,
    InterfaceMethod<"Sets that.",
      "void", "setTileSchedule", (ins "::mlir::Attribute":$schedule)>,
    StaticInterfaceMethod<"What its schedules are called in the dialect.",
      "::llvm::StringRef", "getScheduleMnemonic">,
    StaticInterfaceMethod<"The fields of its schedules.",
      "::llvm::ArrayRef<::llvm::StringRef>", "getScheduleFields">,
    InterfaceMethod<"Calls `use` for each complete schedule that can be honoured, "
                    "agrees with the fields that are set, and leaves no thread "
                    "of a row without work, with what it takes; in a fixed order. "
                    "Numbers that any positive one is legal for are tried at a few.",
      "void", "enumerateSchedules", (ins "::gnn::tile::ScheduleUser":$use)>,
    InterfaceMethod<"Checks that every field of the schedule is set and can be "
                    "honoured; reports the field that is not.",
      "::llvm::LogicalResult", "verifySchedule">,
    InterfaceMethod<"The scalars that are computed; null where there is nothing "
                    "to say.",
      "::mlir::Block *", "getScalarBody">,
    InterfaceMethod<"The columns of its last dimension that are written of an "
                    "output; all other dimensions are written wholly.",
      "::gnn::tile::ColumnRange", "getWrittenColumns",
      (ins "::mlir::OpOperand &":$output)>,
    InterfaceMethod<"What one launch reads, writes and computes.",
      "::gnn::tile::TileCost", "getCost">,
  ];
}

#endif // GNN_DIALECT_TILE_IR_TILEINTERFACES_TD
