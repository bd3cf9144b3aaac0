//===- Passes.td - The form of host functions --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_PASSES_TD
#define GNN_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyLaunchForm : Pass<"gnn-verify-launch-form", "::mlir::ModuleOp"> {
  let summary = "Check that host functions fit in a launch plan";
  let description = [{
    The runtime executes a launch plan: straight-line code of launches and, between
    them, scalars of the host, structures and views of one workspace. This pass names
    the first op that has no place in a plan.

    ```mlir
    // error: has no place in a launch plan: expected host scalars, structures,
    // views of the workspace and launches, got 'memref.copy'
    memref.copy %x, %y : memref<8xf32> to memref<8xf32>
    ```

    Needs: the form of `convert-gnn-tile-to-gpu`. Keeps: everything. Never changes
    the IR.
  }];
}

def Explain : Pass<"gnn-explain", "::mlir::ModuleOp"> {
  let summary = "Print the choices and costs of the passes on whole-graph ops";
  let description = [{
    Lowers copies of the module to kernels, without the passes on whole-graph ops
    and with them, and prints for both the bytes, flops and estimated time of every
    kernel with the rows and flops of its ops; then the choices and refusals of each
    pass, which are its remarks.

    ```text
    layer, before
      kernel, op            result                rows  through products ...  time ms
      layer_0_typed_linear                                               ...   0.0535
        gather              edge of g, 64xf32   58,086                 0
        typed_linear        edge of g, 64xf32   58,086            58,086
      all: 1 kernel                                               58,086 ...   0.0535
      ...
    choices
      gnn-compact at layer.mlir:8:8: done, Compacted: ...
    ```

    For a declaration without statistics the numbers are formulas in the rows of a
    space.

    Needs: the input of `gnn-graph-pipeline`. Keeps: everything. Never changes the
    IR.
  }];
  let options = [
    Option<"passes", "passes", "std::string", /*default=*/"",
           "Options of gnn-compile-pipeline: switches of passes, and cost">,
    Option<"dot", "dot", "std::string", /*default=*/"",
           "Write a picture, of Graphviz, to this file, instead of text">,
    Option<"html", "html", "std::string", /*default=*/"",
           "Write a page of pictures and tables to this file, instead of text">,
  ];
}

#endif // GNN_TARGET_PASSES_TD
