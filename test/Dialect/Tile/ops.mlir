// RUN: gnn-opt %s --verify-roundtrip | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @part square of @g types [0, 2] {node_types = 2, edge_types = 2}
gnn.graph @block bipartite {node_types = 1, edge_types = 1}

// The weighted sum over neighbours.
//
// CHECK-LABEL: func.func @spmm
// CHECK:         gnn_tile.count @g count dst : index
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// CHECK-SAME:      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
// CHECK:           gnn_tile.reduce sum [element] %{{.+}} : f32
func.func @spmm(%x: tensor<?x64xf32>, %w: tensor<?xf32>) -> tensor<?x64xf32> {
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x64xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x, %w : tensor<?x64xf32>, tensor<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
      outs(%init : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32, %wv: f32):
    %m = arith.mulf %xv, %wv : f32
    %s = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// One weight an edge type, with a schedule.
//
// CHECK-LABEL: func.func @typed_gemm
// CHECK:         gnn_tile.gemm @g rows src_pair types edge_type
// CHECK-SAME:      schedule <n = 64>
func.func @typed_gemm(%x: tensor<?x64xf32>, %w: tensor<3x64x8xf32>) -> tensor<?x8xf32> {
  %n = gnn_tile.count @g count src_pair : index
  %init = tensor.empty(%n) : tensor<?x8xf32>
  %y = gnn_tile.gemm @g rows src_pair types edge_type
      ins(%x, %w : tensor<?x64xf32>, tensor<3x64x8xf32>)
      at <group -> src : feature> extras at []
      outs(%init : tensor<?x8xf32>) at <group : feature>
      schedule <n = 64> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// Online softmax is a monoid with state: maximum and sum.
//
// CHECK-LABEL: func.func @online_softmax
// CHECK:         gnn_tile.fold %{{.+}}, %{{.+}} identity %{{.+}}, %{{.+}} : f32, f32
func.func @online_softmax(%s: tensor<?xf32, #gnn_tile.order<edge.in_rows>>) -> tensor<?xf32> {
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?xf32>
  %z = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%score: f32):
    %lowest = arith.constant 0xFF7FFFFF : f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %max, %sum = gnn_tile.fold %score, %one identity %lowest, %zero : f32, f32 {
    ^bb0(%m0: f32, %z0: f32, %m1: f32, %z1: f32):
      %m = arith.maximumf %m0, %m1 : f32
      %d0 = arith.subf %m0, %m : f32
      %d1 = arith.subf %m1, %m : f32
      %e0 = math.exp %d0 : f32
      %e1 = math.exp %d1 : f32
      %p0 = arith.mulf %z0, %e0 : f32
      %p1 = arith.mulf %z1, %e1 : f32
      %t = arith.addf %p0, %p1 : f32
      gnn_tile.yield %m, %t : f32, f32
    }
    gnn_tile.yield %sum : f32
  } -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// The gradient of a typed linear by its weight.
//
// CHECK-LABEL: func.func @outer
// CHECK:         gnn_tile.outer @g rows src_pair types edge_type
func.func @outer(%x: tensor<?x64xf32>, %dy: tensor<?x8xf32>) -> tensor<3x64x8xf32> {
  %init = tensor.empty() : tensor<3x64x8xf32>
  %dw = gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %dy : tensor<?x64xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<3x64x8xf32>) -> tensor<3x64x8xf32>
  return %dw : tensor<3x64x8xf32>
}

// CHECK-LABEL: func.func @outer_and_sums
// CHECK:         gnn_tile.outer @g rows src_pair types edge_type
// CHECK-SAME:      outs(%{{.+}} : tensor<3x64x8xf32>) sums(%{{.+}} : tensor<3x8xf32>) -> tensor<3x64x8xf32>, tensor<3x8xf32>
func.func @outer_and_sums(%x: tensor<?x64xf32>, %dy: tensor<?x8xf32>, %w: tensor<3x64x8xf32>, %b: tensor<3x8xf32>)
    -> (tensor<3x64x8xf32>, tensor<3x8xf32>) {
  %dw, %db = gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %dy : tensor<?x64xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%w : tensor<3x64x8xf32>) sums(%b : tensor<3x8xf32>) -> tensor<3x64x8xf32>, tensor<3x8xf32>
  return %dw, %db : tensor<3x64x8xf32>, tensor<3x8xf32>
}

