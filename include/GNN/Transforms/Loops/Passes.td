//===- Passes.td - Blocks to loops -------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_LOOPS_PASSES_TD
#define GNN_TRANSFORMS_LOOPS_PASSES_TD

include "mlir/Pass/PassBase.td"

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
    walked by the block one after the other. Walks that add up floats
    take the `runs` of the schedule, but for those of teams whose rows are short by
    `split_rows`. Rows of more than 64 vectors of one lane, as of a
    `#gnn_tile.core_schedule`, are left with a remark: their loops of vectors would be
    long code, loops of scalars are short.

    All of it is in a `gnn_tile.teams`, whose lanes are those of the schedule. A
    traversal into workgroup memory is in a loop over the rows of its range there.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> rows[%r to %rows] ...
    // becomes
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 8, elements = 2> {
      gnn_tile.parallel 8 over team {
      ^bb0(%t: index):
        ...
        %s = gnn_tile.walk from %begin to %end over element slots 2 in_flight 4 identity(%zero : vector<64xf32>) { ... } combine { ... }
        scf.if %inside {
          vector.transfer_write %s, %y[%row, %c0] ...
        }
      }
    }
    ```

    Needs: traversals on ranges. Keeps: the value of every result. Never: branches
    around a load.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
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
    around this one combines runs of so many elements of a slot: with compensation
    where they are added, which carries what each addition has rounded away and adds it
    at the end, unless the sum is infinite or NaN.

    ```mlir
    %s = gnn_tile.walk from %begin to %end over element slots 2 in_flight 4 identity(%zero : f32) { ... } combine { ... }
    // becomes
    %s = gnn_tile.parallel 2 over element -> f32 {
    ^bb0(%slot: index):
      %p = scf.for %i = %begin to %end step %c8 iter_args(%a = %zero) -> (f32) { ... }
      gnn_tile.yield %p : f32
    } combine { ... }
    ```

    With a `window`, a loop over windows is around it, whose extents follow from the row
    pointers: the elements that are left of the row, at most as many as a window has.
    Indices and numbers that the body loads by the position alone, and that lanes
    need as they are, are staged first (`gnn_tile.stage_window`), and read from
    there; what is needed to load them is not. Teams that share a warp go through as
    many windows.

    ```mlir
    gnn_tile.stage_window %first to %last team %t into %sources, %weights ... { ... }
    %p = scf.for %i = %first to %last step %c8 iter_args(%a = %before) -> (f32) { ... }
    ```

    Needs: the loops form. Keeps: the value of every result up to the order in
    which states are combined, which is the same on every run, and with windows the same
    as without. Never: branches around a load. An op with a region in a walk is an error
    at that op.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerProducts : Pass<"gnn-tile-lower-products", "::mlir::func::FuncOp"> {
  let summary = "Make loops over the depth of products on ranges";
  let description = [{
    From the blocked to the loops form. A loop goes through the depth, or through the
    rows of a matrix, in steps: what a step needs of both operands is loaded
    (`gnn_tile.load_rows`), staged in workgroup memory with the depth first
    (`gnn_tile.stage`), and
    multiplied by a `gnn_tile.contract` that adds to what the loop carries. The body of
    a gemm works on the whole tile, which a `gnn_tile.store_rows` writes. Rows of a
    gemm's input past the last one are read again and not stored, other rows and
    columns that are not there count as 0.

    With the `runs` of a schedule, an outer product keeps the sum of the rows before in
    two parts (docs/Tile.md), to which a step adds what a run has when it ends.

    Each op that stages, sums or stores says which thread holds what, each staged array
    (`gnn_tile.array`) how it is permuted; docs/Tile.md has both.

    ```mlir
    gnn_tile.outer @g rows src_pair rows[%first, %n] left[%a] right[%b] ...
    // becomes
    %s = scf.for %r = %first to %end step %c16 iter_args(%acc = %zero) -> (vector<64x16xf32>) {
      %x = gnn_tile.load_rows %left[%xrows, %a] rows %rest aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
      gnn_tile.stage %x, %l[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
      ...
      %p = gnn_tile.contract %xs, %ys, %acc spread <each = [8, 4], lanes = [8, 4]> ...
      scf.yield %p : vector<64x16xf32>
    }
    gnn_tile.store_rows %s, %dw[%rows, %b] ...
    ```

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
    A `gnn_tile.stage` by `async` does not pass through registers: it becomes one
    `in_flight`, of which `gnn-tile-distribute` makes copies that threads do not wait
    for. In a loop whose steps stage `ahead`, the arrays become twice as deep, halves
    that steps take in turns: what the next step stages is copied to one while the
    other is summed. The first step is copied in front of the loop, and the last one
    summed behind it, if there is a step at all. Any other reader of a tile reads it
    where it is staged. In any other place a copy begins where its rows are known, and
    threads wait for it where it is read.

    ```mlir
    scf.for %r = %begin to %end step %c16 iter_args(%acc = %zero) {
      %x = gnn_tile.load_rows ...
      gnn_tile.stage %x, %l[%c0] ahead by async ...
      ...                             // sum
    }
    // becomes
    scf.if %some {
      %x0 = gnn_tile.load_rows ...
      gnn_tile.stage %x0, %l[%c0] by in_flight ...
      scf.for %r = %second to %end step %c16 iter_args(%acc = %zero, %half = %c0) {
        %x = gnn_tile.load_rows ...
        %g = nvgpu.device_async_create_group
        nvgpu.device_async_wait %g    // for what the step before began to copy
        %other = arith.subi %c16, %half : index
        gnn_tile.stage %x, %l[%other] by in_flight ...
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

    Windows of elements are copied in the same way, four bytes a lane, where the target
    has such copies; the walk waits for them.

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
    A loop whose steps stage `ahead` carries what its next step stages, and the
    arrays that it stages in become twice as deep, halves that steps take in turns:
    threads that stage the next step need not wait for those that still sum. The
    first step is loaded in front of the loop, and the last one summed behind it, if
    there is a step at all.

    ```mlir
    scf.for %r = %begin to %end step %c16 iter_args(%acc = %zero) {
      %x = gnn_tile.load_rows ...   // stage, sum
    }
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
    array.

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
    form, and what is stored of them; `gnn-tile-distribute` then writes the
    fragments. Four of a thread's columns still lie side by side.

    ```mlir
    %p = gnn_tile.contract %xs, %ys, %acc kind tf32x3 spread <each = [8, 4], lanes = [8, 16]> ...
    // becomes
    %p = gnn_tile.contract %xs, %ys, %acc kind tf32x3 spread <each = [2, 4], lanes = [32, 4]> ...
    ```

    Needs: the loops form of products. Keeps: what is loaded and staged, and how.
    Never leaves a store of such sums that is spread in another way than they were: it
    is an error at that op.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def LowerCoreProducts
    : Pass<"gnn-tile-lower-core-products", "::mlir::func::FuncOp"> {
  let summary = "Make loops of vectors of products, for the core of a CPU";
  let description = [{
    From the blocked form to that of one thread. In a range, 4 rows at a time stay in vector
    registers while the summed dimension goes by: what a block of threads stages in workgroup
    memory, a core has in its caches. They are vectors as long as a register of the module's target,
    as many as half of its registers hold. Columns past the last one are masked, rows past the last
    one read again and not stored.

    A transposed weight is copied, so that its columns lie side by side: as many of
    the summed rows as 48 KiB hold. Where these are not all, the sums of the range
    wait in between. With the `runs` of a schedule, an outer product adds up so many
    rows at a time.

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
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // GNN_TRANSFORMS_LOOPS_PASSES_TD
