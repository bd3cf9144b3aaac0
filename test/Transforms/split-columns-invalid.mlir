// RUN: gnn-opt %s --gnn-tile-split-columns --split-input-file --verify-diagnostics

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @f(%x: memref<?x64xf32>, %s: memref<?xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'columns_per_block': a reduction over features needs all 64 of a row in one block, got 32: it reduces over elements besides}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?xf32>) at [#gnn_tile.at<group>]
      schedule <columns_per_block = 32, vector = 4, lanes = 8, head_lanes = 1, element_lanes = 4, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    %e = gnn_tile.reduce sum [element] %d : f32
    gnn_tile.yield %e : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @f(%x: memref<?x64xf32>, %s: memref<?xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'columns_per_block': a reduction over features needs all 64 of a row in one block, got 32: what is reduced needs a reduction of all features}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?xf32>) at [#gnn_tile.at<element>]
      schedule <columns_per_block = 32, vector = 4, lanes = 8, head_lanes = 1, element_lanes = 4, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    %c = arith.subf %v, %d : f32
    %q = arith.mulf %c, %c : f32
    %e = gnn_tile.reduce sum [feature] %q : f32
    gnn_tile.yield %e : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @f(%x: memref<?x64xf32>, %s: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'columns_per_block': a reduction over features needs all 64 of a row in one block, got 32: its results have features}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?x64xf32>) at [#gnn_tile.at<element : feature>]
      schedule <columns_per_block = 32, vector = 4, lanes = 8, head_lanes = 1, element_lanes = 4, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    %c = arith.subf %v, %d : f32
    gnn_tile.yield %c : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// Heads that are reduced are taken at once.
func.func @f(%x: memref<?x2x64xf32>, %s: memref<?xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'heads_per_block': it reduces over heads}}
  gnn_tile.traverse @g <dst, edge.in_rows, heads = 2, features = 64>
      ins(%x : memref<?x2x64xf32>) at [#gnn_tile.at<element -> src : head, feature>]
      outs(%s : memref<?xf32>) at [#gnn_tile.at<element>]
      schedule <columns_per_block = 64, heads_per_block = 1, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [head, feature] %v : f32
    gnn_tile.yield %d : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @f(%x: memref<?x2x64xf32>, %s: memref<?x2xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'heads_per_block': expected at most the 2 heads of a row, got 3}}
  gnn_tile.traverse @g <dst, edge.in_rows, heads = 2, features = 64>
      ins(%x : memref<?x2x64xf32>) at [#gnn_tile.at<element -> src : head, feature>]
      outs(%s : memref<?x2xf32>) at [#gnn_tile.at<element : head>]
      schedule <columns_per_block = 64, heads_per_block = 3, vector = 4, lanes = 8, head_lanes = 1, element_lanes = 4, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    gnn_tile.yield %d : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// Two results of one sum: its parts are in memory of their own.
func.func @no_workspace(%x: memref<?x64xf32>, %s: memref<?xf32>, %t: memref<?xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected a function with a workspace for the parts of its sums (gnn-tile-plan-memory)}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s, %t : memref<?xf32>, memref<?xf32>) at [#gnn_tile.at<element>, #gnn_tile.at<element>]
      schedule <columns_per_block = 32, vector = 4, lanes = 8, head_lanes = 1, element_lanes = 4, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    %e = math.exp %d : f32
    gnn_tile.yield %d, %e : f32, f32
  }
  return
}
