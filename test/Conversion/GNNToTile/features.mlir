// RUN: gnn-opt %s --convert-gnn-to-gnn-tile | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!heads = tensor<?x4x8xf32, #gnn.rows<@g, node>>
!head = tensor<?x4xf32, #gnn.rows<@g, node>>

// Everything that a row needs of itself alone is one row-wise traversal.

// CHECK-LABEL: func.func @dot
// CHECK:         gnn_tile.traverse @g <dst, heads = 4, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<all : head, feature>]
// CHECK-SAME:      at [#gnn_tile.at<group : head>]
// CHECK:           gnn_tile.reduce sum [feature]
func.func @dot(%x: !heads, %a: tensor<4x8xf32>) -> !head {
  %y = gnn.dot %x, %a : (!heads, tensor<4x8xf32>) -> !head
  return %y : !head
}

// CHECK-LABEL: func.func @outer_rows
// CHECK:         gnn_tile.traverse @g <dst, heads = 4, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group : head>, #gnn_tile.at<group : feature>]
// CHECK:           arith.mulf
func.func @outer_rows(%x: !head, %y: !node) -> !heads {
  %z = gnn.outer_rows %x, %y : (!head, !node) -> !heads
  return %z : !heads
}

// Heads stay, for the ops beside it.
//
// CHECK-LABEL: func.func @activation
// CHECK:         gnn_tile.traverse @g <dst, heads = 4, features = 8>
// CHECK:           %[[C:.+]] = arith.cmpf ogt
// CHECK:           arith.select %[[C]]
func.func @activation(%x: !heads) -> !heads {
  %y = gnn.activation leaky_relu %x alpha = 0.2 : !heads
  return %y : !heads
}

// CHECK-LABEL: func.func @prelu
// CHECK:         gnn_tile.traverse @g <dst, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group : feature>, #gnn_tile.at<all : feature>]
func.func @prelu(%x: !node, %w: tensor<8xf32>) -> !node {
  %y = gnn.activation prelu %x, %w : !node, tensor<8xf32>
  return %y : !node
}

// CHECK-LABEL: func.func @batch_norm
// CHECK:         gnn_tile.traverse @g <dst, features = 8>
// CHECK:           arith.subf
// CHECK:           math.sqrt
// CHECK:           arith.divf
// CHECK:           arith.mulf
// CHECK:           arith.addf
func.func @batch_norm(%x: !node, %w: tensor<8xf32>) -> !node {
  %y = gnn.batch_norm %x mean %w variance %w gamma %w beta %w eps = 1.0e-5 : !node, tensor<8xf32>
  return %y : !node
}

// The variance of what the mean is taken off: two passes over registers.
//
// CHECK-LABEL: func.func @layer_norm
// CHECK:         gnn_tile.traverse @g <dst, features = 8>
// CHECK:           %[[M:.+]] = gnn_tile.reduce mean [feature]
// CHECK:           %[[D:.+]] = arith.subf %{{.+}}, %[[M]]
// CHECK:           arith.mulf %[[D]], %[[D]]
// CHECK:           gnn_tile.reduce mean [feature]
// CHECK:           math.sqrt
func.func @layer_norm(%x: !node) -> !node {
  %y = gnn.layer_norm %x eps = 1.0e-5 : !node
  return %y : !node
}

// CHECK-LABEL: func.func @broadcast
// CHECK:         gnn_tile.traverse @g <dst, heads = 4, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group : head>]
// CHECK-SAME:      at [#gnn_tile.at<group : head, feature>]
func.func @broadcast(%x: !head) -> !heads {
  %y = gnn.broadcast %x : !head -> !heads
  return %y : !heads
}

// Each part is written in place beside the others.
//
// CHECK-LABEL: func.func @concat
// CHECK:         %[[A:.+]] = gnn_tile.traverse @g <dst, features = 8>
// CHECK-SAME:      outs(%{{.+}} : tensor<?x12xf32>) at [#gnn_tile.at<group : feature>]
// CHECK:         gnn_tile.traverse @g <dst, features = 4>
// CHECK-SAME:      outs(%[[A]] : tensor<?x12xf32>) at [#gnn_tile.at<group : feature + 8>]
func.func @concat(%x: !node, %y: !head) -> tensor<?x12xf32, #gnn.rows<@g, node>> {
  %z = gnn.concat %x, %y : (!node, !head) -> tensor<?x12xf32, #gnn.rows<@g, node>>
  return %z : tensor<?x12xf32, #gnn.rows<@g, node>>
}

// CHECK-LABEL: func.func @slice
// CHECK:         gnn_tile.traverse @g <dst, features = 4>
// CHECK-SAME:      at [#gnn_tile.at<group : feature + 2>]
func.func @slice(%x: !node) -> !head {
  %y = gnn.slice %x at 2 : !node -> !head
  return %y : !head
}

