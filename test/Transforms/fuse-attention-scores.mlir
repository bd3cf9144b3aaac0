// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-fuse-attention))' \
// RUN:   --remarks-filter='gnn-fuse-attention' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s
// RUN: gnn-opt %s --gnn-fuse-attention --gnn-tile-pipeline \
// RUN:   | FileCheck %s --check-prefix=MEMORY

// Any mixture of ops on one edge is a score.

gnn.graph @g square {node_types = 1, edge_types = 3}
!x = tensor<?x8x16xf32, #gnn.rows<@g, node>>
!s = tensor<?x8xf32, #gnn.rows<@g, node>>
!xe = tensor<?x8x16xf32, #gnn.rows<@g, edge>>
!se = tensor<?x8xf32, #gnn.rows<@g, edge>>
!ce = tensor<?x8xi1, #gnn.rows<@g, edge>>
!t = tensor<3x8xf32, #gnn.rows<@g, edge_type>>

// A product, a bias of the type, a function that no model of old has, and a mask.
//
// CHECK-LABEL: func.func @mixture
// CHECK-NEXT:    gnn.attention(%[[Q:.+]] = %arg0 via dst, %[[K:.+]] = %arg1 via src, %[[B:.+]] = %arg2, %[[M:.+]] = %arg3) value %arg1 via src over dst :
// CHECK-NEXT:      %[[D:.+]] = gnn.row_dot %[[Q]], %[[K]]
// CHECK-NEXT:      %[[S:.+]] = arith.addf %[[D]], %[[B]] : tensor<8xf32>
// CHECK-NEXT:      %[[T:.+]] = math.tanh %[[S]] : tensor<8xf32>
// CHECK-NEXT:      %[[Z:.+]] = arith.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-NEXT:      %[[H:.+]] = arith.cmpf olt, %[[M]], %[[Z]] : tensor<8xf32>
// CHECK-NEXT:      %[[L:.+]] = arith.constant dense<-1.000000e+09> : tensor<8xf32>
// CHECK-NEXT:      arith.select %[[H]], %[[L]], %[[T]] : tensor<8xi1>, tensor<8xf32>
// CHECK-NEXT:      gnn.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// MEMORY-LABEL: func.func @mixture
// MEMORY:        gnn_tile.traverse
// MEMORY-NOT:    gnn_tile.traverse
// MEMORY:        return
func.func @mixture(%q: !x, %k: !x, %bias: !t, %mask: !se) -> !x {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %low = arith.constant dense<-1.0e9> : tensor<f32>
  %zeros = gnn.broadcast %zero : tensor<f32> -> !se
  %lows = gnn.broadcast %low : tensor<f32> -> !se
  %d = gnn.sddmm %q via dst, %k via src : (!x, !x) -> !se
  %b = gnn.gather %bias : !t -> !se
  %s = arith.addf %d, %b : !se
  %t = math.tanh %s : !se
  %h = arith.cmpf olt, %mask, %zeros : !se
  %m = arith.select %h, %lows, %t : !ce, !se
  // expected-remark @+1 {{one attention}}
  %a = gnn.edge_softmax %m over dst : !se
  %y = gnn.spmm mul %a, %k via src reduce sum via dst : (!se, !x) -> !x
  return %y : !x
}

