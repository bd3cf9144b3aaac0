//===- Passes.td - gnn to gnn ------------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_GRAPH_PASSES_TD
#define GNN_TRANSFORMS_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyGraphForm : Pass<"gnn-verify-graph-form", "::mlir::ModuleOp"> {
  let summary = "Check that functions on graphs are in graph form";
  let description = [{
    Graph form is the input and the output of every pass on level 1. A function
    that uses rows of a graph

    * has one block, no call, and no op with regions except loops over rows;
    * has a result;
    * consists of `gnn` ops, elementwise `arith` and `math`, and `tensor` ops on
      tensors without rows;
    * changes the row space of a value only by `gnn` ops: no `tensor.cast` or
      reshape of rows, no elementwise op on rows of two spaces or graphs;
    * has only rows of graphs that the module declares, also in its signature;
    * holds f32 features, also i32, and i1 between elementwise ops: no kernel
      stores bf16 and f16 yet.

    The pass ignores functions without rows.

    Needs: nothing. Keeps: everything, it only checks. Never accepts a function
    that breaks a rule: it reports one error at the op.
  }];
}

class GNN_CostOptions {
  list<Option> costOptions = [
    Option<"cost", "cost", "::gnn::CostKind",
           /*default=*/"::gnn::CostKind::Full",
           "The cost: full (time), whole-rows (time, where long rows do not "
           "become pieces), or rows (through products) alone">,
  ];
}

