// RUN: gnn-opt %s -o /dev/null --gnn-tile-list-schedules 2>&1 | FileCheck %s --match-full-lines --implicit-check-not=error

// A module in front of the form that schedules are of has none to list.
//
// CHECK: {{.*}}list-no-templates.mlir:[[#@LINE+3]]:1: warning: expected templates to list the schedules of, as gnn-tile-pipeline makes them, got none
// CHECK-NOT: {{.*}}note: {{.*}}

gnn.graph @g square {node_types = 1, edge_types = 1}
!node = tensor<?x64xf32, #gnn.rows<@g, node>>

func.func @f(%x: !node, %w: tensor<64x64xf32>) -> !node {
  %y = gnn.linear %x, %w : (!node, tensor<64x64xf32>) -> !node
  return %y : !node
}
