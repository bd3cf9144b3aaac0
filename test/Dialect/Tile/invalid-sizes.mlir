// RUN: gnn-opt %s --verify-diagnostics --split-input-file

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @traverse_c2_static(%x: memref<?x?xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected static sizes but that of rows at #gnn_tile.at<element -> src : feature>, got 'memref<?x?xf32>'}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x?xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @gemm_c1_static(%x: memref<?x64xf32>, %w: memref<64x?xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a weight of static sizes, got 'memref<64x?xf32>'}}
  gnn_tile.gemm @g rows src
      ins(%x, %w : memref<?x64xf32>, memref<64x?xf32>) at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
