// RUN: gnn-opt %s --gnn-differentiate --remarks-filter='gnn-differentiate' \
// RUN:   --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#node = #gnn.rows<@g, node>
!x = tensor<?x4xf32, #node>
gnn.graph @g square {node_types = 1, edge_types = 1}

// A number that is no tensor is computed where it is used: here a place in the
// random numbers.
//
// CHECK-LABEL: func.func @number_forward(
// CHECK-NOT:     gnn.role = "saved"
// CHECK-LABEL: func.func @number_backward(
// CHECK-SAME:    %[[I:[^:]+]]: i64 {gnn.name = "i", gnn.role = "input"}
// CHECK:         %[[J:.+]] = arith.addi %[[I]]
// CHECK:         gnn.dropout %{{.+}} offset %[[J]]
func.func @number(%x: !x {gnn.name = "x"}, %i: i64 {gnn.name = "i"}) -> !x attributes {gnn.gradients = ["x"]} {
  %two = arith.constant 2 : i64
  %j = arith.addi %i, %two : i64
  %seed = arith.constant 7 : i64
  %y = gnn.dropout %x p = 0.5 seed %seed offset %j : !x
  return %y : !x
}

// The same of a number that a size is.
//
// CHECK-LABEL: func.func @size_backward(
// CHECK:         tensor.dim
// CHECK:         arith.mulf
func.func @size(%x: !x {gnn.name = "x"}) -> !x attributes {gnn.gradients = ["x"]} {
  %zero = arith.constant 0 : index
  %rows = tensor.dim %x, %zero : !x
  %i = arith.index_cast %rows : index to i64
  %float = arith.sitofp %i : i64 to f32
  // expected-remark @+1 {{tensor.from_elements: computed again, 4 bytes: cheap, from what is saved}}
  %scalar = tensor.from_elements %float : tensor<f32>
  // expected-remark @+1 {{gnn.broadcast: computed again, 1.6e+06 bytes: cheap, from what is saved}}
  %all = gnn.broadcast %scalar : tensor<f32> -> !x
  %y = arith.mulf %all, %x : !x
  return %y : !x
}

// A condition is never saved, in whatever rows it is.
//
// CHECK-LABEL: func.func @condition_backward(
// CHECK:         arith.cmpf
func.func @condition(%x: !x {gnn.name = "x"}, %w: tensor<4x4xf32> {gnn.name = "w"}) -> !x attributes {gnn.gradients = ["x"]} {
  // expected-remark @+1 {{gnn.linear: saved, 1.6e+06 bytes: a product makes it}}
  %h = gnn.linear %x, %w : (!x, tensor<4x4xf32>) -> !x
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-remark @+1 {{gnn.broadcast: computed again, 1.6e+06 bytes: cheap, from what is saved}}
  %all = gnn.broadcast %zero : tensor<f32> -> !x
  // expected-remark @+1 {{arith.cmpf: computed again, 5e+04 bytes: conditions are never saved}}
  %above = arith.cmpf ogt, %h, %all : !x
  %y = arith.select %above, %h, %all : tensor<?x4xi1, #node>, !x
  return %y : !x
}
