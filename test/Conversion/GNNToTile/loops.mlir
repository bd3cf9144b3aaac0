// RUN: gnn-opt %s --convert-gnn-to-gnn-tile | FileCheck %s

// A loop is a traversal with its body.

gnn.graph @g square {node_types = 2, edge_types = 3}
!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!score = tensor<?xf32, #gnn.rows<@g, edge>>
!types = tensor<3x8xf32, #gnn.rows<@g, edge_type>>
!kinds = tensor<2x8xf32, #gnn.rows<@g, node_type>>

// A result of each edge is a walk of edges, a sum at its end is a walk of that
// end's edges.
//
// CHECK-LABEL: func.func @for_edges
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> edge : feature>]
// CHECK-SAME:      at [#gnn_tile.at<group : feature>]
// CHECK:           arith.cmpf ogt, %{{.+}}, %{{.+}} : f32
// CHECK:           arith.select %{{.+}} : f32
// CHECK:         gnn_tile.traverse @g <src, edge.out_rows, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge : feature>]
// CHECK-SAME:      at [#gnn_tile.at<group : feature>]
// CHECK:           arith.select
// CHECK:           gnn_tile.reduce max [element]
func.func @for_edges(%x: !node, %z: !edge) -> (!edge, !node) {
  %r:2 = gnn.for_edges %e in @g -> (!edge, !node) {
    %x_u = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    %z_e = gnn.read %z[%e] : (!edge, !e) -> tensor<8xf32>
    %c = arith.cmpf ogt, %x_u, %z_e : tensor<8xf32>
    %m = arith.select %c, %x_u, %z_e : tensor<8xi1>, tensor<8xf32>
    gnn.yield %m, max %m via src : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : !edge, !node
}

// Loops over the edges of the node are walks of its elements; what one of them
// makes for an edge is read at the edge.
//
// CHECK-LABEL: func.func @for_nodes
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<element -> edge : feature>, #gnn_tile.at<group : feature>]
// CHECK-SAME:      outs(%{{.+}}, %{{.+}} : tensor<?x8xf32, #edge_in_rows>, tensor<?xf32>) at [#gnn_tile.at<element : feature>, #gnn_tile.at<group>]
// CHECK:           %[[P:.+]] = math.exp
// CHECK:           %[[S:.+]] = gnn_tile.reduce sum [element] %[[P]]
// CHECK:           %[[Q:.+]] = arith.divf %[[P]], %[[S]]
// CHECK:           %[[D:.+]] = gnn_tile.reduce sum [feature]
// CHECK:           gnn_tile.yield %[[Q]], %[[D]]
func.func @for_nodes(%x: !node, %z: !edge) -> (!edge, tensor<?xf32, #gnn.rows<@g, node>>) {
  %r:2 = gnn.for_nodes %n in @g -> (!edge, tensor<?xf32, #gnn.rows<@g, node>>) {
    %power, %sum = gnn.for_incoming %e of %n : !n -> (!edge, tensor<8xf32>) {
      %z_e = gnn.read %z[%e] : (!edge, !e) -> tensor<8xf32>
      %p = math.exp %z_e : tensor<8xf32>
      gnn.yield %p, sum %p : tensor<8xf32>, tensor<8xf32>
    }
    %quotient = gnn.for_incoming %e of %n : !n -> (!edge) {
      %p = gnn.read %power[%e] : (!edge, !e) -> tensor<8xf32>
      %q = arith.divf %p, %sum : tensor<8xf32>
      gnn.yield %q : tensor<8xf32>
    }
    %x_n = gnn.read %x[%n] : (!node, !n) -> tensor<8xf32>
    %d = gnn.row_dot %sum, %x_n : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
    gnn.yield %quotient, %d : !edge, tensor<f32>
  }
  return %r#0, %r#1 : !edge, tensor<?xf32, #gnn.rows<@g, node>>
}

// CHECK-LABEL: func.func @numbers
// CHECK:         gnn_tile.traverse @g <edge.in_rows>
// CHECK:           gnn_tile.index <group -> edge>
// CHECK:           gnn_tile.index <group -> src>
func.func @numbers() -> !score {
  %y = gnn.for_edges %e in @g -> (!score) {
    %i = gnn.row_number %e : !e -> tensor<i32>
    %u = gnn.follow %e via src : !e -> !n
    %j = gnn.row_number %u : !n -> tensor<i32>
    %d = arith.subi %i, %j : tensor<i32>
    %f = arith.sitofp %d : tensor<i32> to tensor<f32>
    gnn.yield %f : tensor<f32>
  }
  return %y : !score
}

// A transposed weight is one that the product reads the other way round.
//
// CHECK-LABEL: func.func @weight_transpose
// CHECK:         gnn_tile.gemm @g rows edge.dst_pairs types edge_type transposed
func.func @weight_transpose(%z: !edge, %w: tensor<3x4x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x4xf32, #gnn.rows<@g, edge>> {
  %t = gnn.weight_transpose %w : (tensor<3x4x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>
  %y = gnn.typed_linear %z, %t : (!edge, tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x4xf32, #gnn.rows<@g, edge>>
  return %y : tensor<?x4xf32, #gnn.rows<@g, edge>>
}

// Weights that are yielded as they are have the features of the traversal, and so
// do constants of outside.
//
// CHECK-LABEL: func.func @yielded_weight
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 8> ins(%{{.+}} : tensor<8xf32>) at [#gnn_tile.at<all : feature>]
// CHECK-SAME:      at [#gnn_tile.at<group>, #gnn_tile.at<group : feature>]
// CHECK:           gnn_tile.index
func.func @yielded_weight(%w: tensor<8xf32>) -> (!score, !edge) {
  %r:2 = gnn.for_edges %e in @g -> (!score, !edge) {
    %i = gnn.row_number %e : !e -> tensor<i32>
    %f = arith.sitofp %i : tensor<i32> to tensor<f32>
    gnn.yield %f, %w : tensor<f32>, tensor<8xf32>
  }
  return %r#0, %r#1 : !score, !edge
}

// CHECK-LABEL: func.func @yielded_constant
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group>, #gnn_tile.at<group : feature>]
func.func @yielded_constant() -> (!score, !edge) {
  %two = arith.constant dense<2.0> : tensor<8xf32>
  %r:2 = gnn.for_edges %e in @g -> (!score, !edge) {
    %i = gnn.row_number %e : !e -> tensor<i32>
    %f = arith.sitofp %i : tensor<i32> to tensor<f32>
    gnn.yield %f, %two : tensor<f32>, tensor<8xf32>
  }
  return %r#0, %r#1 : !score, !edge
}

// The product of two weights is a sum over features that only they have.
//
// CHECK-LABEL: func.func @dot_of_weights
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 8>
// CHECK:           gnn_tile.reduce sum [feature]
func.func @dot_of_weights(%w: tensor<8xf32>) -> !score {
  %r = gnn.for_edges %e in @g -> (!score) {
    %d = gnn.row_dot %w, %w : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
    gnn.yield %d : tensor<f32>
  }
  return %r : !score
}

// The edges into a node and those out of it lead to it by another end each, and
// are walked apart.
//
// CHECK-LABEL: func.func @two_ends
// CHECK:         gnn_tile.traverse @g <edge_type, edge.dst_pairs, features = 8> ins(%{{.+}}) at [#gnn_tile.at<element -> dst : feature>]
// CHECK:         gnn_tile.traverse @g <edge_type, edge.dst_pairs, features = 8> ins(%{{.+}}) at [#gnn_tile.at<element -> src : feature>]
func.func @two_ends(%x: !node) -> (!types, !types) {
  %r:2 = gnn.for_nodes %n in @g -> (!types, !types) {
    %x_n = gnn.read %x[%n] : (!node, !n) -> tensor<8xf32>
    %a = gnn.for_incoming %e of %n : !n -> (!types) {
      gnn.yield sum %x_n : tensor<8xf32>
    }
    %b = gnn.for_outgoing %e of %n : !n -> (!types) {
      gnn.yield sum %x_n : tensor<8xf32>
    }
    gnn.yield %a, %b : !types, !types
  }
  return %r#0, %r#1 : !types, !types
}

// A sum over nodes does not walk the edges that another result does.
//
// CHECK-LABEL: func.func @beside_edges
// CHECK:         gnn_tile.traverse @g <dst_node_type, dst.by_type, features = 8> ins(%{{.+}}) at [#gnn_tile.at<element -> dst_node_type : feature>]
// CHECK:         gnn_tile.traverse @g <src, edge.out_rows, features = 8> ins(%{{.+}}) at [#gnn_tile.at<group -> src_node_type : feature>]
func.func @beside_edges(%t: !kinds) -> (!kinds, !edge) {
  %r:2 = gnn.for_nodes %n in @g -> (!kinds, !edge) {
    %t_n = gnn.read %t[%n] : (!kinds, !n) -> tensor<8xf32>
    %a = gnn.for_outgoing %e of %n : !n -> (!edge) {
      gnn.yield %t_n : tensor<8xf32>
    }
    gnn.yield sum %t_n, %a : tensor<8xf32>, !edge
  }
  return %r#0, %r#1 : !kinds, !edge
}
