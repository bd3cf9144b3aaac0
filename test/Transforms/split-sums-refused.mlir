// RUN: gnn-opt %s --gnn-tile-split-sums --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter='gnn-tile-split-sums' --remark-format=emitRemark \
// RUN:   | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// Done where nothing is known of the graph.
//
// CHECK-LABEL: func.func @done
// CHECK:         tiles<edge_type, src_pair, 1024>
func.func @done(%x: tensor<?x8xf32>, %init: tensor<3x8x8xf32>) -> tensor<3x8x8xf32> {
  // expected-remark @+1 {{the 'src_pair' rows of each 'edge_type' are summed in tiles of 1024 first}}
  %dw = gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %x : tensor<?x8xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  return %dw : tensor<3x8x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @pinned
// CHECK-NOT:     tiles
func.func @pinned(%x: tensor<?x8xf32>, %init: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-remark @+1 {{it has a schedule}}
  %dw = gnn_tile.outer @g rows src ins(%x, %x : tensor<?x8xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<8x8xf32>) schedule <n = 16> -> tensor<8x8xf32>
  return %dw : tensor<8x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @weights
// CHECK-NOT:     tiles
func.func @weights(%x: tensor<192x8xf32>, %init: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-remark @+1 {{its rows are those of weights}}
  %dw = gnn_tile.outer @g rows 192 ins(%x, %x : tensor<192x8xf32>, tensor<192x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %dw : tensor<8x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @large
// CHECK-NOT:     tiles
func.func @large(%x: tensor<?x65536xf32>, %init: tensor<65536x65536xf32>) -> tensor<65536x65536xf32> {
  // expected-remark @+1 {{its matrices are too large to be added up}}
  %dw = gnn_tile.outer @g rows src ins(%x, %x : tensor<?x65536xf32>, tensor<?x65536xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<65536x65536xf32>) -> tensor<65536x65536xf32>
  return %dw : tensor<65536x65536xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @of_types
// CHECK-NOT:     tiles
func.func @of_types(%x: tensor<3x8xf32>, %init: tensor<1x8xf32>) -> tensor<1x8xf32> {
  // expected-remark @+1 {{its rows are types, of which there are few}}
  %y = gnn_tile.traverse @g <graph, edge_type, features = 8>
      ins(%x : tensor<3x8xf32>) at [#gnn_tile.at<element : feature>]
      outs(%init : tensor<1x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<1x8xf32>
  return %y : tensor<1x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @tiles_already
// CHECK:         gnn_tile.traverse @g <edge_type, tiles<edge_type, src_pair, 64>, features = 8>
// CHECK-NOT:     gnn_tile.traverse
func.func @tiles_already(%x: tensor<?x8xf32>, %init: tensor<3x8xf32>) -> tensor<3x8xf32> {
  // expected-remark @+1 {{its rows are tiles already}}
  %y = gnn_tile.traverse @g <edge_type, tiles<edge_type, src_pair, 64>, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<element : feature>]
      outs(%init : tensor<3x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @two_walks
// CHECK-NOT:     tiles
func.func @two_walks(%x: tensor<?xf32>, %init: tensor<1xf32>) -> tensor<1xf32> {
  // expected-remark @+1 {{a reduction needs all elements of its group first}}
  %y = gnn_tile.traverse @g <graph, src>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element>]
      outs(%init : tensor<1xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %m = gnn_tile.reduce mean [element] %v : f32
    %c = arith.subf %v, %m : f32
    %q = arith.mulf %c, %c : f32
    %s = gnn_tile.reduce sum [element] %q : f32
    gnn_tile.yield %s : f32
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @size_first
// CHECK-NOT:     tiles
func.func @size_first(%x: tensor<?xf32>, %init: tensor<1xf32>) -> tensor<1xf32> {
  // expected-remark @+1 {{a reduction needs all elements of its group first}}
  %y = gnn_tile.traverse @g <graph, src>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element>]
      outs(%init : tensor<1xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %n = gnn_tile.size : f32
    %c = arith.divf %v, %n : f32
    %s = gnn_tile.reduce sum [element] %c : f32
    gnn_tile.yield %s : f32
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @element_rows
// CHECK-NOT:     tiles
func.func @element_rows(%x: tensor<?xf32>, %init: tensor<?xf32>, %all: tensor<1xf32>) -> (tensor<?xf32>, tensor<1xf32>) {
  // expected-remark @+1 {{it writes a row for each of its elements}}
  %y:2 = gnn_tile.traverse @g <graph, src>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element>]
      outs(%init, %all : tensor<?xf32>, tensor<1xf32>) at [#gnn_tile.at<element>, #gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %v, %s : f32, f32
  } -> tensor<?xf32>, tensor<1xf32>
  return %y#0, %y#1 : tensor<?xf32>, tensor<1xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @element_rows_after
// CHECK-NOT:     tiles
func.func @element_rows_after(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{rows of elements need all elements of their group first}}
  %y = gnn_tile.traverse @g <graph, src>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<element>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    %c = arith.divf %v, %s : f32
    gnn_tile.yield %c : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3, schema = [[0, 1], [1, 0], [1, 1]]}

// CHECK-LABEL: func.func @through_the_schema
// CHECK-NOT:     tiles
func.func @through_the_schema(%x: tensor<?xf32>, %t: tensor<2xf32>, %init: tensor<3xf32>) -> tensor<3xf32> {
  // expected-remark @+1 {{no map leads from a tile to what it reads for its group}}
  %y = gnn_tile.traverse @g <edge_type, src_pair>
      ins(%x, %t : tensor<?xf32>, tensor<2xf32>)
      at [#gnn_tile.at<element>, #gnn_tile.at<group -> src_node_type>]
      outs(%init : tensor<3xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}
