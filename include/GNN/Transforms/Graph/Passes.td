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
    Graph form is what every pass on level 1 takes and leaves. A function that
    uses rows of a graph

    * has one block, no call, and no op with regions but loops over rows;
    * has a result;
    * consists of `gnn` ops, elementwise `arith` and `math`, and `tensor` ops on
      tensors without rows;
    * keeps the row space of a value, but by `gnn` ops: no `tensor.cast` or
      reshape of rows, no elementwise op on rows of two spaces or graphs;
    * has rows only of graphs that the module declares, at its border too;
    * holds f32 features, with i32 besides, and i1 between elementwise ops: no
      kernel stores bf16 and f16 yet.

    Functions without rows are left alone.

    Needs: nothing. Keeps: everything, it only checks. Never passes over a
    function that breaks a rule: one error at the op that does.
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
  let summary = "Make ops on whole tensors of loops over edges and nodes";
  let description = [{
    A value of a loop's body is the features of one row; for all rows it is a
    tensor. A loop over the edges of every node is a loop over all edges (Hector
    3.2.4): what it reduces is an aggregate. Reads of other rows become gathers
    or operands of `gnn.sddmm` and `gnn.apply`, products `gnn.linear` and
    `gnn.typed_linear`. A value in an inner loop that depends on the node alone
    is computed for nodes, one that depends on a type alone for types.

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

    Softmax written as exp, sum over a group and quotient, in a loop or not,
    becomes `gnn.edge_softmax`, which subtracts the maximum: the same value, and
    no overflow. Ops that work on integers or conditions, such as
    `arith.select`, stay: in one loop for all that follow each other, without
    loops in it; such loops over the same rows are fused where the features of
    one begin with those of the other. Results of loops that nothing reads are
    dropped before.

    Needs: graph form. Keeps: the value of every result, but where an unshifted
    softmax overflows. Never leaves a loop in a loop, or a product in one. A loop
    over the edges of another node than that of the loop around it, with values
    of that loop, is an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def LinearReorder : Pass<"gnn-linear-reorder", "::mlir::func::FuncOp">,
                    GNN_CostOptions {
  let summary = "Multiply weights by weights before rows by weights";
  let description = [{
    Where the rows of one product with weights go into another, the weights are
    multiplied first, once a call, and the rows once (Hector 3.2.3). Between the
    two may lie gathers, sums over rows, splits into heads and joins of them,
    sums of several products, biases, and `gnn.concat`; a `gnn.slice` of a product
    takes its part of the weight.

    ```mlir
    %h = gnn.typed_linear %x, %w : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<3x64x64xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x64xf32, #gnn.rows<@g, edge>>
    %s = gnn.linear %h, %a : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<64x4xf32>) -> tensor<?x4xf32, #gnn.rows<@g, edge>>
    // becomes
    %v = gnn.weight_product %w, %a : (tensor<3x64x64xf32, #gnn.rows<@g, edge_type>>, tensor<64x4xf32>) -> tensor<3x64x4xf32, #gnn.rows<@g, edge_type>>
    %s = gnn.typed_linear %x, %v : (tensor<?x64xf32, #gnn.rows<@g, edge>>, tensor<3x64x4xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x4xf32, #gnn.rows<@g, edge>>
    ```

    A weight by node type meets one by edge type where the schema gives that
    end's node type for every edge type. A product that others read stays for
    them. Both forms are weighed on the coarsest rows that they can be computed
    on, where `gnn-compact` puts them; a product that stays, but is only added up
    from then on, at the end of each edge type that has fewer rows. With
    statistics the cost model decides. Without, finer rows are taken to be many
    more than coarser ones, and between equals the product of weights wins.

    Needs: graph form. Keeps: the value of every result up to rounding. Never
    does more flops on finer rows for fewer on coarser ones without statistics,
    and never acts on what is not linear (`LinearOpInterface`).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = costOptions;
}

def Compact : Pass<"gnn-compact", "::mlir::func::FuncOp">, GNN_CostOptions {
  let summary = "Compute rows once for each pair, node or type they depend on";
  let description = [{
    A row of a row-wise op depends on what the rows of its operands depend on. If
    that is less than the row itself - of an edge only the source and the edge
    type, of a source pair only the node type - it is computed once for each such
    combination and gathered (Hector 3.2.2, at both ends of an edge).

    ```mlir
    %m = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
    %y = gnn.typed_linear %m, %w : (tensor<?x64xf32, #edge>, ...) -> tensor<?x8xf32, #edge>
    // becomes
    %m = gnn.gather %x : tensor<?x64xf32, #node> -> tensor<?x64xf32, #src_pair>
    %p = gnn.typed_linear %m, %w : (tensor<?x64xf32, #src_pair>, ...) -> tensor<?x8xf32, #src_pair>
    %y = gnn.gather %p : tensor<?x8xf32, #src_pair> -> tensor<?x8xf32, #edge>
    ```

    Products and reductions of features go, with the graph's statistics, to the
    rows where they cost least of all that know enough: pairs, nodes, types, or
    the one row of the graph. Without, they go to the coarsest of these. Pairs are
    never more than edges. Nodes and types may be, where many have no edge; but
    then the rows are those of a tensor that is read, or of the types that the
    graph declares, so the work stays linear in what the function is given, and
    models that project nodes do so once a node. Elementwise ops move where they
    join the kernel that makes their operand. Those that move because a product
    reads them go with it.

    Needs: the graph form. Keeps: the value of every result. Never moves what
    depends on the place of a row, such as dropout; where gradients are asked for
    (`gnn.gradients`), what has a derivative that may not be finite, since rows
    that nothing reads would have a gradient of NaN; or to where statistics say
    that it costs more by the margin of the cost model, 5 %: fewer rows take less
    memory.
  }];
  let options = costOptions;
}

def OrderAggregate : Pass<"gnn-order-aggregate", "::mlir::ModuleOp">,
                     GNN_CostOptions {
  let summary = "Multiply before the sum over edges or after it, by relation";
  let description = [{
    A sum or mean over edges and a product with weights commute, with a factor of
    one number an edge (or one a head) in between:
    `sum_e a_e (x_e W_r) = (sum_e a_e x_e) W_r` (GraphAGILE 6.3, theorem 1). With
    a weight for each edge type the product runs on source pairs if it comes
    first and on destination pairs if it comes last, and each relation may go its
    own way: one product and one sum for those that multiply first, one of each
    for those that aggregate first, each over a graph derived from these types.

    ```mlir
    %p = gnn.typed_linear %x, %w : ... src_pair ...
    %m = gnn.gather %p : ... src_pair ... -> ... edge ...
    %y = gnn.aggregate sum %m via dst : ... edge ... -> ... node ...
    // becomes, where destination pairs are fewer
    %m = gnn.gather %x via src : ... node ... -> ... edge ...
    %p = gnn.aggregate sum %m : ... edge ... -> ... dst_pair ...
    %q = gnn.typed_linear %p, %w : ... dst_pair ...
    %y = gnn.aggregate sum %q : ... dst_pair ... -> ... node ...
    ```

    With statistics all first, all last, and each relation its own way are
    weighed. The given order stays unless another one has fewer rows, or is faster
    by more than the margin of the cost model, 5 %; each relation its own way has to
    be that much better than what is taken otherwise. Where gradients are asked for
    (`gnn.gradients`), the kernels of the backward pass count too: they work on the
    same pairs.

    Without statistics, or with rows as the only cost, a product without types
    goes where the sum is over fewer features (theorem 2). This rule holds where
    it is of node rows before the sum and after it, or of edge rows before it.
    Pairs and types may be more rows than nodes or fewer, so a product of those
    stays, and so does one by edge type without statistics.

    A product that moves before the sum leaves its bias behind it, and passes
    what a node adds to the sum of its own:
    `(sum + x) W + b = sum W + x W + b`, where `x W` is there.

    Needs: the graph form. Keeps: the value of every result up to rounding. Never
    moves a maximum or minimum, a product with a bias after the sum, a factor that
    differs by feature, or what has other readers; never shares out the edge
    types of a graph that is derived from another.
  }];
  let options = costOptions # [
    Option<"ofGradients", "of-gradients", "bool", /*default=*/"false",
           "Only the functions that gnn-differentiate has made">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FuseAttention : Pass<"gnn-fuse-attention", "::mlir::func::FuncOp">, GNN_CostOptions {
  let summary = "Make one op of scores, edge softmax and weighted sum";
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

    The body is made of the elementwise ops, products and sums over features that
    only it reads; gathers and reshapes are looked through.

    The score of an edge is needed twice. It is stored where that costs less
    than computing it again: by time where the graph has statistics; without, or
    where rows are the only cost, where computing it again reads more than the two
    elements a head that storing it writes and reads.

    Time is that of bytes, of groups and of walks. Storing is a kernel more, which
    comes to every group once more: dear where groups are many and short. In
    turn it walks once in each kernel: cheap where one long group is what all
    others wait for. With statistics the ops stay apart unless the op is 5 %
    faster than they are.

    Needs: graph form. Keeps: every value up to rounding. Never: fuses weights
    that anything else reads, or computes a score again that others read too: it
    is taken as given.
  }];
  let options = costOptions;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

include "GNN/Transforms/Graph/GradientPasses.td"

def FoldNormalization : Pass<"gnn-fold-normalization", "::mlir::func::FuncOp">,
                        GNN_CostOptions {
  let summary = "Scale the columns of weights in place of normalized rows";
  let description = [{
    `gnn.batch_norm` becomes a scale of the columns of the weights before it,
    through sums over rows, and a bias: a few numbers a call. It is an obstacle to
    products of weights, so a pipeline folds before these and at the end.

    ```mlir
    %h = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
    %y = gnn.batch_norm %h mean %m variance %v scale %g shift %b : ...
    // becomes, with %s = %g / sqrt(%v + eps)
    %ws = arith.mulf %w, %s_repeated : tensor<64x8xf32>
    %h = gnn.linear %x, %ws : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
    %y = arith.addf %h, %shift : tensor<?x8xf32, #node>
    ```

    With statistics it is done where scaling the weights takes less time than
    normalizing the rows. Without, normalization stays the end of the kernel that
    it is. Where rows alone count, it is folded.

    Needs: graph form. Keeps: the value of every result up to rounding. Never
    computes features that others read a second time.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let options = costOptions;
}

def JoinSums : Pass<"gnn-join-sums", "::mlir::func::FuncOp">, GNN_CostOptions {
  let summary = "Add up groups of groups at once";
  let description = [{
    A sum of sums is one sum. Where the inner ones are means, each row gets a
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
    the cost model, 5 %. Without, or where rows alone count, those of at least 16
    features are.

    Needs: graph form. Keeps: the value of every result up to rounding. Never
    joins groups that others read.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = costOptions;
}

def MoveScales : Pass<"gnn-move-scales", "::mlir::func::FuncOp">,
                 GNN_CostOptions {
  let summary = "Scale few rows instead of many";
  let description = [{
    A factor of a whole group comes after its sum, one of the gathered rows before
    the gather, where what makes these rows ends with it. So the two square roots
    of GCN's normalization leave the edges.

    ```mlir
    %n = gnn.apply mul %m, %s via src : ... edge ... // gathered %h
    // becomes
    %n = gnn.apply mul %h, %s : ... node ...
    %m = gnn.gather %n via src : ... node ... -> ... edge ...
    ```

    With statistics the cost model decides on what adds a kernel. Without, factors
    move only into kernels that there are.

    Needs: graph form. Keeps: the value of every result up to rounding. Never
    moves the factor of a sum that may be of nothing; nor before a gather, where
    gradients are asked for, a factor that may not be finite.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = costOptions;
}

def ComputeInHeads : Pass<"gnn-compute-in-heads", "::mlir::func::FuncOp"> {
  let summary = "Compute before heads are joined what comes after";
  let description = [{
    Arithmetic after heads were joined is done head by head before that, and so is an
    aggregation of what is no product: what makes the heads can end with it.

    ```mlir
    %y = gnn.activation relu %j : tensor<?x64xf32, #node> // reshaped %h
    // becomes
    %r = gnn.activation relu %h : tensor<?x4x16xf32, #node>
    %y = gnn.reshape %r : tensor<?x4x16xf32, #node> -> tensor<?x64xf32, #node>
    ```

    Needs: graph form. Keeps: every value. Never computes heads that others read a
    second time.
  }];
}

def MergeBias : Pass<"gnn-merge-bias", "::mlir::func::FuncOp"> {
  let summary = "Make a repeated weight that is added to a product its bias";
  let description = [{
    ```mlir
    %h = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
    %b = gnn.broadcast %bias : tensor<8xf32> -> tensor<?x8xf32, #node>
    %y = arith.addf %h, %b : tensor<?x8xf32, #node>
    // becomes
    %y = gnn.linear %x, %w bias %bias : (tensor<?x64xf32, #node>, tensor<64x8xf32>, tensor<8xf32>) -> tensor<?x8xf32, #node>
    ```

    Needs: graph form. Keeps: every value. Never gives a product a second bias, or
    one that others read a bias.
  }];
}

#endif // GNN_TRANSFORMS_GRAPH_PASSES_TD
