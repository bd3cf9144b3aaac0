// RUN: gnn-opt %s --gnn-tile-block-traversals --gnn-tile-block-products --gnn-tile-block-traversals --gnn-tile-block-products \
// RUN:   --remarks-filter='gnn-tile-block-(traversals|products)' --remark-policy=all --verify-diagnostics | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// A template on a range has its blocks.
//
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-2: gnn_tile.blocks
// CHECK-NOT:     gnn_tile.blocks
func.func @twice(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>, %z: memref<?x64xf32>) {
  // expected-remark @+2 {{blocks of 8 rows and 64 columns}}
  // expected-remark @+1 {{is already on a range}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+2 {{tiles of 64 rows and 64 columns}}
  // expected-remark @+1 {{is already on a range}}
  gnn_tile.gemm @g rows dst ins(%y, %w : memref<?x64xf32>, memref<64x64xf32>)
      at <group : feature> extras at [] outs(%z : memref<?x64xf32>) at <group : feature>
      schedule <n = 64, kind = ffma, copies = registers> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
