// RUN: gnn-opt %s --gnn-differentiate | FileCheck %s

#node = #gnn.rows<@g, node>
!x = tensor<?x4xf32, #node>
gnn.graph @g square {node_types = 1, edge_types = 1}

// A power with the exponent 0 has the gradient 0, also of 0.
//
// CHECK-LABEL: func.func @power_backward(
// CHECK:         arith.cmpf oeq
// CHECK:         arith.select
func.func @power(%x: !x {gnn.name = "x"}, %c: !x {gnn.name = "c"}) -> !x attributes {gnn.gradients = ["x"]} {
  %y = math.powf %x, %c : !x
  return %y : !x
}

// An exponent that is known not to be 0 is not asked.
//
// CHECK-LABEL: func.func @cube_backward(
// CHECK-NOT:     arith.cmpf
// CHECK:         return
func.func @cube(%x: !x {gnn.name = "x"}) -> !x attributes {gnn.gradients = ["x"]} {
  %three = arith.constant dense<3.0> : tensor<f32>
  %c = gnn.broadcast %three : tensor<f32> -> !x
  %y = math.powf %x, %c : !x
  return %y : !x
}