// The input's columns and, on both sides of them, zeros.
//
// CHECK-LABEL: func.func @pad
// CHECK:         %[[A:.+]] = gnn_tile.traverse @g <dst, features = 2> at [] outs({{.+}}) at [#gnn_tile.at<group : feature>]
// CHECK:           arith.constant 0.000000e+00
// CHECK:         %[[B:.+]] = gnn_tile.traverse @g <dst, features = 8>
// CHECK-SAME:      outs(%[[A]] : tensor<?x16xf32>) at [#gnn_tile.at<group : feature + 2>]
// CHECK:         gnn_tile.traverse @g <dst, features = 6> at []
// CHECK-SAME:      outs(%[[B]] : tensor<?x16xf32>) at [#gnn_tile.at<group : feature + 10>]
// CHECK:           arith.constant 0.000000e+00
func.func @pad(%x: !node) -> tensor<?x16xf32, #gnn.rows<@g, node>> {
  %y = gnn.pad %x at 2 : !node -> tensor<?x16xf32, #gnn.rows<@g, node>>
  return %y : tensor<?x16xf32, #gnn.rows<@g, node>>
}

// A reshape moves nothing.
//
// CHECK-LABEL: func.func @reshape
// CHECK:         gnn_tile.traverse @g <dst, heads = 4, features = 8>
// CHECK:           arith.maximumf
// CHECK:         tensor.collapse_shape
func.func @reshape(%x: !heads) -> tensor<?x32xf32, #gnn.rows<@g, node>> {
  %y = gnn.activation relu %x : !heads
  %z = gnn.reshape %y : !heads -> tensor<?x32xf32, #gnn.rows<@g, node>>
  return %z : tensor<?x32xf32, #gnn.rows<@g, node>>
}

// CHECK-LABEL: func.func @reduce_heads
// CHECK:         gnn_tile.traverse @g <dst, heads = 4, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group : feature>]
// CHECK:           gnn_tile.reduce mean [head]
func.func @reduce_heads(%x: !heads) -> !node {
  %y = gnn.reduce_heads mean %x : !heads -> !node
  return %y : !node
}

// CHECK-LABEL: func.func @reduce_features
// CHECK:         gnn_tile.traverse @g <dst, heads = 4, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group : head>]
// CHECK:           gnn_tile.reduce max [feature]
func.func @reduce_features(%x: !heads) -> !head {
  %y = gnn.reduce_features max %x : !heads -> !head
  return %y : !head
}

// Upstream's ops stay themselves, on scalars; one value everywhere is no input.
//
// CHECK-LABEL: func.func @elementwise
// CHECK:         gnn_tile.traverse @g <dst, features = 8> at []
// CHECK:           arith.constant 5.000000e-01 : f32
// CHECK:         gnn_tile.traverse @g <dst, features = 8>
// CHECK:           %[[C:.+]] = arith.cmpf ogt
// CHECK-NEXT:      arith.select %[[C]]
func.func @elementwise(%x: !node, %y: !node) -> !node {
  %half = arith.constant dense<0.5> : tensor<8xf32>
  %h = gnn.broadcast %half : tensor<8xf32> -> !node
  %c = arith.cmpf ogt, %x, %y : !node
  %s = arith.select %c, %x, %h : tensor<?x8xi1, #gnn.rows<@g, node>>, !node
  return %s : !node
}

// A weight is one row. Where nothing says which graph, there is none.
//
// CHECK-LABEL: func.func @weight
// CHECK:         %[[ROW:.+]] = tensor.expand_shape
// CHECK:         gnn_tile.traverse @{{.+}} <1, features = 24> ins(%[[ROW]] : tensor<1x24xf32>)
// CHECK:           math.exp
func.func @weight(%w: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %y = math.exp %w : tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// A number for each type is chosen by the number of the type.

// CHECK-LABEL: func.func @numbers_of_types
// CHECK:         gnn_tile.traverse @g <edge_type>
// CHECK:           %[[TYPE:.+]] = gnn_tile.index <group>
// CHECK:           %[[MOST:.+]] = arith.constant 1.0
// CHECK:           %[[IS_1:.+]] = arith.cmpi eq, %[[TYPE]]
// CHECK:           %[[OTHER:.+]] = arith.constant 5.0
// CHECK:           %[[FOUND:.+]] = arith.select %[[IS_1]], %[[OTHER]], %[[MOST]]
// CHECK:           gnn_tile.yield %[[FOUND]]
func.func @numbers_of_types() -> tensor<3xf32, #gnn.rows<@g, edge_type>> {
  %c = arith.constant dense<[1.0, 5.0, 1.0]> : tensor<3xf32, #gnn.rows<@g, edge_type>>
  return %c : tensor<3xf32, #gnn.rows<@g, edge_type>>
}
