//===- GNNEnums.td - Row spaces, ends and kinds ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNENUMS_TD
#define GNN_DIALECT_GNN_IR_GNNENUMS_TD

include "mlir/IR/EnumAttr.td"
include "GNN/Dialect/GNN/IR/GNNBase.td"

class GNN_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::gnn";
  let genSpecializedAttr = 0;
}

def GNN_EndPoint : GNN_I32Enum<"EndPoint", "one end of an edge", [
  I32EnumAttrCase<"Src", 0, "src">,
  I32EnumAttrCase<"Dst", 1, "dst">]>;
def GNN_EndPointAttr : EnumAttr<GNN_Dialect, GNN_EndPoint, "end">;

def GNN_GraphKind : GNN_I32Enum<"GraphKind", "whether both ends are one set of nodes", [
  I32EnumAttrCase<"Square", 0, "square">,
  I32EnumAttrCase<"Bipartite", 1, "bipartite">]>;
def GNN_GraphKindAttr : EnumAttr<GNN_Dialect, GNN_GraphKind, "graph_kind">;

def GNN_LoopsKind : GNN_I32Enum<"LoopsKind", "the self loops of a derived graph", [
  I32EnumAttrCase<"Remove", 0, "remove">,
  I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Replace", 2, "replace">,
  I32EnumAttrCase<"Remaining", 3, "remaining">]>;
def GNN_LoopsKindAttr : EnumAttr<GNN_Dialect, GNN_LoopsKind, "loops">;

def GNN_ReduceKind : GNN_I32Enum<"ReduceKind", "a reduction of the rows of a group to one row", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"Mean", 1, "mean">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">]>;
def GNN_ReduceKindAttr : EnumAttr<GNN_Dialect, GNN_ReduceKind, "reduce">;

def GNN_FeatureDim : GNN_I32Enum<"FeatureDim", "a feature dimension of rows", [
  I32EnumAttrCase<"Heads", 0, "heads">,
  I32EnumAttrCase<"Features", 1, "features">]>;
def GNN_FeatureDimAttr : EnumAttr<GNN_Dialect, GNN_FeatureDim, "feature_dim">;

def GNN_BinaryKind : GNN_I32Enum<"BinaryKind", "a function of two features", [
  I32EnumAttrCase<"Add", 0, "add">,
  I32EnumAttrCase<"Sub", 1, "sub">,
  I32EnumAttrCase<"Mul", 2, "mul">,
  I32EnumAttrCase<"Div", 3, "div">,
  I32EnumAttrCase<"Copy", 4, "copy">]>;
def GNN_BinaryKindAttr : EnumAttr<GNN_Dialect, GNN_BinaryKind, "binary">;

def GNN_ActivationKind : GNN_I32Enum<"ActivationKind", "a function of one feature", [
  I32EnumAttrCase<"Relu", 0, "relu">,
  I32EnumAttrCase<"LeakyRelu", 1, "leaky_relu">,
  I32EnumAttrCase<"Prelu", 2, "prelu">,
  I32EnumAttrCase<"Elu", 3, "elu">,
  I32EnumAttrCase<"Sigmoid", 4, "sigmoid">,
  I32EnumAttrCase<"Tanh", 5, "tanh">,
  I32EnumAttrCase<"Gelu", 6, "gelu">,
  I32EnumAttrCase<"Swish", 7, "swish">,
  I32EnumAttrCase<"Exp", 8, "exp">]>;
def GNN_ActivationKindAttr
    : EnumAttr<GNN_Dialect, GNN_ActivationKind, "activation">;

#endif // GNN_DIALECT_GNN_IR_GNNENUMS_TD
