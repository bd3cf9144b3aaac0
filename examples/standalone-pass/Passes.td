//===- Passes.td - Passes of the plugin --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"

def HoistLinear : Pass<"hoist-linear"> {
  let summary = "Transform rows before they are gathered";
  let description = [{
    Edges that share an end gather the same row: it is transformed once.

    ```mlir
    %m = gnn.gather %x via src : !node -> !edge
    %y = gnn.linear %m, %w : (!edge, tensor<64x8xf32>) -> !out_edge
    // becomes
    %h = gnn.linear %x, %w : (!node, tensor<64x8xf32>) -> !out_node
    %y = gnn.gather %h via src : !out_node -> !out_edge
    ```

    Needs: nothing. Keeps: the value of every result. Never touches a gather
    that others read too.
  }];
}
