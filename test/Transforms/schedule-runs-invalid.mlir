// RUN: gnn-opt %s --gnn-verify-schedules --split-input-file --verify-diagnostics

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @maximum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'runs': no floats are added up over elements}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team, runs = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @gemm(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'runs': expected an outer product, got 'gnn_tile.gemm'}}
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x8xf32>) at <group : feature>
      schedule <n = 16, kind = ffma, copies = registers, runs = 32> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
