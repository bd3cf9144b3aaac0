//===- Passes.td - Templates to blocks ---------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_BLOCKS_PASSES_TD
#define GNN_TRANSFORMS_BLOCKS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitColumns : Pass<"gnn-tile-split-columns", "::mlir::func::FuncOp"> {
  let summary = "Make a step of each tile of heads, and of columns that are reduced";
  let description = [{
    A schedule may take fewer columns than rows have, so that what is gathered of
    all rows stays in the L2. Where the columns of a tile are reduced, or it has some
    heads alone, tiles are launches of their own, each behind the one before. A tile of
    heads writes the results of these. The first tile of columns writes the sum of its
    products where the result will be, each later one adds to it, and the last one
    computes what the body makes of the sum. Where no result has room for the sum in the
    order of the walk, or several need it, it lies behind what `gnn-tile-plan-memory` has
    placed in the workspace.

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

    With E edges, T tiles and R results of an edge, 4 E R (2 T - 1) bytes are read and
    written besides. Parts of their own, which a step more adds up, would be
    4 E R (2 T + 1) and have to be kept.

    Needs: traversals on memrefs with complete schedules, for sums in memory of their own
    in a function with a workspace. Keeps: tiles of columns that are not reduced, which one launch takes (`gnn-tile-block-traversals`). Never: adds
    in an order that depends on the run, so that the same input has the same bits.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"];
}

def SplitEdgeWalks : Pass<"gnn-tile-split-edge-walks", "::mlir::func::FuncOp"> {
  let summary = "Make two steps of a walk by edges";
  let description = [{
    A traversal whose schedule says `row_walk = by_edges` walks the elements of all
    groups one after the other, in blocks of 64 for each team. A block's borders cut
    groups: of these it leaves pieces, the states of the body's reductions. A second
    traversal stores the groups that have pieces, combined in order, and those without
    elements: each by its team, 4 pieces at once, or by length where statistics know a group
    of more than 128 pieces, so that all teams of a block join it. Without reductions over elements there is one step. A mean becomes a sum
    that is scaled when all of it is there.

    With `merge = atomic` of its schedule there are no pieces: the first of two traversals
    sets the rows of groups to zero, and the teams of the second one add their parts to
    them, in any order.

    Pieces lie behind what `gnn-tile-plan-memory` has placed in the workspace. All walks
    of a function use the same memory, one after the other.

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
    run, so that the same input has the same bits, but where `merge = atomic` says so.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"];
}

def BlockTraversals
    : Pass<"gnn-tile-block-traversals", "::mlir::func::FuncOp"> {
  let summary = "Make a loop over blocks of each traversal";
  let description = [{
    The first step from the scheduled to the blocked form. A traversal becomes a
    `gnn_tile.blocks` of rows and of columns, in which it computes a range. Counts, index arrays and views of the buffers by their
    true extents stand in front of the loop, and what the launch costs.

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
  let summary = "Make a loop over blocks of each product";
  let description = [{
    From the scheduled to the blocked form. A `gnn_tile.gemm` or `gnn_tile.outer`
    becomes a `gnn_tile.blocks`, in which it computes a range: a gemm
    one of the tiles that rows are cut into, or 64 rows, by the columns of its
    schedule and one head; an outer one matrix, 64 of its rows by the columns of the
    schedule, and one head. Counts, index arrays and views of the buffers by their
    true extents stand in front of the loop, and what the launch costs.

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
  let summary = "Sum rows in the block that multiplies them";
  let description = [{
    On the blocked form: aggregate-then-transform as one kernel. Where a product
    reads the rows of a traversal, and nothing else does, a block walks the rows of
    its tile, keeps what it gets in workgroup memory, and multiplies it there. A row
    is not written to global memory and read again, and a launch less is needed.

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

    An array in workgroup memory has the rows of the range alone. The traversal is
    laid out again: as many rows side by side as 128 threads walk, as they lie. Rows that are so
    few that a block walks each (`row_walk = block`) stay a kernel.
    The product stages its weight through registers. The loop has the schedules of both,
    and the cost of both without the rows that stay in the block. The workspace
    gives up their place where nothing else lived there.

    A product of more columns than a block has becomes several in one block, one after
    the other.

    Refused with a remark: several results, heads, other rows or columns than those
    of the product; rows that something else reads; a product, or a kernel in front of
    it, that writes over what the traversal reads; rows that whole blocks or the cores
    of a CPU walk; more than 48 KiB of workgroup memory with what the product stages.
    Memory is planned before: `sums-in-products=true` of `gnn-tile-pipeline` has what
    the traversal reads last until the product.

    Needs: the blocked form, in places of one workspace. Keeps: the order of launches
    otherwise; sums up to the order in which lanes add them. Never: computes a row
    twice.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect"];
}

#endif // GNN_TRANSFORMS_BLOCKS_PASSES_TD
