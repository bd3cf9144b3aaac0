// RUN: gnn-opt %s --gnn-kernels-pipeline --verify-diagnostics --split-input-file
// RUN: gnn-opt %s --pass-pipeline="builtin.module(func.func(gnn-verify-schedules))" --verify-diagnostics --split-input-file

gnn.graph @g square {node_types = 2, edge_types = 3}

// The lowering decides nothing: it takes complete schedules.

func.func @none(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected a complete schedule, got none of 'columns_per_block' (gnn-schedule-pipeline chooses what is left out)}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @part(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected a complete schedule, got none of 'split_rows'}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = by_length> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @product(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a complete schedule, got none of 'n'}}
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
