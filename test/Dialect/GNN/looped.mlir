// RUN: gnn-opt %s --verify-roundtrip --canonicalize | FileCheck %s

// CHECK: gnn.graph @kept square of @g loops remove {node_types = 2, edge_types = 2}
// CHECK: gnn.graph @added square of @g loops add type 2 {node_types = 2, edge_types = 3}
// CHECK: gnn.graph @replaced square of @g loops replace type 0
// CHECK: gnn.graph @remaining square of @g loops remaining type 1
gnn.graph @g square {node_types = 2, edge_types = 2}
gnn.graph @kept square of @g loops remove {node_types = 2, edge_types = 2}
gnn.graph @added square of @g loops add type 2 {node_types = 2, edge_types = 3}
gnn.graph @replaced square of @g loops replace type 0 {node_types = 2, edge_types = 2}
gnn.graph @remaining square of @g loops remaining type 1 {node_types = 2, edge_types = 2}

!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!added = tensor<?x8xf32, #gnn.rows<@added, edge>>
!remaining = tensor<?x8xf32, #gnn.rows<@remaining, edge>>

// CHECK-LABEL: func.func @ops
// CHECK: gnn.extend_edges %{{.+}}, %{{.+}} : tensor<?x8xf32, #edge>, tensor<?x8xf32, #node> -> tensor<?x8xf32, #added_edge>
// CHECK: gnn.loop_rows %{{.+}} : tensor<?x8xf32, #added_edge> -> tensor<?x8xf32, #node>
// CHECK: gnn.restrict_rows %{{.+}} -> tensor<?x8xf32, #kept_edge>
// CHECK: gnn.expand_rows %{{.+}} : tensor<?x8xf32, #added_edge> -> tensor<?x8xf32, #edge>
func.func @ops(%e: !edge, %n: !node, %l: !added)
    -> (!added, !node, tensor<?x8xf32, #gnn.rows<@kept, edge>>, !edge) {
  %0 = gnn.extend_edges %e, %n : !edge, !node -> !added
  %1 = gnn.loop_rows %l : !added -> !node
  %2 = gnn.restrict_rows %e : !edge -> tensor<?x8xf32, #gnn.rows<@kept, edge>>
  %3 = gnn.expand_rows %l : !added -> !edge
  return %0, %1, %2, %3 : !added, !node, tensor<?x8xf32, #gnn.rows<@kept, edge>>, !edge
}

// The rows that were put there; a loop that remains has another one.
//
// CHECK-LABEL: func.func @loops_of_extended
// CHECK-SAME:    %[[E:.+]]: tensor<?x8xf32, #edge>, %[[N:.+]]: tensor
// CHECK:         %[[X:.+]] = gnn.extend_edges
// CHECK-SAME:      #remaining_edge
// CHECK:         %[[L:.+]] = gnn.loop_rows %[[X]]
// CHECK:         return %[[N]], %[[L]]
func.func @loops_of_extended(%e: !edge, %n: !node) -> (!node, !node) {
  %0 = gnn.extend_edges %e, %n : !edge, !node -> !added
  %1 = gnn.loop_rows %0 : !added -> !node
  %2 = gnn.extend_edges %e, %n : !edge, !node -> !remaining
  %3 = gnn.loop_rows %2 : !remaining -> !node
  return %1, %3 : !node, !node
}

// One row for all stays one; two are rows.
//
// CHECK-LABEL: func.func @constants
// CHECK:         %[[ONE:.+]] = gnn.broadcast %{{.+}} : tensor<f32> -> tensor<?x8xf32, #added_edge>
// CHECK:         %[[X:.+]] = gnn.extend_edges
// CHECK-NOT:     gnn.extend_edges
// CHECK:         return %[[ONE]], %[[X]]
func.func @constants() -> (!added, !added) {
  %c = arith.constant dense<1.0> : tensor<f32>
  %d = arith.constant dense<2.0> : tensor<f32>
  %one = gnn.broadcast %c : tensor<f32> -> !edge
  %same = gnn.broadcast %c : tensor<f32> -> !node
  %other = gnn.broadcast %d : tensor<f32> -> !node
  %0 = gnn.extend_edges %one, %same : !edge, !node -> !added
  %1 = gnn.extend_edges %one, %other : !edge, !node -> !added
  return %0, %1 : !added, !added
}
