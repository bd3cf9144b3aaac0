// RUN: gnn-translate %s --gnn-to-plan | FileCheck %s

// The role of an input or output, where it is not what the list says, and whose
// gradients a function gives.

gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK:      {"name": "f",
// CHECK-NEXT:  "graphs"
// CHECK-NOT:   "role"
// CHECK:      {"name": "f_forward",
// CHECK-NEXT:  "gradient_of": "f", "pass": "forward",
// CHECK:       "inputs": [
// CHECK-NEXT:    {"name":"x","graph":"g","space":"node","shape":[-1,4],"dtype":"f32"},
// CHECK-NEXT:    {"name":"w","graph":"","space":"none","shape":[4,4],"dtype":"f32"}
// CHECK:       "outputs": [
// CHECK-NEXT:    {"name":"y","graph":"g","space":"node","shape":[-1,4],"dtype":"f32"},
// CHECK-NEXT:    {"name":"saved_0","graph":"g","space":"node","shape":[-1,4],"dtype":"f32","role":"saved","key":"[[KEY:[0-9a-f]{16}]]"}
// CHECK:      {"name": "f_backward",
// CHECK-NEXT:  "gradient_of": "f", "pass": "backward",
// CHECK:       "inputs": [
// CHECK-NEXT:    {"name":"x","graph":"g","space":"node","shape":[-1,4],"dtype":"f32"},
// CHECK-NEXT:    {"name":"saved_0","graph":"g","space":"node","shape":[-1,4],"dtype":"f32","role":"saved","key":"[[KEY]]"},
// CHECK-NEXT:    {"name":"d_y","graph":"g","space":"node","shape":[-1,4],"dtype":"f32","role":"gradient","of":"y"}
// CHECK:       "outputs": [
// CHECK-NEXT:    {"name":"d_w","graph":"","space":"none","shape":[4,4],"dtype":"f32","role":"gradient","of":"w"}
func.func @f(%x: tensor<?x4xf32, #gnn.rows<@g, node>> {gnn.name = "x"}, %w: tensor<4x4xf32> {gnn.name = "w"})
    -> (tensor<?x4xf32, #gnn.rows<@g, node>> {gnn.name = "y"}) attributes {gnn.gradients = ["w"]} {
  %h = gnn.linear %x, %w : (tensor<?x4xf32, #gnn.rows<@g, node>>, tensor<4x4xf32>) -> tensor<?x4xf32, #gnn.rows<@g, node>>
  %y = gnn.activation gelu %h : tensor<?x4xf32, #gnn.rows<@g, node>>
  return %y : tensor<?x4xf32, #gnn.rows<@g, node>>
}
