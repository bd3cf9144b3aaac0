// RUN: gnn-opt %s --gnn-schedule-pipeline=edge-walks=0 --remarks-filter=gnn-tile-schedule-row-walks \
// RUN:   --remark-policy=all --split-input-file --verify-diagnostics | FileCheck %s
// RUN: gnn-opt %s --gnn-schedule-pipeline=edge-walks=0 --split-input-file -o /dev/null --remark-format=emitRemark \
// RUN:   --remark-policy=all --remarks-filter='gnn-tile-schedule-(lanes|rows)' 2>&1 | FileCheck %s --check-prefix=SAID

// Rows of 12 elements on average, 500 blocks of 8: all are at work at once. A round of a team has
// 8 elements.
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 4000, dst_nodes = 4000, edges = 48000,
    type_edges = [48000], src_pairs = [4000], dst_pairs = [4000], in_degree_max = 900, out_degree_max = 900>}

// CHECK-LABEL: func.func @few
// CHECK:         element_lanes = 2, in_flight = 4, rows_per_block = 8, {{.*}}split_rows = 64
func.func @few(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 64 elements: rows are so few that the longest one decides}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Each tile of columns has as many blocks.
//
// CHECK-LABEL: func.func @tiles
// CHECK:         columns_per_block = 64, {{.*}}rows_per_block = 8, {{.*}}split_rows = 256
func.func @tiles(%x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 256 elements: a single team takes 32 rounds for this length}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 256> ins(%x : memref<?x256xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x256xf32>) at [#gnn_tile.at<group : feature>] schedule <columns_per_block = 64> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Rows of one lane for their features have 16 for their elements: 64,000 of the 101,376 that are at
// work at once.
//
// CHECK-LABEL: func.func @narrow
// CHECK:         element_lanes = 16, in_flight = 1, rows_per_block = 16, {{.*}}split_rows = 128
func.func @narrow(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 128 elements: rows are so few that the longest one decides}}
  gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

// No row of less than four times the mean, 30, is long: 15 rounds of 8.
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 4000, dst_nodes = 4000, edges = 120000,
    type_edges = [120000], src_pairs = [4000], dst_pairs = [4000], in_degree_max = 900, out_degree_max = 900>}

// CHECK-LABEL: func.func @mean
// CHECK:         element_lanes = 2, in_flight = 4, rows_per_block = 8, {{.*}}split_rows = 120
func.func @mean(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 120 elements}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @cora square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2708, dst_nodes = 2708, edges = 10556,
    type_edges = [10556], src_pairs = [2708], dst_pairs = [2708], in_degree_max = 168, out_degree_max = 168>}
gnn.graph @larger square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 3300, dst_nodes = 3300, edges = 12870,
    type_edges = [12870], src_pairs = [3300], dst_pairs = [3300], in_degree_max = 168, out_degree_max = 168>}

// Lanes that would idle take elements of the same rows, up to a warp: 32 of each row are 86,656 of the
// 101,376 that are at work at once, of @larger 105,600. A row of which other blocks take other columns
// has as many as without.
//
// SAID:      so few that lanes would idle: 2 instead of 1 lanes take their 3.9 elements
// SAID:      groups have 3.9 elements on average: 1 instead of 2 lanes take them
// SAID:      so few that lanes would idle: 8 instead of 1 lanes take their 3.9 elements
// SAID:      groups have 3.9 elements on average: 1 instead of 2 lanes take them
// SAID:      a block takes 8 rows, in_flight is 4: rows are so few that the longest one decides
// SAID:      a block takes 16 rows, in_flight is 4"
// SAID:      a block takes 8 rows, in_flight is 4: rows are so few that the longest one decides
//
// CHECK-LABEL: func.func @idle
// CHECK:         lanes = 16, {{.*}}element_lanes = 2, in_flight = 4, rows_per_block = 8, {{.*}}split_rows = 64
// CHECK:         lanes = 16, {{.*}}element_lanes = 1, in_flight = 4, rows_per_block = 16, {{.*}}split_rows = 32
// CHECK:         lanes = 4, {{.*}}element_lanes = 8, in_flight = 4, rows_per_block = 8, {{.*}}split_rows = 256
// CHECK:         columns_per_block = 64, {{.*}}lanes = 16, {{.*}}element_lanes = 1, in_flight = 4, {{.*}}split_rows = 128
func.func @idle(%x: memref<?x64xf32>, %z: memref<?x16xf32>, %y: memref<?x64xf32>, %u: memref<?x16xf32>, %w: memref<?x512xf32>, %t: memref<?x512xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 64 elements: rows are so few that the longest one decides}}
  gnn_tile.traverse @cora <dst, edge.in_rows, features = 64> ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{all teams of a block walk a row of more than 32 elements: rows are so few that the longest one decides}}
  gnn_tile.traverse @larger <dst, edge.in_rows, features = 64> ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{all teams of a block walk a row of more than 256 elements: rows are so few that the longest one decides}}
  gnn_tile.traverse @cora <dst, edge.in_rows, features = 16> ins(%z : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%u : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{all teams of a block walk a row of more than 128 elements: a single team takes 32 rounds for this length}}
  gnn_tile.traverse @cora <dst, edge.in_rows, features = 512> ins(%w : memref<?x512xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%t : memref<?x512xf32>) at [#gnn_tile.at<group : feature>] schedule <columns_per_block = 64> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @cora square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2708, dst_nodes = 2708, edges = 10556,
    type_edges = [10556], src_pairs = [2708], dst_pairs = [2708], in_degree_max = 168, out_degree_max = 168>}

