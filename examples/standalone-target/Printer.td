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

def Printer_RowsAttr : Tile_ScheduleDef<Printer_Dialect, "Rows", "rows", [
    DeclareAttrInterfaceMethods<Tile_TraversalScheduleInterface, ["withFields"]>]> {
  let summary = "rows of a block, with so many features";
}
