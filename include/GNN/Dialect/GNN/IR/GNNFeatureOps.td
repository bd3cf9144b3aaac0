//===- GNNFeatureOps.td - Ops on the features of each row --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNFEATUREOPS_TD
#define GNN_DIALECT_GNN_IR_GNNFEATUREOPS_TD

include "GNN/Dialect/GNN/IR/GNNOpBase.td"

//===----------------------------------------------------------------------===//
// Products of rows
//===----------------------------------------------------------------------===//

def GNN_DotOp : GNN_RowOp<"dot", [
    GNN_RowWise, GNN_Linear, GNN_Product, GNN_Cost,
    GNN_InferType, SameOperandsAndResultElementType]> {
  let summary = "Take the inner product of each row with a row or vector";
  let description = [{
    `result[i, (h)] = sum_f lhs[i, (h,) f] * rhs[i, (h,) f]`. If `rhs` has no
    row space, all rows use the same vector: the additive attention score of GAT
    is `dot` of `[rows, heads, d]` with `[heads, d]`. `gnn.sddmm` takes operands
    in other row spaces.

    Gradient: of each operand, the gradient of `result` times the other one,
    summed over all rows for a vector.

    Constraints:
    * (C1) `lhs` has at least one feature dimension.
    * (C2) `rhs` has the row space of `lhs` or none.
    * (C3) `rhs` has the features of `lhs`.
    * (C4) `result` has the row space of `lhs` and its features without the last
      dimension.

    Example:

    ```mlir
    %s = gnn.dot %x, %a : (tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<8x16xf32>) -> tensor<?x8xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_Rows:$lhs, GNN_RowsOrWeight:$rhs);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def GNN_OuterRowsOp : GNN_RowOp<"outer_rows", [
    GNN_RowWise, GNN_Linear, GNN_Cost,
    GNN_InferType, SameOperandsAndResultElementType]> {
  let summary = "Take the outer product of each row with a row";
  let description = [{
    `result[i, a, b] = lhs[i, a] * rhs[i, b]`. `gnn.outer` and `gnn.typed_outer`
    sum these products over rows and do not need this memory.

    Gradient: of `lhs`, the gradient of `result` times `rhs`, summed over `b`; of
    `rhs`, times `lhs`, summed over `a`.

    Constraints:
    * (C1) `lhs` and `rhs` have the same row space.
    * (C2) `lhs` has shape `[rows, a]`.
    * (C3) `rhs` has shape `[rows, b]`.
    * (C4) `result` has their row space and shape `[rows, a, b]`.

    Example:

    ```mlir
    %p = gnn.outer_rows %x, %y : (tensor<?x4xf32, #gnn.rows<@g, edge>>, tensor<?x3xf32, #gnn.rows<@g, edge>>) -> tensor<?x4x3xf32, #gnn.rows<@g, edge>>
    ```
  }];
  let arguments = (ins GNN_Rows:$lhs, GNN_Rows:$rhs);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Functions of features
//===----------------------------------------------------------------------===//

def GNN_ActivationOp : GNN_RowOp<"activation", [
    GNN_RowWise, GNN_Cost, SameOperandsAndResultElementType,
    AllTypesMatch<["input", "result"]>], GNN_Gradient> {
  let summary = "Apply a nonlinear function to every feature";
  let description = [{
    `result[i, f] = kind(input[i, f])`:

    | kind | of x |
    | --- | --- |
    | `relu` | max(x, 0) |
    | `leaky_relu` | x for x > 0, else alpha x |
    | `prelu` | x for x > 0, else weight x |
    | `elu` | x for x > 0, else alpha (exp(x) - 1) |
    | `sigmoid` | 1 / (1 + exp(-x)) |
    | `tanh` | tanh(x) |
    | `gelu` | x (1 + erf(x / sqrt 2)) / 2 |
    | `swish` | x / (1 + exp(-x)) |
    | `exp` | exp(x) |

    The weight of `prelu` is shared by all features or one for each. NaN gives
    NaN for every kind.

    Gradient: the gradient of `result` times the derivative; at a kink, that of
    the side x <= 0. The gradient of the weight of `prelu` is the gradient times
    x, summed over x <= 0.

    Constraints:
    * (C1) `leaky_relu` and `elu` have `alpha`, the others have none.
    * (C2) `prelu` has a weight, the others have none.
    * (C3) The weight has shape `[1]` or that of the last features: `[d]`, or
      `[heads, d]`.

    Example:

    ```mlir
    %y = gnn.activation leaky_relu %x alpha = 0.2 : tensor<?x8xf32, #gnn.rows<@g, edge>>
    %z = gnn.activation prelu %u, %w : tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<8xf32>
    ```
  }];
  let arguments = (ins GNN_ActivationKindAttr:$kind, GNN_Rows:$input,
                       Optional<GNN_Weight>:$weight, OptionalAttr<F64Attr>:$alpha);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    `` $kind $input (`,` $weight^)? (`alpha` `=` $alpha^)? attr-dict `:`
    type($input) (`,` type($weight)^)?
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def GNN_BatchNormOp : GNN_RowOp<"batch_norm", [
    GNN_RowWise, GNN_Cost, SameOperandsAndResultElementType,
    AllTypesMatch<["input", "result"]>,
    AllTypesMatch<["mean", "variance", "gamma", "beta"]>], GNN_Gradient> {
  let summary = "Normalize features with running statistics";
  let description = [{
    `result[i, f] = (input[i, f] - mean[f]) / sqrt(variance[f] + eps) * gamma[f] +
    beta[f]`: batch normalization in inference. Unlike `gnn.layer_norm` the
    statistics are operands and every row is scaled alike.

    Gradient: of `input`, the gradient of `result` times `gamma / sqrt(variance +
    eps)`; of `gamma` and `beta`, sums over rows. None of `mean` and `variance`:
    running statistics are not trained.

    Constraints:
    * (C1) `mean`, `variance`, `gamma` and `beta` have the shape of the last
      features: `[d]`, or `[heads, d]`.
    * (C2) `eps` is positive.

    Example:

    ```mlir
    %y = gnn.batch_norm %x mean %m variance %v gamma %g beta %b eps = 1.0e-5 : tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<8xf32>
    ```
  }];
  let arguments = (ins GNN_Rows:$input, GNN_Weight:$mean, GNN_Weight:$variance,
                       GNN_Weight:$gamma, GNN_Weight:$beta, F64Attr:$eps);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    $input `mean` $mean `variance` $variance `gamma` $gamma `beta` $beta
    `eps` `=` $eps attr-dict `:` type($input) `,` type($mean)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Running statistics have no gradient.
    ::llvm::StringRef getNoGradientReason(unsigned operand);
  }];
}

def GNN_LayerNormOp : GNN_RowOp<"layer_norm", [
    GNN_RowWise, GNN_Cost, AttrSizedOperandSegments,
    SameOperandsAndResultElementType,
    AllTypesMatch<["input", "result"]>], GNN_Gradient> {
  let summary = "Normalize the features of each row by their own statistics";
  let description = [{
    `result[i, (h,) f] = (input[i, (h,) f] - mean) / sqrt(variance + eps) *
    gamma[f] + beta[f]`, with the mean and the biased variance of the last
    feature dimension of the row (and head). It is PyG's `LayerNorm` in mode
    `node`; its mode `graph` normalizes over all rows and is another function.

    Gradient: with n the normalized row and g the gradient of `result` times
    `gamma`, `(g - mean(g) - n mean(g n)) / sqrt(variance + eps)`; of `gamma` and
    `beta`, sums over rows.

    Constraints:
    * (C1) `input` has at least one feature dimension.
    * (C2) `gamma` and `beta` are both given or both absent.
    * (C3) `gamma` and `beta` have the shape of the last features: `[d]`, or
      `[heads, d]`.
    * (C4) `eps` is positive.

    Example:

    ```mlir
    %y = gnn.layer_norm %x gamma %g beta %b eps = 1.0e-5 : tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<8xf32>, tensor<8xf32>
    %z = gnn.layer_norm %x eps = 1.0e-5 : tensor<?x8xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_Rows:$input, Optional<GNN_Weight>:$gamma,
                       Optional<GNN_Weight>:$beta, F64Attr:$eps);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    $input (`gamma` $gamma^)? (`beta` $beta^)? `eps` `=` $eps attr-dict `:`
    type($input) (`,` type($gamma)^)? (`,` type($beta)^)?
  }];
  let hasVerifier = 1;
}

