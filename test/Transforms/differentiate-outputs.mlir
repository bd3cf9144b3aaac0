// RUN: gnn-opt %s --gnn-differentiate --remarks-filter='gnn-differentiate' \
// RUN:   --remark-format=emitRemark 2>&1 | FileCheck %s

// The gradient of one result is given. The forward pass saves what both would need;
// the backward pass takes what is left. It takes the gradient that is given, whether
// it reads it or not, and no other.

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-COUNT-1: remark: {{.*}}no result whose gradient is given depends on input 'w': its gradient is 0
// CHECK-NOT:     gradient is 0
// CHECK:         remark: {{.*}}no result depends on input 'n': its gradient is 0
// CHECK-NOT:     gradient is 0
// CHECK-LABEL: func.func @both_forward(
// CHECK-SAME:    gnn.name = "a", gnn.role = "output"
// CHECK-SAME:    gnn.name = "b", gnn.role = "output"
// CHECK-SAME:    gnn.name = "saved_0", gnn.role = "saved"
// CHECK-LABEL: func.func @both_backward(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x4xf32, #[[NODE:.+]]> {gnn.name = "x", gnn.role = "input"},
// CHECK-SAME:    %[[B:[^:]+]]: tensor<?x4xf32, #[[NODE]]> {gnn.name = "b", gnn.role = "output"},
// CHECK-SAME:    %[[D:[^:]+]]: tensor<?x4xf32, #[[NODE]]> {gnn.name = "d_b", gnn.of = "b", gnn.role = "gradient"})
// CHECK-SAME:    -> (tensor<4x4xf32> {gnn.name = "d_w", gnn.of = "w", gnn.role = "gradient"}, tensor<4x4xf32> {gnn.name = "d_u", gnn.of = "u", gnn.role = "gradient"})
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<4x4xf32>
// CHECK-DAG:     %[[DU:.+]] = gnn.outer %[[X]]
// CHECK:         return %[[ZERO]], %[[DU]]
func.func @both(%x: tensor<?x4xf32, #node> {gnn.name = "x"}, %w: tensor<4x4xf32> {gnn.name = "w"},
                %u: tensor<4x4xf32> {gnn.name = "u"})
    -> (tensor<?x4xf32, #node> {gnn.name = "a"}, tensor<?x4xf32, #node> {gnn.name = "b"})
    attributes {gnn.gradients = ["w", "u"], gnn.gradient_outputs = ["b"]} {
  %h = gnn.linear %x, %w : (tensor<?x4xf32, #node>, tensor<4x4xf32>) -> tensor<?x4xf32, #node>
  %a = gnn.activation gelu %h : tensor<?x4xf32, #node>
  %k = gnn.linear %x, %u : (tensor<?x4xf32, #node>, tensor<4x4xf32>) -> tensor<?x4xf32, #node>
  %b = gnn.activation tanh %k : tensor<?x4xf32, #node>
  return %a, %b : tensor<?x4xf32, #node>, tensor<?x4xf32, #node>
}

// CHECK-LABEL: func.func @unread_backward(
// CHECK-SAME:    {gnn.name = "x", gnn.role = "input"},
// CHECK-SAME:    {gnn.name = "d_y", gnn.of = "y", gnn.role = "gradient"},
// CHECK-SAME:    {gnn.name = "d_z", gnn.of = "z", gnn.role = "gradient"})
func.func @unread(%x: tensor<?x4xf32, #node> {gnn.name = "x"}, %w: tensor<4x4xf32> {gnn.name = "w"})
    -> (tensor<?x4xf32, #node> {gnn.name = "y"}, tensor<?x4xf32, #node> {gnn.name = "z"})
    attributes {gnn.gradients = ["w"]} {
  %y = gnn.linear %x, %w : (tensor<?x4xf32, #node>, tensor<4x4xf32>) -> tensor<?x4xf32, #node>
  %z = gnn.activation tanh %x : tensor<?x4xf32, #node>
  return %y, %z : tensor<?x4xf32, #node>, tensor<?x4xf32, #node>
}

// An input that no result depends on is said once.

// CHECK-LABEL: func.func @neither_backward(
func.func @neither(%x: tensor<?x4xf32, #node> {gnn.name = "x"}, %n: tensor<4x4xf32> {gnn.name = "n"})
    -> (tensor<?x4xf32, #node> {gnn.name = "y"}, tensor<?x4xf32, #node> {gnn.name = "z"})
    attributes {gnn.gradients = ["x", "n"], gnn.gradient_outputs = ["z"]} {
  %y = gnn.activation tanh %x : tensor<?x4xf32, #node>
  %z = gnn.activation gelu %x : tensor<?x4xf32, #node>
  return %y, %z : tensor<?x4xf32, #node>, tensor<?x4xf32, #node>
}