def RaiseLoops : Pass<"gnn-raise-loops", "::mlir::func::FuncOp"> {
  let summary = "Turn loops over edges and nodes into ops on whole tensors";
  let description = [{
    A value of a loop's body is the features of one row; for all rows it is a
    tensor. A loop over the edges of every node is a loop over all edges (Hector
    3.2.4), and its reductions are aggregates. Reads of other rows become
    gathers or operands of `gnn.sddmm` and `gnn.apply`; products become
    `gnn.linear` and `gnn.typed_linear`. A value in an inner loop that depends
    on the node alone is computed for nodes, and one that depends on a type
    alone for types.

    ```mlir
    %y = gnn.for_nodes %n in @g -> (!node) {
      %s = gnn.for_incoming %e of %n : !gnn.row<@g, node> -> (tensor<8xf32>) {
        %m = gnn.read %x[%e] via src : (!node, !gnn.row<@g, edge>) -> tensor<8xf32>
        gnn.yield sum %m : tensor<8xf32>
      }
      gnn.yield %s : tensor<8xf32>
    }
    // becomes
    %m = gnn.gather %x via src : !node -> !edge
    %y = gnn.aggregate sum %m via dst : !edge -> !node
    ```

    A softmax that is written as exp, sum over a group and quotient, in a loop
    or not, becomes `gnn.edge_softmax`. This op subtracts the maximum: the value
    is the same, without overflow. Ops on integers or conditions, such as
    `arith.select`, stay in loops. Adjacent ops of this kind are in one loop,
    without inner loops. Such loops over the same rows are fused if the features
    of one are a prefix of those of the other. Unused results of loops are
    removed before.

    Needs: graph form. Keeps: the value of every result, except where an
    unshifted softmax overflows. Never leaves a loop in a loop, or a product in
    one. An inner loop over the edges of another node than that of the outer
    loop, with values of the outer loop, is an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def LinearReorder : Pass<"gnn-linear-reorder", "::mlir::func::FuncOp">,
                    GNN_CostOptions {
  let summary = "Multiply weights by weights before rows by weights";
  let description = [{
    If the rows of one product with weights are the input of another, the
    weights are multiplied first, once a call, and the rows once (Hector 3.2.3).
    Between the two there may be gathers, sums over rows, splits into heads and
    joins of them, sums of several products, biases, and `gnn.concat`; a
    `gnn.slice` of a product takes its part of the weight.

    ```mlir
    %h = gnn.typed_linear %x, %w : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<3x64x64xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x64xf32, #gnn.rows<@g, edge>>
    %s = gnn.linear %h, %a : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<64x4xf32>) -> tensor<?x4xf32, #gnn.rows<@g, edge>>
    // becomes
    %v = gnn.weight_product %w, %a : (tensor<3x64x64xf32, #gnn.rows<@g, edge_type>>, tensor<64x4xf32>) -> tensor<3x64x4xf32, #gnn.rows<@g, edge_type>>
    %s = gnn.typed_linear %x, %v : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<3x64x4xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x4xf32, #gnn.rows<@g, edge>>
    ```

    A weight by node type is multiplied with a weight by edge type if the schema
    gives that end's node type for every edge type. A product with other users
    stays for them. The pass compares the costs of both forms on the coarsest
    possible rows, where `gnn-compact` puts them. If a product stays but is now
    only added up, its cost is that at the end of each edge type that has fewer
    rows. With statistics the cost model decides. Without statistics, finer rows
    are assumed to be many more than coarser ones. If both forms cost the same,
    the pass multiplies the weights.

    Needs: graph form. Keeps: the value of every result up to rounding. Never
    does more flops on finer rows for fewer on coarser ones without statistics,
    and never changes ops that are not linear (`LinearOpInterface`).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = costOptions;
}

def Compact : Pass<"gnn-compact", "::mlir::func::FuncOp">, GNN_CostOptions {
  let summary = "Compute rows once for each pair, node or type they depend on";
  let description = [{
    A row of a row-wise op depends only on the rows of its operands. Often these
    are the same for several rows of the result: for example, the operands may
    depend only on the source and the edge type of an edge, or only on the node
    type of a source pair. The row is then computed once for each such
    combination and gathered (Hector 3.2.2, at both ends of an edge).

    ```mlir
    %m = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
    %y = gnn.typed_linear %m, %w : (tensor<?x64xf32, #edge>, ...) -> tensor<?x8xf32, #edge>
    // becomes
    %m = gnn.gather %x : tensor<?x64xf32, #node> -> tensor<?x64xf32, #src_pair>
    %p = gnn.typed_linear %m, %w : (tensor<?x64xf32, #src_pair>, ...) -> tensor<?x8xf32, #src_pair>
    %y = gnn.gather %p : tensor<?x8xf32, #src_pair> -> tensor<?x8xf32, #edge>
    ```

    With the graph's statistics, products and reductions of features move to the
    cheapest rows that determine them: pairs, nodes, types, or the one row of
    the graph. Without statistics, they move to the coarsest of these. A graph
    never has more pairs than edges. It may have more nodes or types than edges,
    if many have no edge. But then the rows are those of a tensor that is read,
    or of the types that the graph declares, so the work stays linear in the
    input of the function. Elementwise ops move if they join the kernel of their
    operand. Elementwise ops that feed a moved product move with it.

    Needs: the graph form. Keeps: the value of every result. Never moves ops
    that depend on the position of a row, such as dropout. If gradients are
    requested (`gnn.gradients`), never moves ops whose derivative may not be
    finite, since unused rows would have a gradient of NaN. Never moves ops to
    rows that cost more, by statistics and the margin of the cost model, 5 %:
    fewer rows take less memory.
  }];
  let options = costOptions;
}

def OrderAggregate : Pass<"gnn-order-aggregate", "::mlir::ModuleOp">,
                     GNN_CostOptions {
  let summary = "Multiply before the sum over edges or after it, by relation";
  let description = [{
    A sum or mean over edges and a product with weights commute, also with a
    factor of one number an edge (or one a head) in between: `sum_e a_e (x_e
    W_r) = (sum_e a_e x_e) W_r` (GraphAGILE 6.3, theorem 1). With a weight for
    each edge type, the product is computed on source pairs if it comes first,
    and on destination pairs if it comes last. Each relation may have its own
    order. The relations that multiply first then share one product and one sum,
    and so do the relations that aggregate first. Each of these works on a graph
    derived from its types.

    ```mlir
    %p = gnn.typed_linear %x, %w : ... src_pair ...
    %m = gnn.gather %p : ... src_pair ... -> ... edge ...
    %y = gnn.aggregate sum %m via dst : ... edge ... -> ... node ...
    // becomes, if destination pairs are fewer
    %m = gnn.gather %x via src : ... node ... -> ... edge ...
    %p = gnn.aggregate sum %m : ... edge ... -> ... dst_pair ...
    %q = gnn.typed_linear %p, %w : ... dst_pair ...
    %y = gnn.aggregate sum %q : ... dst_pair ... -> ... node ...
    ```

    With statistics the pass compares three forms: all relations multiply first,
    all multiply last, or each has its own order. The given order stays unless
    another one has fewer rows, or is faster by more than the margin of the cost
    model, 5 %; separate orders have to be better than the best of the other two
    by that margin. If gradients are requested (`gnn.gradients`), the kernels of
    the backward pass are included: they work on the same pairs.

    Without statistics, or with rows as the only cost, a product without types
    moves to the side on which the sum is over fewer features (theorem 2). This
    rule applies if the product is on node rows before and after the sum, or on
    edge rows before it. Pairs and types may have more or fewer rows than nodes,
    so a product on their rows stays. So does a product by edge type without
    statistics.

    If a product moves before the sum, its bias stays after it, and a term that
    a node adds to the sum gets its own product: `(sum + x) W + b = sum W + x W +
    b`, if `x W` exists.

    Needs: the graph form. Keeps: the value of every result up to rounding.
    Never moves a maximum or minimum, a product with a bias after the sum, a
    factor that differs by feature, or values with other users; never divides
    the edge types of a graph that is derived from another.
  }];
  let options = costOptions # [
    Option<"ofGradients", "of-gradients", "bool", /*default=*/"false",
           "Only the functions that gnn-differentiate has created">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FuseAttention : Pass<"gnn-fuse-attention", "::mlir::func::FuncOp">, GNN_CostOptions {
  let summary = "Combine scores, edge softmax and weighted sum into one op";
  let description = [{
    Scores of edges, their softmax and the sum of rows that it weighs become
    `gnn.attention`, whose lowering stores no row of features for an edge:

    ```mlir
    %s = gnn.apply add %l via src, %r via dst : ...
    %t = gnn.activation leaky_relu %s alpha = 0.2 : ...
    %a = gnn.edge_softmax %t over dst : ...
    %m = gnn.apply mul %a, %x via src : ...
    %y = gnn.aggregate sum %m via dst : ...
    // becomes
    %y = gnn.attention(%a = %l via src, %b = %r via dst) value %x via src over dst : ... {
      %c = arith.addf %a, %b : ...
      %d = gnn.row_activation leaky_relu %c alpha = 0.2 : ...
      gnn.yield %d : ...
    }
    ```

    The body consists of the elementwise ops, products and sums over features
    that only it uses; the pass looks through gathers and reshapes.

    The score of an edge is needed twice. It is stored if this costs less than a
    second computation. With statistics of the graph, the cost is time. Without
    them, or if rows are the only cost, the score is stored if the second
    computation reads more than two elements a head: storing writes one and
    reads one.

    The time includes bytes, groups and walks. To store scores takes one more
    kernel, which visits every group again: this is expensive if groups are many
    and short. But each kernel then walks once, which is cheap if all groups
    wait for one long group. With statistics the ops stay separate unless the
    fused op is 5% faster.

    Needs: graph form. Keeps: every value up to rounding. Never: fuses weights
    with other users, or recomputes a score with other users: such a score is an
    operand of the op.
  }];
  let options = costOptions;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

include "GNN/Transforms/Graph/GradientPasses.td"

def FoldNormalization : Pass<"gnn-fold-normalization", "::mlir::func::FuncOp">,
                        GNN_CostOptions {
  let summary = "Scale the columns of weights instead of normalized rows";
  let description = [{
    `gnn.batch_norm` becomes a scale of the columns of the weights before it,
    through sums over rows, and a bias: a few numbers a call. It prevents
    products of weights, so a pipeline folds before these and at the end.

    ```mlir
    %h = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
    %y = gnn.batch_norm %h mean %m variance %v scale %g shift %b : ...
    // becomes, with %s = %g / sqrt(%v + eps)
    %ws = arith.mulf %w, %s_repeated : tensor<64x8xf32>
    %h = gnn.linear %x, %ws : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
    %y = arith.addf %h, %shift : tensor<?x8xf32, #node>
    ```

    With statistics it is folded if scaling the weights takes less time than
    normalizing the rows. Without statistics, normalization stays at the end of
    its kernel. If only rows count, it is folded.

    Needs: graph form. Keeps: the value of every result up to rounding. Never
    computes features with other users a second time.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let options = costOptions;
}

def JoinSums : Pass<"gnn-join-sums", "::mlir::func::FuncOp">, GNN_CostOptions {
  let summary = "Add up groups of groups in one sum";
  let description = [{
    A sum of sums is one sum. If the inner ones are means, each row gets a
    factor: one over the degree of its group.

    ```mlir
    %m = gnn.aggregate mean %e : tensor<?x64xf32, #gnn.rows<@g, edge>> -> tensor<?x64xf32, #gnn.rows<@g, dst_pair>>
    %y = gnn.aggregate sum %m : tensor<?x64xf32, #gnn.rows<@g, dst_pair>> -> tensor<?x64xf32, #gnn.rows<@g, node>>
    // becomes
    %d = gnn.degree edge : tensor<?xf32, #gnn.rows<@g, dst_pair>>
    %r = arith.divf %one, %d : tensor<?xf32, #gnn.rows<@g, dst_pair>>
    %w = gnn.apply mul %e, %r : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<?xf32, #gnn.rows<@g, dst_pair>>) -> tensor<?x64xf32, #gnn.rows<@g, edge>>
    %y = gnn.aggregate sum %w via dst : tensor<?x64xf32, #gnn.rows<@g, edge>> -> tensor<?x64xf32, #gnn.rows<@g, node>>
    ```

    With statistics means are joined unless two sums are faster by the margin of
    the cost model, 5 %. Without statistics, or if only rows count, means of at
    least 16 features are joined.

    Needs: graph form. Keeps: the value of every result up to rounding. Never
    joins groups with other users.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = costOptions;
}

def MoveScales : Pass<"gnn-move-scales", "::mlir::func::FuncOp">,
                 GNN_CostOptions {
  let summary = "Scale few rows instead of many";
  let description = [{
    A factor of a whole group moves after its sum. A factor of gathered rows
    moves before the gather, if it can end the kernel that computes these rows.
    So the two square roots of GCN's normalization leave the edges.

    ```mlir
    %n = gnn.apply mul %m, %s via src : ... edge ... // gathered %h
    // becomes
    %n = gnn.apply mul %h, %s : ... node ...
    %m = gnn.gather %n via src : ... node ... -> ... edge ...
    ```

    With statistics the cost model decides about moves that add a kernel.
    Without statistics, factors move only into existing kernels.

    Needs: graph form. Keeps: the value of every result up to rounding. Never
    moves the factor of a sum that may be empty; nor, if gradients are
    requested, a factor that may not be finite before a gather.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = costOptions;
}

def ComputeInHeads : Pass<"gnn-compute-in-heads", "::mlir::func::FuncOp"> {
  let summary = "Move computations after the join of heads in front of it";
  let description = [{
    Arithmetic after the join of heads is done head by head before it, and so is
    an aggregation of a value that is no product: the kernel that computes the
    heads can then end with it.

    ```mlir
    %y = gnn.activation relu %j : tensor<?x64xf32, #node> // reshaped %h
    // becomes
    %r = gnn.activation relu %h : tensor<?x4x16xf32, #node>
    %y = gnn.reshape %r : tensor<?x4x16xf32, #node> -> tensor<?x64xf32, #node>
    ```

    Needs: graph form. Keeps: every value. Never computes heads with other users
    a second time.
  }];
}

def MergeBias : Pass<"gnn-merge-bias", "::mlir::func::FuncOp"> {
  let summary = "Turn a repeated weight that is added to a product into "
                "its bias";
  let description = [{
    ```mlir
    %h = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
    %b = gnn.broadcast %bias : tensor<8xf32> -> tensor<?x8xf32, #node>
    %y = arith.addf %h, %b : tensor<?x8xf32, #node>
    // becomes
    %y = gnn.linear %x, %w bias %bias : (tensor<?x64xf32, #node>, tensor<64x8xf32>, tensor<8xf32>) -> tensor<?x8xf32, #node>
    ```

    Needs: graph form. Keeps: every value. Never gives a product a second bias,
    or one with other users a bias.
  }];
}

#endif // GNN_TRANSFORMS_GRAPH_PASSES_TD
