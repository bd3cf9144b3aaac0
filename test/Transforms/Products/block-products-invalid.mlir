// RUN: gnn-opt %s --gnn-tile-block-products --split-input-file --verify-diagnostics

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @tensors(%x: tensor<?x64xf32>, %w: tensor<64x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected memrefs, got 'tensor<?x64xf32>'}}
  %z = gnn_tile.gemm @g rows src
      ins(%x, %w : tensor<?x64xf32>, tensor<64x8xf32>) at <group : feature> extras at []
      outs(%y : tensor<?x8xf32>) at <group : feature> schedule <n = 16> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @unscheduled(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a complete schedule, got none of 'n'}}
  gnn_tile.gemm @g rows src
      ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>) at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
