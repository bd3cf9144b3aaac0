//===- GNNBase.td - The dialect and what its ops share -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNBASE_TD
#define GNN_DIALECT_GNN_IR_GNNBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def GNN_Dialect : Dialect {
  let name = "gnn";
  let cppNamespace = "::gnn";
  let summary = "Graph neural networks: typed graphs and whole tensors";
  let description = [{
    The `gnn` dialect, the first form of a program, describes *what* is computed: a graph is declared
    once and named, values are whole tensors, and tiles or threads do not exist.

    The leading dimension of a tensor is a *row space* of a graph, which the
    tensor's encoding states: `tensor<?x64xf32, #gnn.rows<@g, edge>>` has 64
    features for each edge of `@g`. Row spaces form a lattice. A *pair* is a
    (node, edge type) that occurs. An edge leads to one source pair and one
    destination pair, a pair to its node and its edge type, a node to its node
    type, and every row to the graph. `gnn.gather` copies rows down this
    lattice, `gnn.aggregate` reduces them up. Trailing dimensions are features:
    none for a scalar a row, `[features]`, or `[heads, features]`. A tensor
    without an encoding is a weight shared by all rows; a weight for each edge
    type or node type is a tensor over `edge_type` or `node_type` rows.

    The types show both row spaces, and these determine the path between them.
    Two paths exist only between edge rows (or edge type rows) and node or node
    type rows of the same graph. `via src` or `via dst` selects one of them.

    Elementwise arithmetic on rows of one space is upstream `arith` and `math`
    on these tensors. An `arith.constant` is a weight, or rows of types or of the
    graph, such as `tensor<2xf32, #gnn.rows<@g, node_type>>`.

    Empty groups reduce to 0 (sum, mean, max, min, softmax), with the argument
    -1. If several rows have the same extreme, the argument is the lowest row,
    for edges in the user's order. NaN propagates. Storage is f32, bf16 or f16,
    and accumulation is f32. So far kernels exist only for f32, and
    `gnn-verify-graph-form` refuses the other types.

    Constraints of every op with rows:
    * (G1) All operands and results with a row space belong to one graph.
    * (G2) The graph is declared in the module.
    * (G3) `node` rows belong to square graphs, `src` and `dst` rows to bipartite
      graphs.
    * (G4) The number of `edge_type` and `node_type` rows is the one that the
      graph declares.
    * (G5) A path from edge types to node types needs a schema that gives that
      end's node type for every edge type.

    Arguments and results of a function may have a `gnn.name`, which callers use
    to pass them.
    * (G6) A `gnn.name` is a string that is not empty.

    A program may also be written as loops, which describe the computation of
    one edge or node: `gnn.for_edges`, `gnn.for_nodes`, and in their bodies
    loops over a node's edges. Within a body a value is the features of one row.
    `gnn-raise-loops` turns loops into ops on whole tensors.
    * (G7) The body of a loop has one argument, the current row.
    * (G8) It holds loops over a node's edges, ops on one row, constants,
      elementwise `arith` and `math`, and of `tensor` `concat`, `extract_slice`,
      `expand_shape` and `collapse_shape`.
    * (G9) Rows that an inner loop computes are read in loops over the same
      edges of the same node, or yielded; its reductions into rows are only
      yielded.

    Attributes of a function request gradients from `gnn-differentiate`, or
    state which gradient function it is, and of which function
    (docs/Training.md).
    * (G10) `gnn.role`, of an argument or a result, is "input", "output", "saved" or
      "gradient".
    * (G11) `gnn.gradient_of`, of a function, is another function of the module.
    * (G12) `gnn.gradients`, of a function that is not private, is a list of names of
      inputs that is not empty, or stands alone for all of floating point features.
    * (G13) `gnn.gradient_outputs` is a list of names of results that is not empty,
      beside `gnn.gradients`.
    * (G14) `gnn.key`, of a saved value, is a string that is not empty: equal
      keys denote the same value.
    * (G15) `gnn.pass`, beside `gnn.gradient_of`, is "forward" or "backward".
    * (G16) `gnn.of`, of a gradient, is a string that is not empty: the name of
      its input or output.

    A module may state its target.
    * (G17) `gnn.target` is a `#gnn.target` of a module.

    A function may contain only some of its templates, which are then compiled
    and timed alone. Their inputs are those that the omitted templates have
    written.
    * (G18) `gnn.excerpt`, of a function, has no value.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
  private:
    // Registering an op instantiates all of its code: one function a theme.
    void addRowOps();
    void addDenseOps();
    void addSparseOps();
    void addFeatureOps();
    void addLoopOps();
  }];
}

