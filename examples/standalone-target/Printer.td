//===- Printer.td - A schedule of its own ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "GNN/Dialect/Tile/IR/TileSchedules.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Printer_Dialect : Dialect {
  let name = "printer";
  let cppNamespace = "::printer";
  let useDefaultAttributePrinterParser = 1;
}

def Printer_RowsAttr : AttrDef<Printer_Dialect, "Rows", [
    DeclareAttrInterfaceMethods<Tile_ScheduleInterface>,
    DeclareAttrInterfaceMethods<Tile_TraversalScheduleInterface>]> {
  let mnemonic = "rows";
  let summary = "rows of a block, with so many features";
  let parameters = (ins OptionalParameter<"int64_t">:$count,
                        OptionalParameter<"int64_t">:$features);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
