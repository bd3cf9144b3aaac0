//===- TileSchedules.td - What passes ask of a schedule ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TILESCHEDULES_TD
#define GNN_DIALECT_TILE_IR_TILESCHEDULES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/Interfaces.td"

def Tile_ScheduleInterface : AttrInterface<"ScheduleInterface"> {
  let cppNamespace = "::gnn::tile";
  let description = [{
    How a template is laid out on a kind of target: a struct of fields, each of
    which may be open. Files of schedules, and the forms that keep them, ask these
    methods.
  }];
  let methods = [
    InterfaceMethod<"The names of its fields.",
      "::llvm::ArrayRef<::llvm::StringRef>", "getFieldNames">,
    InterfaceMethod<"The schedule of this kind whose fields are all open.",
      "::gnn::tile::ScheduleInterface", "getOpen">,
  ];
}

def Tile_TraversalScheduleInterface
    : AttrInterface<"TraversalScheduleInterface"> {
  let cppNamespace = "::gnn::tile";
  let description = [{
    The schedule of a traversal, a `ScheduleInterface` too. Its layout, and with it its lowering and its cost,
    follow from `getFields`; a dialect of another target may have a schedule of its
    own. The passes that choose schedules complete those of their target alone.
  }];
  let methods = [
    InterfaceMethod<"What the layout is made of.",
      "::gnn::tile::TraverseSchedule", "getFields">,
    InterfaceMethod<"The schedule of this kind that says this; a listing of schedules "
                    "goes through what the layout may be.",
      "::gnn::tile::TraversalScheduleInterface", "withFields",
      (ins "const ::gnn::tile::TraverseSchedule &":$fields)>,
  ];
}

defvar Tile_TraversalScheduleMethods = [
  DeclareAttrInterfaceMethods<Tile_ScheduleInterface>,
  DeclareAttrInterfaceMethods<Tile_TraversalScheduleInterface>];

#endif // GNN_DIALECT_TILE_IR_TILESCHEDULES_TD
