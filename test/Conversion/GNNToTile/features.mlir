// RUN: gnn-opt %s --convert-gnn-to-gnn-tile | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!heads = tensor<?x4x8xf32, #gnn.rows<@g, node>>
!head = tensor<?x4xf32, #gnn.rows<@g, node>>

// Everything that a row needs of itself alone is one row-wise traversal.

func.func @dot(%x: !heads, %a: tensor<4x8xf32>) -> !head {
  %y = gnn.dot %x, %a : (!heads, tensor<4x8xf32>) -> !head
  return %y : !head
}

func.func @outer_rows(%x: !head, %y: !node) -> !heads {
  %z = gnn.outer_rows %x, %y : (!head, !node) -> !heads
  return %z : !heads
}

func.func @activation(%x: !heads) -> !heads {
  %y = gnn.activation leaky_relu %x alpha = 0.2 : !heads
  return %y : !heads
}

func.func @prelu(%x: !node, %w: tensor<8xf32>) -> !node {
  %y = gnn.activation prelu %x, %w : !node, tensor<8xf32>
  return %y : !node
}

func.func @batch_norm(%x: !node, %w: tensor<8xf32>) -> !node {
  %y = gnn.batch_norm %x mean %w variance %w gamma %w beta %w eps = 1.0e-5 : !node, tensor<8xf32>
  return %y : !node
}

func.func @layer_norm(%x: !node) -> !node {
  %y = gnn.layer_norm %x eps = 1.0e-5 : !node
  return %y : !node
}

func.func @broadcast(%x: !head) -> !heads {
  %y = gnn.broadcast %x : !head -> !heads
  return %y : !heads
}

func.func @concat(%x: !node, %y: !head) -> tensor<?x12xf32, #gnn.rows<@g, node>> {
  %z = gnn.concat %x, %y : (!node, !head) -> tensor<?x12xf32, #gnn.rows<@g, node>>
  return %z : tensor<?x12xf32, #gnn.rows<@g, node>>
}

func.func @slice(%x: !node) -> !head {
  %y = gnn.slice %x at 2 : !node -> !head
  return %y : !head
}

func.func @reshape(%x: !heads) -> tensor<?x32xf32, #gnn.rows<@g, node>> {
  %y = gnn.activation relu %x : !heads
  %z = gnn.reshape %y : !heads -> tensor<?x32xf32, #gnn.rows<@g, node>>
  return %z : tensor<?x32xf32, #gnn.rows<@g, node>>
}

func.func @reduce_heads(%x: !heads) -> !node {
  %y = gnn.reduce_heads mean %x : !heads -> !node
  return %y : !node
}

func.func @reduce_features(%x: !heads) -> !head {
  %y = gnn.reduce_features max %x : !heads -> !head
  return %y : !head
}

func.func @elementwise(%x: !node, %y: !node) -> !node {
  %half = arith.constant dense<0.5> : tensor<8xf32>
  %h = gnn.broadcast %half : tensor<8xf32> -> !node
  %c = arith.cmpf ogt, %x, %y : !node
  %s = arith.select %c, %x, %h : tensor<?x8xi1, #gnn.rows<@g, node>>, !node
  return %s : !node
}
