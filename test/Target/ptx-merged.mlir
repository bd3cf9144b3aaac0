// RUN: gnn-translate %s --gnn-to-ptx | FileCheck %s

// Layers of one shape share a kernel. The comment names the ops of all of them;
// an instruction has one line, that of the first.
//
// CHECK:      // layers_0_linear_activation: linear at [[FILE:.*ptx-merged.mlir]]:[[# @LINE + 14]]:8, activation
// CHECK:      // also layers_1_linear_activation: linear at [[FILE]]:[[# @LINE + 15]]:8, activation
// CHECK-NEXT: // also layers_2_linear_activation: linear at [[FILE]]:[[# @LINE + 16]]:8, activation
// CHECK-NEXT: .visible .entry layers_0_linear_activation(
// CHECK:      .loc 1 [[# @LINE + 10]] 8
// CHECK-NOT:  .loc 1 [[# @LINE + 11]] {{.}}
// CHECK-NOT:  .loc 1 [[# @LINE + 12]] {{.}}
// CHECK:      .file
gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!weight = tensor<16x16xf32>

func.func @layers(%x: !node, %u: !weight, %v: !weight, %w: !weight)
    -> !node {
  %1 = gnn.linear %x, %u : (!node, !weight) -> !node
  %2 = gnn.activation relu %1 : !node
  %3 = gnn.linear %2, %v : (!node, !weight) -> !node
  %4 = gnn.activation relu %3 : !node
  %5 = gnn.linear %4, %w : (!node, !weight) -> !node
  %6 = gnn.activation relu %5 : !node
  return %6 : !node
}
