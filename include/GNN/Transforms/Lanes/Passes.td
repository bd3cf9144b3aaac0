//===- Passes.td - Loops to lanes --------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_LANES_PASSES_TD
#define GNN_TRANSFORMS_LANES_PASSES_TD

include "mlir/Pass/PassBase.td"

def Distribute : Pass<"gnn-tile-distribute", "::mlir::func::FuncOp"> {
  let summary = "Give each thread of a block its part of loops and vectors";
  let description = [{
    From the loops to the lanes form. A spread says of each vector which rows and
    columns of it a thread holds; it becomes these parts, of columns side by side.
    Scalars are computed by every thread.

    A `gnn_tile.teams` has one spread for all vectors in it, over heads and features,
    which are held where they stand. A reduction of a vector becomes one
    in the lane and a `gpu.subgroup_reduce`. A `gnn_tile.parallel` becomes the work of
    one of its workers; its results are exchanged between the lanes of a warp, and
    between warps in workgroup memory. A lane past the end of a row reads the row's
    beginning, which is masked where it would count; one lane stores each value.

    Around it, what is staged, summed and stored says its spread; what it is computed of
    is held like it, and computed twice where two ask for it in different ways. A
    thread loads pieces of up to 4 columns, stages them, reads its rows and columns of
    each staged k and adds their products in the order of k. Values that only a store
    needs are computed where it stores, row by row, so that few are alive at once.
    Barriers stand where threads read what others have written since the last one, or
    write what they have read or written: in workgroup memory, and in global memory
    but where each thread stores over what it has loaded for that, or stored by the
    same spread. Teams are waited for as a whole. In a view of a buffer, lanes of teams
    use what they have written by the same indices and type, or not at all. Values that a team writes
    to a private array stay in values of its lanes. Where teams are single lanes, adjacent lanes
    load the numbers of their shares together and transpose them by shuffles
    (`gnn_tile.load_numbers`).

    Needs: the loops form with walks spread. Keeps: the order of every sum. Never leaves
    a vector of the loops form: an op that it cannot distribute, and a vector that two
    spreads meet in, is an error at that op, and so is one with other effects than a load
    or a store, which every thread would repeat. An exchange that not all lanes of a
    warp reach is an error, and an array in workgroup memory that lanes would have to
    wait for.
  }];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::nvgpu::NVGPUDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

#endif // GNN_TRANSFORMS_LANES_PASSES_TD
