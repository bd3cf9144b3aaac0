// RUN: gnn-opt %s --gnn-schedule-pipeline --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// The features of a row are spread over lanes, what is left of a warp takes
// elements; a block has 256 threads; long rows are walked by whole blocks.
//
// CHECK-LABEL: func.func @sum
// CHECK:         schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = by_length, split_rows = 256, runs = 32>
func.func @sum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
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

// Fields that are set stay, and the others follow from them.
//
// CHECK-LABEL: func.func @given
// CHECK:         schedule <columns_per_block = 64, vector = 2, lanes = 8, head_lanes = 1, element_lanes = 4, in_flight = 8, rows_per_block = 8, row_order = by_degree, row_walk = by_length, split_rows = 1024, runs = 32>
func.func @given(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 2, lanes = 8, in_flight = 8, row_order = by_degree> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The graph is one row: all teams of a block walk it.
//
// CHECK-LABEL: func.func @readout
// CHECK:         row_walk = block, runs = 32>
func.func @readout(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <graph, src, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Heads are shared by lanes too. Without elements there is nothing to split, and
// rows of 3 features are aligned to one.
//
// CHECK-LABEL: func.func @heads
// CHECK:         schedule <columns_per_block = 3, vector = 1, lanes = 4, head_lanes = 8, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team>
func.func @heads(%x: memref<?x8x3xf32>, %y: memref<?x8x3xf32>) {
  gnn_tile.traverse @g <dst, heads = 8, features = 3>
      ins(%x : memref<?x8x3xf32>) at [#gnn_tile.at<group : head, feature>]
      outs(%y : memref<?x8x3xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%v: f32):
    %s = math.exp %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The narrowest tile that holds all columns.
//
// CHECK-LABEL: func.func @products
// CHECK:         gnn_tile.gemm {{.+}} schedule <n = 16, kind = tf32x3, copies = async>
// CHECK:         gnn_tile.gemm {{.+}} schedule <n = 32, kind = tf32x3, copies = async, max_registers = 96>
// CHECK:         gnn_tile.outer {{.+}} schedule <n = 64, kind = tf32x3, copies = async, runs = 32>
func.func @products(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %v: memref<64x100xf32>,
                    %y: memref<?x8xf32>, %z: memref<?x100xf32>, %d: memref<64x100xf32>) {
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  gnn_tile.gemm @g rows src ins(%x, %v : memref<?x64xf32>, memref<64x100xf32>)
      at <group : feature> extras at [] outs(%z : memref<?x100xf32>) at <group : feature>
      schedule <n = 32> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  gnn_tile.outer @g rows src ins(%x, %z : memref<?x64xf32>, memref<?x100xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%d : memref<64x100xf32>)
  return
}
