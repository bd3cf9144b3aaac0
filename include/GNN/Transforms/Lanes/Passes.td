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
    From the loops to the lanes form. A spread states which rows and columns of a vector a
    thread holds; the vector becomes these parts, of adjacent columns. Scalars are computed
    by every thread.

    A `gnn_tile.teams` has one spread for all vectors in it, over heads and features, which
    stay where they are. A reduction of a vector becomes one in the lane and a
    `gpu.subgroup_reduce`. A `gnn_tile.parallel` becomes the work of one of its workers; its
    results are exchanged between the lanes of a warp, and between warps in workgroup
    memory. A lane past the end of a row reads the row's beginning, which is masked in the
    results; one lane stores each value.

    Outside of it, ops that stage, sum and store have spreads. Their operands take the same
    spread, and are computed twice if two users need different ones. A thread loads pieces
    of up to 4 columns, stages them, reads its rows and columns of each staged k and adds
    their products in the order of k. Values that only a store needs are computed at the
    store, row by row, so few are alive at once. A barrier is placed where threads read data
    that others have written since the last barrier, or overwrite data that others have read
    or written. This holds for workgroup memory, and for global memory except where each
    thread overwrites data that it has loaded for this purpose, or stored with the same
    spread. Threads wait for teams as a whole. In a view of a buffer, lanes of teams use
    what they have written by the same indices and type, or not at all. Values that a team
    writes to a private array stay in values of its lanes. If teams are single lanes,
    adjacent lanes load the numbers of their shares together and transpose them by shuffles
    (`gnn_tile.load_numbers`).

    Needs: the loops form with walks spread. Keeps: the order of every sum. Never leaves a
    vector of the loops form. Errors at the op are: an op that the pass cannot distribute, a
    vector that needs two spreads, an op with other effects than a load or a store, which
    every thread would repeat, an exchange that not all lanes of a warp reach, and an array
    in workgroup memory for which lanes would have to wait.
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
