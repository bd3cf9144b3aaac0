//===- TileInterfaces.td - Interface of templates ----------*- tablegen -*-===//
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
    A template: one kernel on rows of one graph, which is also a
    `DestinationStyleOpInterface` and a `SymbolUserOpInterface`. For each row of
    `getGroups`, and each of its `getElements` if there are any, it reads its
    operands at `getAccess`. Passes that treat all templates in the same way use
    these methods: contracts, bufferization, files of schedules, costs,
    workspace. Fusion and the passes that choose schedules depend on the
    template.

    The accesses are in attributes whose names end in `_at`, the graph is `graph`,
    the schedule `schedule`; all other inherent attributes define the domain.

    Every template verifies that its graph is declared and has the rows that its
    accesses and structures name.
  }];
  let methods = [
    InterfaceMethod<"The `gnn.graph` whose rows are walked.",
      "::mlir::FlatSymbolRefAttr", "getGraphAttr">,
    InterfaceMethod<"The rows for each of which a result is computed; `graph` for "
                    "one result from all rows.",
      "::gnn::tile::RowDomain", "getGroups">,
    InterfaceMethod<"The rows of each group; none for groups without elements.",
      "::gnn::tile::RowDomain", "getElements">,
    InterfaceMethod<"The access of an operand; none for one that is no tensor of "
                    "rows, such as a weight.",
      "::gnn::tile::AtAttr", "getAccess", (ins "::mlir::OpOperand &":$operand)>,
    InterfaceMethod<"The rows from which an access starts.",
      "::gnn::tile::RowDomain", "getStart", (ins "::gnn::tile::AtAttr":$at)>,
    InterfaceMethod<"The index arrays of the graph that the kernel reads, by the set "
                    "fields of the schedule.",
      "::llvm::SmallVector<::gnn::StructureKey>", "getStructures">,
    InterfaceMethod<"The schedule; null if nothing is chosen.",
      "::mlir::Attribute", "getTileSchedule">,
    InterfaceMethod<"Sets the schedule.",
      "void", "setTileSchedule", (ins "::mlir::Attribute":$schedule)>,
    InterfaceMethod<"The kind of schedule for a GPU, with all fields open.",
      "::gnn::tile::ScheduleInterface", "getOpenSchedule">,
    InterfaceMethod<"Calls `use` for complete schedules that can be honoured, with "
                    "the resources of each, in a fixed order. Fields of `given` stay; "
                    "lanes go up to the smallest sufficient power of two; a few values "
                    "are tried for unrestricted numbers; only `given` may exceed 255 "
                    "registers by the estimate.",
      "void", "enumerateSchedules",
      (ins "::mlir::Attribute":$given, "::gnn::tile::ScheduleUser":$use)>,
    InterfaceMethod<"Empty if the set fields of the schedule can be honoured; else "
                    "the field and the reason.",
      "::std::string", "explainSchedule">,
    InterfaceMethod<"Checks that every field of the schedule is set and can be "
                    "honoured; reports the first violation.",
      "::llvm::LogicalResult", "verifySchedule">,
    InterfaceMethod<"The body of scalar computations; null for templates without a "
                    "body.",
      "::mlir::Block *", "getScalarBody">,
    InterfaceMethod<"The columns of an output's last dimension that are written in "
                    "all its rows; none if only some rows are written.",
      "::gnn::tile::ColumnRange", "getWrittenColumns",
      (ins "::mlir::OpOperand &":$output)>,
    InterfaceMethod<"Whether a tensor may be this input and this output: no element "
                    "is read after it has been written. If so, nothing else may read "
                    "the tensor.",
      "bool", "mayOverwrite",
      (ins "::mlir::OpOperand &":$input, "::mlir::OpOperand &":$output)>,
    InterfaceMethod<"The bytes and operations of one launch.",
      "::gnn::tile::TileCost", "getCost">,
  ];
}

#endif // GNN_DIALECT_TILE_IR_TILEINTERFACES_TD
