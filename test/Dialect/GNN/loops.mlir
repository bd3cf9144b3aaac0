// RUN: gnn-opt %s --verify-roundtrip | FileCheck %s
// RUN: gnn-opt %s --gnn-verify-graph-form -o /dev/null

// Constructs of Hector's language: loops over nodes, edges, and edges of a node;
// reads of an edge, its ends, the weights of its type; accumulation; products.

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @block bipartite {node_types = 1, edge_types = 1}

!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!node = tensor<?x64xf32, #gnn.rows<@g, node>>
!edge = tensor<?x64xf32, #gnn.rows<@g, edge>>
!score = tensor<?xf32, #gnn.rows<@g, edge>>
!by_edge_type = tensor<3x64x64xf32, #gnn.rows<@g, edge_type>>
!by_node_type = tensor<2x64x64xf32, #gnn.rows<@g, node_type>>

// e.src.x * W[e.etype], kept for each edge and added up at its destination.
//
// CHECK-LABEL: func.func @for_edges
// CHECK:         gnn.for_edges %[[E:.+]] in @g -> (tensor<?x64xf32, #edge>, tensor<?x64xf32, #node>) {
// CHECK-NEXT:      %[[X:.+]] = gnn.read %{{.+}}[%[[E]]] via src : (tensor<?x64xf32, #node>, !gnn.row<@g, edge>) -> tensor<64xf32>
// CHECK-NEXT:      %[[W:.+]] = gnn.read %{{.+}}[%[[E]]] : (tensor<3x64x64xf32, #edge_type>, !gnn.row<@g, edge>) -> tensor<64x64xf32>
// CHECK-NEXT:      %[[H:.+]] = gnn.row_linear %[[X]], %[[W]] : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
// CHECK-NEXT:      gnn.yield %[[H]], sum %[[H]] via dst : tensor<64xf32>, tensor<64xf32>
func.func @for_edges(%x: !node, %w: !by_edge_type) -> (!edge, !node) {
  %m, %y = gnn.for_edges %e in @g -> (!edge, !node) {
    %x_u = gnn.read %x[%e] via src : (!node, !e) -> tensor<64xf32>
    %w_r = gnn.read %w[%e] : (!by_edge_type, !e) -> tensor<64x64xf32>
    %h = gnn.row_linear %x_u, %w_r : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
    gnn.yield %h, sum %h via dst : tensor<64xf32>, tensor<64xf32>
  }
  return %m, %y : !edge, !node
}

// n.x * W[n.ntype], and loops over edges into a node and out of it.
//
// CHECK-LABEL: func.func @for_nodes
// CHECK:         gnn.for_nodes %[[N:.+]] in @g -> (tensor<?x64xf32, #node>) {
// CHECK:           gnn.row_linear %{{.+}}, %{{.+}} transposed :
// CHECK:           gnn.for_incoming %{{.+}} of %[[N]] : !gnn.row<@g, node> -> (tensor<64xf32>, tensor<64xf32>) {
// CHECK:             gnn.yield max %{{.+}}, mean %{{.+}} : tensor<64xf32>, tensor<64xf32>
// CHECK:           gnn.for_outgoing %{{.+}} of %[[N]] : !gnn.row<@g, node> -> (tensor<64xf32>) {
// CHECK:             gnn.yield min %{{.+}} : tensor<64xf32>
func.func @for_nodes(%x: !node, %w: !by_node_type) -> !node {
  %y = gnn.for_nodes %n in @g -> (!node) {
    %x_n = gnn.read %x[%n] : (!node, !n) -> tensor<64xf32>
    %t = gnn.follow %n : !n -> !gnn.row<@g, node_type>
    %w_n = gnn.read %w[%t] : (!by_node_type, !gnn.row<@g, node_type>) -> tensor<64x64xf32>
    %h = gnn.row_linear %x_n, %w_n transposed : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
    %highest, %mean = gnn.for_incoming %e of %n : !n -> (tensor<64xf32>, tensor<64xf32>) {
      %u = gnn.follow %e via src : !e -> !n
      %x_u = gnn.read %x[%u] : (!node, !n) -> tensor<64xf32>
      gnn.yield max %x_u, mean %x_u : tensor<64xf32>, tensor<64xf32>
    }
    %lowest = gnn.for_outgoing %e of %n : !n -> (tensor<64xf32>) {
      %x_v = gnn.read %x[%e] via dst : (!node, !e) -> tensor<64xf32>
      gnn.yield min %x_v : tensor<64xf32>
    }
    %a = arith.addf %h, %highest : tensor<64xf32>
    %b = arith.subf %mean, %lowest : tensor<64xf32>
    %c = arith.mulf %a, %b : tensor<64xf32>
    gnn.yield %c : tensor<64xf32>
  }
  return %y : !node
}

