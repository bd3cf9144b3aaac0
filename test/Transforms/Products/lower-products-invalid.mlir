// RUN: gnn-opt %s --gnn-tile-lower-products --verify-diagnostics

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @all(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a product on a range, got one on all rows}}
  gnn_tile.gemm @g rows src
      ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>) at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <n = 16> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
