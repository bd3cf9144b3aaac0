//===- TileEnums.td - Enums of gnn_tile --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions, reductions, and the fields of schedules that are words.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TILEENUMS_TD
#define GNN_DIALECT_TILE_IR_TILEENUMS_TD

include "mlir/IR/EnumAttr.td"

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::gnn::tile";
  let genSpecializedAttr = 0;
}

def Tile_Anchor : Tile_Enum<"Anchor", "the loop whose counter an access starts from", [
  I32EnumAttrCase<"All", 0, "all">,
  I32EnumAttrCase<"Group", 1, "group">,
  I32EnumAttrCase<"Element", 2, "element">]>;

def Tile_Dim : Tile_Enum<"Dim", "a dimension inside a group", [
  I32EnumAttrCase<"Element", 0, "element">,
  I32EnumAttrCase<"Head", 1, "head">,
  I32EnumAttrCase<"Feature", 2, "feature">]>;

def Tile_Reduction : Tile_Enum<"Reduction", "a reduction of the values of a group to one value", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"Mean", 1, "mean">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">]>;

def Tile_TakenOrder : Tile_Enum<"TakenOrder", "which rows blocks take first", [
  I32EnumAttrCase<"Natural", 0, "natural">,
  I32EnumAttrCase<"ByDegree", 1, "by_degree">,
  I32EnumAttrCase<"DegreeWindows", 2, "degree_windows">]>;

def Tile_Merge : Tile_Enum<"Merge", "how the parts of a row that several teams walk are joined", [
  I32EnumAttrCase<"Pieces", 0, "pieces">,
  I32EnumAttrCase<"Atomic", 1, "atomic">]>;

def Tile_ElementDistribution : Tile_Enum<"ElementDistribution", "which elements a team of a walk by edges has", [
  I32EnumAttrCase<"Blocked", 0, "blocked">,
  I32EnumAttrCase<"Cyclic", 1, "cyclic">]>;

def Tile_RowLookup : Tile_Enum<"RowLookup", "how edges find the rows that they are grouped by", [
  I32EnumAttrCase<"Array", 0, "array">,
  I32EnumAttrCase<"Search", 1, "search">]>;

def Tile_RowWalk : Tile_Enum<"RowWalk", "who walks the elements of a row", [
  I32EnumAttrCase<"Team", 0, "team">,
  I32EnumAttrCase<"Block", 1, "block">,
  I32EnumAttrCase<"ByLength", 2, "by_length">,
  I32EnumAttrCase<"ByEdges", 3, "by_edges">]>;

def Tile_ProductKind : Tile_Enum<"ProductKind", "which cores multiply, and in which numbers", [
  I32EnumAttrCase<"FFMA", 0, "ffma">,
  I32EnumAttrCase<"TF32x3", 1, "tf32x3">]>;

def Tile_ProductCopies : Tile_Enum<"ProductCopies", "how tiles of a product come into workgroup memory", [
  I32EnumAttrCase<"Registers", 0, "registers">,
  I32EnumAttrCase<"Async", 1, "async">]>;

def Tile_Staging : Tile_Enum<"Staging", "how a tile gets into workgroup memory", [
  I32EnumAttrCase<"Registers", 0, "registers">,
  I32EnumAttrCase<"Async", 1, "async">,
  I32EnumAttrCase<"InFlight", 2, "in_flight">]>;

def Tile_Worker : Tile_Enum<"Worker", "who shares work within a block", [
  I32EnumAttrCase<"Team", 0, "team">,
  I32EnumAttrCase<"Element", 1, "element">,
  I32EnumAttrCase<"Block", 2, "block">]>;

#endif // GNN_DIALECT_TILE_IR_TILEENUMS_TD
