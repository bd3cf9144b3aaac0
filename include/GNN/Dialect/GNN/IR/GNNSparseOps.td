//===- GNNSparseOps.td - Rows of several spaces at once ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNSPARSEOPS_TD
#define GNN_DIALECT_GNN_IR_GNNSPARSEOPS_TD

include "GNN/Dialect/GNN/IR/GNNOpBase.td"
include "mlir/IR/OpAsmInterface.td"

def GNN_ApplyOp : GNN_RowOp<"apply", [
    GNN_RowWisePaths, GNN_LinearByGradient, GNN_CostAndReads, GNN_Path,
    SameOperandsAndResultElementType], GNN_Gradient> {
  let summary = "Combine the features to which two paths lead";
  let description = [{
    `result[i, :] = lhs[p(i), :] op rhs[q(i), :]`, where `p` and `q` are the
    paths from a row of the result to the row of each operand. On edge rows this
    is DGL's generalized SDDMM on any two of source, destination and edge
    features; an operand in the row space of the result is read directly. `copy`
    has one operand, is equal to `gnn.gather` and canonicalizes to it.

    An operand with fewer feature dimensions than the other is repeated along
    the missing trailing ones: `[rows, heads]` with `[rows, heads, d]`.

    Unlike `gnn.sddmm` it keeps the features; unlike `arith` its operands may lie
    in different row spaces.

    Gradient: of each operand, the gradient of `result` times the partial
    derivative, summed over repeated features and aggregated along its path.

    Constraints:
    * (C1) A row of `result` leads to one row of `lhs` and one row of `rhs`.
    * (C2) `via` is given for an operand exactly where there are two paths:
      between edges or edge types and nodes of a square graph or node types.
    * (C3) `copy` has one operand, the others have two.
    * (C4) The features of one operand begin with those of the other.
    * (C5) The features of `result` are the longer of the two.

    Example:

    ```mlir
    %s = gnn.apply add %a via src, %b via dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
    %m = gnn.apply mul %s, %x via src : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, edge>>
    ```
  }];
  let arguments = (ins GNN_BinaryKindAttr:$kind, GNN_Rows:$lhs,
                       OptionalAttr<GNN_EndPointAttr>:$lhs_via,
                       Optional<GNN_Rows>:$rhs,
                       OptionalAttr<GNN_EndPointAttr>:$rhs_via);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    `` $kind $lhs (`via` `` $lhs_via^)? (`,` $rhs^ (`via` `` $rhs_via^)?)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def GNN_SddmmOp : GNN_RowOp<"sddmm", [
    GNN_RowWisePaths, GNN_Linear, GNN_Product, GNN_CostAndReads, GNN_Path,
    SameOperandsAndResultElementType]> {
  let summary = "Take inner products of features to which two paths lead";
  let description = [{
    `result[i, (h)] = sum_f lhs[p(i), (h,) f] * rhs[q(i), (h,) f]`, where `p`
    and `q` are the paths from a row of the result to the row of each operand:
    the sampled dense-dense product, such as an attention score of both ends of
    an edge, or of a row and the vector of its edge type. `gnn.dot` has both
    operands in the row space of the result; `gnn.apply` does not sum.

    Gradient: of each operand, the gradient of `result` times the other operand,
    aggregated along the path.

    Constraints:
    * (C1) A row of `result` leads to one row of `lhs` and one row of `rhs`.
    * (C2) `via` is given for an operand exactly where there are two paths:
      between edges or edge types and nodes of a square graph or node types.
    * (C3) `lhs` and `rhs` have the same features, at least one dimension.
    * (C4) The features of `result` are those without the last dimension.

    Example:

    ```mlir
    %s = gnn.sddmm %q via dst, %k via src : (tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
    ```
  }];
  let arguments = (ins GNN_Rows:$lhs, OptionalAttr<GNN_EndPointAttr>:$lhs_via,
                       GNN_Rows:$rhs, OptionalAttr<GNN_EndPointAttr>:$rhs_via);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    $lhs (`via` `` $lhs_via^)? `,` $rhs (`via` `` $rhs_via^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def GNN_SpmmOp : GNN_RowOp<"spmm", [
    GNN_LinearByGradient, GNN_CostAndReads, GNN_Path,
    SameOperandsAndResultElementType], GNN_GradientWithNeeds> {
  let summary = "Combine features for every edge and reduce the edges";
  let description = [{
    `result[g, :] = reduce(lhs[p(e), :] op rhs[q(e), :] for all edges e with
    r(e) = g)`, where `p` and `q` are the paths from an edge to the row of each
    operand and `r` the path to the row of the result. It is `gnn.apply` on edge
    rows followed by `gnn.aggregate`, without the edge-sized tensor between
    them. `copy` has one operand: a plain sum, mean, maximum or minimum over
    neighbours.

    Features are combined as in `gnn.apply`; empty groups and NaN are as in
    `gnn.aggregate`.

    Gradient: of an operand of `mul ... sum`, `gnn.spmm` over the transposed
    path if the operand is on nodes, `gnn.sddmm` if it is on edges; in general
    that of the two equivalent ops.

    Constraints:
    * (C1) `result` is not in edge rows, which leave nothing to reduce.
    * (C2) `via` is given for an operand or the result exactly where there are
      two paths: to nodes of a square graph or to node types.
    * (C3) `copy` has one operand, the others have two.
    * (C4) The features of one operand begin with those of the other.
    * (C5) The features of `result` are the longer of the two.

    Example:

    ```mlir
    %y = gnn.spmm mul %x via src, %a reduce sum via dst : (tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, edge>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>>
    %z = gnn.spmm copy %u reduce mean : (tensor<?x64xf32, #gnn.rows<@block, src>>) -> tensor<?x64xf32, #gnn.rows<@block, dst>>
    ```
  }];
  let arguments = (ins GNN_BinaryKindAttr:$kind, GNN_Rows:$lhs,
                       OptionalAttr<GNN_EndPointAttr>:$lhs_via,
                       Optional<GNN_Rows>:$rhs,
                       OptionalAttr<GNN_EndPointAttr>:$rhs_via,
                       GNN_ReduceKindAttr:$reduce,
                       OptionalAttr<GNN_EndPointAttr>:$via);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    `` $kind $lhs (`via` `` $lhs_via^)? (`,` $rhs^ (`via` `` $rhs_via^)?)?
    `reduce` `` $reduce (`via` `` $via^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def GNN_EdgeSoftmaxOp : GNN_RowOp<"edge_softmax", [
    GNN_CostAndReads, GNN_Path, AllTypesMatch<["input", "result"]>], GNN_Gradient> {
  let summary = "Normalize scores over all edges in a group";
  let description = [{
    `result[i, :] = exp(input[i, :] - max) / sum_j exp(input[j, :] - max)`,
    where `j` runs over all rows in the group of `i` and `max` is their maximum,
    for each feature separately. `over` states the groups: the edges into one
    destination (`dst`), out of one source (`src`), or those of one edge type
    among them (`dst_pair`, `src_pair`). On a square graph `dst` and `src` are
    the ends of an edge.

    A NaN makes its whole group NaN; so does an infinite maximum.

    Gradient: `result * (g - s)`, where `g` is the gradient of `result` and `s`
    the sum of `g * result` over the group.

    Constraints:
    * (C1) `over` is `src`, `dst`, `src_pair` or `dst_pair`.
    * (C2) A row of `input` is in one group: edges in any, `src_pair` rows in
      `src` groups, `dst_pair` rows in `dst` groups.

    Example:

    ```mlir
    %a = gnn.edge_softmax %s over dst : tensor<?x8xf32, #gnn.rows<@g, edge>>
    ```
  }];
  let arguments = (ins GNN_Rows:$input, GNN_RowSpaceAttr:$over);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = "$input `over` `` $over attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def GNN_AttentionOp : GNN_RowOp<"attention", [
    GNN_LinearByGradient, GNN_KernelCosts, GNN_Path, AttrSizedOperandSegments, SingleBlock,
    IsolatedFromAbove,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>], GNN_GradientWithNeeds> {
  let summary = "Score edges, normalize the scores and compute weighted sums";
  let description = [{
    `result[g, :] = sum(w[e] * value[v(e), :] for all edges e with r(e) = g)`,
    where `w[e] = factor[f(e)] * softmax(score)[e]` and the softmax is that of
    `gnn.edge_softmax` over the groups `over`. The op combines the scores,
    `gnn.edge_softmax`, `gnn.apply mul` and `gnn.aggregate sum`, without a row
    of features for each edge between them. The default of `factor` is 1.

    The body defines the score of one edge. Its arguments are the rows of the
    inputs to which the edge leads, each along its own path, and weights
    unchanged; it yields the score: one number, or one a head. Sums over
    features are `gnn.row_dot`.

    With `stored`, the score of each edge is computed once and kept in memory.
    Without it, the score is computed in each walk over the edges of a group.
    The choice changes costs but no value. Some scores are always stored: those
    that sum over features, if the value has other features than the sums and
    the scores, because one walk has one size of features.

    The op can give two more results, rows of the groups: the highest score of
    each group, and the sum of `exp(score - highest)` over it, from which the
    gradient computes the softmax of an edge without another walk. Both are 0
    for an empty group.

    Empty groups give 0. NaN and infinite maxima are as in `gnn.edge_softmax`.

    Gradient: with `a` the softmax, `g` the gradient of `result` gathered to
    edges, and `b = factor * sum_f g * value`: of `value`, `factor * a * g`
    summed along its path; of `factor`, `a * sum_f g * value`; of the score,
    `a * (b - sum_j a[j] * b[j])` over the group of the edge. The gradient of
    the score is propagated through the body, whose ops have gradients, and is
    summed along the path of each input.

    Constraints:
    * (C1) `over` is `src`, `dst`, `src_pair` or `dst_pair`.
    * (C2) `result` is in rows of the nodes or pairs at that end.
    * (C3) `via` is given for an operand exactly where there are two paths: to
      nodes of a square graph or to node types.
    * (C4) The body has an argument for each input: the features of one row of
      it, or the weight.
    * (C5) It holds constants of one value, elementwise `arith` and `math`, `gnn.row_dot`,
      `gnn.row_activation` and `gnn.row_broadcast`.
    * (C6) The shapes of all values in it are prefixes of one of them.
    * (C7) It yields one value without a reduction, of the element type of `value`.
    * (C8) The features of the scores begin with those of `factor`.
    * (C9) The features of `value` begin with those of the scores.
    * (C10) `result` has the features and the element type of `value`.
    * (C11) The statistics are left out, or the highest score and the sum: rows of the
      groups `over` with the features of the scores.

    Example: GAT, and the inner product of HGT.

    ```mlir
    %y = gnn.attention(%a = %l via src, %b = %r via dst) value %x via src over dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>> {
      %s = arith.addf %a, %b : tensor<8xf32>
      %t = gnn.row_activation leaky_relu %s alpha = 0.2 : tensor<8xf32>
      gnn.yield %t : tensor<8xf32>
    }
    %z = gnn.attention(%a = %q via dst, %b = %k, %c = %p) value %v over dst stored : (tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, src_pair>>, tensor<3x8xf32, #gnn.rows<@g, edge_type>>, tensor<?x8x16xf32, #gnn.rows<@g, src_pair>>) -> tensor<?x8x16xf32, #gnn.rows<@g, node>> {
      %d = gnn.row_dot %a, %b : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8xf32>
      %s = arith.mulf %d, %c : tensor<8xf32>
      gnn.yield %s : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<GNN_AnyRowsOrWeight>:$inputs, ArrayAttr:$input_vias,
                       GNN_Rows:$value,
                       OptionalAttr<GNN_EndPointAttr>:$value_via,
                       Optional<GNN_Rows>:$factor,
                       OptionalAttr<GNN_EndPointAttr>:$factor_via,
                       GNN_RowSpaceAttr:$over, UnitAttr:$stored);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs GNN_Rows:$result, Variadic<GNN_Rows>:$statistics);
  let skipDefaultBuilders = 1;
  let builders = [
    // `score` builds the body, from its arguments to what it yields.
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::ValueRange":$inputs,
                   "::llvm::ArrayRef<std::optional<::gnn::EndPoint>>":$inputEnds,
                   "::mlir::Value":$value,
                   "std::optional<::gnn::EndPoint>":$valueEnd,
                   "::mlir::Value":$factor,
                   "std::optional<::gnn::EndPoint>":$factorEnd,
                   "::gnn::RowSpace":$over,
                   "::llvm::function_ref<::mlir::Value(::mlir::OpBuilder &, "
                   "::mlir::Location, ::mlir::ValueRange)>":$score)>,
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The type of the weighed sums.
    ::mlir::RankedTensorType getType() { return getResult().getType(); }
    /// The type of the statistics of the groups.
    ::mlir::RankedTensorType getStatisticsType();
    /// The path from an edge to its row of input `i`; none for a weight.
    std::optional<::gnn::RowPath> getInputPath(unsigned i);
    /// The path from an edge to its row of `value`.
    ::gnn::RowPath getValuePath();
    /// The path from an edge to its row of `factor`, if there is one.
    std::optional<::gnn::RowPath> getFactorPath();
    /// The path from an edge to its row of the result.
    ::gnn::RowPath getResultPath();
    /// The path from an edge to its group.
    ::gnn::RowPath getGroupPath();
    /// The score that the body yields.
    ::mlir::Value getScore() { return getBody().front().back().getOperand(0); }
    /// Features of the scores: none, or one a head.
    ::llvm::ArrayRef<int64_t> getScoreFeatures();
    /// The longest features of the body; all others are prefixes of them.
    ::llvm::ArrayRef<int64_t> getBodyFeatures();
    /// Whether a score sums over features.
    bool sumsFeatures();
    /// Whether no walk can both compute a score and weigh a value: the scores sum
    /// over features that the value does not have.
    bool mustStore();
    /// Whether the scores are kept in memory, by choice or necessity.
    bool storesScores() { return getStored() || mustStore(); }
    /// Whether the rows of the sums differ from the groups.
    bool sumsElsewhere() { return getResultPath().to != getGroupPath().to; }
    /// The features of an edge in the walk that weighs and sums values.
    ::llvm::ArrayRef<int64_t> getSumFeatures(bool storesScores);
    /// The inputs that differ between the edges of a group, each with its path
    /// from an edge.
    ::llvm::SmallVector<::std::pair<::mlir::Value, ::gnn::RowPath>> getScoreReads();
    /// The kernels of the op in one of its forms, or of the equivalent ops.
    std::vector<::gnn::KernelCounts> getKernelsOf(::gnn::AttentionForm form);
    /// The form of its lowering on the target of its module.
    ::gnn::AttentionForm getForm();
  }];
}

#endif // GNN_DIALECT_GNN_IR_GNNSPARSEOPS_TD
