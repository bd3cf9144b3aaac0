//===- GNNDenseOps.td - Products with weights --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNDENSEOPS_TD
#define GNN_DIALECT_GNN_IR_GNNDENSEOPS_TD

include "GNN/Dialect/GNN/IR/GNNOpBase.td"

//===----------------------------------------------------------------------===//
// Rows times weights
//===----------------------------------------------------------------------===//

def GNN_LinearOp : GNN_RowOp<"linear", [
    GNN_RowWise, GNN_Linear, GNN_Product, GNN_ProductCost,
    GNN_InferType, SameOperandsAndResultElementType], GNN_Gradient> {
  let summary = "Multiply every row by one weight";
  let description = [{
    `result[i, :] = input[i, :] * weight + bias`, and with heads
    `result[i, h, :] = input[i, h, :] * weight[h] + bias[h]`. An `input` without
    heads is used by all heads of `weight`; a `weight` without heads is used for
    all heads of `input`. Unlike `gnn.typed_linear` all rows share the weight.

    Gradient: of `input`, `gnn.linear` with the transposed weight; of `weight`,
    `gnn.outer`; of `bias`, the sum over all rows.

    Constraints:
    * (C1) `input` has shape `[rows, in]` or `[rows, heads, in]`.
    * (C2) `weight` has shape `[in, out]` or `[heads, in, out]`, where `in` and
      `heads` are those of `input`.
    * (C3) `bias` has shape `[out]` or `[heads, out]` of the result.
    * (C4) `result` has the row space of `input` and shape `[rows, out]`, or
      `[rows, heads, out]` if `input` or `weight` has heads.

    Example:

    ```mlir
    %y = gnn.linear %x, %w bias %b : (tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<64x8xf32>, tensor<8xf32>) -> tensor<?x8xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_Rows:$input, GNN_Weight:$weight, Optional<GNN_Weight>:$bias);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def GNN_TypedLinearOp : GNN_RowOp<"typed_linear", [
    GNN_RowWisePaths, GNN_Linear, GNN_Product, GNN_ProductCost, GNN_Path, GNN_InferType,
    SameOperandsAndResultElementType], GNN_Gradient> {
  let summary = "Multiply every row by the weight of its type";
  let description = [{
    For a row `i` of type `t(i)`,
    `result[i, :] = input[i, :] * weight[t(i)] + bias[t(i)]`, and with heads
    `result[i, h, :] = input[i, h, :] * weight[t(i), h] + bias[t(i), h]`. The
    row space of `weight` determines the type: `edge_type`, or `node_type`; for
    edge rows `via` selects the end. Heads are shared as in `gnn.linear`.

    Gradient: of `input`, `gnn.typed_linear` with the transposed weights; of
    `weight`, `gnn.typed_outer`; of `bias`, `gnn.aggregate sum` to the type rows.

    Constraints:
    * (C1) A row of `input` leads to one row of `weight`.
    * (C2) `via` is given exactly where there are two paths: for edges by node
      type.
    * (C3) `input` has shape `[rows, in]` or `[rows, heads, in]`.
    * (C4) `weight` has shape `[types, in, out]` or `[types, heads, in, out]`,
      where `in` and `heads` are those of `input`.
    * (C5) `bias` has the row space of `weight` and shape `[types, out]` or
      `[types, heads, out]` of the result.
    * (C6) `result` has the row space of `input` and shape `[rows, out]`, or
      `[rows, heads, out]` if `input` or `weight` has heads.

    Example:

    ```mlir
    %y = gnn.typed_linear %x, %w : (tensor<?x64xf32, #gnn.rows<@g, src_pair>>, tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x8xf32, #gnn.rows<@g, src_pair>>
    %z = gnn.typed_linear %m, %v via src : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<2x64x8xf32, #gnn.rows<@g, node_type>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
    ```
  }];
  let arguments = (ins GNN_Rows:$input, GNN_TypedWeight:$weight,
                       Optional<GNN_TypedWeight>:$bias,
                       OptionalAttr<GNN_EndPointAttr>:$via);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    $input `,` $weight (`via` `` $via^)? (`bias` $bias^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Rows times rows, summed to weights
//===----------------------------------------------------------------------===//

def GNN_OuterOp : GNN_RowOp<"outer", [
    GNN_Linear, GNN_ProductCost, SameOperandsAndResultElementType]> {
  let summary = "Sum the outer products of all rows";
  let description = [{
    `result = sum_i input[i, :]^T * grad[i, :]`, and with heads
    `result[h] = sum_i input[i, h, :]^T * grad[i, h, :]`. It is the gradient of
    `gnn.linear` with respect to its weight. A `result` without heads sums over
    the heads of both operands; an `input` without heads is used with every head
    of `grad`. `gnn.outer_rows` keeps the rows separate.

    Gradient: of `input`, `gnn.linear` of `grad` with the transposed gradient of
    `result`; of `grad`, `gnn.linear` of `input` with it.

    Constraints:
    * (C1) `input` and `grad` have the same row space.
    * (C2) `input` has shape `[rows, in]` or `[rows, heads, in]`.
    * (C3) `result` has shape `[in, out]` or `[heads, in, out]`, where `in` and
      `heads` are those of `input`.
    * (C4) `grad` has shape `[rows, out]`, or `[rows, heads, out]` if `input` or
      `result` has heads.

    Example:

    ```mlir
    %dw = gnn.outer %x, %dy : (tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<64x8xf32>
    ```
  }];
  let arguments = (ins GNN_Rows:$input, GNN_Rows:$grad);
  let results = (outs GNN_Weight:$result);
  let assemblyFormat = [{
    $input `,` $grad attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def GNN_TypedOuterOp : GNN_RowOp<"typed_outer", [
    GNN_Linear, GNN_ProductCost, GNN_Path, SameOperandsAndResultElementType]> {
  let summary = "Sum the outer products of all rows of each type";
  let description = [{
    `result[t] = sum_{i : t(i) = t} input[i, :]^T * grad[i, :]`, and with heads
    `result[t, h] = sum_{i : t(i) = t} input[i, h, :]^T * grad[i, h, :]`. It is
    the gradient of `gnn.typed_linear` with respect to its weight; heads as in
    `gnn.outer`. A type without rows gives 0.

    Gradient: of `input`, `gnn.typed_linear` of `grad` with the transposed
    gradient of `result`; of `grad`, `gnn.typed_linear` of `input` with it.

    Constraints:
    * (C1) `input` and `grad` have the same row space.
    * (C2) A row of `input` leads to one row of `result`.
    * (C3) `via` is given exactly where there are two paths: for edges by node
      type.
    * (C4) `input` has shape `[rows, in]` or `[rows, heads, in]`.
    * (C5) `result` has shape `[types, in, out]` or `[types, heads, in, out]`,
      where `in` and `heads` are those of `input`.
    * (C6) `grad` has shape `[rows, out]`, or `[rows, heads, out]` if `input` or
      `result` has heads.

    Example:

    ```mlir
    %dw = gnn.typed_outer %x, %dy : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<?x8xf32, #gnn.rows<@g, edge>>) -> tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>
    ```
  }];
  let arguments = (ins GNN_Rows:$input, GNN_Rows:$grad,
                       OptionalAttr<GNN_EndPointAttr>:$via);
  let results = (outs GNN_TypedWeight:$result);
  let assemblyFormat = [{
    $input `,` $grad (`via` `` $via^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Weights times weights
//===----------------------------------------------------------------------===//

def GNN_WeightProductOp : GNN_RowOp<"weight_product", [
    GNN_Linear, GNN_Cost, GNN_InferType, SameOperandsAndResultElementType]> {
  let summary = "Multiply weights by weights, type by type";
  let description = [{
    `result[t, h] = lhs[t, h] * rhs[t, h]`, the product of an `[a, b]` matrix
    with a `[b, c]` matrix or a `[b]` vector, for each type `t` and head `h` that
    the operands have. An operand without types is used for all types of the
    other. Reordering creates this op from two consecutive linear operators: `(x *
    W[t]) . a[t] = x . (W[t] * a[t])`.

    With `by_heads`, `lhs` is an `[a, heads * b]` matrix with the columns of one
    head after another, each multiplied by its own `rhs[t, h]`: `result[t, :, h *
    c + j] = sum_k lhs[t, :, h * b + k] * rhs[t, h, k, j]`. It is the product of
    two linear operators with a split into heads between them.

    Gradient: of `lhs`, `gnn.weight_product` of the gradient of `result` with
    `gnn.weight_transpose` of `rhs`, with the same `by_heads`; if `lhs` has no
    types and `rhs` has, `gnn.sum_rows` of this product. A vector counts as a
    matrix with one column, by `gnn.reshape`. The gradient of `rhs` is
    `gnn.weight_outer`.

    Constraints:
    * (C1) Operands with types have the same row space.
    * (C2) `lhs` has shape `[(types,) a, b]` or `[(types,) heads, a, b]`.
    * (C3) `rhs` has the heads of `lhs` and shape `[(types,) (heads,) b, c]` or
      `[(types,) (heads,) b]`.
    * (C4) `result` has shape `[(types,) (heads,) a, c]` or `[(types,) (heads,) a]`.
    * (C5) With `by_heads`, `lhs` has shape `[(types,) a, heads * b]` and `rhs`
      `[(types,) heads, b, c]` or `[(types,) heads, b]`; `result` has shape
      `[(types,) a, heads * c]`, where `c` is 1 for vectors.

    Example:

    ```mlir
    %v = gnn.weight_product %w, %a : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, tensor<3x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x64xf32, #gnn.rows<@g, edge_type>>
    %k = gnn.weight_product %u, %r by_heads : (tensor<3x64x64xf32, #gnn.rows<@g, edge_type>>, tensor<3x4x16x16xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x64x64xf32, #gnn.rows<@g, edge_type>>
    ```
  }];
  let arguments = (ins GNN_AnyWeight:$lhs, GNN_AnyWeight:$rhs, UnitAttr:$by_heads);
  let results = (outs GNN_AnyWeight:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`by_heads` $by_heads^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def GNN_WeightOuterOp : GNN_RowOp<"weight_outer", [
    GNN_Linear, GNN_Cost, SameOperandsAndResultElementType]> {
  let summary = "Multiply transposed weights by weights, type by type";
  let description = [{
    `result[t, h, k, j] = sum_a lhs[t, h, a, k] * grad[t, h, a, j]` for each type
    `t` and head `h` that the operands have; without `j` if `grad` is a vector
    `[a]`. It is the gradient of `gnn.weight_product` with respect to `rhs`. An
    operand without types is used for all types of the other; a `result` without
    types sums over them.

    With `by_heads`, both operands have the columns of one head after another:
    `result[t, h, k, j] = sum_a lhs[t, a, h * b + k] * grad[t, a, h * c + j]`.

    Gradient: of `lhs`, `gnn.weight_product` of `grad` with
    `gnn.weight_transpose` of the gradient of `result`; of `grad`,
    `gnn.weight_product` of `lhs` with the gradient of `result`; both with the
    same `by_heads`. If the operand has no types and the product has,
    `gnn.sum_rows` of the product. A vector counts as a matrix with one column,
    by `gnn.reshape`.

    Constraints:
    * (C1) Operands with types have the same row space.
    * (C2) `result` has the types of the operands, or none.
    * (C3) `lhs` has shape `[(types,) a, b]` or `[(types,) heads, a, b]`.
    * (C4) `grad` has heads and `a` of `lhs` and shape `[(types,) (heads,) a, c]`
      or `[(types,) (heads,) a]`.
    * (C5) `result` has shape `[(types,) (heads,) b, c]` or `[(types,) (heads,) b]`.
    * (C6) With `by_heads`, `lhs` has shape `[(types,) a, heads * b]`, `grad`
      `[(types,) a, heads * c]`, and `result` `[(types,) heads, b, c]` or
      `[(types,) heads, b]`, where `c` is 1.

    Example:

    ```mlir
    %da = gnn.weight_outer %w, %dv : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>, tensor<3x64xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x8xf32, #gnn.rows<@g, edge_type>>
    %dr = gnn.weight_outer %u, %dk by_heads : (tensor<3x64x64xf32, #gnn.rows<@g, edge_type>>, tensor<3x64x64xf32, #gnn.rows<@g, edge_type>>) -> tensor<4x16x16xf32>
    ```
  }];
  let arguments = (ins GNN_AnyWeight:$lhs, GNN_AnyWeight:$grad, UnitAttr:$by_heads);
  let results = (outs GNN_AnyWeight:$result);
  let assemblyFormat = [{
    $lhs `,` $grad (`by_heads` $by_heads^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def GNN_WeightCombineOp : GNN_RowOp<"weight_combine", [
    GNN_Linear, GNN_Cost, GNN_InferType, SameOperandsAndResultElementType]> {
  let summary = "Combine weights of types from shared bases";
  let description = [{
    `result[t] = sum_b coefficients[t, b] * bases[b]`: the basis decomposition of
    RGCN.

    Gradient: of `coefficients`, the inner products of the gradient of `result`
    with each basis; of `bases`, the sum over types of coefficient times gradient.

    Constraints:
    * (C1) `coefficients` has shape `[types, bases]`.
    * (C2) `bases` has shape `[bases, in, out]` or `[bases, heads, in, out]`.
    * (C3) `result` has the row space of `coefficients` and shape
      `[types, (heads,) in, out]`.

    Example:

    ```mlir
    %w = gnn.weight_combine %c, %b : (tensor<3x2xf32, #gnn.rows<@g, edge_type>>, tensor<2x64x8xf32>) -> tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>
    ```
  }];
  let arguments = (ins GNN_TypedWeight:$coefficients, GNN_Weight:$bases);
  let results = (outs GNN_TypedWeight:$result);
  let assemblyFormat = [{
    $coefficients `,` $bases attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def GNN_WeightTransposeOp : GNN_RowOp<"weight_transpose", [
    GNN_Linear, GNN_NoCost, GNN_InferType, SameOperandsAndResultElementType]> {
  let summary = "Read weights with inputs and outputs exchanged";
  let description = [{
    `result[t, h, b, a] = input[t, h, a, b]`. It has no cost if products use it
    as their weight, `gnn.linear`, `gnn.typed_linear` or `gnn.weight_product`:
    they read the weights transposed. All other users read a copy.

    Gradient: `gnn.weight_transpose` of the gradient of `result`.

    Constraints:
    * (C1) `input` has shape `[(types,) a, b]` or `[(types,) heads, a, b]`.

    Example:

    ```mlir
    %t = gnn.weight_transpose %w : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x8x64xf32, #gnn.rows<@g, edge_type>>
    ```
  }];
  let arguments = (ins GNN_AnyWeight:$input);
  let results = (outs GNN_AnyWeight:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// Whether the result has a user other than a product from the right.
    bool needsCopy();
  }];
}

#endif // GNN_DIALECT_GNN_IR_GNNDENSEOPS_TD
