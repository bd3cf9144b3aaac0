// RUN: gnn-opt %s --convert-gnn-to-gnn-tile | FileCheck %s

gnn.graph @g square {node_types = 1, edge_types = 1}
gnn.graph @s square of @g loops replace type 0 {node_types = 1, edge_types = 1}

!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!looped = tensor<?x8xf32, #gnn.rows<@s, edge>>

// Rows computed for this alone are written where they are read, with room behind
// them for the rows of loops.
//
// CHECK-LABEL: func.func @computed
// CHECK:         %[[N:.+]] = gnn_tile.count @s count parent_edge
// CHECK:         %[[INIT:.+]] = tensor.empty(%[[N]]) : tensor<?x8xf32, #edge_in_rows>
// CHECK:         %[[E:.+]] = gnn_tile.traverse @g <edge.in_rows, features = 8>
// CHECK-SAME:      outs(%[[INIT]] :
// CHECK:           math.tanh
// CHECK:         %[[ALL:.+]] = gnn_tile.traverse @s <dst, features = 8>
// CHECK-SAME:      outs(%[[E]] : {{.+}}) at [#gnn_tile.at<group -> parent_loop : feature>]
// CHECK:         gnn_tile.traverse @s <dst, edge.in_rows, features = 8>
// CHECK-SAME:      ins(%[[ALL]] : {{.+}}) at [#gnn_tile.at<element -> parent_edge.in_rows : feature>]
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         return
func.func @computed(%e: !edge, %n: !node) -> tensor<?x8xf32, #gnn.rows<@s, node>> {
  %t = math.tanh %e : !edge
  %x = gnn.extend_edges %t, %n : !edge, !node -> !looped
  %y = gnn.aggregate sum %x via dst : !looped -> tensor<?x8xf32, #gnn.rows<@s, node>>
  return %y : tensor<?x8xf32, #gnn.rows<@s, node>>
}

// An argument is copied, in its order.
//
// CHECK-LABEL: func.func @given
// CHECK:         %[[E:.+]] = gnn_tile.traverse @g <edge, features = 8> ins(%{{.+}} : tensor<?x8xf32>)
// CHECK:         gnn_tile.traverse @s <dst, features = 8>
// CHECK-SAME:      outs(%[[E]] : tensor<?x8xf32>) at [#gnn_tile.at<group -> parent_loop : feature>]
// CHECK:         #gnn_tile.at<element -> parent_edge : feature>
func.func @given(%e: !edge) -> tensor<?x8xf32, #gnn.rows<@s, node>> {
  %c = arith.constant dense<1.0> : tensor<f32>
  %one = gnn.broadcast %c : tensor<f32> -> !node
  %x = gnn.extend_edges %e, %one : !edge, !node -> !looped
  %y = gnn.aggregate sum %x via dst : !looped -> tensor<?x8xf32, #gnn.rows<@s, node>>
  return %y : tensor<?x8xf32, #gnn.rows<@s, node>>
}

// So is what something else reads as well.
//
// CHECK-LABEL: func.func @read_twice
// CHECK:         %[[T:.+]] = gnn_tile.traverse @g
// CHECK:           math.tanh
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 8> ins(%[[T]] :
// CHECK:         parent_loop
func.func @read_twice(%e: !edge, %n: !node) -> (!looped, !edge) {
  %t = math.tanh %e : !edge
  %x = gnn.extend_edges %t, %n : !edge, !node -> !looped
  return %x, %t : !looped, !edge
}

// Rows of new loops are those of edges at the place of their node's loop; rows of
// edges are written with those of loops behind them.
//
// CHECK-LABEL: func.func @back
// CHECK:         gnn_tile.traverse @s <dst, edge.in_rows, features = 8>
// CHECK:           %[[I:.+]] = gnn_tile.index <element -> parent_edge>
// CHECK:           %[[L:.+]] = gnn_tile.index <group -> parent_loop>
// CHECK:           arith.cmpi eq, %[[I]], %[[L]]
// CHECK:           gnn_tile.reduce sum [element]
// CHECK:         %[[N:.+]] = gnn_tile.count @s count parent_edge
// CHECK:         tensor.empty(%[[N]])
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 8>
// CHECK:         gnn_tile.traverse @s
// CHECK-SAME:      at [#gnn_tile.at<group -> parent_edge.in_rows : feature>]
func.func @back(%d: !looped) -> (!node, !edge) {
  %0 = gnn.loop_rows %d : !looped -> !node
  %1 = gnn.expand_rows %d : !looped -> !edge
  return %0, %1 : !node, !edge
}
