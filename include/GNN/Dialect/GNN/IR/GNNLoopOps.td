//===- GNNLoopOps.td - Loops over rows, and ops on one row -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The free form of a model (Hector's table 2): what is done for one edge or one
// node. Reads and writes are values: a loop's results are whole tensors.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNLOOPOPS_TD
#define GNN_DIALECT_GNN_IR_GNNLOOPOPS_TD

include "GNN/Dialect/GNN/IR/GNNOpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

//===----------------------------------------------------------------------===//
// One row
//===----------------------------------------------------------------------===//

// Features of one row. Weights that all rows share are of the same type.
def GNN_RowValue : GNN_Tensor<[GNN_HasNoEncoding, GNN_HasStaticShape, GNN_IsFloat],
    "f32, bf16 or f16 features of one row">;
def GNN_AnyRowValue : GNN_Tensor<[GNN_HasNoEncoding, GNN_HasStaticShape],
    "features of one row">;

class GNN_BodyOp<string mnemonic, list<Trait> traits = []>
    : GNN_Op<mnemonic, !listconcat([Pure, GNN_OnOneRow], traits)>;

def GNN_FollowOp : GNN_BodyOp<"follow", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Get the row to which a row leads";
  let description = [{
    The source or destination of an edge, its pair, its type, the type of a
    node: the one row of the space of `result` to which `row` leads.

    Constraints:
    * (C1) `row` and `result` are of one graph.
    * (C2) A row of that space leads to one row of the result's.
    * (C3) `via` is given exactly where there are two paths: between edges or
      edge types and nodes of a square graph or node types.

    Example:

    ```mlir
    %u = gnn.follow %e via src : !gnn.row<@g, edge> -> !gnn.row<@g, node>
    %t = gnn.follow %e : !gnn.row<@g, edge> -> !gnn.row<@g, edge_type>
    ```
  }];
  let arguments = (ins GNN_RowType:$row, OptionalAttr<GNN_EndPointAttr>:$via);
  let results = (outs GNN_RowType:$result);
  let assemblyFormat = [{
    $row (`via` `` $via^)? attr-dict `:` qualified(type($row)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The path from the row to the result.
    ::gnn::RowPath getPath();
  }];
}

