// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// A row is read at elements after it has been written.

func.func @traverse_c10(%x: memref<?xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected a buffer for output 0 that no input has, got that of input 0, which others read after it is written}}
  gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%x : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

// Each lane of a row reads it, one of them writes it.

func.func @traverse_c10_dims(%x: memref<?xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected a buffer for output 0 that no input has, got that of input 0, which others read after it is written}}
  gnn_tile.traverse @g <dst, features = 8> ins(%x : memref<?xf32>) at [#gnn_tile.at<group>]
      outs(%x, %y : memref<?xf32>, memref<?x8xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v, %v : f32, f32
  }
  return
}

// -----

// Another input is that buffer too.

func.func @traverse_c10_twice(%x: memref<?xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected a buffer for output 0 that no input has, got that of input 1, which others read after it is written}}
  gnn_tile.traverse @g <dst> ins(%x, %x : memref<?xf32>, memref<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<group>]
      outs(%x : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32, %u: f32):
    %s = arith.addf %v, %u : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @traverse_c10_outputs(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected a buffer for each output, got one for two}}
  gnn_tile.traverse @g <dst> ins(%x : memref<?xf32>) at [#gnn_tile.at<group>]
      outs(%y, %y : memref<?xf32>, memref<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<group>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v, %v : f32, f32
  }
  return
}

// -----

// Blocks of other columns read the rows.

func.func @gemm_c10(%x: memref<?x80xf32>, %w: memref<80x80xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a buffer for output 0 that no input has, got that of input 0, which others read after it is written}}
  gnn_tile.gemm @g rows dst ins(%x, %w : memref<?x80xf32>, memref<80x80xf32>) at <group : feature>
      extras at [] outs(%x : memref<?x80xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

func.func @outer_c7(%x: memref<64x64xf32>) {
  // expected-error @+1 {{'gnn_tile.outer' op expected a buffer for output 0 that no input has, got that of input 0, which others read after it is written}}
  gnn_tile.outer @g rows 64 ins(%x, %x : memref<64x64xf32>, memref<64x64xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>] outs(%x : memref<64x64xf32>)
  return
}