// A sum over features of no product is one with ones; a value that is read twice
// within the score is computed once. Heads meet features as they are repeated.
//
// CHECK-LABEL: func.func @sum_of_features
// CHECK-NEXT:    gnn.attention(%[[L:.+]] = %arg0 via src, %[[R:.+]] = %arg1 via dst, %[[P:.+]] = %arg2) value %arg0 via src over dst :
// CHECK-NEXT:      %[[D:.+]] = arith.subf %[[L]], %[[R]] : tensor<8x16xf32>
// CHECK-NEXT:      %[[A:.+]] = math.absf %[[D]] : tensor<8x16xf32>
// CHECK-NEXT:      %[[W:.+]] = gnn.row_broadcast %[[P]] : tensor<8xf32> -> tensor<8x16xf32>
// CHECK-NEXT:      %[[M:.+]] = arith.mulf %[[A]], %[[W]] : tensor<8x16xf32>
// CHECK-NEXT:      %[[S:.+]] = arith.addf %[[M]], %[[A]] : tensor<8x16xf32>
// CHECK-NEXT:      %[[O:.+]] = arith.constant dense<1.000000e+00> : tensor<8x16xf32>
// CHECK-NEXT:      gnn.row_dot %[[S]], %[[O]]
// CHECK-NEXT:      gnn.yield
// MEMORY-LABEL: func.func @sum_of_features
// MEMORY-NOT:    memref<?x8x16xf32> {{.*}}#gnn_tile.at<element :
// MEMORY:        return
func.func @sum_of_features(%l: !x, %r: !x, %p: !t) -> !x {
  %d = gnn.apply sub %l via src, %r via dst : (!x, !x) -> !xe
  %a = math.absf %d : !xe
  %m = gnn.apply mul %a, %p : (!xe, !t) -> !xe
  %b = arith.addf %m, %a : !xe
  %s = gnn.reduce_features sum %b : !xe -> !se
  // expected-remark @+1 {{one attention}}
  %w = gnn.edge_softmax %s over dst : !se
  %y = gnn.spmm mul %w, %l via src reduce sum via dst : (!se, !x) -> !x
  return %y : !x
}

