// RUN: gnn-opt %s --convert-gnn-tile-to-scalar-loops --verify-diagnostics --split-input-file

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @tensors(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op expected memrefs, got 'tensor<?xf32>'}}
  %z = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%y : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @strides(%x: memref<?xf32, strided<[2]>>, %y: memref<?xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected buffers without strides, got 'memref<?xf32, strided<[2]>>'}}
  gnn_tile.traverse @g <dst> ins(%x : memref<?xf32, strided<[2]>>) at [#gnn_tile.at<group>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @range_without_blocks(%x: memref<64x8xf32>, %w: memref<8x8xf32>, %y: memref<64x8xf32>, %i: index) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a loop over blocks around a range}}
  gnn_tile.gemm @g rows 64 rows[%i, %i] columns[%i]
      ins(%x, %w : memref<64x8xf32>, memref<8x8xf32>) at <group : feature> extras at []
      outs(%y : memref<64x8xf32>) at <group : feature> schedule <n = 16> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
