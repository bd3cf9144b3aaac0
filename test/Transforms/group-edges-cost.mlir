// RUN: gnn-opt %s --gnn-tile-group-edges --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter=gnn-tile-group-edges --remark-format=emitRemark | FileCheck %s

// 128 features of a graph like Reddit's are gathered in tiles that fit the L2 where
// edges are walked by destination, and whole where each edge is a row. Of 64 features
// all are taken at once either way.

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 232965,
  dst_nodes = 232965, edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232965]>}

// CHECK-LABEL: func.func @wide(
// CHECK:         <dst, edge.in_rows, features = 128>
func.func @wide(%x: tensor<?x128xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark-re @+1 {{a destination's row is read once for its edges: {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model}}
  %s = gnn_tile.traverse @g <edge, features = 128>
      ins(%x, %x : tensor<?x128xf32>, tensor<?x128xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> dst : feature>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32, %zv: f32):
    %p = arith.mulf %xv, %zv : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 232965,
  dst_nodes = 232965, edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232965]>}

// The copy to the user's order stays where the L2 does not hold what is written there.
//
// CHECK-LABEL: func.func @copied(
// CHECK:         <dst, edge.in_rows, features = 64>
// CHECK:         gnn_tile.traverse @g <edge.in_rows>
func.func @copied(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  %n = gnn_tile.count @g count edge : index
  %init = tensor.empty(%n) : tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  // expected-remark-re @+2 {{a destination's row is read once for its edges: {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model}}
  // expected-remark @+1 {{the L2 does not hold what it would write in the order in which it is read}}
  %s = gnn_tile.traverse @g <edge.in_rows, features = 64>
      ins(%x, %x : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> dst : feature>]
      outs(%init : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32, %zv: f32):
    %p = arith.mulf %xv, %zv : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  %to = tensor.empty(%n) : tensor<?xf32>
  // expected-remark @+1 {{it reads no rows of features at destinations}}
  %c = gnn_tile.traverse @g <edge.in_rows> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>]
      outs(%to : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %c : tensor<?xf32>
}
