// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-raise-loops))' \
// RUN:   --remarks-filter='gnn-raise-loops' --remark-format=emitRemark \
// RUN:   --verify-diagnostics --split-input-file | FileCheck %s

// Ops that stay in a loop, errors, and remarks of the pass.

gnn.graph @g square {node_types = 1, edge_types = 3}
!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!scalar = tensor<?xf32, #gnn.rows<@g, node>>

// A choice between features: the product before it and the sum after it are
// raised, and the loop between them reads and gives whole tensors.
//
// CHECK-LABEL: func.func @choice
// CHECK:         %[[H:.+]] = gnn.linear
// CHECK:         %[[M:.+]] = gnn.for_edges %[[E:.+]] in @g -> (tensor<?x8xf32, #edge>) {
// CHECK-NEXT:      %[[A:.+]] = gnn.read %[[H]][%[[E]]] :
// CHECK-NEXT:      %[[B:.+]] = gnn.read %{{.+}}[%[[E]]] via dst :
// CHECK-NEXT:      %[[C:.+]] = arith.cmpf ogt, %[[A]], %[[B]] : tensor<8xf32>
// CHECK-NEXT:      %[[D:.+]] = arith.select %[[C]], %[[A]], %[[B]] : tensor<8xi1>, tensor<8xf32>
// CHECK-NEXT:      gnn.yield %[[D]] : tensor<8xf32>
// CHECK:         gnn.aggregate sum %[[M]] via dst
// expected-remark @+1 {{1 loop became ops on whole tensors, 1 loop between them}}
func.func @choice(%x: !node, %w: tensor<8x8xf32>) -> !node {
  %y = gnn.for_edges %e in @g -> (!node) {
    %x_u = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
    %h = gnn.row_linear %x_u, %w : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
    %x_v = gnn.read %x[%e] via dst : (!node, !e) -> tensor<8xf32>
    // expected-remark @+1 {{no op on whole tensors does what 'arith.cmpf' does here: it stays in a loop}}
    %above = arith.cmpf ogt, %h, %x_v : tensor<8xf32>
    %m = arith.select %above, %h, %x_v : tensor<8xi1>, tensor<8xf32>
    gnn.yield sum %m via dst : tensor<8xf32>
  }
  return %y : !node
}

// The number of a node.
//
// CHECK-LABEL: func.func @numbers
// CHECK:         gnn.for_nodes %[[N:.+]] in @g
// CHECK-NEXT:      gnn.row_number %[[N]]
// CHECK-NEXT:      arith.sitofp
// expected-remark @+1 {{1 loop became ops on whole tensors, 1 loop between them}}
func.func @numbers() -> tensor<?xf32, #gnn.rows<@g, node>> {
  %y = gnn.for_nodes %n in @g -> (tensor<?xf32, #gnn.rows<@g, node>>) {
    // expected-remark @+1 {{no op on whole tensors does what 'gnn.row_number' does here: it stays in a loop}}
    %i = gnn.row_number %n : !n -> tensor<i32>
    %f = arith.sitofp %i : tensor<i32> to tensor<f32>
    gnn.yield %f : tensor<f32>
  }
  return %y : tensor<?xf32, #gnn.rows<@g, node>>
}

// The rest of two loops over edges is one, where the second reads of the first
// the row that it is at.
//
// CHECK-LABEL: func.func @fused
// CHECK:         %[[M:.+]]:2 = gnn.for_edges
// CHECK:           %[[A:.+]] = arith.select
// CHECK:           arith.cmpf ogt, %{{.+}}, %[[A]]
// CHECK:           %[[B:.+]] = arith.select
// CHECK:           gnn.yield %[[A]], %[[B]]
// CHECK-NOT:     gnn.for_edges
// CHECK:         return %[[M]]#0, %[[M]]#1
// expected-remark @+2 {{2 loops became ops on whole tensors, 1 loop between them}}
// expected-remark @+1 {{1 loop joined another over the same rows}}
func.func @fused(%x: !edge, %z: !edge) -> (!edge, !edge) {
  %m = gnn.for_edges %e in @g -> (!edge) {
    %a = gnn.read %x[%e] : (!edge, !e) -> tensor<8xf32>
    %b = gnn.read %z[%e] : (!edge, !e) -> tensor<8xf32>
    %c = arith.cmpf ogt, %a, %b : tensor<8xf32>
    %d = arith.select %c, %a, %b : tensor<8xi1>, tensor<8xf32>
    gnn.yield %d : tensor<8xf32>
  }
  %y = gnn.for_edges %e in @g -> (!edge) {
    %a = gnn.read %z[%e] : (!edge, !e) -> tensor<8xf32>
    %b = gnn.read %m[%e] : (!edge, !e) -> tensor<8xf32>
    // expected-remark @+1 {{no op on whole tensors does what 'arith.cmpf' does here: it stays in a loop}}
    %c = arith.cmpf ogt, %a, %b : tensor<8xf32>
    %d = arith.select %c, %a, %b : tensor<8xi1>, tensor<8xf32>
    gnn.yield %d : tensor<8xf32>
  }
  return %m, %y : !edge, !edge
}

