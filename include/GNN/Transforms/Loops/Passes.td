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
  let summary = "Lower traversals on ranges to loops over rows and elements";
  let description = [{
    From the blocked to the loops form. Each team of a block takes a row
    (`gnn_tile.parallel`). A value of the body becomes a vector over the heads and
    features of its level, or a scalar. Reductions over elements become walks
    (`gnn_tile.walk`), one for each rank: reductions that need no others come first.
    Positions past the last row read that row again and store nothing. With a schedule
    `by_length`, teams skip rows with more than `split_rows` elements, and the block walks
    them one after the other. Walks that add up floats take the `runs` of the schedule,
    except those of teams whose rows are short by `split_rows`. Rows of more than 64
    vectors of one lane, as of a `#gnn_tile.core_schedule`, are not lowered, with a
    remark: their loops of vectors would be long code, whereas loops of scalars are short.

    The code is in a `gnn_tile.teams` with the lanes of the schedule. A traversal into
    workgroup memory is inside a loop over the rows of its range there.

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
  let summary = "Lower walks to loops with several slots and elements in flight";
  let description = [{
    A `gnn_tile.walk` becomes an `scf.for` over its elements. With n slots, each of them
    takes every n-th element, in a `gnn_tile.parallel` whose results are combined; with
    several elements in flight, a step of the loop computes all of them, loads first. Past
    the end, the last element is read again and ignored: a state that is combined by one
    operation is replaced by its identity, any other keeps its value. With a `run`, a
    second loop around this one combines runs of that many elements of a slot. Additions
    of runs are compensated: the loop carries the rounding error of each addition and adds
    it at the end, unless the sum is infinite or NaN.

    ```mlir
    %s = gnn_tile.walk from %begin to %end over element slots 2 in_flight 4 identity(%zero : f32) { ... } combine { ... }
    // becomes
    %s = gnn_tile.parallel 2 over element -> f32 {
    ^bb0(%slot: index):
      %p = scf.for %i = %begin to %end step %c8 iter_args(%a = %zero) -> (f32) { ... }
      gnn_tile.yield %p : f32
    } combine { ... }
    ```

    With a `window`, the loop is inside a loop over windows, whose extents follow from the
    row pointers: the remaining elements of the row, at most as many as a window has.
    Indices and numbers that the body loads by the position alone, and that lanes need
    unchanged, are staged first (`gnn_tile.stage_window`) and read from there; values that
    are needed to load them are not. Teams that share a warp process the same number of
    windows.

    ```mlir
    gnn_tile.stage_window %first to %last team %t into %sources, %weights ... { ... }
    %p = scf.for %i = %first to %last step %c8 iter_args(%a = %before) -> (f32) { ... }
    ```

    Needs: the loops form. Keeps: the value of every result up to the order in which
    states are combined, which is the same on every run, and with windows the same as
    without. Never: branches around a load. An op with a region in a walk is an error at
    that op.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerProducts : Pass<"gnn-tile-lower-products", "::mlir::func::FuncOp"> {
  let summary = "Lower products on ranges to loops over their depth";
  let description = [{
    From the blocked to the loops form. A loop processes the depth, or the rows of a
    matrix, in steps. The operands of a step are loaded (`gnn_tile.load_rows`), staged in
    workgroup memory with the depth first (`gnn_tile.stage`), and multiplied by a
    `gnn_tile.contract` that adds to the values carried by the loop. The body of a gemm
    works on the whole tile, which a `gnn_tile.store_rows` writes. Rows of a gemm's input
    past the last one are read again and not stored; other rows and columns out of range
    are 0.

    With the `runs` of a schedule, an outer product keeps the sum of the earlier rows in
    two parts (docs/Walks.md#long-sums), to which the end of a run adds its sum.

    Each op that stages, sums or stores has a spread of its values over threads, and each
    staged array (`gnn_tile.array`) a permutation; docs/Tile.md explains both.

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

    Needs: products on ranges. Keeps: the value of every result. Never: branches around a
    load.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def CopyAsync : Pass<"gnn-tile-copy-async", "::mlir::func::FuncOp"> {
  let summary = "Copy the operands of a step during the sum of the previous step";
  let description = [{
    A `gnn_tile.stage` by `async` does not use registers: it becomes one `in_flight`,
    which `gnn-tile-distribute` lowers to copies without a wait. In a loop whose steps
    stage `ahead`, the arrays become twice as deep, with two halves that steps take in
    turns: the operands of the next step are copied to one while the other is summed. The
    first step is copied in front of the loop, and the last one summed after it, if there
    is any step. Any other reader of a tile reads it where it is staged. In any other
    place a copy begins where its rows are known, and threads wait for it before its first
    read.

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
        nvgpu.device_async_wait %g // for the copies that the previous step began
        %other = arith.subi %c16, %half : index
        gnn_tile.stage %x, %l[%other] by in_flight ...
        ...                           // sum from row %half on
      }
      ...                             // wait, and sum the last step
    }
    ```

    Refused with a remark, and loaded: data that a thread does not stage by 16 bytes of a
    row in global memory, data that another block loads, and data that may be overwritten
    before the copy is read. The same holds for loops that also stage anything else, loops
    in which the copied data depends on the sum, or the sum on the number of the step, and
    loops after which a read, in the loop or after it, may find the data of an earlier
    step in the array.

    Windows of elements are copied in the same way, four bytes a lane, if the target has
    such copies; the walk waits for them.

    Needs: the loops form. Keeps: all bits. Never: copies data that no step stages.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def LoadAhead : Pass<"gnn-tile-load-ahead", "::mlir::func::FuncOp"> {
  let summary = "Load the operands of a step during the sum of the previous step";
  let description = [{
    A loop whose steps stage `ahead` carries the operands of its next step, and its staged
    arrays become twice as deep, with two halves that steps take in turns: threads that
    stage the next step need not wait for those that still sum. The first step is loaded
    in front of the loop, and the last one summed after it, if there is any step.

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

    Refused with a remark: loops in which the loaded data depends on the sum, or on an op
    with a region, loops whose sum depends on the number of the step, and loops in which a
    read, in the loop or after it, may find the data of an earlier step in an array.

    Needs: the loops form. Keeps: all bits. Never: loads data that no step stages.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def UseTensorCores
    : Pass<"gnn-tile-use-tensor-cores", "::mlir::func::FuncOp"> {
  let summary = "Spread the sums of products in the layout of tensor cores";
  let description = [{
    Products with `kind = tf32x3` in their schedule are summed in fragments of
    `mma.sync.m16n8k8` (PTX ISA, 9.7.14). This pass gives the sums, and their stores, this
    spread in the loops form; `gnn-tile-distribute` then writes the fragments. Four of a
    thread's columns are still adjacent.

    ```mlir
    %p = gnn_tile.contract %xs, %ys, %acc kind tf32x3 spread <each = [8, 4], lanes = [8, 16]> ...
    // becomes
    %p = gnn_tile.contract %xs, %ys, %acc kind tf32x3 spread <each = [2, 4], lanes = [32, 4]> ...
    ```

    Needs: the loops form of products. Keeps: loads and staging. Never leaves a store of
    such sums with a spread other than the former one of the sums: it is an error at that
    op.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def LowerCoreProducts
    : Pass<"gnn-tile-lower-core-products", "::mlir::func::FuncOp"> {
  let summary = "Lower products to loops of vectors, for the core of a CPU";
  let description = [{
    From the blocked form to that of one thread. In a range, 4 rows at a time stay in
    vector registers during the loop over the summed dimension: the caches of a core hold
    the data that a block of threads stages in workgroup memory. A row is as many vectors
    as half of the registers of the module's target hold, each as long as a register.
    Columns past the last one are masked; rows past the last one are read again and not
    stored.

    A transposed weight is copied, so its columns are adjacent: as many of the summed rows
    as 48 KiB hold. If these are not all, the sums of the range are stored in between.
    With the `runs` of a schedule, an outer product adds up that many rows at a time.

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

    Not lowered, with a remark: products of types other than f32.

    Needs: products on ranges. Keeps: the value of every result, and the order of every
    sum. Never: exchanges anything between threads.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // GNN_TRANSFORMS_LOOPS_PASSES_TD