// Fields that are given leave room for fewer lanes: a block has 1,024 threads, a window is whole steps of
// a team, and a multiprocessor has 2,048 threads.
//
// SAID:      so few that lanes would idle: 16 instead of 1 lanes take their 3.9 elements
// SAID:      groups have 3.9 elements on average: 1 instead of 8 lanes take them
// SAID:      so few that lanes would idle: 32 instead of 1 lanes take their 3.9 elements
//
// CHECK-LABEL: func.func @given
// CHECK:         element_lanes = 16, in_flight = 1, rows_per_block = 64,
// CHECK:         element_lanes = 1, in_flight = 4, {{.*}}window = 32
// CHECK:         element_lanes = 32, in_flight = 4, processor_blocks = 32, rows_per_block = 2,
// CHECK:         element_lanes = {{.*}}, processor_blocks = 10, rows_per_block = 4,
// CHECK:         lanes = 16, {{.*}}element_lanes = 1, {{.*}}rows_per_block = 64,
// CHECK:         element_lanes = 32, in_flight = 1, {{.*}}row_walk = team, window = 32
func.func @given(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than}}
  gnn_tile.traverse @cora <dst, edge.in_rows> ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] schedule <rows_per_block = 64> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{all teams of a block walk a row of more than}}
  gnn_tile.traverse @cora <dst, edge.in_rows> ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] schedule <window = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{all teams of a block walk a row of more than}}
  gnn_tile.traverse @cora <dst, edge.in_rows> ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] schedule <processor_blocks = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{all teams of a block walk a row of more than}}
  gnn_tile.traverse @cora <dst, edge.in_rows> ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] schedule <processor_blocks = 10> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{all teams of a block walk a row of more than}}
  gnn_tile.traverse @cora <dst, edge.in_rows, features = 64> ins(%z, %z : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] schedule <rows_per_block = 64> {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    %s = gnn_tile.reduce sum [element] %d : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{each team walks its own row: the window that is given is not whole steps of a block}}
  gnn_tile.traverse @cora <dst, edge.in_rows> ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>]
      schedule <lanes = 1, element_lanes = 32, in_flight = 1, window = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @cora square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2708, dst_nodes = 2708, edges = 10556,
    type_edges = [10556], src_pairs = [2708], dst_pairs = [2708], in_degree_max = 168, out_degree_max = 168>}

// A round whose lanes reduce features takes longer: rows of 4 rounds are long.
//
// SAID:      a block takes 8 rows, in_flight is 4
//
// CHECK-LABEL: func.func @reduced
// CHECK:         element_lanes = 2, in_flight = 4, rows_per_block = 8, {{.*}}split_rows = 32
func.func @reduced(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 32 elements: rows are so few that the longest one decides}}
  gnn_tile.traverse @cora <dst, edge.in_rows, features = 64> ins(%x, %x : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %q: f32):
    %p = arith.mulf %v, %q : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    %one = arith.constant 1.0 : f32
    %m, %z, %w = gnn_tile.softmax_sum %d, %one, %v : f32
    %r = arith.divf %w, %z : f32
    gnn_tile.yield %r : f32
  }
  return
}