// A value that only the second loop reads is no result.
//
// CHECK-LABEL: func.func @inner
// CHECK:         %[[M:.+]] = gnn.for_edges %{{.+}} in @g -> (tensor<?x8xf32, #edge>) {
// CHECK-NOT:     gnn.for_edges
// CHECK:         return %[[M]]
// expected-remark @+2 {{2 loops became ops on whole tensors, 1 loop between them}}
// expected-remark @+1 {{1 loop joined another over the same rows}}
func.func @inner(%x: !edge, %z: !edge) -> !edge {
  %m = gnn.for_edges %e in @g -> (!edge) {
    %a = gnn.read %x[%e] : (!edge, !e) -> tensor<8xf32>
    %b = gnn.read %z[%e] : (!edge, !e) -> tensor<8xf32>
    %c = arith.cmpf ogt, %a, %b : tensor<8xf32>
    %d = arith.select %c, %a, %b : tensor<8xi1>, tensor<8xf32>
    gnn.yield %d : tensor<8xf32>
  }
  %y = gnn.for_edges %e in @g -> (!edge) {
    %a = gnn.read %z[%e] : (!edge, !e) -> tensor<8xf32>
    %b = gnn.read %m[%e] : (!edge, !e) -> tensor<8xf32>
    // expected-remark @+1 {{no op on whole tensors does what 'arith.cmpf' does here: it stays in a loop}}
    %c = arith.cmpf ogt, %a, %b : tensor<8xf32>
    %d = arith.select %c, %a, %b : tensor<8xi1>, tensor<8xf32>
    gnn.yield %d : tensor<8xf32>
  }
  return %y : !edge
}

