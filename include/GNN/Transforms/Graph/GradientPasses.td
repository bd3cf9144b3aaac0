//===- GradientPasses.td - Passes that make gradients ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_GRADIENTPASSES_TD
#define GNN_TRANSFORMS_GRADIENTPASSES_TD

include "mlir/Pass/PassBase.td"

def Differentiate : Pass<"gnn-differentiate", "::mlir::ModuleOp"> {
  let summary = "Add functions that compute gradients";
  let description = [{
    Reverse mode differentiation of one function: `@f` stays, and the pass adds
    two functions. `@f_forward` returns the results of `@f` and then the saved
    values. `@f_backward` takes the inputs, results and saved values that it
    needs, and the gradient of each result; it returns the gradient of each
    input in `wrt`. Only values that these need are computed (Hector 3.5).

    ```mlir
    func.func @f(%x: !node {gnn.name = "x"}, %w: tensor<64x8xf32> {gnn.name = "w"}) -> (!out {gnn.name = "y"}) {
      %h = gnn.linear %x, %w : (!node, tensor<64x8xf32>) -> !out
      %y = gnn.activation relu %h : !out
      return %y : !out
    }
    // with wrt=w the pass adds
    func.func @f_backward(%x: !node {gnn.name = "x", gnn.role = "input"},
                          %y: !out {gnn.name = "y", gnn.role = "output"},
                          %dy: !out {gnn.name = "d_y", gnn.of = "y", gnn.role = "gradient"})
        -> (tensor<64x8xf32> {gnn.name = "d_w", gnn.of = "w", gnn.role = "gradient"})
        attributes {gnn.gradient_of = @f, gnn.pass = "backward"} {
      %below = arith.cmpf ole, %y, %zero : !out
      %dh = arith.select %below, %zero, %dy : ...
      %dw = gnn.outer %x, %dh : (!node, !out) -> tensor<64x8xf32>
      return %dw : tensor<64x8xf32>
    }
    ```

    The ops have the rules of gradients (`DifferentiableOpInterface`). The pass
    runs after `gnn-compact`, `gnn-order-aggregate` and `gnn-fuse-attention`.
    The gradient of their result adds up rows of pairs, and stores no row of
    features for an edge. The gradient of the original ops would store such
    rows.

    Values of the forward pass that the backward pass reads are saved or
    recomputed. The pass chooses the saved values with the fewest bytes, by a
    minimum cut. Rows of more than 16 features an edge are never saved. Other
    products and sums over rows are never recomputed; with `memory=low`, only
    sums over rows are not. Arguments and results are available without cost. A
    remark states for each value the decision, its bytes and the reason; a graph
    without statistics counts as one of 100,000 nodes, 400,000 pairs and
    1,000,000 edges.

    The gradient of the scores of a `gnn.attention` reads its result, or sums
    numbers of edges over each group. It sums if the result would be saved only
    for this gradient, the numbers are fewer bytes, and the difference is more
    than 0.14 of the L2 cache of `target`, 8.4 MB on an H200. A smaller amount
    stays in the cache, so reading it takes less time than a walk over edges;
    with `memory=low` bytes alone decide. A remark states the choice and the
    reason. To know on which side of its kink an activation was, the gradient
    reads the result of the activation if the function returns it.

    Integers, conditions and degrees have no gradient and need none. An input on
    which no result depends has the gradient 0, and a remark.

    A loss may ignore results. `outputs` names those whose gradients are given;
    `@f_backward` takes these, needed or not, and computes the rest. The saved
    values are chosen as if all were given, so one `@f_forward` serves any of
    them.

    A function with the attribute `gnn.gradients` is differentiated too: its
    value is a list of names of inputs, or no list for all inputs of floating
    point features; `gnn.gradient_outputs` lists its `outputs`. If `function`
    names this function, `wrt` and `outputs` replace these. A caller passes
    tensors by name, so inputs, results, and the gradients `d_y` of results have
    distinct names.

    With `calls=false` only a declaration of `@f` remains: a program that only
    trains does not need its code.

    Needs: graph form, without loops over rows. Keeps: `@f`, except with
    `calls=false`, and the results of `@f_forward`. Never returns a gradient
    through an op without a rule: this is an error at the op.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"",
           "The function to differentiate in addition to those with "
           "gnn.gradients">,
    ListOption<"wrt", "wrt", "std::string",
               "Names of the inputs to give gradients of; empty: all of floating "
               "point features">,
    ListOption<"outputs", "outputs", "std::string",
               "Names of the results whose gradients are given; empty: all of "
               "floating point features">,
    Option<"memory", "memory", "::gnn::GradientMemory",
           /*default=*/"::gnn::GradientMemory::Fast",
           "Values that may be recomputed: fast (cheap ones), or low (products "
           "too, which saves memory)">,
    Option<"calls", "calls", "bool", /*default=*/"true",
           "Keep the differentiated function; false: only its declaration">,
  ];
}

def OnGradients : Pass<"gnn-on-gradients", "::mlir::func::FuncOp"> {
  let summary = "Run passes on the functions that gnn-differentiate has "
                "created";
  let description = [{
    A backward function consists of the gradients of the ops of a function:
    products that commute with sums, scores, factors. So the passes on such ops
    run again, only on functions with `gnn.gradient_of`.

    ```sh
    gnn-opt --pass-pipeline='builtin.module(gnn-differentiate,func.func(gnn-on-gradients{passes=gnn-compact,canonicalize,cse}))'
    ```

    Needs: whatever the passes need. Keeps: functions that are no gradients of
    others. Never runs a pass that is not on a function.
  }];
  let options = [
    Option<"passes", "passes", "std::string", /*default=*/"",
           "The passes, as in func.func(...)">,
  ];
}

#endif // GNN_TRANSFORMS_GRADIENTPASSES_TD
