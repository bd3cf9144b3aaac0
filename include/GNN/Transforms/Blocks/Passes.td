//===- Passes.td - Templates to blocks ---------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_BLOCKS_PASSES_TD
#define GNN_TRANSFORMS_BLOCKS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitColumns : Pass<"gnn-tile-split-columns", "::mlir::func::FuncOp"> {
  let summary = "Split tiles of heads, and of reduced columns, into launches";
  let description = [{
    A schedule may take fewer columns than rows have, so that the gathered
    columns of all rows stay in the L2. If the columns of a tile are reduced, or
    it has only some heads, tiles are separate launches, one after the other. A
    tile of heads writes the results of its heads. The first tile of columns
    writes the sum of its products to the place of the result, each later one
    adds to it, and the last one computes the rest of the body from the sum. If
    no result can hold the sum in the order of the walk, or several results need
    it, the sum is placed in the workspace, behind the buffers of
    `gnn-tile-plan-memory`.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 128> ins(%x, %z : memref<?x128xf32>, memref<?x128xf32>)
        at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
        outs(%s : memref<?xf32>) at [#gnn_tile.at<element>] schedule <columns_per_block = 64, ...>
    // becomes
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x, %z ...)
        at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
        outs(%s : memref<?xf32>) at [#gnn_tile.at<element>] schedule <columns_per_block = 64, ...>
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x, %z, %s ...)
        at [#gnn_tile.at<element -> src : feature + 64>, #gnn_tile.at<group : feature + 64>, #gnn_tile.at<element>]
        outs(%s : memref<?xf32>) at [#gnn_tile.at<element>] schedule <columns_per_block = 64, ...>
    ```

    With E edges, T tiles and R results of an edge, this reads and writes 4 E R (2 T - 1)
    additional bytes. Separate parts, which one more step adds up, would take 4 E R (2 T + 1)
    bytes, and memory.

    Needs: traversals on memrefs with complete schedules; for sums in separate memory, a
    function with a workspace. Keeps: tiles of columns that are not reduced, which one
    launch takes (`gnn-tile-block-traversals`). Never: adds in an order that depends on
    the run, so the same input gives the same bits.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"];
}

def SplitEdgeWalks : Pass<"gnn-tile-split-edge-walks", "::mlir::func::FuncOp"> {
  let summary = "Split walks by edges into two steps";
  let description = [{
    A traversal with `row_walk = by_edges` in its schedule walks the elements of
    all groups one after the other, 64 for each team of a block. The borders of
    blocks cut groups, and leave pieces of these: the states of the body's
    reductions. A second traversal stores the groups that have pieces, combined
    in order, and those without elements. The team of each group takes 4 pieces
    at once. If statistics show a group of more than 128 pieces, the walk is
    `by_length`, and all teams of a block join the pieces of such a group.
    Without reductions over elements, the walk stays one step. A mean becomes a
    sum that is scaled when it is complete.

    With `merge = atomic` in its schedule there are no pieces: the first of two traversals
    sets the rows of groups to zero, and the teams of the second one add their parts to
    them, in any order.

    Pieces are placed in the workspace, behind the buffers of
    `gnn-tile-plan-memory`. All walks of a function use the same memory for
    pieces, one after the other.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... schedule <lanes = 16, row_walk = by_edges, rows_per_block = 16, ...>
    // becomes
    %n = gnn_tile.count @g piece_count dst edge.in_rows 1024 : index
    %p = memref.view %workspace[%end][%n] : memref<?xi8> to memref<?x64xf32>
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... parts(%p : memref<?x64xf32>) of pieces<dst, edge.in_rows, 1024> schedule <..., row_walk = by_edges, ...>
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... parts(%p : memref<?x64xf32>) of pieces<dst, edge.in_rows, 1024> schedule <..., row_walk = team, ...>
    ```

    Needs: traversals on memrefs with complete schedules, in a function with a workspace.
    Keeps: traversals with other schedules. Never: adds in an order that depends on the
    run, except with `merge = atomic`, so the same input gives the same bits.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"];
}

def BlockTraversals
    : Pass<"gnn-tile-block-traversals", "::mlir::func::FuncOp"> {
  let summary = "Lower each traversal to a loop over blocks";
  let description = [{
    The first step from the scheduled to the blocked form. A traversal becomes a
    `gnn_tile.blocks` of rows and of columns, in which it computes a range. In front of
    the loop are counts, index arrays, views of the buffers with their true extents, and
    the cost of the launch.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : memref<?x64xf32>) ... schedule <rows_per_block = 8, ...>
    // becomes
    gnn_tile.blocks to [%rows] step [8] template "traverse" schedule #gnn_tile.traverse_schedule<rows_per_block = 8, ...> {
    ^bb0(%r: index):
      gnn_tile.traverse @g <dst, edge.in_rows, features = 64> rows[%r to %rows] columns[%c0] ins(%x_rows : memref<?x64xf32>) ...
    }
    ```

    Needs: traversals on memrefs with complete schedules (`gnn-schedule-pipeline`).
    Keeps: the order of launches, and all bits. Never: allocates or copies.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"];
}

def BlockProducts : Pass<"gnn-tile-block-products", "::mlir::func::FuncOp"> {
  let summary = "Lower each product to a loop over blocks";
  let description = [{
    From the scheduled to the blocked form. A `gnn_tile.gemm` or `gnn_tile.outer` becomes
    a `gnn_tile.blocks`, in which it computes a range. The range of a gemm is one tile of
    rows, or 64 rows, by the columns of its schedule and one head; that of an outer is one
    matrix, 64 of its rows by the columns of the schedule, and one head. In front of the
    loop are counts, index arrays, views of the buffers with their true extents, and the
    cost of the launch.

    ```mlir
    gnn_tile.gemm @g rows src_pair types edge_type ins(%x, %w : memref<?x64xf32>, memref<3x64x8xf32>) ... schedule <n = 16>
    // becomes
    gnn_tile.blocks to [%tiles, 8, 1] step [1, 16, 1] template "gemm" schedule #gnn_tile.gemm_schedule<n = 16> {
    ^bb0(%b: index, %c: index, %h: index):
      ...             // the type, the first row and the number of rows of tile %b
      gnn_tile.gemm @g rows src_pair types edge_type rows[%first, %n] type[%t] columns[%c] ins(%x_rows, %w ...) ...
    }
    ```

    Needs: products on memrefs with complete schedules (`gnn-schedule-pipeline`).
    Keeps: the order of launches, and all bits. Never: allocates or copies.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def FuseSumsIntoProducts
    : Pass<"gnn-tile-fuse-sums-into-products", "::mlir::func::FuncOp"> {
  let summary = "Compute sums of rows in the block that multiplies them";
  let description = [{
    On the blocked form: aggregate-then-transform as one kernel. If a product is the only
    reader of the rows of a traversal, a block walks the rows of its tile, keeps the
    results in workgroup memory, and multiplies them there. Rows are not written to global
    memory and read again, and one launch less is needed.

    ```mlir
    gnn_tile.blocks to [%rows] step [8] ... {
    ^bb0(%r: index):
      gnn_tile.traverse @g <dst, edge.in_rows, features = 64> rows[%r to %rows] ... outs(%sums : memref<?x64xf32>) ...
    }
    gnn_tile.blocks to [%rows, 64, 1] step [64, 64, 1] ... {
    ^bb0(%r: index, %c: index, %h: index):
      gnn_tile.gemm @g rows dst rows[%r, %n] columns[%c] ins(%sums, %w : memref<?x64xf32>, memref<64x64xf32>) ...
    }
    // becomes
    gnn_tile.blocks to [%rows, 64, 1] step [64, 64, 1] ... {
    ^bb0(%r: index, %c: index, %h: index):
      %s = gnn_tile.array : memref<64x64xf32, #gpu.address_space<workgroup>>
      %end = arith.addi %r, %n : index
      gnn_tile.traverse @g <dst, edge.in_rows, features = 64> rows[%r to %end] ... outs(%s : memref<64x64xf32, #gpu.address_space<workgroup>>) ...
      gnn_tile.gemm @g rows dst rows[%r, %n] columns[%c] ins(%s, %w : memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32>) ...
    }
    ```

    An array in workgroup memory has the rows of the range alone. The traversal gets a new
    layout: as many adjacent rows as 128 threads walk, in memory order. If rows are so few
    that a block walks each (`row_walk = block`), both kernels stay. The product stages
    its weight through registers. The loop has the schedules of both, and the cost of both
    without the rows that stay in the block. The workspace no longer contains these rows
    if nothing else used their place.

    A product of more columns than a block has becomes several in one block, one after the
    other.

    Refused with a remark: several results, heads, other rows or columns than those of the
    product; rows with other readers; a product, or a kernel in front of it, that
    overwrites the inputs of the traversal; rows that whole blocks or the cores of a CPU
    walk; more than 48 KiB of workgroup memory including the staged operands of the
    product. Memory is planned before: with `sums-in-products=true`, `gnn-tile-pipeline`
    keeps the inputs of the traversal until the product.

    Needs: the blocked form, in places of one workspace. Keeps: the order of launches
    otherwise; sums up to the order in which lanes add them. Never: computes a row twice.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect"];
}

#endif // GNN_TRANSFORMS_BLOCKS_PASSES_TD
