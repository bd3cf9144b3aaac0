// RUN: gnn-opt %s --gnn-graph-pipeline | FileCheck %s --check-prefix=GRAPH
// RUN: gnn-opt %s --gnn-graph-pipeline --gnn-tile-pipeline | FileCheck %s --check-prefix=TILE
// RUN: gnn-opt %s --gnn-tile-pipeline --gnn-schedule-pipeline --gnn-kernels-pipeline | FileCheck %s --check-prefix=GPU
// RUN: gnn-opt %s --gnn-tile-pipeline --gnn-schedule-pipeline --gnn-kernels-pipeline --gnn-math-pipeline --gnn-ptx-pipeline | FileCheck %s --check-prefix=PTX
// RUN: gnn-opt %s --gnn-compile-pipeline | FileCheck %s --check-prefix=PTX

// One layer of RGCN at every border.

gnn.graph @g square {node_types = 1, edge_types = 3}
!node = tensor<?x64xf32, #gnn.rows<@g, node>>
!out = tensor<?x16xf32, #gnn.rows<@g, node>>
!edge = tensor<?x64xf32, #gnn.rows<@g, edge>>
!message = tensor<?x16xf32, #gnn.rows<@g, edge>>
!weight = tensor<3x64x16xf32, #gnn.rows<@g, edge_type>>

// Level 1 stays level 1; the same row is gathered once.
//
// GRAPH-LABEL: func.func @rgcn
// GRAPH-COUNT-1: gnn.gather
// GRAPH-NOT:     gnn.gather
// GRAPH:         gnn.typed_linear
// GRAPH:         gnn.aggregate
//
// Results are arguments, buffers views of one workspace, the product gathers,
// bias and activation are in the sum.
//
// TILE-LABEL: func.func @rgcn
// TILE-SAME:    memref<?x16xf32> {bufferize.result, gnn.rows = #gnn.rows<@g, node>}
// TILE-SAME:    memref<?xi8> {gnn.workspace}
// TILE:         gnn_tile.workspace_size
// TILE-NOT:     memref.alloc
// TILE:         gnn_tile.gemm @g rows src_pair types edge_type
// TILE-SAME:      at <group -> src : feature>
// TILE:         gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
// TILE:           gnn_tile.reduce sum [element]
// TILE:           arith.addf
// TILE:           arith.maximumf
// TILE-NOT:     gnn_tile.gemm
// TILE-NOT:     gnn_tile.traverse
// TILE-NOT:     memref.copy
//
// Two kernels, and a straight line that launches them.
//
// GPU:         gpu.module @rgcn_kernels
// GPU:           gpu.func @rgcn_0_typed_linear
// GPU:           gpu.func @rgcn_1_aggregate
// GPU-LABEL: func.func @rgcn
// GPU:         gpu.launch_func @rgcn_kernels::@rgcn_0_typed_linear
// GPU:         gpu.launch_func @rgcn_kernels::@rgcn_1_aggregate
// GPU-NOT:     gnn_tile.{{gemm|traverse}} @
//
// PTX:         gpu.binary @rgcn_kernels
// PTX-SAME:      chip = "sm_90"
// PTX-SAME:      .visible .entry rgcn_0_typed_linear(
// PTX-SAME:      .visible .entry rgcn_1_aggregate
// PTX-LABEL: func.func @rgcn
// PTX:         gpu.launch_func @rgcn_kernels::@rgcn_0_typed_linear
func.func @rgcn(%x: !node, %w: !weight, %b: tensor<16xf32>) -> !out {
  %e = gnn.gather %x via src : !node -> !edge
  %f = gnn.gather %x via src : !node -> !edge
  %m = gnn.typed_linear %f, %w : (!edge, !weight) -> !message
  %s = gnn.aggregate sum %m via dst : !message -> !out
  %c = gnn.broadcast %b : tensor<16xf32> -> !out
  %t = arith.addf %s, %c : !out
  %y = gnn.activation relu %t : !out
  return %y : !out
}
