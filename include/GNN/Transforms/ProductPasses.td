//===- ProductPasses.td - Products from form to form -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scheduled, blocked, loops, lanes: in pipeline order.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_PRODUCTPASSES_TD
#define GNN_TRANSFORMS_PRODUCTPASSES_TD

include "mlir/Pass/PassBase.td"

def BlockProducts : Pass<"gnn-tile-block-products", "::mlir::func::FuncOp"> {
  let summary = "Make a loop over blocks of each product";
  let description = [{
    From the scheduled to the blocked form. A `gnn_tile.gemm` or `gnn_tile.outer`
    becomes an `scf.forall` mapped to the grid, in which it computes a range: a gemm
    one of the tiles that rows are cut into, or 64 rows, by the columns of its
    schedule and one head; an outer one matrix, 64 of its rows by the columns of the
    schedule, and one head. Counts, index arrays and views of the buffers by their
    true extents stand in front of the loop, and what the launch costs.

    ```mlir
    gnn_tile.gemm @g rows src_pair types edge_type ins(%x, %w : memref<?x64xf32>, memref<3x64x8xf32>) ... schedule <n = 16>
    // becomes
    scf.forall (%b, %c, %h) = (0, 0, 0) to (%tiles, %c8, %c1) step (1, 16, 1) {
      ...             // the type, the first row and the number of rows of tile %b
      gnn_tile.gemm @g rows src_pair types edge_type rows[%first, %n] type[%t] columns[%c] ins(%x_rows, %w ...) ...
    } {mapping = [#gpu.block<x>, #gpu.block<y>, #gpu.block<z>]}
    ```

    Needs: products on memrefs with complete schedules (`gnn-schedule-pipeline`).
    Keeps: the order of launches, and all bits. Never: allocates or copies.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
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
    scf.forall (%r) = (0) to (%rows) step (8) {
      gnn_tile.traverse @g <dst, edge.in_rows, features = 64> rows[%r to %rows] ... outs(%sums : memref<?x64xf32>) ...
    }
    scf.forall (%r, %c, %h) = (0, 0, 0) to (%rows, 64, 1) step (64, 64, 1) {
      gnn_tile.gemm @g rows dst rows[%r, %n] columns[%c] ins(%sums, %w : memref<?x64xf32>, memref<64x64xf32>) ...
    }
    // becomes
    scf.forall (%r, %c, %h) = (0, 0, 0) to (%rows, 64, 1) step (64, 64, 1) {
      %s = memref.alloca() : memref<64x64xf32, #gpu.address_space<workgroup>>
      %end = arith.addi %r, %n : index
      gnn_tile.traverse @g <dst, edge.in_rows, features = 64> rows[%r to %end] ... outs(%s : memref<64x64xf32, #gpu.address_space<workgroup>>) ...
      gnn_tile.gemm @g rows dst rows[%r, %n] columns[%c] ins(%s, %w : memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32>) ...
    }
    ```

    An array in workgroup memory has the rows of the range alone. The traversal is
    laid out again: as many rows side by side as 128 threads walk, as they lie.
    The product stages its weight through registers. The loop has the schedules of both,
    and the cost of both without the rows that stay in the block. What the workspace
    held of them is given up where nothing else lived there.

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
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def LowerProducts : Pass<"gnn-tile-lower-products", "::mlir::func::FuncOp"> {
  let summary = "Make loops over the depth of products on ranges";
  let description = [{
    From the blocked to the loops form. A loop goes through the depth, or through the
    rows of a matrix, in steps: what a step needs of both operands is loaded
    (`gnn_tile.load_rows`), staged in workgroup memory with the depth first, and
    multiplied by a `vector.contract` that adds to what the loop carries. The body of
    a gemm works on the whole tile, which a `gnn_tile.store_rows` writes. Rows of a
    gemm's input past the last one are read again and not stored, other rows and
    columns that are not there count as 0.

    Each op that stages, sums or stores says which thread holds what
    (`gnn_tile.spread`), each staged array how it is permuted; docs/Tile.md has both.

    ```mlir
    gnn_tile.outer @g rows src_pair rows[%first, %n] left[%a] right[%b] ...
    // becomes
    %s = scf.for %r = %first to %end step %c16 iter_args(%acc = %zero) -> (vector<64x16xf32>) {
      %x = gnn_tile.load_rows %left[%xrows, %a] rows %rest aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
      vector.transfer_write %x, %l[%c0, %c0] {gnn_tile.spread = ...} : vector<16x64xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
      ...
      %p = vector.contract ... %xs, %ys, %acc
      scf.yield %p : vector<64x16xf32>
    } {gnn_tile.load_ahead}
    gnn_tile.store_rows %s, %dw[%rows, %b] ...
    ```

    Upstream's canonicalizer would start a sum with what is added to it afterwards,
    which rounds in another order: it runs behind the forms, not between them.

    Needs: products on ranges. Keeps: the value of every result. Never: branches
    around a load.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def CopyAsync : Pass<"gnn-tile-copy-async", "::mlir::func::FuncOp"> {
  let summary = "Copy what a step stages while the step before is summed";
  let description = [{
    What is marked `gnn_tile.copy_async` does not pass through registers:
    `gnn_tile.async` says so, and `gnn-tile-distribute-products` makes copies of it
    that threads do not wait for. In a loop that is to load ahead, the arrays become
    twice as deep, halves that steps take in turns: what the next step stages is
    copied to one while the other is summed. The first step is copied in front of the
    loop, and the last one summed behind it, if there is a step at all. What else
    reads a tile reads it where it is staged. In any other place a copy begins where
    its rows are known, and threads wait for it where it is read.

    ```mlir
    scf.for %r = %begin to %end step %c16 iter_args(%acc = %zero) {
      %x = gnn_tile.load_rows ...
      vector.transfer_write %x, %l[%c0, %c0] {gnn_tile.copy_async, ...}
      ...                             // sum
    } {gnn_tile.load_ahead}
    // becomes
    scf.if %some {
      %x0 = gnn_tile.load_rows ...
      vector.transfer_write %x0, %l[%c0, %c0] {gnn_tile.async, ...}
      scf.for %r = %second to %end step %c16 iter_args(%acc = %zero, %half = %c0) {
        %x = gnn_tile.load_rows ...
        %g = nvgpu.device_async_create_group
        nvgpu.device_async_wait %g    // for what the step before began to copy
        %other = arith.subi %c16, %half : index
        vector.transfer_write %x, %l[%other, %c0] {gnn_tile.async, ...}
        ...                           // sum from row %half on
      }
      ...                             // wait, and sum the last step
    }
    ```

    Refused with a remark, and loaded: what a thread does not stage by 16 bytes of a
    row in global memory, what another block loads, and what may be written before
    the copy is read. The same holds for loops that stage anything else besides,
    where what is copied depends on what is summed, or what is summed on the number
    of the step, and where a read, such as one behind the loop, may find what a step
    before it has left in the array.

    Needs: the loops form. Keeps: all bits. Never: copies what no step stages.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def LoadAhead : Pass<"gnn-tile-load-ahead", "::mlir::func::FuncOp"> {
  let summary = "Load what a step stages while the step before is summed";
  let description = [{
    A loop marked `gnn_tile.load_ahead` carries what its next step stages, and the
    arrays that it stages in become twice as deep, halves that steps take in turns:
    threads that stage the next step need not wait for those that still sum. The
    first step is loaded in front of the loop, and the last one summed behind it, if
    there is a step at all.

    ```mlir
    scf.for %r = %begin to %end step %c16 iter_args(%acc = %zero) {
      %x = gnn_tile.load_rows ...   // stage, sum
    } {gnn_tile.load_ahead}
    // becomes
    scf.if %some {
      %x0 = gnn_tile.load_rows ...
      scf.for %r = %second to %end step %c16 iter_args(%acc = %zero, %x = %x0, %half = %c0) {
        ...                          // stage %x from row %half on
        %next = gnn_tile.load_rows ...
        ...                          // sum
        %other = arith.subi %c16, %half : index
      }
      ...                            // stage and sum the last step
    }
    ```

    Refused with a remark: loops where what is loaded depends on what is summed, or
    on an op with a region, what is summed depends on the number of the step, or a
    read, such as one behind the loop, may find what a step before it has left in an
    array. Arrays are of static size.

    Needs: the loops form. Keeps: all bits. Never: loads what no step stages.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def UseTensorCores
    : Pass<"gnn-tile-use-tensor-cores", "::mlir::func::FuncOp"> {
  let summary = "Spread the sums of products as tensor cores hold them";
  let description = [{
    Products whose schedule says `kind = tf32x3` are summed in fragments of
    `mma.sync.m16n8k8` (PTX ISA, 9.7.14). This pass spreads the sums so in the loops
    form, and what is stored of them; `gnn-tile-distribute-products` then writes the
    fragments. Of a thread's columns four still lie side by side.

    ```mlir
    %p = vector.contract ... %xs, %ys, %acc {gnn_tile.kind = #gnn_tile<product_kind tf32x3>, gnn_tile.spread = #gnn_tile.spread<each = [8, 4], lanes = [8, 16]>}
    // becomes
    %p = vector.contract ... %xs, %ys, %acc {gnn_tile.kind = #gnn_tile<product_kind tf32x3>, gnn_tile.spread = #gnn_tile.spread<each = [2, 4], lanes = [32, 4]>}
    ```

    Needs: the loops form of products. Keeps: what is loaded and staged, and how.
    Never leaves a product that it cannot spread so: it is an error at that op.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def DistributeProducts
    : Pass<"gnn-tile-distribute-products", "::mlir::func::FuncOp"> {
  let summary = "Give each thread of a block its part of tiles";
  let description = [{
    From the loops to the lanes form, for loops over blocks that say how tiles are
    spread (`gnn_tile.spread`) and not over which lanes rows are
    (`gnn_tile.lanes`). What is staged, summed and stored has a spread of its own;
    what it is computed of is spread like it, and computed twice where two ask for it
    in different ways. A thread loads pieces of up to 4 columns, stages them, reads
    its rows and columns of each staged k and adds their products in the order of k.
    Values that only a store needs are computed where it stores, row by row, so that
    few are alive at once. Barriers stand where threads read or write in workgroup
    memory what others have written or read since the last one. A part of the block
    that is what a thread does already (`gnn_tile.threads`) stays as it is.

    Needs: the loops form with spreads. Keeps: the order of every sum. Never leaves a
    vector of the loops form: an op that it cannot distribute, and a vector that two
    spreads meet in, is an error at that op.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::nvgpu::NVGPUDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def ProductsInTurn
    : Pass<"gnn-tile-products-in-turn", "::mlir::func::FuncOp"> {
  let summary = "Make loops of vectors of products, for the core of a CPU";
  let description = [{
    From the blocked form to that of one thread. Of a range, 4 rows at a time stay in
    vector registers while the summed dimension goes by: what a block of threads
    stages in workgroup memory, a core has in its caches. They are vectors as
    long as a register of the module's target, as many as half of its registers hold. Columns past the last
    one are masked, rows past the last one read again and not stored.

    A transposed weight is copied, so that its columns lie side by side: as many of
    the summed rows as 48 KiB hold. Where these are not all, the sums of the range
    wait in between.

    ```mlir
    gnn_tile.gemm @g rows src_pair rows[%first, %n] columns[%c0] ins(%x, %w : memref<?x64xf32>, memref<64x32xf32>) ...
    // becomes
    scf.for %i = %c0 to %n step %c4 {
      %s:8 = scf.for %k = %c0 to %c64 step %c1 iter_args(...) -> (vector<16xf32>, ...) {
        %w0 = vector.load %w[%k, %c0] : memref<64x32xf32>, vector<16xf32>
        %x0 = memref.load %x[%row0, %k] : memref<?x64xf32>
        ...
      }
      vector.store ...
    }
    ```

    Left with a remark: products of other types than f32.

    Needs: products on ranges. Keeps: the value of every result, and the order of
    every sum. Never: exchanges anything between threads.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // GNN_TRANSFORMS_PRODUCTPASSES_TD
