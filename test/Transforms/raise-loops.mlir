// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-raise-loops,canonicalize))' | FileCheck %s

// Loops over edges and nodes become ops on whole tensors.

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @block bipartite {node_types = 1, edge_types = 1}

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>
!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!edge = tensor<?x8xf32, #edge>
!node = tensor<?x8xf32, #node>
!score = tensor<?xf32, #edge>
!node_score = tensor<?xf32, #node>
!weight = tensor<3x8x8xf32, #gnn.rows<@g, edge_type>>

// A loop over edges that adds up at their destination ...
//
// CHECK-LABEL: func.func @edge_loop
// CHECK-NEXT:    %[[X:.+]] = gnn.gather %{{.+}} via src : {{.+}} -> tensor<?x8xf32, #edge>
// CHECK-NEXT:    %[[H:.+]] = gnn.typed_linear %[[X]], %{{.+}} :
// CHECK-NEXT:    %[[Y:.+]] = gnn.aggregate sum %[[H]] via dst :
// CHECK-NEXT:    return %[[Y]]
func.func @edge_loop(%x: !node, %w: !weight) -> !node {
  %y = gnn.for_edges %e in @g -> (!node) {
    %x_u = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    %w_r = gnn.read %w[%e] : (!weight, !e) -> tensor<8x8xf32>
    %h = gnn.row_linear %x_u, %w_r : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
    gnn.yield sum %h via dst : tensor<8xf32>
  }
  return %y : !node
}

// ... is a loop over nodes and their incoming edges.
//
// CHECK-LABEL: func.func @node_loop
// CHECK-NEXT:    %[[X:.+]] = gnn.gather %{{.+}} via src : {{.+}} -> tensor<?x8xf32, #edge>
// CHECK-NEXT:    %[[H:.+]] = gnn.typed_linear %[[X]], %{{.+}} :
// CHECK-NEXT:    %[[Y:.+]] = gnn.aggregate sum %[[H]] via dst :
// CHECK-NEXT:    return %[[Y]]
func.func @node_loop(%x: !node, %w: !weight) -> !node {
  %y = gnn.for_nodes %n in @g -> (!node) {
    %s = gnn.for_incoming %e of %n : !n -> (tensor<8xf32>) {
      %u = gnn.follow %e via src : !e -> !n
      %x_u = gnn.read %x[%u] : (!node, !n) -> tensor<8xf32>
      %r = gnn.follow %e : !e -> !gnn.row<@g, edge_type>
      %w_r = gnn.read %w[%r] : (!weight, !gnn.row<@g, edge_type>) -> tensor<8x8xf32>
      %h = gnn.row_linear %x_u, %w_r : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
      gnn.yield sum %h : tensor<8xf32>
    }
    gnn.yield %s : tensor<8xf32>
  }
  return %y : !node
}

