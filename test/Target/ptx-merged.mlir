// RUN: gnn-translate %s --gnn-to-ptx | FileCheck %s

// Layers of one shape share a kernel, but for the first, which writes over no
// argument. The comment names the ops of all of them; an instruction has one line,
// that of the first.
//
// CHECK:      // layers_1_linear_activation: linear at [[FILE:.*ptx-merged.mlir]]:[[# @LINE + 16]]:8, activation
// CHECK:      // also layers_2_linear_activation: linear at [[FILE]]:[[# @LINE + 17]]:8, activation
// CHECK-NEXT: // also layers_3_linear_activation: linear at [[FILE]]:[[# @LINE + 18]]:8, activation
// CHECK-NEXT: .visible .entry layers_1_linear_activation(
// CHECK:      .loc 1 [[# @LINE + 12]] 8
// CHECK-NOT:  .loc 1 [[# @LINE + 13]] {{.}}
// CHECK-NOT:  .loc 1 [[# @LINE + 14]] {{.}}
// CHECK:      .file
gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!weight = tensor<16x16xf32>

func.func @layers(%x: !node, %t: !weight, %u: !weight, %v: !weight, %w: !weight)
    -> !node {
  %a = gnn.linear %x, %t : (!node, !weight) -> !node
  %b = gnn.activation relu %a : !node
  %1 = gnn.linear %b, %u : (!node, !weight) -> !node
  %2 = gnn.activation relu %1 : !node
  %3 = gnn.linear %2, %v : (!node, !weight) -> !node
  %4 = gnn.activation relu %3 : !node
  %5 = gnn.linear %4, %w : (!node, !weight) -> !node
  %6 = gnn.activation relu %5 : !node
  return %6 : !node
}
