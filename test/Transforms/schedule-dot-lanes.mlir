// RUN: gnn-opt %s --gnn-schedule-pipeline=edge-walks=0 --remarks-filter=gnn-tile-schedule-lanes \
// RUN:   --remark-policy=all --verify-diagnostics | FileCheck %s

// The lanes of dots of edges, of which each has a team: twice as many as long as each has as
// many vectors as there are lanes.

gnn.graph @g square {node_types = 1, edge_types = 1}

// 4 lanes have 3 vectors each; 8 would have 2, the second of half of the lanes.
//
// CHECK-LABEL: func.func @dot_48
// CHECK:         schedule <columns_per_block = 48, vector = 4, lanes = 4, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 64, row_order = natural, row_walk = team>
func.func @dot_48(%x: memref<?x48xf32>, %y: memref<?xf32>) {
  // expected-remark @+1 {{a row has 4 instead of 16 lanes, with 3 vectors each, so that fewer warps run}}
  gnn_tile.traverse @g <edge.in_rows, features = 48>
      ins(%x, %x : memref<?x48xf32>, memref<?x48xf32>)
      at [#gnn_tile.at<group -> dst : feature>, #gnn_tile.at<group -> src : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Four vectors are as many as four lanes: each has one, and eight would have none.
//
// CHECK-LABEL: func.func @dot_16
// CHECK:         schedule <columns_per_block = 16, vector = 4, lanes = 4, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 64, row_order = natural, row_walk = team>
func.func @dot_16(%x: memref<?x16xf32>, %y: memref<?xf32>) {
  // expected-remark @+1 {{a row has 4 lanes, with 1 vector each: fewer lanes would save warps, but take longer for their loads}}
  gnn_tile.traverse @g <edge.in_rows, features = 16>
      ins(%x, %x : memref<?x16xf32>, memref<?x16xf32>)
      at [#gnn_tile.at<group -> dst : feature>, #gnn_tile.at<group -> src : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

// 15 vectors give 4 lanes, 16 give 8.
//
// CHECK-LABEL: func.func @dot_60
// CHECK:         schedule <columns_per_block = 60, vector = 4, lanes = 4,
func.func @dot_60(%x: memref<?x60xf32>, %y: memref<?xf32>) {
  // expected-remark @+1 {{a row has 4 instead of 16 lanes, with 4 vectors each}}
  gnn_tile.traverse @g <edge.in_rows, features = 60>
      ins(%x, %x : memref<?x60xf32>, memref<?x60xf32>)
      at [#gnn_tile.at<group -> dst : feature>, #gnn_tile.at<group -> src : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

// A row is that of all heads: 8 heads of 2 vectors have 8 lanes as well, which hold 2 heads each.
//
// CHECK-LABEL: func.func @heads
// CHECK:         schedule <columns_per_block = 8, vector = 4, lanes = 2, head_lanes = 4, element_lanes = 1, in_flight = 1, rows_per_block = 32, row_order = natural, row_walk = team>
func.func @heads(%x: memref<?x8x8xf32>, %y: memref<?x8xf32>) {
  // expected-remark @+1 {{a row has 8 instead of 16 lanes, with 2 vectors each}}
  gnn_tile.traverse @g <edge.in_rows, heads = 8, features = 8>
      ins(%x, %x : memref<?x8x8xf32>, memref<?x8x8xf32>)
      at [#gnn_tile.at<group -> dst : head, feature>, #gnn_tile.at<group -> src : head, feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : head>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Lanes that are given stay.
//
// CHECK-LABEL: func.func @given
// CHECK:         schedule <columns_per_block = 48, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 16,
func.func @given(%x: memref<?x48xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <edge.in_rows, features = 48>
      ins(%x, %x : memref<?x48xf32>, memref<?x48xf32>)
      at [#gnn_tile.at<group -> dst : feature>, #gnn_tile.at<group -> src : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] schedule <lanes = 16> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Rows that are read in order come from memory, which takes longer than warps: they have all lanes.
//
// CHECK-LABEL: func.func @in_order
// CHECK:         schedule <columns_per_block = 48, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 16,
func.func @in_order(%x: memref<?x48xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <node, features = 48>
      ins(%x, %x : memref<?x48xf32>, memref<?x48xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}