// Negative for one of two products: they sum over 16 and over 4 features, and one
// walk has one size of features.
//
// CHECK-LABEL: func.func @two_sizes
// CHECK-NEXT:    %[[D:.+]] = gnn.sddmm %arg0 via dst, %arg1 via src
// CHECK-NEXT:    gnn.attention(%[[Q:.+]] = %arg2 via dst, %[[K:.+]] = %arg3 via src, %[[A:.+]] = %[[D]]) value
// CHECK-NEXT:      %[[E:.+]] = gnn.row_dot %[[Q]], %[[K]] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8xf32>
// CHECK-NEXT:      arith.addf %[[A]], %[[E]]
func.func @two_sizes(%q: !x, %k: !x, %u: tensor<?x8x4xf32, #gnn.rows<@g, node>>, %v: tensor<?x8x4xf32, #gnn.rows<@g, node>>) -> !x {
  %d = gnn.sddmm %q via dst, %k via src : (!x, !x) -> !se
  %e = gnn.sddmm %u via dst, %v via src : (tensor<?x8x4xf32, #gnn.rows<@g, node>>, tensor<?x8x4xf32, #gnn.rows<@g, node>>) -> !se
  %s = arith.addf %d, %e : !se
  // expected-remark @+1 {{one attention}}
  %a = gnn.edge_softmax %s over dst : !se
  %y = gnn.spmm mul %a, %k via src reduce sum via dst : (!se, !x) -> !x
  return %y : !x
}

// Negative for a function that reads a row of a matrix: a product comes before.
//
// CHECK-LABEL: func.func @product_with_a_matrix
// CHECK:         %[[L:.+]] = gnn.linear
// CHECK-NEXT:    %[[R:.+]] = gnn.reshape %[[L]]
// CHECK-NEXT:    gnn.attention(%[[A:.+]] = %[[R]]) value
// CHECK-NEXT:      math.tanh %[[A]]
func.func @product_with_a_matrix(%x: !x, %w: tensor<8x16x1xf32>) -> !x {
  %e = gnn.gather %x via src : !x -> !xe
  %l = gnn.linear %e, %w : (!xe, tensor<8x16x1xf32>) -> tensor<?x8x1xf32, #gnn.rows<@g, edge>>
  %r = gnn.reshape %l : tensor<?x8x1xf32, #gnn.rows<@g, edge>> -> !se
  %t = math.tanh %r : !se
  // expected-remark @+1 {{one attention}}
  %a = gnn.edge_softmax %t over dst : !se
  %y = gnn.spmm mul %a, %x via src reduce sum via dst : (!se, !x) -> !x
  return %y : !x
}

// Weights of 2 by 3 and rows of 4 features each: their dimensions are those of one
// walk, the scores' as one and what follows as one.
//
// CHECK-LABEL: func.func @three_dimensions
// CHECK-DAG:     %[[L:.+]] = gnn.reshape %arg0 : {{.*}} -> tensor<?x6xf32
// CHECK-DAG:     %[[R:.+]] = gnn.reshape %arg1 : {{.*}} -> tensor<?x6xf32
// CHECK-DAG:     %[[X:.+]] = gnn.reshape %arg2 : {{.*}} -> tensor<?x6x4xf32
// CHECK:         %[[Y:.+]] = gnn.attention(%[[A:.+]] = %[[L]] via dst, %[[B:.+]] = %[[R]] via src) value %[[X]] via src over dst :
// CHECK-NEXT:      arith.mulf %[[A]], %[[B]] : tensor<6xf32>
// CHECK:         %[[Z:.+]] = gnn.reshape %[[Y]] : {{.*}} -> tensor<?x2x3x4xf32
// CHECK-NEXT:    return %[[Z]]
// MEMORY-LABEL: func.func @three_dimensions
// MEMORY-NOT:    count edge
// MEMORY:        gnn_tile.traverse @g <dst, edge.in_rows, heads = 6, features = 4>
// MEMORY:        return
func.func @three_dimensions(%l: tensor<?x2x3xf32, #gnn.rows<@g, node>>, %r: tensor<?x2x3xf32, #gnn.rows<@g, node>>, %x: tensor<?x2x3x4xf32, #gnn.rows<@g, node>>) -> tensor<?x2x3x4xf32, #gnn.rows<@g, node>> {
  %s = gnn.apply mul %l via dst, %r via src : (tensor<?x2x3xf32, #gnn.rows<@g, node>>, tensor<?x2x3xf32, #gnn.rows<@g, node>>) -> tensor<?x2x3xf32, #gnn.rows<@g, edge>>
  // expected-remark @+1 {{one attention: no 24 features an edge}}
  %a = gnn.edge_softmax %s over dst : tensor<?x2x3xf32, #gnn.rows<@g, edge>>
  %m = gnn.apply mul %a, %x via src : (tensor<?x2x3xf32, #gnn.rows<@g, edge>>, tensor<?x2x3x4xf32, #gnn.rows<@g, node>>) -> tensor<?x2x3x4xf32, #gnn.rows<@g, edge>>
  %y = gnn.aggregate sum %m via dst : tensor<?x2x3x4xf32, #gnn.rows<@g, edge>> -> tensor<?x2x3x4xf32, #gnn.rows<@g, node>>
  return %y : tensor<?x2x3x4xf32, #gnn.rows<@g, node>>
}

// A product over a third dimension: the first two are one.
//
// CHECK-LABEL: func.func @product_of_three_dimensions
// CHECK:         gnn.attention(%[[A:.+]] = %{{.+}} via dst, %[[B:.+]] = %{{.+}} via src) value
// CHECK-NEXT:      gnn.row_dot %[[A]], %[[B]] : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6xf32>
func.func @product_of_three_dimensions(%q: tensor<?x2x3x4xf32, #gnn.rows<@g, node>>, %x: tensor<?x2x3xf32, #gnn.rows<@g, node>>) -> tensor<?x2x3xf32, #gnn.rows<@g, node>> {
  %s = gnn.sddmm %q via dst, %q via src : (tensor<?x2x3x4xf32, #gnn.rows<@g, node>>, tensor<?x2x3x4xf32, #gnn.rows<@g, node>>) -> tensor<?x2x3xf32, #gnn.rows<@g, edge>>
  // expected-remark @+1 {{one attention}}
  %a = gnn.edge_softmax %s over dst : tensor<?x2x3xf32, #gnn.rows<@g, edge>>
  %y = gnn.spmm mul %a, %x via src reduce sum via dst : (tensor<?x2x3xf32, #gnn.rows<@g, edge>>, tensor<?x2x3xf32, #gnn.rows<@g, node>>) -> tensor<?x2x3xf32, #gnn.rows<@g, node>>
  return %y : tensor<?x2x3xf32, #gnn.rows<@g, node>>
}

// A factor for each of the first of two dimensions that become one is repeated.
//
// CHECK-LABEL: func.func @factor_of_some_dimensions
// CHECK:         %[[B:.+]] = gnn.broadcast %arg1 : {{.*}} -> tensor<?x2x3xf32
// CHECK:         %[[F:.+]] = gnn.reshape %[[B]] : {{.*}} -> tensor<?x6xf32
// CHECK:         gnn.attention(%{{.+}} = %{{.+}}) value %{{.+}} via src factor %[[F]] over dst :
func.func @factor_of_some_dimensions(%s: tensor<?x2x3xf32, #gnn.rows<@g, edge>>, %f: tensor<?x2xf32, #gnn.rows<@g, edge>>, %x: tensor<?x2x3x4xf32, #gnn.rows<@g, node>>) -> tensor<?x2x3x4xf32, #gnn.rows<@g, node>> {
  // expected-remark @+1 {{one attention}}
  %a = gnn.edge_softmax %s over dst : tensor<?x2x3xf32, #gnn.rows<@g, edge>>
  %w = gnn.apply mul %a, %f : (tensor<?x2x3xf32, #gnn.rows<@g, edge>>, tensor<?x2xf32, #gnn.rows<@g, edge>>) -> tensor<?x2x3xf32, #gnn.rows<@g, edge>>
  %m = gnn.apply mul %w, %x via src : (tensor<?x2x3xf32, #gnn.rows<@g, edge>>, tensor<?x2x3x4xf32, #gnn.rows<@g, node>>) -> tensor<?x2x3x4xf32, #gnn.rows<@g, edge>>
  %y = gnn.aggregate sum %m via dst : tensor<?x2x3x4xf32, #gnn.rows<@g, edge>> -> tensor<?x2x3x4xf32, #gnn.rows<@g, node>>
  return %y : tensor<?x2x3x4xf32, #gnn.rows<@g, node>>
}

// A condition that several read is computed by each; one that a score of its own
// features reads is part of it.
//
// CHECK-LABEL: func.func @condition_with_readers
// CHECK:         %[[H:.+]] = arith.cmpf olt, %arg0
// CHECK:         gnn.attention(%[[A:.+]] = %arg0, %[[B:.+]] = %arg1) value
// CHECK-NEXT:      %[[I:.+]] = arith.cmpf olt, %[[A]], %[[B]]
// CHECK-NEXT:      arith.select %[[I]], %[[A]], %[[B]]
// CHECK:         arith.select %[[H]]
func.func @condition_with_readers(%s: !se, %t: !se, %x: !x) -> (!x, !se) {
  %h = arith.cmpf olt, %s, %t : !se
  %m = arith.select %h, %s, %t : !ce, !se
  // expected-remark @+1 {{one attention}}
  %a = gnn.edge_softmax %m over dst : !se
  %y = gnn.spmm mul %a, %x via src reduce sum via dst : (!se, !x) -> !x
  %o = arith.select %h, %t, %s : !ce, !se
  return %y, %o : !x, !se
}

// Scores that are all one number are read nowhere.
//
// CHECK-LABEL: func.func @constant_scores
// CHECK-NEXT:    gnn.attention() value %arg0 via src over dst :
// CHECK-NEXT:      %[[C:.+]] = arith.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK-NEXT:      gnn.yield %[[C]]
func.func @constant_scores(%x: !x) -> !x {
  %c = arith.constant dense<1.0> : tensor<f32>
  %s = gnn.broadcast %c : tensor<f32> -> !se
  // expected-remark @+1 {{one attention}}
  %a = gnn.edge_softmax %s over dst : !se
  %y = gnn.spmm mul %a, %x via src reduce sum via dst : (!se, !x) -> !x
  return %y : !x
}
