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
    The runtime carries out a launch plan: a straight line of launches, between
    them scalars of the host, structures and views of one workspace. This pass
    names the first thing that has no place in one.

    ```mlir
    // error: has no place in a launch plan: expected host scalars, structures,
    // views of the workspace and launches, got 'memref.copy'
    memref.copy %x, %y : memref<8xf32> to memref<8xf32>
    ```

    Needs: the form that `convert-gnn-tile-to-gpu` makes. Keeps: everything.
    Never changes the IR.
  }];
}

#endif // GNN_TARGET_PASSES_TD
