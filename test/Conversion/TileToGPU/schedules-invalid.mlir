// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-kernels-pipeline --verify-diagnostics --split-input-file

gnn.graph @g square {node_types = 2, edge_types = 3}

// A field that is set and cannot be honoured is named.

func.func @split_rows(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'split_rows': expected reductions over elements, got none}}
  gnn_tile.traverse @g <dst, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <split_rows = 64> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @vector(%x: memref<?x6xf32>, %y: memref<?x6xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'vector': rows are aligned to 2 features, not to 4}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 6>
      ins(%x : memref<?x6xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x6xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @element_lanes_of_a_row(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'element_lanes': expected 1, got 2}}
  gnn_tile.traverse @g <dst, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <element_lanes = 2> {
  ^bb0(%v: f32):
    %s = math.exp %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @columns_per_block(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'columns_per_block': expected a multiple of 64, got 48}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 48, lanes = 16> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @columns_of_a_dot(%x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'columns_per_block': a reduction over features needs all 256 of a row in one block, got 128}}
  gnn_tile.traverse @g <dst, features = 256>
      ins(%x : memref<?x256xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x256xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 128> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    %s = arith.mulf %v, %d : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @rows_per_block(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'rows_per_block': expected whole warps and at most 1024 threads, got 2048 threads}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <rows_per_block = 128> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @half_a_warp(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'rows_per_block': expected whole warps and at most 1024 threads, got 16 threads}}
  gnn_tile.traverse @g <dst, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <rows_per_block = 1> {
  ^bb0(%v: f32):
    %s = math.exp %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @lookup(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'lookup': expected rows without elements that lead to a node or pair whose rows lie side by side, got 'edge'}}
  gnn_tile.traverse @g <edge, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group -> dst : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <lookup = search> {
  ^bb0(%v: f32):
    %s = math.exp %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @row_order(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'row_order': expected groups of nodes or pairs, got 'edge'}}
  gnn_tile.traverse @g <edge, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_order = by_degree> {
  ^bb0(%v: f32):
    %s = math.exp %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @too_wide(%x: memref<?x40000xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op reduces rows of 1 x 40000 features, of which a lane would hold 313 vectors, expected at most 256}}
  gnn_tile.traverse @g <dst, features = 40000>
      ins(%x : memref<?x40000xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [feature] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @lanes(%x: memref<?x8192xf32>, %y: memref<?x8192xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'lanes': a lane would go through 8192 vectors of a row, expected at most 1024}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 8192>
      ins(%x : memref<?x8192xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x8192xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 8192, vector = 1, lanes = 1> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @vector_of_columns(%w: memref<2x4x4xf32>, %y: memref<8x4xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'vector': rows are aligned to 1 features, not to 2}}
  gnn_tile.traverse @g <8, features = 4>
      ins(%w : memref<2x4x4xf32>) at [#gnn_tile.at<group : feature, column>]
      outs(%y : memref<8x4xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 2> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @held_heads(%x: memref<?x300x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'lanes': a lane would go through 300 vectors of a row, expected at most 256}}
  gnn_tile.traverse @g <dst, heads = 300, features = 64>
      ins(%x : memref<?x300x64xf32>) at [#gnn_tile.at<group : head, feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 2, lanes = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [head] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// Blocks of other columns would read the rows that one has written over.

func.func @columns_in_place(%x: memref<?x64xf32>, %w: memref<64x64xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a buffer for output 0 that no input has, got that of input 0, which others read after it is written}}
  gnn_tile.gemm @g rows dst ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>) at <group : feature>
      extras at [] outs(%x : memref<?x64xf32>) at <group : feature> schedule <n = 32> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @distribution_of_rows(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'distribution': expected a walk by edges}}
  gnn_tile.traverse @g <dst, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <distribution = cyclic> {
  ^bb0(%v: f32):
    %s = math.exp %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @distribution_of_sums(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'distribution': expected no results of rows to have cyclic elements}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_walk = by_edges, distribution = cyclic> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @one_team(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'row_walk': expected 'rows_per_block' of 2 teams at least, which share a row, got 1}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2,
                rows_per_block = 1, row_walk = block> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @large_results(%x: memref<?x4x512xf32>, %y: memref<?x4x512xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'row_walk': expected results of at most 40 KiB a block, got more}}
  gnn_tile.traverse @g <dst, edge.in_rows, heads = 4, features = 512>
      ins(%x : memref<?x4x512xf32>) at [#gnn_tile.at<element -> src : head, feature>]
      outs(%y : memref<?x4x512xf32>) at [#gnn_tile.at<group : head, feature>]
      schedule <columns_per_block = 512, vector = 4, lanes = 32, head_lanes = 1, element_lanes = 1,
                rows_per_block = 8, row_walk = block> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
