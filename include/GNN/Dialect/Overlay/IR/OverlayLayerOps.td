//===- OverlayLayerOps.td - Layers of the overlay ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_OVERLAY_IR_OVERLAYLAYEROPS_TD
#define GNN_DIALECT_OVERLAY_IR_OVERLAYLAYEROPS_TD

include "GNN/Dialect/Overlay/IR/OverlayAttributes.td"
include "GNN/Dialect/Overlay/IR/OverlayInterfaces.td"
include "GNN/Dialect/GNN/IR/GNNTypes.td"

def Overlay_Layer
    : DeclareOpInterfaceMethods<Overlay_LayerOpInterface, ["getLayerType"]>;

// A layer of table II.
class Overlay_LayerOp<string mnemonic, list<Trait> traits = []>
    : Overlay_Op<mnemonic, !listconcat(
        [Pure, GNN_OnOneGraph, GNN_UsesGraph, Overlay_Layer], traits)> {
  let hasVerifier = 1;
}

def Overlay_AggregateOp : Overlay_LayerOp<"aggregate", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Overlay_LayerOpInterface, ["getAggregationKind"]>]> {
  let summary = "Reduce weighted rows of sources at destinations";
  let description = [{
    `result[d, :] = op(weights[e] * input[src(e), :] for all edges e into d)`, with
    `init[:]` as an additional operand of the sum if it is given: layer type 0, equation
    (5). Without `weights` each is 1. A row of a maximum or minimum without edges is 0.
    A mean is a sum with weights 1 / degree.

    `activations` are applied to the result, in order.

    Constraints:
    * (C1) The operation is `sum`, `max` or `min`.
    * (C2) `input` and the result have the same features, as many as `init`.
    * (C3) `init` requires a sum.
    * (C4) The functions do not include `divide` or `affine`.

    Example:

    ```mlir
    %y = gnn_overlay.aggregate sum %x weights %w init %b activations [#gnn_overlay.act<relu>] : tensor<?x16xf32, #gnn.rows<@g, node>>, tensor<?xf32, #gnn.rows<@g, edge>>, tensor<16xf32> -> tensor<?x16xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins Overlay_AggregationAttr:$aggregation, Overlay_Rows:$input,
                       Optional<Overlay_EdgeWeights>:$weights,
                       Optional<Overlay_Row>:$init,
                       OptionalAttr<Overlay_ActsAttr>:$activations);
  let results = (outs Overlay_Rows:$result);
  let assemblyFormat = [{
    `` $aggregation $input (`weights` $weights^)? (`init` $init^)?
    (`activations` $activations^)? attr-dict `:`
    type(operands) `->` type($result)
  }];
}

def Overlay_LinearOp : Overlay_LayerOp<"linear", [
    DeclareOpInterfaceMethods<Overlay_LayerOpInterface, ["getInputFeatures"]>]> {
  let summary = "Multiply rows by a weight";
  let description = [{
    `result[v, :] = input[v, :] weight + bias`: layer type 1, equation (6). If the input
    has more features than the weight has rows, the additional features are not read.

    `activations` are applied to the result, in order.

    Constraints:
    * (C1) `input` has at least as many features as `weight` has rows.
    * (C2) The result has as many features as `weight` has columns, and so has `bias`.
    * (C3) The functions do not include `divide` or `affine`.

    Example:

    ```mlir
    %h = gnn_overlay.linear %x, %w bias %b : tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<64x8xf32>, tensor<8xf32> -> tensor<?x8xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins Overlay_Rows:$input, Overlay_Weight:$weight,
                       Optional<Overlay_Row>:$bias,
                       OptionalAttr<Overlay_ActsAttr>:$activations);
  let results = (outs Overlay_Rows:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? (`activations` $activations^)? attr-dict `:`
    type($input) `,` type($weight) (`,` type($bias)^)? `->` type($result)
  }];
}

