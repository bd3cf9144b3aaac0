//===- Passes.td - Passes of the plugin --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"

def SmallerBlocks : Pass<"smaller-blocks", "::mlir::func::FuncOp"> {
  let summary = "Give blocks of traversals fewer rows";
  let description = [{
    More blocks keep more of a GPU busy where a graph is small. A schedule that
    could not be honoured with fewer rows stays, and a remark says why.

    ```mlir
    gnn_tile.traverse ... schedule <rows_per_block = 16, ...>
    // becomes, with rows=4
    gnn_tile.traverse ... schedule <rows_per_block = 4, ...>
    ```

    Needs: schedules (`after-schedule`). Keeps: every other field. Never makes
    blocks larger.
  }];
  let options = [Option<"rows", "rows", "int64_t", /*default=*/"4",
                        "The most rows of a block">];
}

def DeepenWalks : Pass<"deepen-walks", "::mlir::func::FuncOp"> {
  let summary = "Let lanes have more elements of a row under way";
  let description = [{
    Loads of more elements are issued before the first is needed, for more registers.

    ```mlir
    gnn_tile.walk ... over element slots 2 in_flight 4 ...
    // becomes, with by=2
    gnn_tile.walk ... over element slots 2 in_flight 8 ...
    ```

    Needs: the loops form (`after-loops`). Keeps: the value of every result up to the
    order in which states are combined. Never deepens walks beyond 16 elements.
  }];
  let options = [Option<"by", "by", "int64_t", /*default=*/"2",
                        "How many times as many elements">];
}
