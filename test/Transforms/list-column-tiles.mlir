// RUN: gnn-opt %s -o /dev/null --split-input-file --gnn-schedule-pipeline --gnn-tile-list-schedules="vary=columns_per_block,heads_per_block" | FileCheck %s --check-prefix=TILES
// RUN: gnn-opt %s -o /dev/null --split-input-file --gnn-schedule-pipeline --gnn-tile-list-schedules="vary=element_lanes" | FileCheck %s --check-prefix=LANES

// Tiles of columns of a dot, and of heads of 32 columns and more; lanes of its
// elements are free.

gnn.graph @g square {node_types = 1, edge_types = 1}

// TILES-DAG: "function":"dot"{{.*}}"columns_per_block":128{{.*}}"vector"
// TILES-DAG: "function":"dot"{{.*}}"columns_per_block":32,
// TILES-DAG: "function":"dot"{{.*}}"columns_per_block":64,
// TILES-DAG: "function":"heads"{{.*}}"columns_per_block":16,"heads_per_block":2,
// TILES-DAG: "function":"heads"{{.*}}"columns_per_block":16,"heads_per_block":4,
// TILES-DAG: "function":"heads"{{.*}}"columns_per_block":16,"vector"
// TILES-NOT: "heads_per_block":1,
// LANES-DAG: "function":"dot"{{.*}}"element_lanes":1,
// LANES-DAG: "function":"heads"{{.*}}"columns_per_block":16,"vector"{{.*}}"element_lanes":1,
// LANES-NOT: "heads_per_block"
func.func @dot(%x: memref<?x128xf32>, %z: memref<?x128xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 128>
      ins(%x, %z : memref<?x128xf32>, memref<?x128xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>] schedule <lanes = 8> {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  }
  return
}

func.func @heads(%x: memref<?x8x16xf32>, %y: memref<?x8xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 16>
      ins(%x : memref<?x8x16xf32>) at [#gnn_tile.at<element -> src : head, feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<element : head>] schedule <head_lanes = 2> {
  ^bb0(%one: f32):
    %d = gnn_tile.reduce sum [feature] %one : f32
    gnn_tile.yield %d : f32
  }
  return
}

// -----

// A walk by edges whose rows have no results says who has which elements, so that what is varied
// beside it is listed.

gnn.graph @g square {node_types = 1, edge_types = 1}

// LANES: "function":"by_edges"{{.*}}"row_walk":"by_edges","distribution":"blocked"
func.func @by_edges(%x: memref<?x64xf32>, %z: memref<?x64xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x, %z : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  }
  return
}