def Overlay_VectorInnerOp : Overlay_LayerOp<"vector_inner"> {
  let summary = "Multiply and sum the features of both ends of edges";
  let description = [{
    `result[e] = sum_f sources[src(e), f] * destinations[dst(e), f]`: layer type
    2, equation (7), with an operand for each end (docs/Overlay.md#decisions).

    `activations` are applied to the result, in order; a layer of edges has at most two.

    Constraints:
    * (C1) Both operands have the same features.
    * (C2) The functions do not include `divide` or `affine`.
    * (C3) There are at most two functions.

    Example:

    ```mlir
    %e = gnn_overlay.vector_inner %x, %y activations [#gnn_overlay.act<exp>] : tensor<?x2xf32, #gnn.rows<@g, node>>, tensor<?x2xf32, #gnn.rows<@g, node>> -> tensor<?xf32, #gnn.rows<@g, edge>>
    ```
  }];
  let arguments = (ins Overlay_Rows:$sources, Overlay_Rows:$destinations,
                       OptionalAttr<Overlay_ActsAttr>:$activations);
  let results = (outs Overlay_EdgeWeights:$result);
  let assemblyFormat = [{
    $sources `,` $destinations (`activations` $activations^)? attr-dict `:`
    type($sources) `,` type($destinations) `->` type($result)
  }];
}

def Overlay_VectorAddOp : Overlay_LayerOp<"vector_add", [
    AllTypesMatch<["lhs", "rhs", "result"]>]> {
  let summary = "Add rows of two layers";
  let description = [{
    `result[v, :] = lhs[v, :] + rhs[v, :]`: layer type 3.

    `activations` are applied to the result, in order.

    Constraints:
    * (C1) The functions do not include `divide` or `affine`.

    Example:

    ```mlir
    %z = gnn_overlay.vector_add %x, %y : tensor<?x64xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins Overlay_Rows:$lhs, Overlay_Rows:$rhs,
                       OptionalAttr<Overlay_ActsAttr>:$activations);
  let results = (outs Overlay_Rows:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`activations` $activations^)? attr-dict `:` type($result)
  }];
}

def Overlay_ActivationOp : Overlay_LayerOp<"activation", [
    AttrSizedOperandSegments]> {
  let summary = "Apply functions to rows or to weights of edges";
  let description = [{
    Applies `activations` in order: layer type 4. `divide` divides the features
    of a row by one of its features, the divisor, and removes the divisor and
    the features after it. A row whose divisor is 0 becomes 0. `affine`
    multiplies by `scale` and adds `shift`, by feature.

    Constraints:
    * (C1) There is at least one function.
    * (C2) `divide` is the first function if present, is of rows, and its column follows
      the features of the result.
    * (C3) Without `divide` the result has the type of `input`.
    * (C4) `scale` and `shift` are given if and only if there is an `affine`, which
      occurs once; they have the features of the result.

    Example:

    ```mlir
    %y = gnn_overlay.activation %x scale %s shift %b activations [#gnn_overlay.act<divide, 64.0>, #gnn_overlay.act<affine>] : tensor<?x65xf32, #gnn.rows<@g, node>>, tensor<64xf32>, tensor<64xf32> -> tensor<?x64xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_Rows:$input, Optional<Overlay_Row>:$scale,
                       Optional<Overlay_Row>:$shift, Overlay_ActsAttr:$activations);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    $input (`scale` $scale^)? (`shift` $shift^)? `activations` $activations attr-dict
    `:` type(operands) `->` type($result)
  }];
}

def Overlay_BatchNormOp : Overlay_LayerOp<"batch_norm", [
    AllTypesMatch<["input", "result"]>]> {
  let summary = "Scale and shift rows by feature";
  let description = [{
    `result[v, f] = scale[f] * input[v, f] + shift[f]`: layer type 5, for batch
    normalization with known statistics.

    Constraints:
    * (C1) `scale` and `shift` have the features of `input`.

    Example:

    ```mlir
    %y = gnn_overlay.batch_norm %x scale %s shift %b : tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<64xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Overlay_Rows:$input, Overlay_Row:$scale, Overlay_Row:$shift);
  let results = (outs Overlay_Rows:$result);
  let assemblyFormat = [{
    $input `scale` $scale `shift` $shift attr-dict `:` type($input) `,` type($scale) `,` type($shift)
  }];
}

def Overlay_AssembleOp : Overlay_Op<"assemble", [Pure]> {
  let summary = "Assemble a weight from blocks of others and of ones";
  let description = [{
    A weight that is 0 except for blocks of others and ones. An input is a matrix with
    its last dimension as columns, transposed if `transposed` is set; its six numbers in
    `blocks` are the first row and column of the block in it, those in the result, and
    the rows and columns of the block. `ones` are blocks of ones: their first row and
    column, rows and columns. Nothing is computed: the op describes the layout of a
    region of weights in memory.

    Constraints:
    * (C1) There are six numbers and one flag for each input, and four for each of `ones`.
    * (C2) Blocks lie within their inputs.
    * (C3) Blocks and ones lie within the result, and apart from each other.
    * (C4) The result has one or two dimensions; one dimension is one row.

    Example: a weight followed by a column of zeros; zeros and a one.

    ```mlir
    %w = gnn_overlay.assemble %a blocks [0, 0, 0, 0, 8, 64] transposed [false] ones [] : (tensor<8x64xf32>) -> tensor<8x65xf32>
    %b = gnn_overlay.assemble blocks [] transposed [] ones [0, 64, 1, 1] : () -> tensor<65xf32>
    ```
  }];
  let arguments = (ins Variadic<GNN_Weight>:$inputs, DenseI64ArrayAttr:$blocks,
                       DenseBoolArrayAttr:$transposed, DenseI64ArrayAttr:$ones);
  let results = (outs GNN_Weight:$result);
  let assemblyFormat = [{
    ($inputs^)? `blocks` $blocks `transposed` $transposed `ones` $ones attr-dict `:`
    functional-type($inputs, $result)
  }];
  let hasVerifier = 1;
}

#endif // GNN_DIALECT_OVERLAY_IR_OVERLAYLAYEROPS_TD
