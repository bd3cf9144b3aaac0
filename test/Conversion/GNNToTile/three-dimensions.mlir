// RUN: gnn-opt %s --convert-gnn-to-gnn-tile | FileCheck %s

// Three feature dimensions are walked as two: all but the last one, and the last.

gnn.graph @g square {node_types = 1, edge_types = 1}
!x = tensor<?x2x3x4xf32, #gnn.rows<@g, node>>
!y = tensor<?x2x3xf32, #gnn.rows<@g, node>>
!z = tensor<?x2xf32, #gnn.rows<@g, node>>

// CHECK-LABEL: func.func @dot
// CHECK:         %[[Y:.+]] = gnn_tile.traverse @g <dst, heads = 6, features = 4>
// CHECK-SAME:      ins({{.+}} : tensor<?x6x4xf32>, tensor<?x6x4xf32>)
// CHECK-SAME:      outs({{.+}} : tensor<?x6xf32>)
// CHECK:         tensor.expand_shape %[[Y]] {{.+}} into tensor<?x2x3xf32>
func.func @dot(%x: !x) -> !y {
  %y = gnn.dot %x, %x : (!x, !x) -> !y
  return %y : !y
}

// Two dimensions of a weight are repeated for the first one of the rows.
//
// CHECK-LABEL: func.func @norm
// CHECK:         gnn_tile.traverse @g <2, features = 12>
// CHECK:         gnn_tile.traverse @g <dst, heads = 6, features = 4>
// CHECK-SAME:      tensor<?x6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>
func.func @norm(%x: !x, %gamma: tensor<3x4xf32>) -> !x {
  %y = gnn.layer_norm %x gamma %gamma beta %gamma eps = 0.1 : !x, tensor<3x4xf32>, tensor<3x4xf32>
  return %y : !x
}

// A repeated dimension is one dimension, whatever it is made of.
//
// CHECK-LABEL: func.func @broadcast
// CHECK:         gnn_tile.traverse @g <dst, heads = 2, features = 12>
// CHECK-SAME:      ins({{.+}} : tensor<?x2xf32>)
func.func @broadcast(%z: !z) -> !x {
  %y = gnn.broadcast %z : !z -> !x
  return %y : !x
}
