// RUN: gnn-opt %s --gnn-differentiate=function=f --split-input-file | FileCheck %s

// The key of a saved value is one of what a resource holds, not of its name.
// Where that is not given there is no key.
//
// CHECK: @f_forward
// CHECK-SAME: gnn.key = "[[KEY:[0-9a-f]+]]"
gnn.graph @g square {node_types = 1, edge_types = 2}
!node = tensor<?x4xf32, #gnn.rows<@g, node>>
func.func @f(%x: !node, %v: tensor<4x4xf32>) -> !node {
  %c = arith.constant dense_resource<w> : tensor<4x4xf32>
  %w = arith.mulf %v, %c : tensor<4x4xf32>
  %h = gnn.linear %x, %w : (!node, tensor<4x4xf32>) -> !node
  %y = math.tanh %h : !node
  return %y : !node
}
{-# dialect_resources: { builtin: { w: "0x040000000000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f" } } #-}

// -----

// CHECK:     @f_forward
// CHECK-NOT: gnn.key = "[[KEY]]"
// CHECK:     gnn.key = "{{[0-9a-f]+}}"
// CHECK-NOT: gnn.key = "[[KEY]]"
gnn.graph @g square {node_types = 1, edge_types = 2}
!node = tensor<?x4xf32, #gnn.rows<@g, node>>
func.func @f(%x: !node, %v: tensor<4x4xf32>) -> !node {
  %c = arith.constant dense_resource<w> : tensor<4x4xf32>
  %w = arith.mulf %v, %c : tensor<4x4xf32>
  %h = gnn.linear %x, %w : (!node, tensor<4x4xf32>) -> !node
  %y = math.tanh %h : !node
  return %y : !node
}
{-# dialect_resources: { builtin: { w: "0x040000000000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f00000040" } } #-}

// -----

// CHECK:     @f_forward
// CHECK-NOT: gnn.key
// CHECK:     gnn.role = "saved"
// CHECK-NOT: gnn.key
gnn.graph @g square {node_types = 1, edge_types = 2}
!node = tensor<?x4xf32, #gnn.rows<@g, node>>
func.func @f(%x: !node, %v: tensor<4x4xf32>) -> !node {
  %c = arith.constant dense_resource<w> : tensor<4x4xf32>
  %w = arith.mulf %v, %c : tensor<4x4xf32>
  %h = gnn.linear %x, %w : (!node, tensor<4x4xf32>) -> !node
  %y = math.tanh %h : !node
  return %y : !node
}
