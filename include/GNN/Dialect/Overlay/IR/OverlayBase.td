//===- OverlayBase.td - The gnn_overlay dialect ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_OVERLAY_IR_OVERLAYBASE_TD
#define GNN_DIALECT_OVERLAY_IR_OVERLAYBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "GNN/Dialect/GNN/IR/GNNBase.td"

def Overlay_Dialect : Dialect {
  let name = "gnn_overlay";
  let cppNamespace = "::gnn::overlay";
  let summary = "Programs of an FPGA overlay for graph neural networks";
  let description = [{
    The overlay of GraphAGILE (Zhang, Zeng and Prasanna, IEEE TPDS 2023) has
    processing elements that run instructions of 128 bits on tiles of a graph.
    Tables, sections and equations below are those of this paper;
    docs/Overlay.md describes the dialect. It has two levels.

    *Layers* are the six kinds of table II, on whole tensors:
    `gnn_overlay.aggregate`, `linear`, `vector_inner`, `vector_add`, `activation` and
    `batch_norm`. Parents and children of a layer are the definitions and users of
    its values; f_in and f_out are the features of their types.

    *Programs* consist of instructions: a `gnn_overlay.program` has regions of
    the memory and a `gnn_overlay.layer_block` for each layer, with a
    `gnn_overlay.tiling_block` for each tile that a processing element runs
    (section 6.6). Each op is one instruction, except `gnn_overlay.loop`, whose
    body repeats.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::gnn::GNNDialect"];
}

class Overlay_Op<string mnemonic, list<Trait> traits = []>
    : Op<Overlay_Dialect, mnemonic, traits>;

class Overlay_Attr<string name, string mnemonic_> : AttrDef<Overlay_Dialect, name> {
  let mnemonic = mnemonic_;
}

// An enumerator by its word in Words.h.
class Overlay_WordParameter<string enum>
    : AttrOrTypeParameter<"::gnn::overlay::" # enum, "a word">;
class Overlay_WordAttr<string name, string enum, string mnemonic, string what>
    : Overlay_Attr<name, mnemonic> {
  let summary = what;
  let parameters = (ins Overlay_WordParameter<enum>:$value);
  let assemblyFormat = "custom<Word>($value)";
}

// Rows of nodes with f32 features, one dimension of them.
def Overlay_Rows : GNN_Tensor<[
    CPred<"::gnn::overlay::isNodeRows(::llvm::cast<::mlir::RankedTensorType>($_self))">],
    "rows of nodes of a square graph with f32 features of one dimension">;
// A number for each edge.
def Overlay_EdgeWeights : GNN_Tensor<[
    CPred<"::gnn::overlay::isEdgeWeights(::llvm::cast<::mlir::RankedTensorType>($_self))">],
    "one f32 number for each edge of a square graph">;
class Overlay_Matrix<int rank, string what> : GNN_Tensor<[
    GNN_HasNoEncoding, GNN_HasStaticShape,
    CPred<"::llvm::cast<::mlir::ShapedType>($_self).getElementType().isF32()">,
    CPred<"::llvm::cast<::mlir::ShapedType>($_self).getRank() == " # rank>], what>;
def Overlay_Weight : Overlay_Matrix<2, "an f32 matrix without a row space">;
def Overlay_Row : Overlay_Matrix<1, "a row of f32 numbers without a row space">;

#endif // GNN_DIALECT_OVERLAY_IR_OVERLAYBASE_TD