// Values that depend on the node alone are computed for nodes, those of a type
// alone for types; a scalar meets features in gnn.apply.
//
// CHECK-LABEL: func.func @invariant
// CHECK-SAME:    %[[X:[^:]+]]: {{.+}}, %[[S:[^:]+]]: tensor<3xf32
// CHECK-DAG:     %[[R:.+]] = gnn.activation relu %[[X]] : tensor<?x8xf32, #node>
// CHECK-DAG:     %[[T:.+]] = gnn.activation sigmoid %[[S]] : tensor<3xf32, #edge_type>
// CHECK:         %[[M:.+]] = gnn.apply mul %[[T]], %[[R]] via src
// CHECK:         gnn.aggregate max %[[M]] via src
func.func @invariant(%x: !node, %s: tensor<3xf32, #gnn.rows<@g, edge_type>>) -> !node {
  %y = gnn.for_nodes %n in @g -> (!node) {
    %z = gnn.for_outgoing %e of %n : !n -> (tensor<8xf32>) {
      %x_n = gnn.read %x[%n] : (!node, !n) -> tensor<8xf32>
      %r = gnn.row_activation relu %x_n : tensor<8xf32>
      %s_r = gnn.read %s[%e] : (tensor<3xf32, #gnn.rows<@g, edge_type>>, !e) -> tensor<f32>
      %t = gnn.row_activation sigmoid %s_r : tensor<f32>
      %wide = gnn.row_broadcast %t : tensor<f32> -> tensor<8xf32>
      %m = arith.mulf %wide, %r : tensor<8xf32>
      gnn.yield max %m : tensor<8xf32>
    }
    gnn.yield %z : tensor<8xf32>
  }
  return %y : !node
}

// A loop about the source of an edge is one about all nodes, read at the source.
//
// CHECK-LABEL: func.func @two_hops
// CHECK:         %[[I:.+]] = gnn.gather %{{.+}} via src
// CHECK:         %[[A:.+]] = gnn.aggregate sum %[[I]] via dst : {{.+}} -> tensor<?x8xf32, #node>
// CHECK:         %[[G:.+]] = gnn.gather %[[A]] via src
// CHECK:         gnn.aggregate mean %[[G]] via dst
func.func @two_hops(%x: !node) -> !node {
  %y = gnn.for_nodes %n in @g -> (!node) {
    %far = gnn.for_incoming %e of %n : !n -> (tensor<8xf32>) {
      %u = gnn.follow %e via src : !e -> !n
      %near = gnn.for_incoming %i of %u : !n -> (tensor<8xf32>) {
        %x_w = gnn.read %x[%i] via src : (!node, !e) -> tensor<8xf32>
        gnn.yield sum %x_w : tensor<8xf32>
      }
      gnn.yield mean %near : tensor<8xf32>
    }
    gnn.yield %far : tensor<8xf32>
  }
  return %y : !node
}

// CHECK-LABEL: func.func @products
// CHECK:         %[[W:.+]] = gnn.weight_transpose
// CHECK:         gnn.linear %{{.+}}, %[[W]]
// CHECK:         gnn.dot
// CHECK:         gnn.sddmm %{{.+}} via src, %{{.+}} :
// CHECK:         gnn.concat
// CHECK:         gnn.slice %{{.+}} at 4
// CHECK:         gnn.typed_outer
// CHECK:         gnn.degree edge via dst
func.func @products(%x: !node, %z: !edge, %w: tensor<4x8xf32>)
    -> (tensor<?x4xf32, #edge>, !score, !score, tensor<?x4xf32, #edge>, !weight, !node_score) {
  %r:6 = gnn.for_edges %e in @g
      -> (tensor<?x4xf32, #edge>, !score, !score, tensor<?x4xf32, #edge>, !weight, !node_score) {
    %x_u = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    %z_e = gnn.read %z[%e] : (!edge, !e) -> tensor<8xf32>
    %h = gnn.row_linear %z_e, %w transposed : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4xf32>
    %d = gnn.row_dot %z_e, %z_e : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
    %s = gnn.row_dot %x_u, %z_e : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
    %c = tensor.concat dim(0) %z_e, %h : (tensor<8xf32>, tensor<4xf32>) -> tensor<12xf32>
    %part = tensor.extract_slice %c[4] [4] [1] : tensor<12xf32> to tensor<4xf32>
    %o = gnn.row_outer %z_e, %x_u : (tensor<8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
    %one = arith.constant dense<1.0> : tensor<f32>
    gnn.yield %h, %d, %s, %part, sum %o, sum %one via dst
        : tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<8x8xf32>, tensor<f32>
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5
      : tensor<?x4xf32, #edge>, !score, !score, tensor<?x4xf32, #edge>, !weight, !node_score
}

// CHECK-LABEL: func.func @bipartite
// CHECK:         %[[M:.+]] = gnn.gather %{{.+}} : tensor<?x8xf32, #block_src> -> tensor<?x8xf32, #block_edge>
// CHECK:         gnn.aggregate min %[[M]] :
func.func @bipartite(%x: tensor<?x8xf32, #gnn.rows<@block, src>>) -> tensor<?x8xf32, #gnn.rows<@block, dst>> {
  %y = gnn.for_nodes dst %n in @block -> (tensor<?x8xf32, #gnn.rows<@block, dst>>) {
    %s = gnn.for_incoming %e of %n : !gnn.row<@block, dst> -> (tensor<8xf32>) {
      %x_u = gnn.read %x[%e] : (tensor<?x8xf32, #gnn.rows<@block, src>>, !gnn.row<@block, edge>) -> tensor<8xf32>
      gnn.yield min %x_u : tensor<8xf32>
    }
    gnn.yield %s : tensor<8xf32>
  }
  return %y : tensor<?x8xf32, #gnn.rows<@block, dst>>
}

// Softmax with and without the maximum subtracted, in one loop over nodes; the
// same over outgoing edges.
//
// CHECK-LABEL: func.func @softmax
// CHECK-NEXT:    %[[A:.+]] = gnn.edge_softmax %{{.+}} over dst
// CHECK-NEXT:    return %[[A]]
func.func @softmax(%s: !score) -> !score {
  %a = gnn.for_nodes %n in @g -> (!score) {
    %highest = gnn.for_incoming %e of %n : !n -> (tensor<f32>) {
      %s_e = gnn.read %s[%e] : (!score, !e) -> tensor<f32>
      gnn.yield max %s_e : tensor<f32>
    }
    %power, %sum = gnn.for_incoming %e of %n : !n -> (!score, tensor<f32>) {
      %s_e = gnn.read %s[%e] : (!score, !e) -> tensor<f32>
      %shifted = arith.subf %s_e, %highest : tensor<f32>
      %p = math.exp %shifted : tensor<f32>
      gnn.yield %p, sum %p : tensor<f32>, tensor<f32>
    }
    %quotient = gnn.for_incoming %e of %n : !n -> (!score) {
      %p = gnn.read %power[%e] : (!score, !e) -> tensor<f32>
      %q = arith.divf %p, %sum : tensor<f32>
      gnn.yield %q : tensor<f32>
    }
    gnn.yield %quotient : !score
  }
  return %a : !score
}

// CHECK-LABEL: func.func @unshifted_softmax
// CHECK-NEXT:    gnn.edge_softmax %{{.+}} over src
// CHECK-NEXT:    return
func.func @unshifted_softmax(%s: !score) -> !score {
  %power = gnn.activation exp %s : !score
  %sum = gnn.aggregate sum %power via src : !score -> !node_score
  %each = gnn.gather %sum via src : !node_score -> !score
  %a = arith.divf %power, %each : !score
  return %a : !score
}

// The sum is over other edges than those that share it: no softmax.
//
// CHECK-LABEL: func.func @other_groups
// CHECK-NOT:     gnn.edge_softmax
// CHECK:         gnn.apply div
func.func @other_groups(%s: !score) -> !score {
  %power = gnn.activation exp %s : !score
  %sum = gnn.aggregate sum %power via src : !score -> !node_score
  %a = gnn.apply div %power, %sum via dst : (!score, !node_score) -> !score
  return %a : !score
}

// A sum of other numbers: no softmax.
//
// CHECK-LABEL: func.func @other_sum
// CHECK-NOT:     gnn.edge_softmax
// CHECK:         gnn.apply div
func.func @other_sum(%s: !score, %t: !score) -> !score {
  %power = gnn.activation exp %s : !score
  %sum = gnn.aggregate sum %t via dst : !score -> !node_score
  %a = gnn.apply div %power, %sum via dst : (!score, !node_score) -> !score
  return %a : !score
}
