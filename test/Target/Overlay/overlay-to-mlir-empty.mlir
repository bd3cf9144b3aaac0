// A graph without edges, whose table has no entries: the loops of no iterations stand at its end.
//
// RUN: %python %S/../../Transforms/Overlay/Inputs/graph.py %t.npz 40
// RUN: gnn-opt %s --gnn-overlay-pipeline='from-layers=true graph=%t.npz skip-empty=true n1=16' \
// RUN:   | gnn-translate --gnn-to-overlay -o %t.ga
// RUN: gnn-translate --overlay-to-mlir %t.ga | FileCheck %s
// RUN: gnn-translate --overlay-to-mlir %t.ga | gnn-translate --gnn-to-overlay -o %t.again.ga
// RUN: cmp %t.ga %t.again.ga

// CHECK: gnn_overlay.region @edges edges [0, 0] input at 3072
// CHECK: gnn_overlay.load edge @edges at 0 by_descriptor
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @sum(%x: !node {gnn.name = "x"}) -> !node {
  %y = gnn_overlay.aggregate sum %x : !node -> !node
  return %y : !node
}
