//===- FormPasses.td - Passes between the forms of a kernel -*- tablegen -*-==//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scheduled, blocked, loops, lanes: in pipeline order.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_FORMPASSES_TD
#define GNN_TRANSFORMS_FORMPASSES_TD

include "mlir/Pass/PassBase.td"

def BlockTraversals
    : Pass<"gnn-tile-block-traversals", "::mlir::func::FuncOp"> {
  let summary = "Make a loop over blocks of each traversal";
  let description = [{
    The first step from the scheduled to the blocked form. A traversal becomes an
    `scf.forall` over blocks of rows and of columns, mapped to the grid, in which
    it computes a range. Counts, index arrays and views of the buffers by their
    true extents stand in front of the loop, and what the launch costs.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : memref<?x64xf32>) ... schedule <rows_per_block = 8, ...>
    // becomes
    scf.forall (%r) = (0) to (%rows) step (8) {
      gnn_tile.traverse @g <dst, edge.in_rows, features = 64> rows[%r to %rows] columns[%c0] ins(%x_rows : memref<?x64xf32>) ...
    } {mapping = [#gpu.block<x>]}
    ```

    Needs: traversals on memrefs with complete schedules (`gnn-schedule-pipeline`).
    Keeps: the order of launches, and all bits. Never: allocates or copies.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def LowerTraversals
    : Pass<"gnn-tile-lower-traversals", "::mlir::func::FuncOp"> {
  let summary = "Make loops over rows and elements of traversals on ranges";
  let description = [{
    From the blocked to the loops form. Each team of a block takes a row
    (`gnn_tile.parallel`); a value of the body becomes a vector over the heads and
    features of its level, or a scalar; reductions over elements become walks
    (`gnn_tile.walk`), one for each rank: what needs no other reduction first.
    Rows past the last one are read again and not stored. Rows with more than
    `split_rows` elements of a schedule `by_length` are left by their team, and
    walked by the block one after the other. One lane alone walks `in_turn`, in runs of
    256 elements. Rows that are walked `in_turn` and have
    more than 64 vectors are left with a remark: their loops of vectors would be long
    code, loops of scalars are short.

    The lanes of the schedule stand on the loop over blocks, `gnn_tile.lanes`. A
    traversal into workgroup memory becomes a loop over the rows of its range, which
    has them instead: what else is in the block is not spread so.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> rows[%r to %rows] ...
    // becomes
    gnn_tile.parallel 8 over team {
    ^bb0(%t: index):
      ...
      %s = gnn_tile.walk from %begin to %end over element slots 2 in_flight 4 identity(%zero : vector<64xf32>) { ... } combine { ... }
      scf.if %inside {
        vector.transfer_write %s, %y[%row, %c0] ...
      }
    }
    ```

    Needs: traversals on ranges. Keeps: the value of every result. Never: branches
    around a load.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def SpreadWalks : Pass<"gnn-tile-spread-walks", "::mlir::func::FuncOp"> {
  let summary = "Make loops of walks: several slots, several elements at once";
  let description = [{
    A `gnn_tile.walk` becomes an `scf.for` over its elements. Where it has several
    n slots, each of them takes every n-th element, in a `gnn_tile.parallel` whose
    results are combined; where several elements are in flight, a step of
    the loop computes all of them, loads first. Past the end, the last element is
    read again and does not count: a state that is combined by one operation is
    replaced by its identity, any other is kept as it was. With a `run`, a second loop
    around this one combines runs of so many elements.

    ```mlir
    %s = gnn_tile.walk from %begin to %end over element slots 2 in_flight 4 identity(%zero : f32) { ... } combine { ... }
    // becomes
    %s = gnn_tile.parallel 2 over element -> f32 {
    ^bb0(%slot: index):
      %p = scf.for %i = %begin to %end step %c8 iter_args(%a = %zero) -> (f32) { ... }
      gnn_tile.yield %p : f32
    } combine { ... }
    ```

    Needs: the loops form. Keeps: the value of every result up to the order in
    which states are combined, which is the same on every run. Never: branches
    around a load. An op with a region in a walk is an error at that op.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def DistributeLanes : Pass<"gnn-tile-distribute-lanes", "::mlir::func::FuncOp"> {
  let summary = "Give each lane of a block its part of loops and vectors";
  let description = [{
    From the loops to the lanes form, by the `gnn_tile.lanes` of a loop over
    blocks, or of a loop in one, for that part of the block. A vector over heads and
    features becomes the parts that one lane holds, of `vector` features side by
    side; scalars are computed by every lane.
    A reduction of a vector becomes one in the lane and a `gpu.subgroup_reduce`.
    A `gnn_tile.parallel` becomes the work of one of its workers; its results are
    exchanged between the lanes of a warp, and between warps in workgroup memory.
    What a lane has past the end of a row is read from its beginning and masked
    where it would count; one lane stores each value.

    Needs: the loops form with walks spread. Keeps: the order of every sum that a
    loop has. Never leaves a vector of the loops form: an op that it cannot
    distribute is an error at that op, and so is one with other effects than a load
    or a store, which every lane would repeat. An exchange that not all lanes of a
    warp reach is an error, and an array in workgroup memory that lanes would have to
    wait for.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

#endif // GNN_TRANSFORMS_FORMPASSES_TD
