// RUN: gnn-opt %s --gnn-tile-fuse-products --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter='gnn-tile-fuse-products' --remark-format=emitRemark \
// RUN:   | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// The sums of the rows on the right of an outer product, of the same types.
//
// CHECK-LABEL: func.func @sums
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         %[[BOTH:.+]]:2 = gnn_tile.outer @g rows src_pair types edge_type
// CHECK-SAME:      outs(%{{.+}} : tensor<3x16x8xf32>) sums(%{{.+}} : tensor<3x8xf32>)
// CHECK:         return %[[BOTH]]#0, %[[BOTH]]#1
func.func @sums(%x: tensor<?x16xf32>, %d: tensor<?x8xf32>, %w: tensor<3x16x8xf32>, %b: tensor<3x8xf32>)
    -> (tensor<3x16x8xf32>, tensor<3x8xf32>) {
  %dw = gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %d : tensor<?x16xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%w : tensor<3x16x8xf32>) -> tensor<3x16x8xf32>
  // expected-remark @+1 {{the product adds up the rows on its right too}}
  %db = gnn_tile.traverse @g <edge_type, src_pair, features = 8>
      ins(%d : tensor<?x8xf32>) at [#gnn_tile.at<element : feature>]
      outs(%b : tensor<3x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<3x8xf32>
  return %dw, %db : tensor<3x16x8xf32>, tensor<3x8xf32>
}

// The sums are of all rows, in front of the product; what reshapes them comes
// behind it.
//
// CHECK-LABEL: func.func @sums_of_all
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         %[[B:.+]] = tensor.collapse_shape %{{.+}} {{\[}}[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
// CHECK:         gnn_tile.outer @g rows src ins
// CHECK-SAME:      outs(%{{.+}} : tensor<16x8xf32>) sums(%[[B]] : tensor<8xf32>)
func.func @sums_of_all(%x: tensor<?x16xf32>, %d: tensor<?x8xf32>, %w: tensor<16x8xf32>, %b: tensor<1x8xf32>)
    -> (tensor<16x8xf32>, tensor<8xf32>) {
  // expected-remark @+1 {{the product adds up the rows on its right too}}
  %db = gnn_tile.traverse @g <graph, src, features = 8>
      ins(%d : tensor<?x8xf32>) at [#gnn_tile.at<element : feature>]
      outs(%b : tensor<1x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<1x8xf32>
  %row = tensor.collapse_shape %db [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
  %dw = gnn_tile.outer @g rows src ins(%x, %d : tensor<?x16xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%w : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %dw, %row : tensor<16x8xf32>, tensor<8xf32>
}

// The sums of the rows on the left: the gradient of a transposed weight has that
// of the result there.
//
// CHECK-LABEL: func.func @sums_of_left
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         %[[BOTH:.+]]:2 = gnn_tile.outer @g rows src_pair types edge_type
// CHECK-SAME:      outs(%{{.+}} : tensor<3x8x16xf32>) sums left(%{{.+}} : tensor<3x8xf32>)
// CHECK:         return %[[BOTH]]#0, %[[BOTH]]#1
func.func @sums_of_left(%x: tensor<?x16xf32>, %d: tensor<?x8xf32>, %w: tensor<3x8x16xf32>, %b: tensor<3x8xf32>)
    -> (tensor<3x8x16xf32>, tensor<3x8xf32>) {
  %dw = gnn_tile.outer @g rows src_pair types edge_type
      ins(%d, %x : tensor<?x8xf32>, tensor<?x16xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group -> src : feature>]
      outs(%w : tensor<3x8x16xf32>) -> tensor<3x8x16xf32>
  // expected-remark @+1 {{the product adds up the rows on its left too}}
  %db = gnn_tile.traverse @g <edge_type, src_pair, features = 8>
      ins(%d : tensor<?x8xf32>) at [#gnn_tile.at<element : feature>]
      outs(%b : tensor<3x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<3x8xf32>
  return %dw, %db : tensor<3x8x16xf32>, tensor<3x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// By the graph, not by types.
//
// CHECK-LABEL: func.func @sums_by_others
// CHECK-NOT:     sums(
func.func @sums_by_others(%x: tensor<?x16xf32>, %d: tensor<?x8xf32>, %w: tensor<3x16x8xf32>, %b: tensor<1x8xf32>)
    -> (tensor<3x16x8xf32>, tensor<1x8xf32>) {
  %dw = gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %d : tensor<?x16xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%w : tensor<3x16x8xf32>) -> tensor<3x16x8xf32>
  // expected-remark @+1 {{it walks other rows than the product}}
  %db = gnn_tile.traverse @g <graph, src_pair, features = 8>
      ins(%d : tensor<?x8xf32>) at [#gnn_tile.at<element : feature>]
      outs(%b : tensor<1x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<1x8xf32>
  return %dw, %db : tensor<3x16x8xf32>, tensor<1x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Half of the columns.
//
// CHECK-LABEL: func.func @sums_of_a_part
// CHECK-NOT:     sums(
func.func @sums_of_a_part(%x: tensor<?x16xf32>, %d: tensor<?x8xf32>, %w: tensor<3x16x8xf32>, %b: tensor<3x4xf32>)
    -> (tensor<3x16x8xf32>, tensor<3x4xf32>) {
  %dw = gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %d : tensor<?x16xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%w : tensor<3x16x8xf32>) -> tensor<3x16x8xf32>
  // expected-remark @+1 {{only a part of the columns is added up}}
  %db = gnn_tile.traverse @g <edge_type, src_pair, features = 4>
      ins(%d : tensor<?x8xf32>) at [#gnn_tile.at<element : feature>]
      outs(%b : tensor<3x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<3x4xf32>
  return %dw, %db : tensor<3x16x8xf32>, tensor<3x4xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The product is made of the sums.
//
// CHECK-LABEL: func.func @sums_before
// CHECK-NOT:     sums(
func.func @sums_before(%d: tensor<?x8xf32>, %e: tensor<?x8xf32>, %w: tensor<3x8x8xf32>, %b: tensor<3x8xf32>)
    -> tensor<3x8x8xf32> {
  // expected-remark @+1 {{one of the two is read before the other}}
  %db = gnn_tile.traverse @g <edge_type, src_pair, features = 8>
      ins(%d : tensor<?x8xf32>) at [#gnn_tile.at<element : feature>]
      outs(%b : tensor<3x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<3x8xf32>
  // expected-remark @+1 {{it does more than copy rows}}
  %x = gnn_tile.traverse @g <src_pair, features = 8>
      ins(%d, %db : tensor<?x8xf32>, tensor<3x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group -> edge_type : feature>]
      outs(%e : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %s: f32):
    %p = arith.mulf %v, %s : f32
    gnn_tile.yield %p : f32
  } -> tensor<?x8xf32>
  %dw = gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %d : tensor<?x8xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%w : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  return %dw : tensor<3x8x8xf32>
}
