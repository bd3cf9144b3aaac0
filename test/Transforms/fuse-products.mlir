// RUN: gnn-opt %s --gnn-tile-fuse-products --cse | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @block bipartite {node_types = 1, edge_types = 1}

// Rows copied for a product are its gather list; two maps in a row are one.
//
// CHECK-LABEL: func.func @gather
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x16xf32>
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         gnn_tile.gemm @g rows src_pair types edge_type
// CHECK-SAME:      ins(%[[X]], %{{.+}}) at <group -> src : feature>
func.func @gather(%x: tensor<?x16xf32>, %w: tensor<3x16x8xf32>, %p: tensor<?x16xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = gnn_tile.traverse @g <src_pair, features = 16>
      ins(%x : tensor<?x16xf32>) at [#gnn_tile.at<group -> src : feature>]
      outs(%p : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x16xf32>
  %y = gnn_tile.gemm @g rows src_pair types edge_type
      ins(%r, %w : tensor<?x16xf32>, tensor<3x16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// The product walks edges by type; what it gathers was copied in another order.
//
// CHECK-LABEL: func.func @gather_through_a_map
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         gnn_tile.gemm @g rows edge.dst_pairs types edge_type
// CHECK-SAME:      at <group -> dst : feature + 4>
func.func @gather_through_a_map(%x: tensor<?x20xf32>, %w: tensor<3x16x8xf32>, %e: tensor<?x16xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>) -> tensor<?x8xf32, #gnn_tile.order<edge.in_rows>> {
  %r = gnn_tile.traverse @g <edge.in_rows, features = 16>
      ins(%x : tensor<?x20xf32>) at [#gnn_tile.at<group -> dst : feature + 4>]
      outs(%e : tensor<?x16xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x16xf32, #gnn_tile.order<edge.in_rows>>
  %y = gnn_tile.gemm @g rows edge.dst_pairs types edge_type
      ins(%r, %w : tensor<?x16xf32, #gnn_tile.order<edge.in_rows>>, tensor<3x16x8xf32>) at <group -> edge.in_rows : feature> extras at []
      outs(%n : tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>) at <group -> edge.in_rows : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>
  return %y : tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>
}

// Rows copied for either side of an outer product are its gather list.
//
// CHECK-LABEL: func.func @outer
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x16xf32>, %[[D:[a-z0-9]+]]: tensor<?x8xf32>
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         gnn_tile.outer @g rows edge.src_pairs types edge_type
// CHECK-SAME:      ins(%[[X]], %[[D]] : tensor<?x16xf32>, tensor<?x8xf32>)
// CHECK-SAME:      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> dst : feature>]
func.func @outer(%x: tensor<?x16xf32>, %d: tensor<?x8xf32>, %e: tensor<?x16xf32>, %f: tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>, %init: tensor<3x16x8xf32>) -> tensor<3x16x8xf32> {
  %l = gnn_tile.traverse @g <edge, features = 16>
      ins(%x : tensor<?x16xf32>) at [#gnn_tile.at<group -> src : feature>]
      outs(%e : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x16xf32>
  %r = gnn_tile.traverse @g <edge.in_rows, features = 8>
      ins(%d : tensor<?x8xf32>) at [#gnn_tile.at<group -> dst : feature>]
      outs(%f : tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>
  %dw = gnn_tile.outer @g rows edge.src_pairs types edge_type
      ins(%l, %r : tensor<?x16xf32>, tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>)
      at [#gnn_tile.at<group -> edge : feature>, #gnn_tile.at<group -> edge.in_rows : feature>]
      outs(%init : tensor<3x16x8xf32>) -> tensor<3x16x8xf32>
  return %dw : tensor<3x16x8xf32>
}

// The only reader of the product, row by row, is its epilogue; its inputs
// become extras, seen from the product's rows.
//
// CHECK-LABEL: func.func @epilogue
// CHECK:         gnn_tile.gemm @g rows src.by_type types src_node_type
// CHECK-SAME:      extras(%{{.+}}, %{{.+}} : tensor<?xf32>, tensor<8xf32>)
// CHECK-SAME:      at [#gnn_tile.at<group -> src>, #gnn_tile.at<all : feature>]
// CHECK-SAME:      at <group -> src : feature>
// CHECK-NEXT:    ^bb0(%[[ACC:.+]]: f32, %[[S:.+]]: f32, %[[B:.+]]: f32):
// CHECK-NEXT:      %[[P:.+]] = arith.mulf %[[ACC]], %[[S]]
// CHECK-NEXT:      %[[Q:.+]] = arith.addf %[[P]], %[[B]]
// CHECK-NEXT:      %[[R:.+]] = arith.maximumf %[[Q]], %[[Q]]
// CHECK-NEXT:      gnn_tile.yield %[[R]]
// CHECK-NOT:     gnn_tile.traverse
func.func @epilogue(%x: tensor<?x16xf32>, %w: tensor<2x16x8xf32>, %s: tensor<?xf32>, %b: tensor<8xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = gnn_tile.gemm @g rows src.by_type types src_node_type
      ins(%x, %w : tensor<?x16xf32>, tensor<2x16x8xf32>) at <group -> src : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group -> src : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %q = gnn_tile.traverse @g <src, features = 8>
      ins(%r, %s, %b : tensor<?x8xf32>, tensor<?xf32>, tensor<8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group>, #gnn_tile.at<all : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %sv: f32, %bv: f32):
    %p = arith.mulf %v, %sv : f32
    %a = arith.addf %p, %bv : f32
    gnn_tile.yield %a : f32
  } -> tensor<?x8xf32>
  %y = gnn_tile.traverse @g <src, features = 8>
      ins(%q : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %m = arith.maximumf %v, %v : f32
    gnn_tile.yield %m : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// An epilogue may store to another order of the same rows.
//
// CHECK-LABEL: func.func @stores_in_the_users_order
// CHECK:         gnn_tile.gemm @g rows edge.src_pairs types edge_type
// CHECK-SAME:      outs(%{{.+}} : tensor<?x8xf32>) at <group -> edge : feature>
// CHECK-NOT:     gnn_tile.traverse
func.func @stores_in_the_users_order(%x: tensor<?x16xf32>, %w: tensor<3x16x8xf32>, %e: tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = gnn_tile.gemm @g rows edge.src_pairs types edge_type
      ins(%x, %w : tensor<?x16xf32>, tensor<3x16x8xf32>) at <group -> src : feature> extras at []
      outs(%e : tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>) at <group -> edge.in_rows : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>
  %y = gnn_tile.traverse @g <edge.in_rows, features = 8>
      ins(%r : tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group -> edge : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// It may store among other rows, whose values stay.
//
// CHECK-LABEL: func.func @stores_among_zeros
// CHECK:         %[[Z:.+]] = gnn_tile.traverse @block <src, features = 8> at []
// CHECK:         gnn_tile.gemm @block rows dst
// CHECK-SAME:      outs(%[[Z]] : tensor<?x8xf32>) at <group -> src : feature>
// CHECK-NOT:     gnn_tile.traverse
func.func @stores_among_zeros(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %n: tensor<?x8xf32>, %m: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %z = gnn_tile.traverse @block <src, features = 8> at [] outs(%m : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
    %zero = arith.constant 0.0 : f32
    gnn_tile.yield %zero : f32
  } -> tensor<?x8xf32>
  %r = gnn_tile.gemm @block rows dst
      ins(%x, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %y = gnn_tile.traverse @block <dst, features = 8>
      ins(%r : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%z : tensor<?x8xf32>) at [#gnn_tile.at<group -> src : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