def GNN_DropoutOp : GNN_RowOp<"dropout", [
    GNN_Linear, GNN_CostAndReads, AllTypesMatch<["input", "result"]>]> {
  let summary = "Zero features at random and scale the rest";
  let description = [{
    Element `n` of the input, counted in row-major order, is kept and divided by
    `1 - p` if `word >= floor(p * 2^32)`, else it is 0. `word` is number `n mod
    4` of the four words of Philox4x32-10 for the counter `(low 32 bits of c,
    high 32 bits of c, 0, 0)` with `c = offset + n div 4` and the key `(low,
    high 32 bits of seed)`. The same seed and offset keep the same elements, so
    a backward pass needs no mask; the next step uses an offset that is larger
    by a quarter of the elements, rounded up.

    Gradient: `gnn.dropout` of the gradient of `result` with the same `p`, seed
    and offset.

    Constraints:
    * (C1) `p` is at least 0 and less than 1.

    Example:

    ```mlir
    %y = gnn.dropout %x p = 0.5 seed %s offset %o : tensor<?x64xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_Rows:$input, F64Attr:$p, I64:$seed, I64:$offset);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    $input `p` `=` $p `seed` $seed `offset` $offset attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// The shape of features
//===----------------------------------------------------------------------===//

def GNN_BroadcastOp : GNN_RowOp<"broadcast", [
    GNN_RowWise, GNN_Linear, GNN_Cost, SameOperandsAndResultElementType]> {
  let summary = "Repeat features along trailing dimensions, or weights along rows";
  let description = [{
    For rows, `result[i, h, f] = input[i, h]`: the features of `input` are
    repeated along trailing dimensions that it lacks. For a weight without a row
    space, `result[i, h, f] = input[f]`: it is repeated for every row, and along
    leading feature dimensions that it lacks; the result may be a weight, too.
    `gnn.gather` repeats rows of another space.

    Gradient: the sum over the dimensions along which `input` was repeated: for a
    weight, `gnn.sum_rows` of the gradient of `result`.

    Constraints:
    * (C1) `input` has the row space of `result` or none.
    * (C2) The features of `result` begin with those of an `input` with rows.
    * (C3) The features of `result` end with the shape of an `input` without rows.

    Example:

    ```mlir
    %y = gnn.broadcast %a : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8x16xf32, #gnn.rows<@g, edge>>
    %z = gnn.broadcast %b : tensor<16xf32> -> tensor<?x16xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_RowsOrWeight:$input);
  let results = (outs GNN_RowsOrWeight:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def GNN_SumRowsOp : GNN_RowOp<"sum_rows", [
    GNN_Linear, GNN_Cost, SameOperandsAndResultElementType]> {
  let summary = "Sum all rows, and leading feature dimensions, to a weight";
  let description = [{
    `result[f] = sum_{i, h} input[i, h, f]` over all rows `i` and the leading
    feature dimensions `h` that `result` lacks: the transpose of `gnn.broadcast`
    of a weight. If the input is a weight without a row space, only the leading
    dimensions are summed. Without rows the sum is 0. The op also turns a row of
    the graph into a weight. `gnn.aggregate` keeps a row for each group, and all
    features.

    Gradient: `gnn.broadcast` of the gradient of `result`.

    Constraints:
    * (C1) The features of `input` end with the shape of `result`.

    Example:

    ```mlir
    %db = gnn.sum_rows %dy : tensor<?x8x16xf32, #gnn.rows<@g, node>> -> tensor<8x16xf32>
    %da = gnn.sum_rows %dy : tensor<?x8x16xf32, #gnn.rows<@g, node>> -> tensor<16xf32>
    ```
  }];
  let arguments = (ins GNN_RowsOrWeight:$input);
  let results = (outs GNN_Weight:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def GNN_ConcatOp : GNN_RowOp<"concat", [
    GNN_RowWise, GNN_Cost, GNN_InferType, SameOperandsAndResultElementType], GNN_Gradient> {
  let summary = "Join rows along the last feature dimension";
  let description = [{
    `result[i, (h,) :] = [inputs[0][i, (h,) :], inputs[1][i, (h,) :], ...]`.

    Gradient: of each input, the `gnn.slice` of the gradient of `result` at its
    place.

    Constraints:
    * (C1) The op has at least one input.
    * (C2) All inputs have the same row space.
    * (C3) All inputs have the same features except for the last dimension,
      which each has.
    * (C4) `result` has their row space and features; its last dimension is the
      sum of theirs.

    Example:

    ```mlir
    %y = gnn.concat %a, %b : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, node>>) -> tensor<?x12xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins Variadic<GNN_Rows>:$inputs);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def GNN_SliceOp : GNN_RowOp<"slice", [
    GNN_RowWise, GNN_Linear, GNN_CostAndReads,
    SameOperandsAndResultElementType]> {
  let summary = "Take a part of the last feature dimension";
  let description = [{
    `result[i, (h,) f] = input[i, (h,) offset + f]`; the last feature dimension
    of `result` is the size of the part. The op also takes weights without a row
    space.

    Gradient: `gnn.pad`, the gradient of `result` at its place between zeros.

    Constraints:
    * (C1) `input` and `result` have the same row space.
    * (C2) They have the same features except for the last dimension, which each
      has.
    * (C3) `offset` is not negative, and the part lies within `input`.

    Example:

    ```mlir
    %y = gnn.slice %x at 8 : tensor<?x12xf32, #gnn.rows<@g, node>> -> tensor<?x4xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_RowsOrWeight:$input, I64Attr:$offset);
  let results = (outs GNN_RowsOrWeight:$result);
  let assemblyFormat = [{
    $input `at` $offset attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def GNN_PadOp : GNN_RowOp<"pad", [
    GNN_RowWise, GNN_Linear, GNN_Cost, SameOperandsAndResultElementType]> {
  let summary = "Put features between zeros along the last dimension";
  let description = [{
    `result[i, (h,) offset + f] = input[i, (h,) f]`, and 0 at all other places
    of the last feature dimension of `result`. The op also takes weights without
    a row space. `gnn.slice` at the same offset gives `input` again.

    Gradient: `gnn.slice` of the gradient of `result` at `offset`.

    Constraints:
    * (C1) `input` and `result` have the same row space.
    * (C2) They have the same features except for the last dimension, which each
      has.
    * (C3) `offset` is not negative, and `input` lies within `result`.

    Example:

    ```mlir
    %y = gnn.pad %x at 8 : tensor<?x4xf32, #gnn.rows<@g, node>> -> tensor<?x16xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_RowsOrWeight:$input, I64Attr:$offset);
  let results = (outs GNN_RowsOrWeight:$result);
  let assemblyFormat = [{
    $input `at` $offset attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def GNN_ReshapeOp : GNN_RowOp<"reshape", [
    GNN_RowWise, GNN_Linear, GNN_NoCost, SameOperandsAndResultElementType]> {
  let summary = "Split or join feature dimensions";
  let description = [{
    The features of each row keep their row-major order and get another shape:
    `[rows, heads * d]` and `[rows, heads, d]` can be converted to each other.
    It has no cost. The op also takes weights without a row space. Upstream's
    `tensor.expand_shape` and `tensor.collapse_shape` would let the row space
    change unnoticed.

    Gradient: `gnn.reshape` of the gradient of `result` to the shape of `input`.

    Constraints:
    * (C1) `input` and `result` have the same row space.
    * (C2) They have the same number of features a row.

    Example:

    ```mlir
    %y = gnn.reshape %x : tensor<?x128xf32, #gnn.rows<@g, node>> -> tensor<?x8x16xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_RowsOrWeight:$input);
  let results = (outs GNN_RowsOrWeight:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def GNN_ReduceHeadsOp : GNN_RowOp<"reduce_heads", [
    GNN_RowWise, GNN_Linear, GNN_Cost,
    GNN_InferType, SameOperandsAndResultElementType], GNN_Gradient> {
  let summary = "Reduce the heads of each row";
  let description = [{
    `result[i, f] = reduce_h(input[i, h, f])`. `gnn.reduce_features` reduces the
    last dimension instead, `gnn.aggregate` the rows.

    Gradient: `sum` and `mean`: the gradient of `result` for each head, divided
    by the heads for `mean`; `max` and `min`: `gnn.pick_feature` of it.

    Constraints:
    * (C1) `input` has shape `[rows, heads, d]`.
    * (C2) `result` has its row space and shape `[rows, d]`.

    Example:

    ```mlir
    %y = gnn.reduce_heads mean %x : tensor<?x8x16xf32, #gnn.rows<@g, node>> -> tensor<?x16xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_ReduceKindAttr:$kind, GNN_Rows:$input);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    `` $kind $input attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def GNN_ReduceFeaturesOp : GNN_RowOp<"reduce_features", [
    GNN_RowWise, GNN_Linear, GNN_Cost,
    GNN_InferType, SameOperandsAndResultElementType], GNN_Gradient> {
  let summary = "Reduce the last feature dimension of each row";
  let description = [{
    `result[i, (h)] = reduce_f(input[i, (h,) f])`. `gnn.reduce_heads` reduces the
    heads instead, `gnn.aggregate` the rows.

    Gradient: `sum` and `mean`: the gradient of `result` for each feature,
    divided by their number for `mean`; `max` and `min`: `gnn.pick_feature` of it.

    Constraints:
    * (C1) `input` has at least one feature dimension.
    * (C2) `result` has its row space and its features without the last dimension.

    Example:

    ```mlir
    %y = gnn.reduce_features sum %x : tensor<?x8x16xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
    ```
  }];
  let arguments = (ins GNN_ReduceKindAttr:$kind, GNN_Rows:$input);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    `` $kind $input attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def GNN_PickFeatureOp : GNN_RowOp<"pick_feature", [
    GNN_RowWise, GNN_Linear, GNN_Cost, AllTypesMatch<["of", "result"]>], GNN_Gradient> {
  let summary = "Copy a row's features to its extreme heads or features";
  let description = [{
    Over `heads`, `result[i, h, f] = input[i, f]` if `h` is the first head whose
    `of[i, h, f]` is `max_h(of[i, h, f])` (or `min_h`), else 0; over `features`,
    `result[i, (h,) f] = input[i, (h)]` if `f` is the first feature that has the
    extreme. The first of several NaN is the extreme. `gnn.pick` is the same for
    the rows of a group.

    Gradient: of `input`, the sum over the dimension of the gradient of `result`
    times the `gnn.pick_feature` of ones; of `of`, 0, because `result` is a step
    function of it.

    Constraints:
    * (C1) `kind` is `max` or `min`.
    * (C2) Over heads, `of` has shape `[rows, heads, d]`; over features, it has at
      least one feature dimension.
    * (C3) `input` has the row space of `of`.
    * (C4) `input` has the features of `of` without that dimension, and its
      element type.

    Example:

    ```mlir
    %m = gnn.reduce_features max %x : tensor<?x8x16xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
    %dx = gnn.pick_feature %dm at max features of %x : tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_Rows:$input, GNN_ReduceKindAttr:$kind,
                       GNN_FeatureDimAttr:$over, GNN_Rows:$of);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    $input `at` `` $kind $over `of` $of attr-dict `:` type($input) `,` type($of)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

#endif // GNN_DIALECT_GNN_IR_GNNFEATUREOPS_TD
