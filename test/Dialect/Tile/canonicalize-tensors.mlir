// RUN: gnn-opt %s --canonicalize | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// The only head of a row is the row.
//
// CHECK-LABEL: func.func @only_head
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x8xf32>
// CHECK-NEXT:    gnn_tile.traverse @g <dst, edge.in_rows, features = 8> ins(%[[X]] : tensor<?x8xf32>)
// CHECK-SAME:      at [#gnn_tile.at<element -> src : feature>] outs(%{{.+}} : tensor<?x1x8xf32>) at [#gnn_tile.at<group : head, feature>]
func.func @only_head(%x: tensor<?x8xf32>, %n: index, %y: tensor<?x1x8xf32>) -> tensor<?x1x8xf32> {
  %heads = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 1, 8] : tensor<?x8xf32> into tensor<?x1x8xf32>
  %sum = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%heads : tensor<?x1x8xf32>) at [#gnn_tile.at<element -> src : head, feature>]
      outs(%y : tensor<?x1x8xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x1x8xf32>
  return %sum : tensor<?x1x8xf32>
}

// A copy stays as it is: products take it in as their list of rows.
//
// CHECK-LABEL: func.func @copy
// CHECK:         %[[HEADS:.+]] = tensor.expand_shape
// CHECK:         gnn_tile.traverse @g <src, features = 8> ins(%[[HEADS]] : tensor<?x1x8xf32>)
func.func @copy(%x: tensor<?x8xf32>, %n: index, %y: tensor<?x1x8xf32>) -> tensor<?x1x8xf32> {
  %heads = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 1, 8] : tensor<?x8xf32> into tensor<?x1x8xf32>
  %copy = gnn_tile.traverse @g <src, features = 8>
      ins(%heads : tensor<?x1x8xf32>) at [#gnn_tile.at<group : head, feature>]
      outs(%y : tensor<?x1x8xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x1x8xf32>
  return %copy : tensor<?x1x8xf32>
}

// A tensor that is read twice along one way is one input; along two ways, it is
// two.
//
// CHECK-LABEL: func.func @read_twice
// CHECK:         gnn_tile.traverse {{.*}} ins(%arg0, %arg0 : tensor<?x8xf32>, tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
// CHECK:         ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32):
// CHECK-NEXT:      %[[P:.+]] = arith.mulf %[[A]], %[[A]]
// CHECK-NEXT:      arith.addf %[[P]], %[[B]]
func.func @read_twice(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x, %x, %x : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>, #gnn_tile.at<element -> src : feature>]
      outs(%y : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %c : f32
    %q = arith.addf %p, %b : f32
    %s = gnn_tile.reduce sum [element] %q : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