// Rows that an inner loop makes for edges, read in another over the same edges.
//
// CHECK-LABEL: func.func @inner_rows
// CHECK:         gnn.for_nodes
// CHECK:           %[[P:.+]]:2 = gnn.for_incoming %{{.+}} -> (tensor<?xf32, #edge>, tensor<f32>) {
// CHECK:             gnn.yield %{{.+}}, sum %{{.+}} : tensor<f32>, tensor<f32>
// CHECK:           gnn.for_incoming
// CHECK:             gnn.read %[[P]]#0
// CHECK:           gnn.yield %{{.+}} : tensor<?xf32, #edge>
func.func @inner_rows(%s: !score) -> !score {
  %a = gnn.for_nodes %n in @g -> (!score) {
    %power, %sum = gnn.for_incoming %e of %n : !n -> (!score, tensor<f32>) {
      %s_e = gnn.read %s[%e] : (!score, !e) -> tensor<f32>
      %p = math.exp %s_e : tensor<f32>
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

// The other products, shapes and functions.
//
// CHECK-LABEL: func.func @row_ops
// CHECK:         gnn.row_dot %{{.+}}, %{{.+}} : (tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
// CHECK:         gnn.row_outer %{{.+}}, %{{.+}} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
// CHECK:         tensor.concat dim(0)
// CHECK:         gnn.row_activation leaky_relu %{{.+}} alpha = 2.000000e-01 : tensor<f32>
// CHECK:         gnn.row_activation prelu %{{.+}}, %{{.+}} : tensor<64xf32>, tensor<1xf32>
// CHECK:         gnn.row_broadcast %{{.+}} : tensor<f32> -> tensor<64xf32>
// CHECK:         gnn.row_number %{{.+}} : !gnn.row<@g, edge> -> tensor<i32>
// CHECK:         gnn.yield sum %{{.+}}, %{{.+}}, sum %{{.+}} :
func.func @row_ops(%x: !edge, %y: !edge, %slope: tensor<1xf32>)
    -> (!by_edge_type, tensor<?x128xf32, #gnn.rows<@g, edge>>, tensor<1xf32, #gnn.rows<@g, graph>>) {
  %o, %c, %t = gnn.for_edges %e in @g
      -> (!by_edge_type, tensor<?x128xf32, #gnn.rows<@g, edge>>, tensor<1xf32, #gnn.rows<@g, graph>>) {
    %x_e = gnn.read %x[%e] : (!edge, !e) -> tensor<64xf32>
    %y_e = gnn.read %y[%e] : (!edge, !e) -> tensor<64xf32>
    %d = gnn.row_dot %x_e, %y_e : (tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
    %outer = gnn.row_outer %x_e, %y_e : (tensor<64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
    %joined = tensor.concat dim(0) %x_e, %y_e : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
    %r = gnn.row_activation leaky_relu %d alpha = 0.2 : tensor<f32>
    %p = gnn.row_activation prelu %x_e, %slope : tensor<64xf32>, tensor<1xf32>
    %b = gnn.row_broadcast %r : tensor<f32> -> tensor<64xf32>
    %number = gnn.row_number %e : !e -> tensor<i32>
    %f = arith.sitofp %number : tensor<i32> to tensor<f32>
    gnn.yield sum %outer, %joined, sum %f : tensor<64x64xf32>, tensor<128xf32>, tensor<f32>
  }
  return %o, %c, %t : !by_edge_type, tensor<?x128xf32, #gnn.rows<@g, edge>>, tensor<1xf32, #gnn.rows<@g, graph>>
}

// CHECK-LABEL: func.func @bipartite
// CHECK:         gnn.for_nodes dst %[[N:.+]] in @block -> (tensor<?x8xf32, #block_dst>) {
// CHECK:         gnn.for_incoming %{{.+}} of %[[N]] : !gnn.row<@block, dst> -> (tensor<8xf32>) {
// CHECK:         gnn.for_nodes src %{{.+}} in @block {
func.func @bipartite(%x: tensor<?x8xf32, #gnn.rows<@block, src>>) -> tensor<?x8xf32, #gnn.rows<@block, dst>> {
  %y = gnn.for_nodes dst %n in @block -> (tensor<?x8xf32, #gnn.rows<@block, dst>>) {
    %s = gnn.for_incoming %e of %n : !gnn.row<@block, dst> -> (tensor<8xf32>) {
      %x_u = gnn.read %x[%e] : (tensor<?x8xf32, #gnn.rows<@block, src>>, !gnn.row<@block, edge>) -> tensor<8xf32>
      gnn.yield sum %x_u : tensor<8xf32>
    }
    gnn.yield %s : tensor<8xf32>
  }
  gnn.for_nodes src %n in @block {
    gnn.yield
  }
  return %y : tensor<?x8xf32, #gnn.rows<@block, dst>>
}

// CHECK-LABEL: func.func @weight_transpose
// CHECK:         gnn.weight_transpose %{{.+}} : (tensor<3x64x8xf32, #edge_type>) -> tensor<3x8x64xf32, #edge_type>
func.func @weight_transpose(%w: tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x8x64xf32, #gnn.rows<@g, edge_type>> {
  %t = gnn.weight_transpose %w : (tensor<3x64x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x8x64xf32, #gnn.rows<@g, edge_type>>
  return %t : tensor<3x8x64xf32, #gnn.rows<@g, edge_type>>
}
