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
    A template: one kernel on rows of one graph, a `DestinationStyleOpInterface`
    and a `SymbolUserOpInterface` too. For each row of `getGroups`, and
    each of its `getElements` where there are any, it reads its operands at
    `getAccess`. Passes that treat templates alike ask these methods: contracts,
    bufferization, files of schedules, costs, workspace. Fusion and the passes that
    choose schedules know the templates that they are about.

    The accesses are in attributes whose names end in `_at`, the graph is `graph`,
    the schedule `schedule`; all other inherent attributes say what is walked.

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
    InterfaceMethod<"The rows that an access starts from.",
      "::gnn::tile::RowDomain", "getStart", (ins "::gnn::tile::AtAttr":$at)>,
    InterfaceMethod<"The index arrays of the graph that the kernel reads, by the "
                    "schedule as far as it is chosen.",
      "::llvm::SmallVector<::gnn::StructureKey>", "getStructures">,
    InterfaceMethod<"How the work is laid out; null where nothing is chosen.",
      "::mlir::Attribute", "getTileSchedule">,
    InterfaceMethod<"Sets how the work is laid out.",
      "void", "setTileSchedule", (ins "::mlir::Attribute":$schedule)>,
    InterfaceMethod<"The schedule that it has on a GPU, with all fields open.",
      "::gnn::tile::ScheduleInterface", "getOpenSchedule">,
    InterfaceMethod<"Calls `use` for complete schedules that can be honoured, with "
                    "what each takes, in a fixed order. Fields that `given` has "
                    "stay; lanes go up to the power of two that is enough; of "
                    "numbers for which any is legal a few are tried; above 255 "
                    "registers by the estimate there is `given` alone.",
      "void", "enumerateSchedules",
      (ins "::mlir::Attribute":$given, "::gnn::tile::ScheduleUser":$use)>,
    InterfaceMethod<"Empty if the schedule can be honoured as far as it is chosen; "
                    "else the field and the reason.",
      "::std::string", "explainSchedule">,
    InterfaceMethod<"Checks that every field of the schedule is set and can be "
                    "honoured; reports the field that is not.",
      "::llvm::LogicalResult", "verifySchedule">,
    InterfaceMethod<"The scalars that are computed; null where there is nothing "
                    "to say.",
      "::mlir::Block *", "getScalarBody">,
    InterfaceMethod<"The columns of its last dimension that are written of an "
                    "output, of all its rows; none where some rows alone are.",
      "::gnn::tile::ColumnRange", "getWrittenColumns",
      (ins "::mlir::OpOperand &":$output)>,
    InterfaceMethod<"Whether a tensor may be this input and this output: no element "
                    "is read after it has been written. Nothing else may read it "
                    "then.",
      "bool", "mayOverwrite",
      (ins "::mlir::OpOperand &":$input, "::mlir::OpOperand &":$output)>,
    InterfaceMethod<"The bytes and operations of one launch.",
      "::gnn::tile::TileCost", "getCost">,
  ];
}

#endif // GNN_DIALECT_TILE_IR_TILEINTERFACES_TD