def GNN_ReadOp : GNN_BodyOp<"read", [
    GNN_Path, GNN_UsesGraph, GNN_InferType]> {
  let summary = "Read the features of the row to which a row leads";
  let description = [{
    `result[:] = input[p(row), :]`, where `p` is the path from `row` to the one
    row of `input` to which it leads: Hector's `e["x"]`, `e.src.x`,
    `W[e.etype]`.

    Gradient: that of `gnn.gather`, which is this read for all rows.

    Constraints:
    * (C1) `input` and `row` are of one graph.
    * (C2) `row` leads to one row of `input`.
    * (C3) `via` is given exactly where there are two paths: between edges or
      edge types and nodes of a square graph or node types.

    Example:

    ```mlir
    %x_u = gnn.read %x[%e] via src : (tensor<?x64xf32, #gnn.rows<@g, node>>, !gnn.row<@g, edge>) -> tensor<64xf32>
    %w_r = gnn.read %w[%e] : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, !gnn.row<@g, edge>) -> tensor<64x8xf32>
    ```
  }];
  let arguments = (ins GNN_AnyRows:$input, GNN_RowType:$row,
                       OptionalAttr<GNN_EndPointAttr>:$via);
  let results = (outs GNN_AnyRowValue:$result);
  let assemblyFormat = [{
    $input `[` $row `]` (`via` `` $via^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def GNN_RowNumberOp : GNN_BodyOp<"row_number"> {
  let summary = "Get the number of a row in the user's order";
  let description = [{
    The id of a node, an edge, or a type, for computations that depend on it. No
    op on whole tensors uses row numbers, so a loop with this op is not raised.

    Example:

    ```mlir
    %i = gnn.row_number %n : !gnn.row<@g, node> -> tensor<i32>
    ```
  }];
  let arguments = (ins GNN_RowType:$row);
  let results = (outs 0DTensorOf<[I32]>:$result);
  let assemblyFormat = "$row attr-dict `:` qualified(type($row)) `->` type($result)";
}

//===----------------------------------------------------------------------===//
// Ops on the features of one row
//===----------------------------------------------------------------------===//

def GNN_RowLinearOp : GNN_BodyOp<"row_linear", [
    GNN_InferType, SameOperandsAndResultElementType]> {
  let summary = "Multiply the features of a row by a weight";
  let description = [{
    `result = input * weight`, and with heads `result[h] = input[h] *
    weight[h]`; with `transposed`, by the transposed weight. Heads are shared as
    in `gnn.linear`. For all rows the op becomes `gnn.linear` if `weight` comes
    from outside the loop, and `gnn.typed_linear` if it was read from type rows.

    Gradient: that of these ops.

    Constraints:
    * (C1) `input` has shape `[in]` or `[heads, in]`.
    * (C2) `weight` has shape `[in, out]` or `[heads, in, out]`, where `in` and
      `heads` are those of `input`; with `transposed` its last two dimensions
      are exchanged.

    Example:

    ```mlir
    %h = gnn.row_linear %x_u, %w_r : (tensor<64xf32>, tensor<64x8xf32>) -> tensor<8xf32>
    %z = gnn.row_linear %h, %w_r transposed : (tensor<8xf32>, tensor<64x8xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins GNN_RowValue:$input, GNN_RowValue:$weight,
                       UnitAttr:$transposed);
  let results = (outs GNN_RowValue:$result);
  let assemblyFormat = [{
    $input `,` $weight (`transposed` $transposed^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def GNN_RowDotOp : GNN_BodyOp<"row_dot", [
    GNN_InferType, SameOperandsAndResultElementType]> {
  let summary = "Take the inner product of two rows' features";
  let description = [{
    `result[(h)] = sum_f lhs[(h,) f] * rhs[(h,) f]`. For all rows it is
    `gnn.sddmm` if an operand was read from other rows, else `gnn.dot`.

    Gradient: that of these ops.

    Constraints:
    * (C1) `lhs` has at least one dimension.
    * (C2) `rhs` has the shape of `lhs`.

    Example:

    ```mlir
    %s = gnn.row_dot %h, %a : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins GNN_RowValue:$lhs, GNN_RowValue:$rhs);
  let results = (outs GNN_RowValue:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def GNN_RowOuterOp : GNN_BodyOp<"row_outer", [
    GNN_InferType, SameOperandsAndResultElementType]> {
  let summary = "Take the outer product of two rows' features";
  let description = [{
    `result[a, b] = lhs[a] * rhs[b]`. For all rows it is `gnn.outer_rows`, or
    `gnn.typed_outer` if it is only summed to type rows.

    Gradient: that of these ops.

    Constraints:
    * (C1) `lhs` and `rhs` have one dimension.

    Example:

    ```mlir
    %p = gnn.row_outer %x, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins GNN_RowValue:$lhs, GNN_RowValue:$rhs);
  let results = (outs GNN_RowValue:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def GNN_RowActivationOp : GNN_BodyOp<"row_activation", [
    SameOperandsAndResultElementType, AllTypesMatch<["input", "result"]>]> {
  let summary = "Apply a nonlinear function to the features of a row";
  let description = [{
    `result[f] = kind(input[f])`: the functions of `gnn.activation`, which it
    becomes for all rows; those of upstream's `math` may also be used.

    Gradient: that of `gnn.activation`.

    Constraints:
    * (C1) `leaky_relu` and `elu` have `alpha`, the others have none.
    * (C2) `prelu` has a weight from outside of the loop, the others have none.
    * (C3) The weight has shape `[1]` or that of the last features: `[d]`, or
      `[heads, d]`.

    Example:

    ```mlir
    %y = gnn.row_activation leaky_relu %s alpha = 0.2 : tensor<8xf32>
    ```
  }];
  let arguments = (ins GNN_ActivationKindAttr:$kind, GNN_RowValue:$input,
                       Optional<GNN_RowValue>:$weight,
                       OptionalAttr<F64Attr>:$alpha);
  let results = (outs GNN_RowValue:$result);
  let assemblyFormat = [{
    `` $kind $input (`,` $weight^)? (`alpha` `=` $alpha^)? attr-dict `:`
    type($input) (`,` type($weight)^)?
  }];
  let hasVerifier = 1;
}

def GNN_RowBroadcastOp : GNN_BodyOp<"row_broadcast", [
    SameOperandsAndResultElementType]> {
  let summary = "Repeat features along trailing dimensions";
  let description = [{
    `result[h, f] = input[h]`: combines a scalar of a row, or of each head, with
    its features. For all rows it is `gnn.broadcast`, or vanishes in a
    `gnn.apply`.

    Gradient: the sum over the dimensions along which `input` was repeated.

    Constraints:
    * (C1) The shape of `result` begins with that of `input`.

    Example:

    ```mlir
    %b = gnn.row_broadcast %a : tensor<8xf32> -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins GNN_RowValue:$input);
  let results = (outs GNN_RowValue:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

class GNN_LoopOp<string mnemonic, list<Trait> traits = []>
    : GNN_Op<mnemonic, !listconcat(traits, [
        RecursiveMemoryEffects, SingleBlock,
        DeclareOpInterfaceMethods<SymbolUserOpInterface>])> {
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

// A loop over all rows, which is in no other loop.
class GNN_OuterLoopOp<string mnemonic> : GNN_LoopOp<mnemonic, [
    DeclareOpInterfaceMethods<GNN_RowLoopInterface>,
    DeclareOpInterfaceMethods<GNN_DifferentiableOpInterface, ["getNoGradientOfBodyReason"]>,
    DeclareOpInterfaceMethods<GNN_RowCostInterface,
        ["getFlops", "getReadBytes", "getProductRows"]>]>;

def GNN_ForEdgesOp : GNN_OuterLoopOp<"for_edges"> {
  let summary = "Compute something for every edge";
  let description = [{
    The body describes the computation of one edge; the results are tensors. A
    value yielded without a reduction becomes the edge's row of a result:
    Hector's `e["x"] = ...`. A value yielded with a reduction is reduced into
    the row to which the edge leads: `e.dst["x"] += ...`. The order of the edges
    is undefined: the body of one edge cannot read the results of another one.

    It is the same as `gnn.for_nodes` with `gnn.for_incoming` or
    `gnn.for_outgoing` around the body (Hector 3.2.4).

    Example: Hector's messages, and their sum.

    ```mlir
    %m, %y = gnn.for_edges %e in @g -> (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8xf32, #gnn.rows<@g, node>>) {
      %x_u = gnn.read %x[%e] via src : (tensor<?x64xf32, #gnn.rows<@g, node>>, !gnn.row<@g, edge>) -> tensor<64xf32>
      %w_r = gnn.read %w[%e] : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, !gnn.row<@g, edge>) -> tensor<64x8xf32>
      %h = gnn.row_linear %x_u, %w_r : (tensor<64xf32>, tensor<64x8xf32>) -> tensor<8xf32>
      gnn.yield %h, sum %h via dst : tensor<8xf32>, tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$graph);
  let results = (outs Variadic<GNN_Rows>:$results);
}

def GNN_ForNodesOp : GNN_OuterLoopOp<"for_nodes"> {
  let summary = "Compute something for every node";
  let description = [{
    The op is like `gnn.for_edges`, for the nodes of a square graph, or the
    nodes of one end of a bipartite one: Hector's `g.nodes()`, `g.dst_nodes()`,
    `g.src_nodes()`. Its body may contain loops over a node's edges.

    Constraints:
    * (C1) `dst` or `src` is given exactly for bipartite graphs.

    Example:

    ```mlir
    %y = gnn.for_nodes %n in @g -> (tensor<?x8xf32, #gnn.rows<@g, node>>) {
      %s = gnn.for_incoming %e of %n : !gnn.row<@g, node> -> (tensor<8xf32>) {
        %m = gnn.read %x[%e] via src : (tensor<?x8xf32, #gnn.rows<@g, node>>, !gnn.row<@g, edge>) -> tensor<8xf32>
        gnn.yield sum %m : tensor<8xf32>
      }
      %r = gnn.row_activation relu %s : tensor<8xf32>
      gnn.yield %r : tensor<8xf32>
    }
    %z = gnn.for_nodes dst %n in @block -> (tensor<?x8xf32, #gnn.rows<@block, dst>>) { ... }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$graph, OptionalAttr<GNN_EndPointAttr>:$end);
  let results = (outs Variadic<GNN_Rows>:$results);
}

def GNN_RowsOrRow : GNN_Tensor<[GNN_IsFloat],
    "f32, bf16 or f16 features of one row, or rows of a graph">;

class GNN_IncidentLoopOp<string mnemonic> : GNN_LoopOp<mnemonic, [
    GNN_OnOneRow,
    DeclareOpInterfaceMethods<GNN_RowLoopInterface,
        ["getCenterNode", "getCenterEnd"]>]> {
  let arguments = (ins GNN_RowType:$center);
  let results = (outs Variadic<GNN_RowsOrRow>:$results);
}

def GNN_ForIncomingOp : GNN_IncidentLoopOp<"for_incoming"> {
  let summary = "Compute something for every edge into a node";
  let description = [{
    A value yielded with a reduction is reduced over the edges into `center`,
    and is a value of that node: Hector's `n["x"] += ...`. Without edges it is
    0. A value yielded without a reduction becomes the edge's row of a result
    with edge rows; a value reduced into a result with rows goes to the row to
    which the edge leads. Such a result is complete when the outer loop has
    visited all nodes. The outer loop yields it again.

    Constraints:
    * (C1) `center` is a `node` or `dst` row.
    * (C2) If a result has rows, `center` is the row of the `gnn.for_nodes`
      directly around the loop.

    Example: softmax over the edges into a node, and the weighted sum.

    ```mlir
    %sum = gnn.for_incoming %e of %n : !gnn.row<@g, node> -> (tensor<f32>) {
      %a = gnn.read %s[%e] : (tensor<?xf32, #gnn.rows<@g, edge>>, !gnn.row<@g, edge>) -> tensor<f32>
      %x = math.exp %a : tensor<f32>
      gnn.yield sum %x : tensor<f32>
    }
    ```
  }];
}

def GNN_ForOutgoingOp : GNN_IncidentLoopOp<"for_outgoing"> {
  let summary = "Compute something for every edge out of a node";
  let description = [{
    The op is like `gnn.for_incoming`, for the edges whose source is `center`.

    Constraints:
    * (C1) `center` is a `node` or `src` row.
    * (C2) If a result has rows, `center` is the row of the `gnn.for_nodes`
      directly around the loop.

    Example:

    ```mlir
    %d = gnn.for_outgoing %e of %n : !gnn.row<@g, node> -> (tensor<f32>) {
      %one = arith.constant dense<1.0> : tensor<f32>
      gnn.yield sum %one : tensor<f32>
    }
    ```
  }];
}

def GNN_YieldOp : GNN_BodyOp<"yield", [ReturnLike, Terminator,
    ParentOneOf<["AttentionOp", "ForEdgesOp", "ForNodesOp", "ForIncomingOp",
                 "ForOutgoingOp"]>]> {
  let summary = "Yield the contribution of one row to the results of its loop";
  let description = [{
    One value for each result, unchanged or with `sum`, `mean`, `max` or `min`.
    `via` is the end by which the row leads to the row of the reduction. In
    `gnn.attention` it yields the score of an edge.

    Constraints:
    * (C1) The loop has as many results as there are values, reductions and
      ends.
    * (C2) A value with rows, from an inner loop, is yielded without a reduction
      to a result of its type.
    * (C3) A value without reduction has the features of a result with the loop's
      rows.
    * (C4) A reduced value has the features of its result: rows to which the
      loop's rows lead, or a value of the node whose edges are walked.
    * (C5) `via` is given exactly if there are two paths to the rows of the
      reduction.

    Example:

    ```mlir
    gnn.yield %h, sum %h via dst : tensor<8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values, ArrayAttr:$reductions,
                       ArrayAttr:$ends);
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$values,
                   "::llvm::ArrayRef<std::optional<::gnn::ReduceKind>>":$reductions,
                   "::llvm::ArrayRef<std::optional<::gnn::EndPoint>>":$ends)>,
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The reduction of value `i`; none if it is yielded unchanged.
    std::optional<::gnn::ReduceKind> getReduction(unsigned i);
    /// The end by which the row leads to the row of result `i`.
    std::optional<::gnn::EndPoint> getEnd(unsigned i);
  }];
}

#endif // GNN_DIALECT_GNN_IR_GNNLOOPOPS_TD
