//===- Passes.td - Passes that keep their level ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In pipeline order.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_PASSES
#define GNN_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// gnn_tile -> gnn_tile
//===----------------------------------------------------------------------===//

def PlanMemory : Pass<"gnn-tile-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Place all buffers of a function in one workspace";
  let description = [{
    Every `memref.alloc` becomes a view of one workspace argument. Buffers
    whose lives do not overlap share a slot, one of the same rows where there
    is one; a slot is as large as the largest buffer in it. Offsets are
    multiples of 256 bytes and known once a graph is bound, so the peak is
    known before anything runs (`gnn_tile.workspace_size`).

    ```mlir
    %b = memref.alloc(%n) : memref<?x64xf32>
    // becomes
    %b = memref.view %workspace[%offset][%n] : memref<?xi8> to memref<?x64xf32>
    ```

    Needs: a straight-line function whose buffers are allocated with host
    scalars. Keeps: the contents of every buffer while it is used. Never shares
    a slot between a template's operands.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::gnn::tile::TileDialect"];
}

#endif // GNN_TRANSFORMS_PASSES
