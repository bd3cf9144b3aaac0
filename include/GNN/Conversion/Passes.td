//===- Passes.td - Passes that change level ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gnn to gnn_tile, gnn_tile to gpu, and templates as loops of scalars.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CONVERSION_PASSES_TD
#define GNN_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGNNToGNNTile : Pass<"convert-gnn-to-gnn-tile", "::mlir::ModuleOp"> {
  let summary = "Lower whole-graph ops to gemm and traverse templates";
  let description = [{
    A product of rows and weights becomes a `gnn_tile.gemm` or `gnn_tile.outer`; any other
    op becomes a `gnn_tile.traverse`; an op that cannot become either is an error (Hector
    3.2.5, 3.4.2). The row space of an operand is in its access, no longer in its type.
    Edge rows that the function computes are in the order of their destinations' incoming
    edges, as their type states (`#gnn_tile.order<edge.in_rows>`); arguments and results
    stay in the user's order. A function that is written in `gnn_tile` does not change.

    ```mlir
    %y = gnn.spmm copy %x via src reduce sum via dst : (tensor<?x64xf32, #gnn.rows<@g, node>>) -> tensor<?x64xf32, #gnn.rows<@g, node>>
    // becomes
    %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x) at [#gnn_tile.at<element -> src : feature>] ... // yields the sum over elements
    ```

    Refused at the op: more than two feature dimensions if an op does not treat them all
    alike, constants that are neither numbers nor tensors, arguments that are neither
    tensors nor `i64`, several blocks; a function in a module without a graph.

    Needs: the graph form. Keeps: the value of every result. Never leaves an op of the
    `gnn` dialect except the graphs' declarations.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect"];
}

def ConvertGNNToGNNOverlay
    : Pass<"convert-gnn-to-gnn-overlay", "::mlir::func::FuncOp"> {
  let summary = "Lower ops on rows of nodes to layers of the overlay";
  let description = [{
    Values that depend on rows of nodes become layers of `gnn_overlay`
    (GraphAGILE 6.1): a product becomes a `linear`; rows of sources times a
    number of each edge, summed at destinations, become an `aggregate`; inner
    products of both ends, and sums of one number of each end, become a
    `vector_inner`. A mean is a sum with weights 1 / degree. A softmax of edges
    is `exp` of the scores, without their maximum, and a division by the sum of
    the weights, which is the sum of a column of ones beside the features. Each
    of several heads has its own layers.

    A repeated weight that is added becomes the bias of a product or the initial value
    of a sum, also through an addition that is the only reader of its operand; otherwise
    it is a `batch_norm`. Values that depend only on weights, the graph and numbers of
    edges stay `gnn`, for `gnn-overlay-outline-prepare`.

    ```mlir
    %m = gnn.apply mul %w, %x via src : (tensor<?xf32, #edge>, tensor<?x16xf32, #node>) -> tensor<?x16xf32, #edge>
    %y = gnn.aggregate sum %m via dst : tensor<?x16xf32, #edge> -> tensor<?x16xf32, #node>
    // becomes
    %y = gnn_overlay.aggregate sum %x weights %w : tensor<?x16xf32, #node>, tensor<?xf32, #edge> -> tensor<?x16xf32, #node>
    ```

    Refused at the op, with one error ("has no overlay layer"): every other op, an op
    whose region reads rows, edges of two graphs, numbers that are not f32, a result
    that is an argument or depends on no rows. Existing layers stay.

    Needs: the graph form, inlined. Keeps: the value of every result, up to rounding and
    as long as no exponential overflows. Never changes a signature.
  }];
  let dependentDialects = [
    "::gnn::overlay::OverlayDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect"];
}

def ConvertGNNTileToScalarLoops
    : Pass<"convert-gnn-tile-to-scalar-loops", "::mlir::func::FuncOp"> {
  let summary = "Lower each template to loops of scalars";
  let description = [{
    Every `gnn_tile.gemm`, `gnn_tile.traverse` and `gnn_tile.outer` on memrefs becomes
    the loops of its definition: over groups, heads, features and elements, with loads
    and stores of scalars. A value of a body is computed at each use, a reduction by a
    loop of its own, in the order of the elements. An input that is overwritten is
    copied first, a row at a time. The result is one block of one thread, which
    `convert-gnn-tile-to-gpu` turns into a kernel.

    The loops are the executable definition of a template: schedules have no effect, and
    no code is shared with the lowerings that are compared with them. The sums of the
    two may differ in the last bits, because the order of addition differs.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ... // the sum over elements
    // becomes
    gnn_tile.blocks to [1] step [1] template "traverse" threads 1 {
    ^bb0(%b: index):
      scf.for %i = %c0 to %n step %c1 {
        %begin, %end = ... // of row %i
        scf.for %f = %c0 to %c64 step %c1 {
          %s = scf.for %e = %begin to %end step %c1 iter_args(%sum = %zero) -> (f32) {
            ...
          }
          memref.store %s, %y[%i, %f] : memref<?x64xf32>
        }
      }
    }
    ```

    A template on a range becomes loops over this range, in place in its loop over
    blocks, which then has one thread.

    Needs: memrefs with identity layouts. Keeps: the value of every written element, and
    the order of templates. Never leaves a template.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect",
    "::gnn::tile::TileDialect"];
}

def ConvertGNNTileVectorsToScalarLoops
    : Pass<"convert-gnn-tile-vectors-to-scalar-loops", "::mlir::func::FuncOp"> {
  let summary = "Lower the vectors of a loop over blocks to loops of scalars";
  let description = [{
    Lets one thread of each block run the loops form. A vector that is read,
    summed by a `gnn_tile.contract`, reduced, carried by a loop or needed twice
    becomes an array; other vectors are computed element by element at their
    uses. A `gnn_tile.walk` takes one element after the other, 64 at a time with
    a state of their own; a `gnn_tile.parallel` takes one worker after the
    other. The attributes for threads in this form (`gnn_tile.teams`, spreads,
    permutations of arrays) have no effect.

    ```mlir
    gnn_tile.stage %x, %staged[%c0] transposed by registers spread <each = [1, 4], lanes = [32, 4]> : vector<64x16xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
    // becomes
    scf.for %i = %c0 to %c64 step %c1 {
      scf.for %j = %c0 to %c16 step %c1 {
        %e = memref.load %array[%i, %j] : memref<64x16xf32>
        memref.store %e, %staged[%j, %i] : memref<16x64xf32, #gpu.address_space<workgroup>>
      }
    }
    ```

    Needs: the loops form (`gnn-loops-pipeline`). Keeps: the bits of products, and the
    value of each result up to the order in which the elements of a row and of a vector
    are added. Never leaves a vector: an unknown op is an error at that op.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::gnn::tile::TileDialect"];
}

def ConvertGNNTileToGPU : Pass<"convert-gnn-tile-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Lower each loop over blocks to a GPU kernel and its launch";
  let description = [{
    A `gnn_tile.blocks` with `threads`, whose body is the code of one thread, becomes a
    `gpu.func` of this body and a `gpu.launch_func` with one block for each iteration
    and this number of threads. Values of the host that the body uses become arguments
    in the order of first use: buffers as bare pointers, those of dynamic rows through a
    `memref.reinterpret_cast` in front of the loop, which states the number of rows;
    structures of the graph; integers. Constants are copied into the kernel. A
    `memref.alloca` of the workgroup becomes its shared memory. The `schedule` of the
    loop becomes `gnn.schedule` of the launch, for reports, as does `gnn.schedule_from`.

    ```mlir
    %xv = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 64], strides: [64, 1] : memref<?x64xf32> to memref<?x64xf32>
    gnn_tile.blocks to [%n] step [8] threads 256 {
    ^bb0(%b: index):
      %t = gpu.thread_id x
      ...
    }
    // becomes
    gpu.launch_func @f_kernels::@f_0_spmm blocks in (%blocks, %c1, %c1) threads in (%c256, %c1, %c1) args(%p : memref<1x64xf32>, %n : index)
    ```

    Needs: memrefs of f32 and i32 with identity layouts, results in arguments; constant
    steps and lower bounds of loops over blocks, and no `gnn_tile` op left in them.
    Keeps: the order of launches; the same bits on every run (no atomics). Never:
    allocates, copies to the host or synchronises.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::func::FuncDialect"];
}

#endif // GNN_CONVERSION_PASSES_TD
