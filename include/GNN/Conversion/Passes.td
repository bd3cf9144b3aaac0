//===- Passes.td - Passes that change level ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gnn -> gnn_tile, gnn_tile -> gpu.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CONVERSION_PASSES
#define GNN_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertGNNTileToGPU : Pass<"convert-gnn-tile-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Make a GPU kernel and its launch of each template";
  let description = [{
    Every `gnn_tile.gemm`, `gnn_tile.traverse` and `gnn_tile.outer` on memrefs
    becomes a `gpu.func` and a `gpu.launch_func` with its grid. Kernels take
    bare pointers; counts and structures of the graph become
    `gnn_tile.count` and `gnn_tile.structure` of the host function, which ends
    as a straight line. Schedule fields that are set are honoured or are an
    error at the op.

    Needs: templates on memrefs with identity layouts, results in arguments.
    Keeps: the order of launches; the same bits on every run (no atomics).
    Never: allocates, copies to the host or synchronises.
  }];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::func::FuncDialect"];
}

#endif // GNN_CONVERSION_PASSES