// Features that do not begin with each other's have no traversal in common, those
// that do have one.
//
// CHECK-LABEL: func.func @other_features
// CHECK:         gnn.for_edges %{{.+}} in @g -> (tensor<?x5xf32, #edge>) {
// CHECK:         gnn.for_edges %{{.+}} in @g -> (tensor<?x8xf32, #edge>, tensor<?xf32, #edge>) {
// CHECK-NOT:     gnn.for_edges
// expected-remark @+2 {{3 loops became ops on whole tensors, 2 loops between them}}
// expected-remark @+1 {{1 loop joined another over the same rows}}
func.func @other_features(%x: !edge, %z: tensor<?x5xf32, #gnn.rows<@g, edge>>, %s: tensor<?xf32, #gnn.rows<@g, edge>>)
    -> (!edge, tensor<?x5xf32, #gnn.rows<@g, edge>>, tensor<?xf32, #gnn.rows<@g, edge>>) {
  %m = gnn.for_edges %e in @g -> (!edge) {
    %a = gnn.read %x[%e] : (!edge, !e) -> tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %c = arith.cmpf ogt, %a, %zero : tensor<8xf32>
    %d = arith.select %c, %a, %zero : tensor<8xi1>, tensor<8xf32>
    gnn.yield %d : tensor<8xf32>
  }
  %y = gnn.for_edges %e in @g -> (tensor<?x5xf32, #gnn.rows<@g, edge>>) {
    %a = gnn.read %z[%e] : (tensor<?x5xf32, #gnn.rows<@g, edge>>, !e) -> tensor<5xf32>
    %zero = arith.constant dense<0.0> : tensor<5xf32>
    // expected-remark @+1 {{no op on whole tensors does what 'arith.cmpf' does here: it stays in a loop}}
    %c = arith.cmpf ogt, %a, %zero : tensor<5xf32>
    %d = arith.select %c, %a, %zero : tensor<5xi1>, tensor<5xf32>
    gnn.yield %d : tensor<5xf32>
  }
  %t = gnn.for_edges %e in @g -> (tensor<?xf32, #gnn.rows<@g, edge>>) {
    %a = gnn.read %s[%e] : (tensor<?xf32, #gnn.rows<@g, edge>>, !e) -> tensor<f32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-remark @+2 {{not joined to a loop over the same rows: its features [8] and those there, [5], do not begin alike, so that no traversal holds both}}
    // expected-remark @+1 {{no op on whole tensors does what 'arith.cmpf' does here: it stays in a loop}}
    %c = arith.cmpf ogt, %a, %zero : tensor<f32>
    %d = arith.select %c, %a, %zero : tensor<i1>, tensor<f32>
    gnn.yield %d : tensor<f32>
  }
  return %m, %y, %t : !edge, tensor<?x5xf32, #gnn.rows<@g, edge>>, tensor<?xf32, #gnn.rows<@g, edge>>
}

// A sum that nobody reads makes no loop, nor what it adds up.
//
// CHECK-LABEL: func.func @unread
// CHECK-NEXT:    %[[F:.+]] = gnn.for_edges %{{.+}} in @g -> (tensor<?xf32, #edge>) {
// CHECK-NEXT:      gnn.row_number
// CHECK-NEXT:      %[[N:.+]] = arith.sitofp
// CHECK-NEXT:      gnn.yield %[[N]] : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[F]]
// expected-remark @+2 {{2 results of loops that nothing read dropped}}
// expected-remark @+1 {{2 loops became ops on whole tensors, 1 loop between them}}
func.func @unread(%x: !edge, %w: tensor<4xf32>) -> tensor<?xf32, #gnn.rows<@g, edge>> {
  %all = gnn.for_edges %e in @g -> (!edge) {
    %a = gnn.read %x[%e] : (!edge, !e) -> tensor<8xf32>
    gnn.yield %a : tensor<8xf32>
  }
  %y = gnn.for_nodes %n in @g -> (tensor<?xf32, #gnn.rows<@g, edge>>) {
    %r, %t = gnn.for_incoming %e of %n : !n -> (tensor<?xf32, #gnn.rows<@g, edge>>, tensor<4xf32>) {
      // expected-remark @+1 {{no op on whole tensors does what 'gnn.row_number' does here: it stays in a loop}}
      %i = gnn.row_number %e : !e -> tensor<i32>
      %f = arith.sitofp %i : tensor<i32> to tensor<f32>
      %c = arith.cmpf olt, %w, %w : tensor<4xf32>
      %s = arith.select %c, %w, %w : tensor<4xi1>, tensor<4xf32>
      gnn.yield %f, sum %s : tensor<f32>, tensor<4xf32>
    }
    gnn.yield %r : tensor<?xf32, #gnn.rows<@g, edge>>
  }
  return %y : tensor<?xf32, #gnn.rows<@g, edge>>
}

// The second loop needs the sum of what the first gives: two loops.
//
// CHECK-LABEL: func.func @apart
// CHECK:         %[[M:.+]] = gnn.for_edges
// CHECK:         %[[S:.+]] = gnn.aggregate sum %[[M]] via dst
// CHECK:         gnn.for_edges
// CHECK:           gnn.read %[[S]]
// expected-remark @+1 {{2 loops became ops on whole tensors, 2 loops between them}}
func.func @apart(%x: !edge, %z: !edge) -> !edge {
  %m = gnn.for_edges %e in @g -> (!node) {
    %a = gnn.read %x[%e] : (!edge, !e) -> tensor<8xf32>
    %b = gnn.read %z[%e] : (!edge, !e) -> tensor<8xf32>
    // expected-remark @+1 {{no op on whole tensors does what 'arith.cmpf' does here: it stays in a loop}}
    %c = arith.cmpf ogt, %a, %b : tensor<8xf32>
    %d = arith.select %c, %a, %b : tensor<8xi1>, tensor<8xf32>
    gnn.yield sum %d via dst : tensor<8xf32>
  }
  %y = gnn.for_edges %e in @g -> (!edge) {
    %a = gnn.read %z[%e] : (!edge, !e) -> tensor<8xf32>
    %b = gnn.read %m[%e] via dst : (!node, !e) -> tensor<8xf32>
    // expected-remark @+1 {{no op on whole tensors does what 'arith.cmpf' does here: it stays in a loop}}
    %c = arith.cmpf ogt, %a, %b : tensor<8xf32>
    %d = arith.select %c, %a, %b : tensor<8xi1>, tensor<8xf32>
    gnn.yield %d : tensor<8xf32>
  }
  return %y : !edge
}

// A condition of the node in a loop over its edges: it is computed for each of
// them, from what the edge leads to. The tensor that it compares is one of the
// node, which is made once.
//
// CHECK-LABEL: func.func @condition_of_node
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x8xf32
// CHECK:         %[[H:.+]] = gnn.linear %[[X]]
// CHECK:         %[[M:.+]] = gnn.for_edges %[[E:.+]] in @g
// CHECK-DAG:       %[[A:.+]] = gnn.read %[[H]][%[[E]]] via dst :
// CHECK-DAG:       %[[B:.+]] = gnn.read %[[X]][%[[E]]] via dst :
// CHECK:           %[[C:.+]] = arith.cmpf ogt, %[[A]], %[[B]] : tensor<8xf32>
// CHECK:           %[[V:.+]] = gnn.read %[[X]][%[[E]]] via src :
// CHECK:           arith.select %[[C]], %[[V]], %[[B]]
// CHECK:         gnn.aggregate sum %[[M]] via dst
// CHECK-NOT:     gnn.for_nodes
// expected-remark @+1 {{2 loops became ops on whole tensors, 1 loop between them}}
func.func @condition_of_node(%x: !node, %w: tensor<8x8xf32>) -> !node {
  %y = gnn.for_nodes %n in @g -> (!node) {
    %d = gnn.read %x[%n] : (!node, !n) -> tensor<8xf32>
    %h = gnn.row_linear %d, %w : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
    // expected-remark @+1 {{no op on whole tensors does what 'arith.cmpf' does here: it stays in a loop}}
    %c = arith.cmpf ogt, %h, %d : tensor<8xf32>
    %s = gnn.for_incoming %e of %n : !n -> (tensor<8xf32>) {
      %v = gnn.read %x[%e] via src : (!node, !e) -> tensor<8xf32>
      %t = arith.select %c, %v, %d : tensor<8xi1>, tensor<8xf32>
      gnn.yield sum %t : tensor<8xf32>
    }
    gnn.yield %s : tensor<8xf32>
  }
  return %y : !node
}

// Conditions and numbers are computed where they are used, in the loop over nodes
// and in that over edges; a choice is a tensor.
//
// CHECK-LABEL: func.func @condition_of_both
// CHECK:         %[[P:.+]] = gnn.for_nodes %[[N:.+]] in @g
// CHECK:           gnn.row_number %[[N]]
// CHECK:           arith.select
// CHECK:         gnn.for_edges %[[E:.+]] in @g
// CHECK:           gnn.read %[[P]][%[[E]]] via dst
// CHECK:           %[[D:.+]] = gnn.follow %[[E]] via dst
// CHECK:           gnn.row_number %[[D]]
// CHECK:           arith.andi
// CHECK:           arith.select
// expected-remark @+1 {{2 loops became ops on whole tensors, 2 loops between them}}
func.func @condition_of_both(%z: !scalar) -> !scalar {
  %y = gnn.for_nodes %n in @g -> (!scalar) {
    %d = gnn.read %z[%n] : (!scalar, !n) -> tensor<f32>
    // expected-remark @+1 {{no op on whole tensors does what 'gnn.row_number' does here: it stays in a loop}}
    %i = gnn.row_number %n : !n -> tensor<i32>
    %one = arith.constant dense<1> : tensor<i32>
    %c = arith.cmpi sgt, %i, %one : tensor<i32>
    %half = arith.constant dense<0.5> : tensor<f32>
    %p = arith.select %c, %d, %half : tensor<i1>, tensor<f32>
    // expected-remark @+1 {{no op on whole tensors does what 'arith.cmpf' does here: it stays in a loop}}
    %o = arith.cmpf ogt, %p, %d : tensor<f32>
    %both = arith.andi %o, %c : tensor<i1>
    %s = gnn.for_incoming %e of %n : !n -> (tensor<f32>) {
      %v = gnn.read %z[%e] via src : (!scalar, !e) -> tensor<f32>
      %t = arith.select %both, %v, %d : tensor<i1>, tensor<f32>
      gnn.yield sum %t : tensor<f32>
    }
    %q = arith.addf %s, %p : tensor<f32>
    gnn.yield %q : tensor<f32>
  }
  return %y : !scalar
}

// Functions without loops are left alone, without a word.
//
// CHECK-LABEL: func.func @no_loops
// CHECK-NEXT:    gnn.gather
func.func @no_loops(%x: !node) -> !edge {
  %y = gnn.gather %x via src : !node -> !edge
  return %y : !edge
}

// An unshifted softmax.
//
// CHECK-LABEL: func.func @softmax
// CHECK:         gnn.edge_softmax
func.func @softmax(%s: !edge) -> !edge {
  %power = math.exp %s : !edge
  %sum = gnn.aggregate sum %power via dst : !edge -> !node
  // expected-remark @+1 {{exp, sum and division became gnn.edge_softmax: the same value, and large scores do not overflow}}
  %a = gnn.apply div %power, %sum via dst : (!edge, !node) -> !edge
  return %a : !edge
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>
!node = tensor<?x8xf32, #gnn.rows<@g, node>>

// Two hops, with features of the first hop's edge.
func.func @two_hops(%x: !node, %z: !edge) -> !node {
  %y = gnn.for_nodes %n in @g -> (!node) {
    %far = gnn.for_incoming %e of %n : !n -> (tensor<8xf32>) {
      %u = gnn.follow %e via src : !e -> !n
      // expected-error @+1 {{'gnn.read' op is about a row of an outer loop: expected rows that the edge or its node leads to}}
      %z_e = gnn.read %z[%e] : (!edge, !e) -> tensor<8xf32>
      %near = gnn.for_incoming %i of %u : !n -> (tensor<8xf32>) {
        %x_w = gnn.read %x[%i] via src : (!node, !e) -> tensor<8xf32>
        %p = arith.mulf %x_w, %z_e : tensor<8xf32>
        gnn.yield sum %p : tensor<8xf32>
      }
      gnn.yield sum %near : tensor<8xf32>
    }
    gnn.yield %far : tensor<8xf32>
  }
  return %y : !node
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
!e = !gnn.row<@g, edge>
!matrix = tensor<?x8x8xf32, #gnn.rows<@g, edge>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

func.func @weight_of_an_edge(%x: !edge, %w: !matrix) -> !edge {
  %y = gnn.for_edges %e in @g -> (!edge) {
    %x_e = gnn.read %x[%e] : (!edge, !e) -> tensor<8xf32>
    %w_e = gnn.read %w[%e] : (!matrix, !e) -> tensor<8x8xf32>
    // expected-error @+1 {{has a weight of its own for every row: expected one from outside of the loop, or one for each edge type or node type}}
    %h = gnn.row_linear %x_e, %w_e : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
    gnn.yield %h : tensor<8xf32>
  }
  return %y : !edge
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
!e = !gnn.row<@g, edge>
!edge = tensor<?x2x8xf32, #gnn.rows<@g, edge>>

func.func @concat_of_heads(%x: !edge) -> tensor<?x4x8xf32, #gnn.rows<@g, edge>> {
  %y = gnn.for_edges %e in @g -> (tensor<?x4x8xf32, #gnn.rows<@g, edge>>) {
    %x_e = gnn.read %x[%e] : (!edge, !e) -> tensor<2x8xf32>
    // expected-error @+1 {{expected features joined along the last dimension 1, got 0}}
    %c = tensor.concat dim(0) %x_e, %x_e : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
    gnn.yield %c : tensor<4x8xf32>
  }
  return %y : tensor<?x4x8xf32, #gnn.rows<@g, edge>>
}
