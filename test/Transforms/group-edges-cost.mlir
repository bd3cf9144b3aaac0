// RUN: gnn-opt %s --gnn-tile-group-edges --verify-diagnostics \
// RUN:   --remarks-filter=gnn-tile-group-edges --remark-format=emitRemark | FileCheck %s

// 128 features of a graph like Reddit's are gathered in tiles that fit the L2 where
// edges are walked by destination, and whole where each edge is a row. All of 64
// features are taken at once either way.

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
