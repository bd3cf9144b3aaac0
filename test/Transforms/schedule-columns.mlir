// RUN: gnn-opt %s --pass-pipeline="builtin.module(func.func(gnn-tile-schedule-columns))" \
// RUN:   --remarks-filter=gnn-tile-schedule-columns --remark-format=emitRemark --split-input-file --verify-diagnostics | FileCheck %s
// RUN: gnn-opt %s --pass-pipeline="builtin.module(func.func(gnn-tile-schedule-columns{tiles=false}))" \
// RUN:   --split-input-file | FileCheck %s --check-prefix=WHOLE

// A graph like Reddit's: 128 features of all nodes are 119 MB, twice the L2, 32
// are 30 MB. The index arrays are read once for each tile.

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 232965,
  dst_nodes = 232965, edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232965]>}

// CHECK-LABEL: func.func @wide
// CHECK:         schedule <columns_per_block = 32, vector = 4>
func.func @wide(%x: memref<?x128xf32>, %y: memref<?x128xf32>) {
  // expected-remark-re @+1 {{blocks take 32 of 128 columns, which fit the L2: {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 128>
      ins(%x : memref<?x128xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x128xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Rows that fit the L2 are read once.
//
// CHECK-LABEL: func.func @narrow
// CHECK:         schedule <columns_per_block = 32, vector = 4>
func.func @narrow(%x: memref<?x32xf32>, %y: memref<?x32xf32>) {
  // expected-remark-re @+1 {{no tile of columns is faster than all 32 columns in a block, {{[0-9.]+}} us by the model}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 32>
      ins(%x : memref<?x32xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x32xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// A score of each edge is the sum of those of tiles, each of which adds to it.
//
// CHECK-LABEL: func.func @dot
// CHECK:         schedule <columns_per_block = 32, vector = 4, row_walk = by_edges>
// WHOLE-LABEL: func.func @dot
// WHOLE:         schedule <columns_per_block = 128, vector = 4, row_walk = by_edges>
func.func @dot(%x: memref<?x128xf32>, %z: memref<?x128xf32>, %y: memref<?xf32>) {
  // expected-remark-re @+1 {{blocks take 32 of 128 columns, which fit the L2: {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 128>
      ins(%x, %z : memref<?x128xf32>, memref<?x128xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  }
  return
}

// Heads have nothing to add. A head of 64 features would not fit the L2, two of
// 16 do; a tile is a line of the cache at least.
//
// CHECK-LABEL: func.func @heads
// CHECK:         schedule <columns_per_block = 16, heads_per_block = 2, vector = 4>
// CHECK:         schedule <columns_per_block = 64, vector = 4>
// WHOLE-LABEL: func.func @heads
// WHOLE:         schedule <columns_per_block = 16, vector = 4>
// WHOLE:         schedule <columns_per_block = 64, vector = 4>
func.func @heads(%x: memref<?x8x16xf32>, %y: memref<?x8xf32>, %v: memref<?x2x64xf32>, %u: memref<?xf32>) {
  // expected-remark-re @+1 {{blocks take 2 of 8 heads, which fit the L2: {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model}}
  gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 16>
      ins(%x : memref<?x8x16xf32>) at [#gnn_tile.at<element -> src : head, feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<element : head>] {
  ^bb0(%one: f32):
    %d = gnn_tile.reduce sum [feature] %one : f32
    gnn_tile.yield %d : f32
  }
  // A result of all heads has no tiles of these; 32 columns of both are no less.
  // expected-remark-re @+1 {{no tile of columns is faster than all 64 columns in a block, {{[0-9.]+}} us by the model}}
  gnn_tile.traverse @g <dst, edge.in_rows, heads = 2, features = 64>
      ins(%v : memref<?x2x64xf32>) at [#gnn_tile.at<element -> src : head, feature>]
      outs(%u : memref<?xf32>) at [#gnn_tile.at<element>] {
  ^bb0(%one: f32):
    %d = gnn_tile.reduce sum [head, feature] %one : f32
    gnn_tile.yield %d : f32
  }
  return
}

// A body that needs the sum of all features for each of them needs the whole
// row.
//
// CHECK-LABEL: func.func @weighted_by_dot
// CHECK:         schedule <columns_per_block = 128, vector = 4>
func.func @weighted_by_dot(%x: memref<?x128xf32>, %y: memref<?x128xf32>) {
  // expected-remark-re @+1 {{no tile of columns is faster than all 128 columns in a block, {{[0-9.]+}} us by the model; tiles of columns are impossible: it reduces over elements besides}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 128>
      ins(%x : memref<?x128xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x128xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    %p = arith.mulf %v, %d : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Rows of edges in their own order are no gather: each is read once.
//
// CHECK-LABEL: func.func @streamed
// CHECK:         schedule <columns_per_block = 128, vector = 4>
func.func @streamed(%x: memref<?x128xf32>, %y: memref<?x128xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 128>
      ins(%x : memref<?x128xf32>) at [#gnn_tile.at<element : feature>]
      outs(%y : memref<?x128xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Columns that are set stay.
//
// CHECK-LABEL: func.func @given
// CHECK:         schedule <columns_per_block = 64, vector = 4>
func.func @given(%x: memref<?x128xf32>, %y: memref<?x128xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 128>
      ins(%x : memref<?x128xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x128xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

// Without statistics, blocks take whole rows of up to 128 vectors.

gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @unknown
// CHECK:         schedule <columns_per_block = 512, vector = 4>
func.func @unknown(%x: memref<?x1000xf32>, %y: memref<?x1000xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 1000>
      ins(%x : memref<?x1000xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x1000xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
gnn.graph @many square {node_types = 1, edge_types = 474}

// Tiles of few groups: few columns, for many blocks.
//
// CHECK-LABEL: func.func @tiles_of_the_graph
// CHECK:         schedule <columns_per_block = 16, vector = 4>
func.func @tiles_of_the_graph(%x: memref<?x64xf32>, %y: memref<1x64xf32>) {
  gnn_tile.traverse @g <graph, tiles<graph, dst, 1024>, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element : feature>]
      outs(%y : memref<1x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// 3 times 256 blocks of 16 columns are more than the GPU takes at once.
//
// CHECK-LABEL: func.func @tiles_of_types
// CHECK:         schedule <columns_per_block = 32, vector = 4>
func.func @tiles_of_types(%x: memref<?x4096xf32>, %y: memref<3x4096xf32>) {
  gnn_tile.traverse @g <edge_type, tiles<edge_type, src_pair, 1024>, features = 4096>
      ins(%x : memref<?x4096xf32>) at [#gnn_tile.at<element : feature>]
      outs(%y : memref<3x4096xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @tiles_of_many_types
// CHECK:         schedule <columns_per_block = 128, vector = 4>
func.func @tiles_of_many_types(%x: memref<?x4096xf32>, %y: memref<474x4096xf32>) {
  gnn_tile.traverse @many <edge_type, tiles<edge_type, src_pair, 1024>, features = 4096>
      ins(%x : memref<?x4096xf32>) at [#gnn_tile.at<element : feature>]
      outs(%y : memref<474x4096xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Rows of weights by their node types: one group of 474 elements.
//
// CHECK-LABEL: func.func @weights_of_types
// CHECK:         schedule <columns_per_block = 16, vector = 4>
func.func @weights_of_types(%w: memref<474x4096xf32>, %y: memref<1x4096xf32>) {
  gnn_tile.traverse @many <src_node_type, edge_type.src_types, features = 4096>
      ins(%w : memref<474x4096xf32>) at [#gnn_tile.at<element -> edge_type : feature>]
      outs(%y : memref<1x4096xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// A sum of three rows, which any block does for its columns.
//
// CHECK-LABEL: func.func @sum_of_parts
// CHECK:         schedule <columns_per_block = 64, vector = 4>
func.func @sum_of_parts(%x: memref<1x3x32768xf32>, %y: memref<1x32768xf32>) {
  gnn_tile.traverse @g <1, heads = 3, features = 32768>
      ins(%x : memref<1x3x32768xf32>) at [#gnn_tile.at<group : head, feature>]
      outs(%y : memref<1x32768xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [head] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Two lanes share 300 heads, each of which holds 150, so that 16 are left for features.
//
// CHECK-LABEL: func.func @sum_of_many_heads
// CHECK:         schedule <columns_per_block = 32, vector = 2>
func.func @sum_of_many_heads(%x: memref<?x300x130xf32>, %y: memref<?x130xf32>) {
  gnn_tile.traverse @g <dst, heads = 300, features = 130>
      ins(%x : memref<?x300x130xf32>) at [#gnn_tile.at<group : head, feature>]
      outs(%y : memref<?x130xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [head] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

// Two tiles of 64 columns would fit the L2 and save 10 us, but a launch more takes 6.
gnn.graph @few square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 120000,
  dst_nodes = 120000, edges = 600000, type_edges = [600000], src_pairs = [120000], dst_pairs = [120000]>}

// CHECK-LABEL: func.func @dot_of_few
// CHECK:         schedule <columns_per_block = 128, vector = 4, row_walk = by_edges>
func.func @dot_of_few(%x: memref<?x128xf32>, %z: memref<?x128xf32>, %y: memref<?xf32>) {
  // expected-remark-re @+1 {{no tile of columns is faster than all 128 columns in a block, {{[0-9.]+}} us by the model}}
  gnn_tile.traverse @few <dst, edge.in_rows, features = 128>
      ins(%x, %z : memref<?x128xf32>, memref<?x128xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  }
  return
}
