// RUN: gnn-opt %s --gnn-tile-split-long-rows=length=16 --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter='gnn-tile-split-long-rows' --remark-format=emitRemark \
// RUN:   | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @pinned
// CHECK-NOT:     long_tiles
func.func @pinned(%x: tensor<?x8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{it has a schedule}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%init : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] schedule <split_rows = 64> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @again
// CHECK-NOT:     long_tiles
func.func @again(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{a reduction needs all elements of its group first}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %max = gnn_tile.reduce max [element] %v : f32
    %d = arith.subf %v, %max : f32
    %s = gnn_tile.reduce sum [element] %d : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @of_elements
// CHECK-NOT:     long_tiles
func.func @of_elements(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{rows of elements need all elements of their group first}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<element -> edge>] {
  ^bb0(%v: f32):
    %max = gnn_tile.reduce max [element] %v : f32
    %d = arith.subf %v, %max : f32
    gnn_tile.yield %d : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A piece leads to its node, and to nothing that this leads to.
//
// CHECK-LABEL: func.func @of_type
// CHECK-NOT:     long_tiles
func.func @of_type(%x: tensor<?x8xf32>, %t: tensor<2x8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{no map leads from a tile to what it reads for its group}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x, %t : tensor<?x8xf32>, tensor<2x8xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group -> dst_node_type : feature>]
      outs(%init : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %w: f32):
    %m = arith.mulf %v, %w : f32
    %s = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
