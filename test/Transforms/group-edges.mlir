// RUN: gnn-opt %s --gnn-tile-group-edges=edges=1 --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter=gnn-tile-group-edges --remark-format=emitRemark | FileCheck %s
// RUN: not gnn-opt %s --split-input-file --gnn-tile-group-edges=edges=2 2>&1 | FileCheck %s --check-prefix=RANGE
//
// RANGE: gnn-tile-group-edges: expected 'edges' -1, 0 or 1, got 2

gnn.graph @g square {node_types = 1, edge_types = 1}

// The order of the results stays the user's, and that of scores that are kept by row theirs.
//
// CHECK-LABEL: func.func @dot(
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 16>
// CHECK-SAME:        at [#gnn_tile.at<element -> src : head, feature>, #gnn_tile.at<group : head, feature>]
// CHECK-SAME:        at [#gnn_tile.at<element -> edge : head>] schedule <row_walk = by_edges>
// CHECK-LABEL: func.func @in_rows(
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// CHECK-SAME:        at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>, #gnn_tile.at<element>]
// CHECK-SAME:        at [#gnn_tile.at<element>] schedule <row_walk = by_edges>
// CHECK:           gnn_tile.index {{.*}}<element -> src>
func.func @dot(%x: tensor<?x8x16xf32>, %z: tensor<?x8x16xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{a destination's row is read once for its edges}}
  %s = gnn_tile.traverse @g <edge, heads = 8, features = 16>
      ins(%x, %z : tensor<?x8x16xf32>, tensor<?x8x16xf32>)
      at [#gnn_tile.at<group -> src : head, feature>, #gnn_tile.at<group -> dst : head, feature>]
      outs(%init : tensor<?x8xf32>) at [#gnn_tile.at<group : head>] {
  ^bb0(%xv: f32, %zv: f32):
    %p = arith.mulf %xv, %zv : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  } -> tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}
func.func @in_rows(%x: tensor<?x64xf32>, %z: tensor<?x64xf32>,
                   %w: tensor<?xf32, #gnn_tile.order<edge.in_rows>>,
                   %init: tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
    -> tensor<?xf32, #gnn_tile.order<edge.in_rows>> {
  // expected-remark @+1 {{a destination's row is read once for its edges}}
  %s = gnn_tile.traverse @g <edge.in_rows, features = 64>
      ins(%x, %z, %w : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> dst : feature>, #gnn_tile.at<group>]
      outs(%init : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32, %zv: f32, %wv: f32):
    %i = gnn_tile.index #gnn_tile.at<group -> src>
    %f = arith.sitofp %i : i32 to f32
    %p = arith.mulf %xv, %zv : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    %e = arith.mulf %d, %wv : f32
    %o = arith.addf %e, %f : f32
    gnn_tile.yield %o : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  return %s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @rows(
// CHECK:         <edge, features = 64>
// CHECK-LABEL: func.func @sources(
// CHECK:         <edge, features = 64>
func.func @rows(%x: tensor<?x64xf32>, %z: tensor<?x64xf32>, %init: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-remark @+1 {{its rows have features, which are not reduced}}
  %s = gnn_tile.traverse @g <edge, features = 64>
      ins(%x, %z : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> dst : feature>]
      outs(%init : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32, %zv: f32):
    %p = arith.mulf %xv, %zv : f32
    gnn_tile.yield %p : f32
  } -> tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}
func.func @sources(%x: tensor<?x64xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{it reads no rows of features at destinations}}
  %s = gnn_tile.traverse @g <edge, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<group -> src : feature>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    %d = gnn_tile.reduce sum [feature] %xv : f32
    gnn_tile.yield %d : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}