//===----------------------------------------------------------------------===//
// Element types and tensors
//===----------------------------------------------------------------------===//

def GNN_IsFloat : CPred<"::gnn::isFeatureType("
    "::llvm::cast<::mlir::ShapedType>($_self).getElementType())">;
def GNN_IsInteger : CPred<
    "::llvm::cast<::mlir::ShapedType>($_self).getElementType().isInteger(32)">;
def GNN_HasRows : CPred<"::gnn::getRows($_self)">;
def GNN_HasNoEncoding : CPred<
    "!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">;
def GNN_HasStaticShape : CPred<
    "::llvm::cast<::mlir::ShapedType>($_self).hasStaticShape()">;

class GNN_Tensor<list<Pred> preds, string summary>
    : Type<And<!listconcat([IsRankedTensorTypePred], preds)>, summary,
           "::mlir::RankedTensorType">;

// Feature sizes are static by the encoding's own verifier.
def GNN_Rows : GNN_Tensor<[GNN_HasRows, GNN_IsFloat],
    "rows of a graph with f32, bf16 or f16 features">;
def GNN_AnyRows : GNN_Tensor<[GNN_HasRows, Or<[GNN_IsFloat, GNN_IsInteger]>],
    "rows of a graph with f32, bf16, f16 or i32 features">;
def GNN_IndexRows : GNN_Tensor<[GNN_HasRows, GNN_IsInteger],
    "rows of a graph with i32 features">;
def GNN_TypedWeight : GNN_Tensor<[CPred<"::gnn::isTypeRows($_self)">, GNN_IsFloat],
    "f32, bf16 or f16 weights for each edge type or node type">;
def GNN_Weight : GNN_Tensor<[GNN_HasNoEncoding, GNN_HasStaticShape, GNN_IsFloat],
    "f32, bf16 or f16 weights of static shape without a row space">;
def GNN_AnyWeight : GNN_Tensor<
    [Or<[CPred<"::gnn::isTypeRows($_self)">,
         And<[GNN_HasNoEncoding, GNN_HasStaticShape]>]>, GNN_IsFloat],
    "f32, bf16 or f16 weights, shared or for each edge type or node type">;
def GNN_RowsOrWeight : GNN_Tensor<
    [Or<[GNN_HasRows, And<[GNN_HasNoEncoding, GNN_HasStaticShape]>]>, GNN_IsFloat],
    "f32, bf16 or f16 rows of a graph, or weights without a row space">;
def GNN_AnyRowsOrWeight : GNN_Tensor<
    [Or<[And<[GNN_HasRows, Or<[GNN_IsFloat, GNN_IsInteger]>]>,
         And<[GNN_HasNoEncoding, GNN_HasStaticShape, GNN_IsFloat]>]>],
    "f32, bf16, f16 or i32 rows of a graph, or float weights without a row space">;

//===----------------------------------------------------------------------===//
// Op classes
//===----------------------------------------------------------------------===//

class GNN_Op<string mnemonic, list<Trait> traits = []>
    : Op<GNN_Dialect, mnemonic, traits>;

// Declares that the op names a graph in its types.
def GNN_NamesGraph : NativeOpTrait<"NamesGraph", [], [{}], [{
  ::llvm::LogicalResult
  $cppClass::verifySymbolUses(::mlir::SymbolTableCollection &symbols) {
    return ::gnn::detail::verifyGraphSymbols(*this, symbols);
  }
}]> { let cppNamespace = "::gnn"; }

// Verifies (G2) to (G5): what needs the declaration of the graph.
def GNN_UsesGraph : TraitList<[
  DeclareOpInterfaceMethods<SymbolUserOpInterface>, GNN_NamesGraph]>;

// Verifies (G1).
def GNN_OnOneGraph : NativeOpTrait<"OnOneGraph"> { let cppNamespace = "::gnn"; }

// Stands in the body of a loop over rows or of an attention, and nowhere else.
def GNN_OnOneRow : NativeOpTrait<"OnOneRow"> { let cppNamespace = "::gnn"; }

// verify() runs inferReturnTypes, which checks the operands, and compares the result,
// so that a mismatch is reported under its own label.
def GNN_InferType : TraitList<[InferTypeOpAdaptorWithIsCompatible]>;

#endif // GNN_DIALECT_GNN_IR_GNNBASE_TD
