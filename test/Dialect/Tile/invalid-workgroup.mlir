// RUN: gnn-opt %s --split-input-file --verify-diagnostics

// Arrays of a block: of rows of a range, and of two operands alone.

#space = #gpu.address_space<workgroup>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @traverse_c14_without_range(%x: memref<?x8xf32>, %y: memref<64x8xf32, #space>) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected buffers in global memory without a range, got 'memref<64x8xf32, #gpu.address_space<workgroup>>'}}
  gnn_tile.traverse @g <dst, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<64x8xf32, #space>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

#space = #gpu.address_space<workgroup>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @traverse_c14_input(%x: memref<64x8xf32, #space>, %y: memref<?x8xf32>, %i: index) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected buffers in global memory but for the output of a traversal and the input of a gemm, got 'memref<64x8xf32, #gpu.address_space<workgroup>>'}}
  gnn_tile.traverse @g <dst, features = 8> rows[%i to %i] columns[%i]
      ins(%x : memref<64x8xf32, #space>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 16, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

#space = #gpu.address_space<workgroup>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @traverse_c14_rows(%x: memref<?x8xf32>, %y: memref<32x8xf32, #space>, %i: index) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected an array in workgroup memory of 64 rows or more, got 'memref<32x8xf32, #gpu.address_space<workgroup>>'}}
  gnn_tile.traverse @g <dst, features = 8> rows[%i to %i] columns[%i]
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<32x8xf32, #space>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 16, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

#space = #gpu.address_space<workgroup>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @gemm_c12_at(%x: memref<64x8xf32, #space>, %w: memref<8x8xf32>, %y: memref<?x8xf32>, %a: memref<?xi32>, %i: index) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected an array in workgroup memory at the rows of the range, got one at #gnn_tile.at<group -> src : feature>}}
  gnn_tile.gemm @g rows src_pair rows[%i, %i] columns[%i]
      ins(%x, %w : memref<64x8xf32, #space>, memref<8x8xf32>) at <group -> src : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> index_arrays(%a : memref<?xi32>)
      schedule <n = 16, kind = ffma> {
  ^bb0(%p: f32):
    gnn_tile.yield %p : f32
  }
  return
}

// -----

#space = #gpu.address_space<workgroup>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @gemm_c12_output(%x: memref<?x8xf32>, %w: memref<8x8xf32>, %y: memref<64x8xf32, #space>, %i: index) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected buffers in global memory but for the output of a traversal and the input of a gemm, got}}
  gnn_tile.gemm @g rows src rows[%i, %i] columns[%i]
      ins(%x, %w : memref<?x8xf32>, memref<8x8xf32>) at <group : feature> extras at []
      outs(%y : memref<64x8xf32, #space>) at <group : feature>
      schedule <n = 16, kind = ffma> {
  ^bb0(%p: f32):
    gnn_tile.yield %p : f32
  }
  return
}

// -----

#space = #gpu.address_space<workgroup>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @outer_c9(%x: memref<64x8xf32, #space>, %d: memref<?x8xf32>, %w: memref<8x8xf32>, %i: index) {
  // expected-error @+1 {{'gnn_tile.outer' op expected buffers in global memory but for the output of a traversal and the input of a gemm, got}}
  gnn_tile.outer @g rows src rows[%i, %i] left[%i] right[%i]
      ins(%x, %d : memref<64x8xf32, #space>, memref<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%w : memref<8x8xf32>) schedule <n = 16, kind = ffma>
  return
}
