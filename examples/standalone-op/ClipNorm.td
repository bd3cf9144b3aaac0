//===- ClipNorm.td - A dialect of one op -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "GNN/Dialect/GNN/IR/GNNBase.td"
include "GNN/Dialect/GNN/IR/GNNInterfaces.td"

def Extra_Dialect : Dialect {
  let name = "extra";
  let cppNamespace = "::extra";
  let summary = "Ops that gnn has not";
}

def Extra_ClipNormOp : Op<Extra_Dialect, "clip_norm", [
    Pure, SameOperandsAndResultType, GNN_OnOneGraph, GNN_UsesGraph,
    DeclareOpInterfaceMethods<GNN_DifferentiableOpInterface, ["buildGradient"]>,
    DeclareOpInterfaceMethods<GNN_LowerToTileOpInterface>]> {
  let summary = "Scale down rows that are longer than a limit";
  let description = [{
    `result[i, :] = input[i, :] * min(1, limit / |input[i, :]|)`, where the norm
    is that of the last feature dimension; rows of zeros stay zeros.

    Gradient: with `s = min(1, limit / |input[i, :]|)` and `g` that of `result`,
    `s g`, and of rows that are cut less `s <input, g> / |input|^2` times `input`.

    Constraints:
    * (C1) `input` has one feature dimension, or heads and features.
    * (C2) `limit` is a finite number above 0.

    Example:

    ```mlir
    %y = extra.clip_norm %x to 1.5 : tensor<?x8xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_Rows:$input, F32Attr:$limit);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = "$input `to` $limit attr-dict `:` type($result)";
  let hasVerifier = 1;
}
