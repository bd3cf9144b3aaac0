// Rows that a team cannot take together are errors that say why.
//
// RUN: gnn-opt %s --split-input-file --gnn-verify-schedules --verify-diagnostics

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @many(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      // expected-error @+1 {{expected 'rows_per_team' from 1 to 16, got 17}}
      schedule <rows_per_team = 17> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @by_length(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      // expected-error @+1 {{expected 'row_walk' team with 'rows_per_team', got by_length}}
      schedule <row_walk = by_length, rows_per_team = 2> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @maximum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'rows_per_team': expected sums and means over elements alone, got 'gnn_tile.reduce' max}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 4, rows_per_block = 16, row_order = natural, row_walk = team, rows_per_team = 4> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @window(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'window': the elements of several rows are merged}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 4, rows_per_block = 16, row_order = natural, row_walk = team, rows_per_team = 4, window = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @types(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'rows_per_team': expected nodes or pairs that have elements, got 'edge_type'}}
  gnn_tile.traverse @g <edge_type, edge.dst_pairs, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 4, rows_per_block = 16, row_order = natural, row_walk = team, rows_per_team = 4> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @twice(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'rows_per_team': expected elements that are walked once}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 4, rows_per_block = 16, row_order = natural, row_walk = team, rows_per_team = 4> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    %d = arith.subf %v, %s : f32
    %q = arith.mulf %d, %d : f32
    %t = gnn_tile.reduce sum [element] %q : f32
    gnn_tile.yield %t : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @features(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'rows_per_team': expected features and heads of elements that are not reduced}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 4, rows_per_block = 16, row_order = natural, row_walk = team, rows_per_team = 4> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    %m = arith.mulf %v, %d : f32
    %s = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @scores(%x: memref<?x64xf32>, %w: memref<?xf32>, %y: memref<?x64xf32>, %e: memref<?xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'rows_per_team': expected no results of elements}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x, %w : memref<?x64xf32>, memref<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
      outs(%y, %e : memref<?x64xf32>, memref<?xf32>) at [#gnn_tile.at<group : feature>, #gnn_tile.at<element -> edge>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 4, rows_per_block = 16, row_order = natural, row_walk = team, rows_per_team = 4> {
  ^bb0(%v: f32, %a: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s, %a : f32, f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @numbers(%w: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'rows_per_team': expected rows of features that elements lead to}}
  gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%w : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>]
      schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 1, in_flight = 4, rows_per_block = 32, row_order = natural, row_walk = team, rows_per_team = 4> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @wide(%x: memref<?x300xf32>, %y: memref<?x300xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'rows_per_team': a lane would have 1200 vectors of all rows, expected at most 1024}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 300>
      ins(%x : memref<?x300xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x300xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 300, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 1, in_flight = 4, rows_per_block = 32, row_order = natural, row_walk = team, rows_per_team = 4> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
