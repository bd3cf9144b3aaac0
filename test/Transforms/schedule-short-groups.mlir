// RUN: gnn-opt %s --gnn-schedule-pipeline=edge-walks=0 --remarks-filter=gnn-tile-schedule-lanes \
// RUN:   --remark-policy=all --split-input-file --verify-diagnostics | FileCheck %s

// Groups of 2, 5, 8 and 32 edges on average, in this order: pairs and nodes at both
// ends. They are many: schedule-few-rows.mlir has few.

gnn.graph @g bipartite {node_types = 1, edge_types = 8, stats = #gnn.stats<
    src_nodes = 400000, dst_nodes = 100000, edges = 3200000,
    type_edges = [400000, 400000, 400000, 400000, 400000, 400000, 400000, 400000],
    src_pairs = [200000, 200000, 200000, 200000, 200000, 200000, 200000, 200000],
    dst_pairs = [80000, 80000, 80000, 80000, 80000, 80000, 80000, 80000]>}

// A thread a group, which takes both edges at once.
//
// CHECK-LABEL: func.func @one_number
// CHECK:         schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 1, in_flight = 2, rows_per_block = 256, row_order = natural, row_walk = by_length, split_rows = 64, runs = 32>
func.func @one_number(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-remark @+1 {{groups have 2.0 elements on average: 1 instead of 8 lanes take them}}
  gnn_tile.traverse @g <src_pair, edge.src_pairs>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> edge.in_rows>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Two lanes have two or three edges each.
//
// CHECK-LABEL: func.func @few
// CHECK:         schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 128, row_order = natural, row_walk = by_length, split_rows = 256, runs = 32>
func.func @few(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-remark @+1 {{groups have 5.0 elements on average: 2 instead of 8 lanes take them}}
  gnn_tile.traverse @g <dst_pair, edge.dst_pairs>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> edge.in_rows>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Two groups share a warp.
//
// CHECK-LABEL: func.func @half_warps
// CHECK:         schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 2, rows_per_block = 16, row_order = natural, row_walk = by_length, split_rows = 64, runs = 32>
func.func @half_warps(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{groups have 2.0 elements on average: 1 instead of 2 lanes take them}}
  gnn_tile.traverse @g <src_pair, edge.src_pairs, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Groups of 8 have edges enough for what is left of a warp.
//
// CHECK-LABEL: func.func @whole_warps
// CHECK:         schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = by_length, split_rows = 256, runs = 32>
func.func @whole_warps(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{a group of 8.0 elements on average keeps 2 lanes for its elements: only shorter groups get fewer}}
  gnn_tile.traverse @g <src, edge.out_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Long groups have what they have where nothing is known.
//
// CHECK-LABEL: func.func @long
// CHECK:         schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 8, in_flight = 4, rows_per_block = 32, row_order = natural, row_walk = by_length, split_rows = 1024, runs = 32>
func.func @long(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-remark @+1 {{a group of 32.0 elements on average keeps 8 lanes for its elements: only shorter groups get fewer}}
  gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Lanes that work in step stay; each has one edge of a group.
//
// CHECK-LABEL: func.func @in_step
// CHECK:         element_lanes = 2, in_flight = 1,
func.func @in_step(%x: memref<?x64xf32>, %y: memref<?xf32>) {
  // expected-remark @+1 {{elements on average keeps 2 lanes for its elements: reductions of features take whole warps}}
  gnn_tile.traverse @g <src_pair, edge.src_pairs, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [feature] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// The size of a group is known without its edges.
//
// CHECK-LABEL: func.func @size
// CHECK:         element_lanes = 1, in_flight = 1, rows_per_block = 256, row_order = natural, row_walk = team>
func.func @size(%y: memref<?xf32>) {
  gnn_tile.traverse @g <dst_pair, edge.dst_pairs> at [] outs(%y : memref<?xf32>)
      at [#gnn_tile.at<group>] {
    %s = gnn_tile.size : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g bipartite {node_types = 1, edge_types = 1}

// Without statistics groups may be long.
//
// CHECK-LABEL: func.func @unknown
// CHECK:         schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 8, in_flight = 4, rows_per_block = 32, row_order = natural, row_walk = by_length, split_rows = 1024, runs = 32>
func.func @unknown(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-remark @+1 {{a group of unknown length keeps 8 lanes for its elements: only shorter groups get fewer}}
  gnn_tile.traverse @g <src_pair, edge.src_pairs>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> edge.in_rows>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
