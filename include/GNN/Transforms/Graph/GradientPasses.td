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
    Reverse mode, for one function: `@f` stays, and two functions come to it.
    `@f_forward` gives the results of `@f` and behind them what has to be saved;
    `@f_backward` takes what it needs of the inputs, the results and what was
    saved, and the gradient of each result; it gives that of each input in `wrt`.
    Only what these need is computed (Hector 3.5).

    ```mlir
    func.func @f(%x: !node {gnn.name = "x"}, %w: tensor<64x8xf32> {gnn.name = "w"}) -> (!out {gnn.name = "y"}) {
      %h = gnn.linear %x, %w : (!node, tensor<64x8xf32>) -> !out
      %y = gnn.activation relu %h : !out
      return %y : !out
    }
    // with wrt=w comes to
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

    The gradients are those of the ops (`DifferentiableOpInterface`). It runs
    after `gnn-compact`, `gnn-order-aggregate` and `gnn-fuse-attention`: the
    transpose of what they made adds up in pairs and stores no row of features for
    an edge. The transpose of what stood before them would store such rows.

    Values of the forward pass that the backward pass reads are saved or computed
    again, by the smallest cut in bytes. Rows of more than 16 features an edge are
    never saved, whatever makes them. Other products and sums over rows are not
    computed again (`memory=low`: sums over rows alone are not). Arguments and
    results are there anyway. A remark says for each value what becomes of it, its
    bytes and why; a graph without statistics counts as one of 100,000 nodes, 400,000
    pairs and 1,000,000 edges.

    The gradient of the scores of a `gnn.attention` reads its result, or sums numbers
    of edges over each group: where the result would be saved for that alone, these are
    fewer bytes, and the difference is more than 0.14 of the L2 cache of `target`, 8.4 MB
    on an H200. A smaller amount stays in the cache, so that to read it takes less
    time than to walk over edges; with `memory=low` bytes alone decide. A remark says
    which and why. On which side of its kink an activation is, is read off its result
    where that is handed over.

    Integers, conditions and degrees have no gradient and need none. An input that
    no result depends on has the gradient 0, and a remark.

    A loss may leave results out. `outputs` names those whose gradients are given;
    `@f_backward` takes these, needed or not, and computes what is left. The
    saved values are chosen as if all were given, so that one `@f_forward`
    serves any of them.

    A function with the attribute `gnn.gradients` is differentiated too: a list of
    names of inputs, or without a list for all inputs of floating point features;
    `gnn.gradient_outputs` lists its `outputs`. Where `function` names it, `wrt` and
    `outputs` stand for these. A caller passes tensors by name, so inputs, results,
    and the gradients `d_y` of results have names that differ.

    With `calls=false` a declaration is left of `@f`: who trains alone compiles it for
    nothing.

    Needs: graph form, without loops over rows. Keeps: `@f`, but with `calls=false`, and
    the results of `@f_forward`. Never gives a gradient that an op on the way has no rule for: that
    is an error at the op.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"",
           "The function to differentiate besides those with gnn.gradients">,
    ListOption<"wrt", "wrt", "std::string",
               "Names of the inputs to give gradients of; empty: all of floating "
               "point features">,
    ListOption<"outputs", "outputs", "std::string",
               "Names of the results whose gradients are given; empty: all of "
               "floating point features">,
    Option<"memory", "memory", "::gnn::GradientMemory",
           /*default=*/"::gnn::GradientMemory::Fast",
           "Values that may be computed again: fast (cheap ones), or low (products "
           "too, so that less is saved)">,
    Option<"calls", "calls", "bool", /*default=*/"true",
           "Keep what is differentiated; false: its declaration alone">,
  ];
}

def OnGradients : Pass<"gnn-on-gradients", "::mlir::func::FuncOp"> {
  let summary = "Run passes on the functions that gnn-differentiate has made";
  let description = [{
    A backward function consists of the gradients that the ops of a function give:
    products that commute with sums, scores, factors. So the passes that decide on
    those run again, on functions with `gnn.gradient_of` alone.

    ```sh
    gnn-opt --pass-pipeline='builtin.module(gnn-differentiate,func.func(gnn-on-gradients{passes=gnn-compact,canonicalize,cse}))'
    ```

    Needs: what the passes need. Keeps: functions that are no gradients of others.
    Never runs a pass that is not on a function.
  }];
  let options = [
    Option<"passes", "passes", "std::string", /*default=*/"",
           "The passes, as in func.func(...)">,
  ];
}

#endif // GNN_TRANSFORMS_GRADIENTPASSES_TD
