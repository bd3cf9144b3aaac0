// RUN: gnn-opt %s --gnn-differentiate=calls=false | FileCheck %s
// RUN: gnn-opt %s --gnn-graph-pipeline=calls=false --gnn-tile-pipeline --gnn-schedule-pipeline \
// RUN:   --gnn-block-pipeline --gnn-loops-pipeline --gnn-lanes-pipeline --gnn-gpu-pipeline \
// RUN:   | FileCheck %s --check-prefix=GPU

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 3}

// Who trains alone has its passes compiled: what they refer to is declared.
//
// CHECK:       func.func private @f(tensor<?x64xf32, #{{.+}}> {gnn.name = "x"}, tensor<64x8xf32> {gnn.name = "w"}) -> (tensor<?x8xf32, #{{.+}}> {gnn.name = "y"})
// CHECK-NOT:   {
// CHECK-LABEL: func.func @f_forward(
// CHECK-SAME:    gnn.gradient_of = @f
// CHECK:         gnn.linear
// CHECK-LABEL: func.func @f_backward(
//
// GPU:     func.func private @f(
// GPU-NOT: gpu.module @f_kernels
// GPU:     gpu.module @f_forward_kernels
// GPU:     gpu.module @f_backward_kernels
func.func @f(%x: tensor<?x64xf32, #node> {gnn.name = "x"}, %w: tensor<64x8xf32> {gnn.name = "w"})
    -> (tensor<?x8xf32, #node> {gnn.name = "y"}) attributes {gnn.gradients = ["w"]} {
  %y = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  return %y : tensor<?x8xf32, #node>
}

// A function without gradients stays as it is.
//
// CHECK-LABEL: func.func @other(
// CHECK:         gnn.linear
func.func @other(%x: tensor<?x64xf32, #node> {gnn.name = "x"}, %w: tensor<64x8xf32> {gnn.name = "w"})
    -> (tensor<?x8xf32, #node> {gnn.name = "y"}) {
  %y = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  return %y : tensor<?x8xf32, #node>
}
