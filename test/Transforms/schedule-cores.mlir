// RUN: gnn-opt %s --gnn-attach-target="kind=cpu vector=16 vector-registers=32" --gnn-tile-schedule-cores --split-input-file --remarks-filter=gnn-tile-schedule-cores \
// RUN:   --remark-format=emitRemark --verify-diagnostics | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// A core goes through 64 rows, each in vectors of 16 features.
//
// CHECK-LABEL: func.func @sum
// CHECK:         schedule #gnn_tile.core_schedule<columns_per_block = 64, vector = 16, rows_per_block = 64, row_order = natural>
func.func @sum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{a core takes 64 rows, in vectors of 16}}
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

// Rows of 500 features begin at multiples of 4, and are cut.
//
// CHECK-LABEL: func.func @wide
// CHECK:         schedule #gnn_tile.core_schedule<columns_per_block = 256, vector = 4,
func.func @wide(%x: memref<?x500xf32>, %y: memref<?x500xf32>) {
  // expected-remark @+1 {{a core takes 64 rows, in vectors of 4}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 500>
      ins(%x : memref<?x500xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x500xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A sum over features needs the whole row.
//
// CHECK-LABEL: func.func @reduced
// CHECK:         schedule #gnn_tile.core_schedule<columns_per_block = 512, vector = 16,
func.func @reduced(%x: memref<?x512xf32>, %y: memref<?xf32>) {
  // expected-remark @+1 {{a core takes 64 rows, in vectors of 16}}
  gnn_tile.traverse @g <dst, features = 512>
      ins(%x : memref<?x512xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [feature] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Fields that are set stay: 40 columns are of vectors of 8.
//
// CHECK-LABEL: func.func @set
// CHECK:         schedule #gnn_tile.core_schedule<columns_per_block = 40, vector = 8, rows_per_block = 16,
func.func @set(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{a core takes 16 rows, in vectors of 8}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule #gnn_tile.core_schedule<columns_per_block = 40, rows_per_block = 16> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Schedules for a GPU are refused.
//
func.func @gpu(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op schedule: expected a #gnn_tile.core_schedule for the cores of a CPU, got #gnn_tile.traverse_schedule<vector = 4, lanes = 16, row_walk = team>}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4, lanes = 16, row_walk = team> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1100, dst_nodes = 1100, edges = 11000, type_edges = [11000], src_pairs = [1100], dst_pairs = [1100]>}

// Each of 16 cores takes 4 blocks or so of 1100 rows, but of so many rows that a block
// takes 4 microseconds: of longer rows fewer than of such as these.
//
// CHECK-LABEL: func.func @known
// CHECK:         rows_per_block = 16,
// CHECK:         rows_per_block = 64,
func.func @known(%x: memref<?x256xf32>, %y: memref<?x256xf32>, %u: memref<?x16xf32>, %v: memref<?x16xf32>) {
  // expected-remark @+1 {{a core takes 16 rows}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 256>
      ins(%x : memref<?x256xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x256xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%a: f32):
    %s = gnn_tile.reduce sum [element] %a : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{a core takes 64 rows}}
  gnn_tile.traverse @g <dst, features = 16>
      ins(%u : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      outs(%v : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 200000, dst_nodes = 200000, edges = 200000, type_edges = [200000], src_pairs = [200000], dst_pairs = [200000]>}

// The sums of tiles are few and long: each is a block.
//
// CHECK-LABEL: func.func @tiles
// CHECK:         rows_per_block = 1,
func.func @tiles(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{a core takes 1 row}}
  gnn_tile.traverse @g <tiles<graph, dst, 4096>, dst, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%a: f32):
    %s = gnn_tile.reduce sum [element] %a : f32
    gnn_tile.yield %s : f32
  }
  return
}
