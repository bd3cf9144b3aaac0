// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-kernels-pipeline --gnn-math-pipeline -o %t.mlir
// RUN: gnn-opt %t.mlir --gnn-ptx-pipeline=chip=sm_80 | FileCheck %s --check-prefixes=PTX,HINT
// RUN: gnn-opt %t.mlir --gnn-ptx-pipeline=chip=sm_90 | FileCheck %s --check-prefix=HINT
// RUN: gnn-opt %t.mlir --gnn-ptx-pipeline="chip=sm_80 features=+ptx75" | FileCheck %s --check-prefix=HINT
// RUN: gnn-opt %t.mlir --gnn-ptx-pipeline="chip=sm_80 features=+ptx70" | FileCheck %s --check-prefix=NONE
// RUN: gnn-opt %t.mlir --gnn-ptx-pipeline=chip=sm_75 | FileCheck %s --check-prefix=NONE
// RUN: gnn-opt %t.mlir --gnn-ptx-pipeline="chip=sm_90 cache-policies=false" | FileCheck %s --check-prefix=NONE

// PTX has the version that its instructions need: 7.4 for policies, which the chip alone does not
// ask for. The words of 16 elements are 4 loads, and so are their weights.
//
// PTX:            .version 7.4
// HINT:           createpolicy.fractional.L2::evict_first.b64
// HINT-COUNT-8:   ld.global.nc.L2::cache_hint.v4.b32
// HINT-NOT:       cache_hint
// NONE:           .visible .entry weighted_0_traverse
// NONE-NOT:       createpolicy
// NONE-NOT:       cache_hint
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @weighted(%x: memref<?x4xf32>, %w: memref<?xf32>, %y: memref<?x4xf32>,
    %workspace: memref<?xi8> {gnn.workspace}) {
  %none = arith.constant 0 : index
  gnn_tile.workspace_size %none
  gnn_tile.traverse @g <dst, edge.in_rows, features = 4> ins(%x, %w : memref<?x4xf32>, memref<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element>]
      outs(%y : memref<?x4xf32>) at [#gnn_tile.at<group : feature>] schedule <in_flight = 16, row_walk = by_edges> {
  ^bb0(%v: f32, %f: f32):
    %p = arith.mulf %v, %f : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}
