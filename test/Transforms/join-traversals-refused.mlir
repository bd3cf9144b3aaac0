// RUN: gnn-opt %s --gnn-tile-join-traversals --verify-diagnostics \
// RUN:   --remarks-filter='gnn-tile-join-traversals' --remark-format=emitRemark | FileCheck %s

// Walks over the same rows of 8 and of 16 features.

#rows = #gnn_tile.at<group : feature>
gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @other_features
// CHECK-COUNT-2: gnn_tile.traverse
func.func @other_features(%x: tensor<?x8xf32>, %y: tensor<?x16xf32>) -> (tensor<?x8xf32>, tensor<?x16xf32>) {
  %a = gnn_tile.traverse @g <dst, edge.in_rows, features = 8> ins(%x : tensor<?x8xf32>)
      at [#gnn_tile.at<element -> src : feature>] outs(%x : tensor<?x8xf32>) at [#rows] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  // expected-remark-re @+1 {{two traversals over the same rows, {{.*}}: they have other heads and features}}
  %b = gnn_tile.traverse @g <dst, edge.in_rows, features = 16> ins(%y : tensor<?x16xf32>)
      at [#gnn_tile.at<element -> src : feature>] outs(%y : tensor<?x16xf32>) at [#rows] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x16xf32>
  return %a, %b : tensor<?x8xf32>, tensor<?x16xf32>
}