// A matrix for each tile, and the sum of those of a type. A tile leads to its
// group.
//
// CHECK-LABEL: func.func @tiles
// CHECK:         gnn_tile.count @g tile_count edge_type src_pair 1024
// CHECK:         gnn_tile.outer @g rows src_pair types tiles<edge_type, src_pair, 1024>
// CHECK:         gnn_tile.traverse @g <edge_type, tiles<edge_type, src_pair, 1024>, features = 512>
// CHECK:         gnn_tile.traverse @g <tiles<edge_type, src_pair, 1024>, src_pair>
// CHECK-SAME:      at [#gnn_tile.at<group -> edge_type>]
func.func @tiles(%x: tensor<?x64xf32>, %dy: tensor<?x8xf32>, %sums: tensor<3x512xf32>, %t: tensor<3xf32>) -> (tensor<3x512xf32>, tensor<?xf32>) {
  %n = gnn_tile.count @g tile_count edge_type src_pair 1024 : index
  %init = tensor.empty(%n) : tensor<?x64x8xf32>
  %parts = gnn_tile.outer @g rows src_pair types tiles<edge_type, src_pair, 1024>
      ins(%x, %dy : tensor<?x64xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<?x64x8xf32>) -> tensor<?x64x8xf32>
  %flat = tensor.collapse_shape %parts [[0], [1, 2]] : tensor<?x64x8xf32> into tensor<?x512xf32>
  %dw = gnn_tile.traverse @g <edge_type, tiles<edge_type, src_pair, 1024>, features = 512>
      ins(%flat : tensor<?x512xf32>) at [#gnn_tile.at<element : feature>]
      outs(%sums : tensor<3x512xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%part: f32):
    %sum = gnn_tile.reduce sum [element] %part : f32
    gnn_tile.yield %sum : f32
  } -> tensor<3x512xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %of_tiles = gnn_tile.traverse @g <tiles<edge_type, src_pair, 1024>, src_pair>
      ins(%t : tensor<3xf32>) at [#gnn_tile.at<group -> edge_type>]
      outs(%e : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %size = gnn_tile.size : f32
    %o = arith.mulf %v, %size : f32
    gnn_tile.yield %o : f32
  } -> tensor<?xf32>
  return %dw, %of_tiles : tensor<3x512xf32>, tensor<?xf32>
}

// The order in which rows are kept is in the type, and what reads them by another
// way is an access to that order.
//
// CHECK-LABEL: func.func @kept_in_an_order
// CHECK-SAME:      %[[E:[a-z0-9]+]]: tensor<?x8xf32, #edge_in_rows>
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
// CHECK-SAME:      ins(%[[E]], %[[E]] : tensor<?x8xf32, #edge_in_rows>, tensor<?x8xf32, #edge_in_rows>)
// CHECK-SAME:      at [#gnn_tile.at<element : feature>, #gnn_tile.at<element -> edge.in_rows : feature>]
// CHECK:         gnn_tile.traverse @part <edge.in_rows, features = 8>
// CHECK-SAME:      ins(%[[E]] : tensor<?x8xf32, #edge_in_rows>)
// CHECK-SAME:      at [#gnn_tile.at<group -> parent_edge.in_rows : feature>]
!in_rows = tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>
func.func @kept_in_an_order(%e: !in_rows, %n: tensor<?x8xf32>, %p: !in_rows) -> (tensor<?x8xf32>, !in_rows) {
  %s = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%e, %e : !in_rows, !in_rows)
      at [#gnn_tile.at<element : feature>, #gnn_tile.at<element -> edge.in_rows : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %w: f32):
    %m = arith.mulf %v, %w : f32
    %r = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x8xf32>
  %q = gnn_tile.traverse @part <edge.in_rows, features = 8>
      ins(%e : !in_rows) at [#gnn_tile.at<group -> parent_edge.in_rows : feature>]
      outs(%p : !in_rows) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> !in_rows
  return %s, %q : tensor<?x8xf32>, !in_rows
}

// Rows that are columns of weights.
//
// CHECK-LABEL: func.func @columns
// CHECK:         at [#gnn_tile.at<group : feature, column>]
func.func @columns(%w: tensor<2x4x3xf32>, %init: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %y = gnn_tile.traverse @g <6, features = 4> ins(%w : tensor<2x4x3xf32>)
      at [#gnn_tile.at<group : feature, column>]
      outs(%init : tensor<6x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// Rows are written among others, of which the output keeps what it had: those of
// the parent, in an order of theirs, and `src` rows of which `dst` rows are the
// first.
//
// CHECK-LABEL: func.func @written_among_others
// CHECK:         outs(%{{.+}} : tensor<?x8xf32, #edge_in_rows>) at [#gnn_tile.at<group -> parent_edge.in_rows : feature>]
// CHECK:         outs(%{{.+}} : tensor<?x8xf32>) at [#gnn_tile.at<element -> parent_edge : feature>]
// CHECK:         outs(%{{.+}} : tensor<?x8xf32>) at <group -> parent_src_pair : feature>
// CHECK:         outs(%{{.+}} : tensor<?x8xf32>) at [#gnn_tile.at<group -> src : feature>]
func.func @written_among_others(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %p: !in_rows, %z: tensor<?x8xf32>)
    -> (!in_rows, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = gnn_tile.traverse @part <edge.in_rows, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<group -> src : feature>]
      outs(%p : !in_rows) at [#gnn_tile.at<group -> parent_edge.in_rows : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> !in_rows
  %1 = gnn_tile.traverse @part <dst, edge.in_rows, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%z : tensor<?x8xf32>) at [#gnn_tile.at<element -> parent_edge : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  %2 = gnn_tile.gemm @part rows src_pair
      ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>) at <group -> src : feature> extras at []
      outs(%z : tensor<?x8xf32>) at <group -> parent_src_pair : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %3 = gnn_tile.traverse @block <dst, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%z : tensor<?x8xf32>) at [#gnn_tile.at<group -> src : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  return %0, %1, %2, %3 : !in_rows, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}
