//===- TileSchedules.td - Interface of schedules -----------*- tablegen -*-===//
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
    The layout of a template on a kind of target: a struct of fields, each of
    which may be open. Files of schedules, and the forms that keep schedules, use
    these methods.
  }];
  let methods = [
    StaticInterfaceMethod<"Its fields.",
      "::llvm::ArrayRef<::gnn::tile::ScheduleField>", "getTable">,
    InterfaceMethod<"The value of each field; 0 if open.",
      "::llvm::ArrayRef<int64_t>", "getValues", (ins), [{
        return $_attr.getValues();
      }]>,
    InterfaceMethod<"The schedule of this kind with these values, or null after an "
                    "error by `emitError`.",
      "::mlir::Attribute", "withValues",
      (ins "::llvm::ArrayRef<int64_t>":$values,
           "::gnn::tile::EmitError":$emitError), [{
        return ConcreteAttr::getChecked(emitError, $_attr.getContext(), values);
      }]>,
  ];
}

def Tile_TraversalScheduleInterface
    : AttrInterface<"TraversalScheduleInterface"> {
  let cppNamespace = "::gnn::tile";
  let description = [{
    The schedule of a traversal, which is also a `ScheduleInterface`. Its layout, and
    hence its lowering and its cost, follow from `getFields`; a dialect of another
    target may have a schedule of its own. The passes that choose schedules complete
    only those of their target.
  }];
  let methods = [
    InterfaceMethod<"The fields that determine the layout.",
      "::gnn::tile::TraverseSchedule", "getFields">,
    InterfaceMethod<"The schedule of this kind with these fields, for listings.",
      "::gnn::tile::TraversalScheduleInterface", "withFields",
      (ins "const ::gnn::tile::TraverseSchedule &":$fields), [{}], [{
        return fields.get($_attr.getContext());
      }]>,
  ];
}

// A schedule, of this tree or of a plugin, whose sources define `getTable`.
class Tile_ScheduleDef<Dialect dialect, string name, string attrMnemonic,
                       list<Trait> traits = []>
    : AttrDef<dialect, name,
              [DeclareAttrInterfaceMethods<Tile_ScheduleInterface>] # traits> {
  let mnemonic = attrMnemonic;
  let parameters = (ins ArrayRefParameter<
      "int64_t", "values of the fields of docs/Schedules.md, 0 of an open one">:$values);
  let assemblyFormat = [{ `` custom<Fields>($values, "name", "getTable()") }];
}

#endif // GNN_DIALECT_TILE_IR_TILESCHEDULES_TD
