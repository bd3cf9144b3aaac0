// RUN: gnn-opt %s --gnn-verify-schedules --verify-diagnostics --split-input-file

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @lanes_of_elements(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'element_lanes': expected 1 where 'row_walk' is by_edges, got 2}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 8, rows_per_block = 8, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @order(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'row_order': a walk by edges takes rows as they lie}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = by_degree, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @in_flight(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'in_flight': expected what divides the 64 elements of a team, got 5}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 5, rows_per_block = 16, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @teams(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'rows_per_block': expected teams whose 64 elements each are a power of two of at most 16384, got 640}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 10, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @types(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'row_walk': expected nodes or pairs that have elements, got 'edge_type'}}
  gnn_tile.traverse @g <edge_type, edge.dst_pairs, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @twice(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'row_walk': expected elements that are walked once}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
    %m = gnn_tile.reduce max [element] %v : f32
    %d = arith.subf %v, %m : f32
    %s = gnn_tile.reduce sum [element] %d : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @behind(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'row_walk': expected no reductions over heads or features of a group}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
    %t = gnn_tile.reduce sum [element] %v : f32
    %m = gnn_tile.reduce max [feature] %t : f32
    %s = arith.subf %t, %m : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @atomic_max(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'merge': expected results that are sums or means of f32 over elements, times what is known of their group, to add parts by atomics: result 0 is none}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges, merge = atomic> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// Its rows have no results.
func.func @atomic_dots(%x: memref<?x64xf32>, %e: memref<?xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'merge': expected results of rows, whose parts are added}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%e : memref<?xf32>) at [#gnn_tile.at<element>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges, merge = atomic> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    gnn_tile.yield %d : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @atomic_in_place(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'merge': expected results in memory that is not read, to set it to zero before: result 0 is an input}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x, %y : memref<?x64xf32>, memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges, merge = atomic> {
  ^bb0(%v: f32, %own: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    %p = arith.mulf %s, %own : f32
    gnn_tile.yield %p : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @atomic_rows(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'merge': expected a walk by edges}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = team, merge = atomic> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @runs_of_atomics(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'runs': expected parts of rows that atomics do not add}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : memref<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>] outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges, runs = 32, merge = atomic> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @processor_blocks(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'processor_blocks': a multiprocessor has at most 2048 threads at work, got 9 blocks of 256}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, processor_blocks = 9, rows_per_block = 16, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @parts(%x: memref<?x64xf32>, %p: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'row_walk': expected groups without parts, got parts of 'long_tiles<dst, edge.in_rows, 100>'}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      parts(%p : memref<?x64xf32>) of long_tiles<dst, edge.in_rows, 100>
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 8, rows_per_block = 16, row_order = natural, row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
