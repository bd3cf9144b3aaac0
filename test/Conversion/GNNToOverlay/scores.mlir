// RUN: gnn-opt %s --convert-gnn-to-gnn-overlay | FileCheck %s

#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!number = tensor<?xf32, #gnn.rows<@g, edge>>
!of_node = tensor<?xf32, #gnn.rows<@g, node>>
!heads = tensor<?x2x8xf32, #gnn.rows<@g, node>>
!edge_heads = tensor<?x2x8xf32, #gnn.rows<@g, edge>>
!numbers = tensor<?x2xf32, #gnn.rows<@g, edge>>
gnn.graph @g square {node_types = 1, edge_types = 1}

// The first operand is that of sources, whichever the op names first.
//
// CHECK-LABEL: func.func @inner_product
// CHECK-NEXT:    %[[A:.+]] = gnn_overlay.vector_inner %arg0, %arg1 :
// CHECK-NEXT:    %[[B:.+]] = gnn_overlay.vector_inner %arg1, %arg0 :
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @inner_product(%x: !node, %y: !node) -> (!number, !number) {
  %a = gnn.sddmm %x via src, %y via dst : (!node, !node) -> !number
  %b = gnn.sddmm %x via dst, %y via src : (!node, !node) -> !number
  return %a, %b : !number, !number
}

// A head has its columns.
//
// CHECK-LABEL: func.func @inner_products
// CHECK:         %[[X:.+]] = gnn.reshape %arg0
// CHECK-COUNT-2: gnn_overlay.vector_inner %{{.+}}, %{{.+}} : tensor<?x8xf32,
func.func @inner_products(%x: !heads) -> !heads {
  %a = gnn.sddmm %x via src, %x via dst : (!heads, !heads) -> !numbers
  %m = gnn.apply mul %a, %x via src : (!numbers, !heads) -> !edge_heads
  %y = gnn.aggregate sum %m via dst : !edge_heads -> !heads
  return %y : !heads
}

// The sum of s at the source and t at the destination is that of [s, 1] times [1, t].
//
// CHECK-LABEL: func.func @sum_of_ends
// CHECK:         %[[S:.+]] = gnn_overlay.assemble blocks [] transposed [] ones [0, 0, 1, 1] : () -> tensor<1x2xf32>
// CHECK:         %[[S1:.+]] = gnn_overlay.assemble blocks [] transposed [] ones [0, 1, 1, 1] : () -> tensor<2xf32>
// CHECK:         %[[A:.+]] = gnn_overlay.linear %{{.+}}, %[[S]] bias %[[S1]]
// CHECK:         %[[T:.+]] = gnn_overlay.assemble blocks [] transposed [] ones [0, 1, 1, 1] : () -> tensor<1x2xf32>
// CHECK:         %[[T1:.+]] = gnn_overlay.assemble blocks [] transposed [] ones [0, 0, 1, 1] : () -> tensor<2xf32>
// CHECK:         %[[B:.+]] = gnn_overlay.linear %{{.+}}, %[[T]] bias %[[T1]]
// CHECK:         gnn_overlay.vector_inner %[[A]], %[[B]] : tensor<?x2xf32,
func.func @sum_of_ends(%s: !of_node, %t: !of_node) -> !number {
  %a = gnn.apply add %s via src, %t via dst : (!of_node, !of_node) -> !number
  return %a : !number
}

// What makes the number makes the two columns in its place.
//
// CHECK-LABEL: func.func @sum_of_products
// CHECK:         gnn_overlay.linear %arg0, %{{.+}} bias %{{.+}} : {{.+}} -> tensor<?x2xf32,
// CHECK-NEXT:    gnn_overlay.assemble
// CHECK-NEXT:    gnn_overlay.assemble
// CHECK-NEXT:    gnn_overlay.linear %arg0, %{{.+}} bias %{{.+}} : {{.+}} -> tensor<?x2xf32,
// CHECK-NEXT:    gnn_overlay.vector_inner
// CHECK-NOT:     gnn_overlay.linear
func.func @sum_of_products(%x: !node, %w: tensor<16x1xf32>, %v: tensor<16x1xf32>) -> !number {
  %s = gnn.linear %x, %w : (!node, tensor<16x1xf32>) -> tensor<?x1xf32, #node>
  %t = gnn.linear %x, %v : (!node, tensor<16x1xf32>) -> tensor<?x1xf32, #node>
  %a = gnn.apply add %s via src, %t via dst : (tensor<?x1xf32, #node>, tensor<?x1xf32, #node>) -> tensor<?x1xf32, #edge>
  %r = gnn.reshape %a : tensor<?x1xf32, #edge> -> !number
  return %r : !number
}

// CHECK-LABEL: func.func @product_of_ends
// CHECK:         gnn_overlay.vector_inner %{{.+}}, %{{.+}} : tensor<?x1xf32,
func.func @product_of_ends(%s: !of_node, %t: !of_node) -> !number {
  %a = gnn.apply mul %s via dst, %t via src : (!of_node, !of_node) -> !number
  return %a : !number
}

// CHECK-LABEL: func.func @function_of_scores
// CHECK:         %[[S:.+]] = gnn_overlay.vector_inner
// CHECK:         gnn_overlay.activation %[[S]] activations [#gnn_overlay.act<prelu, 0.2>] : tensor<?xf32, {{.+}}edge>
func.func @function_of_scores(%x: !node) -> !number {
  %a = gnn.sddmm %x via src, %x via dst : (!node, !node) -> !number
  %b = gnn.activation leaky_relu %a alpha = 0.2 : !number
  return %b : !number
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

// That of numbers which are there before is computed before.
//
// CHECK-LABEL: func.func @softmax_before
// CHECK:         %[[A:.+]] = gnn.edge_softmax %arg1 over dst
// CHECK:         gnn_overlay.aggregate sum %arg0 weights %[[A]] : tensor<?x16xf32,
func.func @softmax_before(%x: !node, %s: !number) -> !node {
  %a = gnn.edge_softmax %s over dst : !number
  %y = gnn.spmm mul %x via src, %a reduce sum via dst : (!node, !number) -> !node
  return %y : !node
}

// The sum of the weights is that of a column of ones, which a product makes.
//
// CHECK-LABEL: func.func @softmax
// CHECK:         %[[W:.+]] = gnn_overlay.assemble %arg1 blocks [0, 0, 0, 0, 16, 16] transposed [false] ones [] : (tensor<16x16xf32>) -> tensor<16x17xf32>
// CHECK:         %[[ONE:.+]] = gnn_overlay.assemble blocks [] transposed [] ones [0, 16, 1, 1] : () -> tensor<17xf32>
// CHECK:         %[[H:.+]] = gnn_overlay.linear %arg0, %[[W]] bias %[[ONE]] : {{.+}} -> tensor<?x17xf32,
// CHECK:         %[[S:.+]] = gnn_overlay.vector_inner
// CHECK:         %[[E:.+]] = gnn_overlay.activation %[[S]] activations [#gnn_overlay.act<exp>]
// CHECK:         %[[SUM:.+]] = gnn_overlay.aggregate sum %[[H]] weights %[[E]] : tensor<?x17xf32,
// CHECK:         %[[Y:.+]] = gnn_overlay.activation %[[SUM]] activations [#gnn_overlay.act<divide, 16.0>] : tensor<?x17xf32, {{.+}} -> tensor<?x16xf32,
// CHECK:         return %[[Y]]
func.func @softmax(%x: !node, %w: tensor<16x16xf32>) -> !node {
  %h = gnn.linear %x, %w : (!node, tensor<16x16xf32>) -> !node
  %s = gnn.sddmm %x via src, %x via dst : (!node, !node) -> !number
  %a = gnn.edge_softmax %s over dst : !number
  %m = gnn.apply mul %a, %h via src : (!number, !node) -> tensor<?x16xf32, #edge>
  %y = gnn.aggregate sum %m via dst : tensor<?x16xf32, #edge> -> !node
  return %y : !node
}

// Rows that no product makes get their column by a product of their own.
//
// CHECK-LABEL: func.func @softmax_of_arguments
// CHECK:         %[[W:.+]] = gnn_overlay.assemble blocks [] transposed [] ones [0, 0, 1, 1, {{.+}} 15, 15, 1, 1] : () -> tensor<16x17xf32>
// CHECK:         gnn_overlay.linear %arg0, %[[W]] bias
// CHECK:         gnn_overlay.vector_inner
// CHECK:         gnn_overlay.activation %{{.+}} activations [#gnn_overlay.act<exp>]
func.func @softmax_of_arguments(%x: !node) -> !node {
  %s = gnn.sddmm %x via src, %x via dst : (!node, !node) -> !number
  %a = gnn.edge_softmax %s over dst : !number
  %m = gnn.apply mul %a, %x via src : (!number, !node) -> tensor<?x16xf32, #edge>
  %y = gnn.aggregate sum %m via dst : tensor<?x16xf32, #edge> -> !node
  return %y : !node
}

// Three heads: scores, sums and divisions of their own, put side by side.
//
// CHECK-LABEL: func.func @three_heads
// CHECK-COUNT-3: gnn_overlay.vector_inner
// CHECK-COUNT-3: gnn_overlay.activation %{{.+}} activations [#gnn_overlay.act<exp>]
// CHECK:         gnn_overlay.aggregate sum %{{.+}} : tensor<?x5xf32,
// CHECK:         gnn_overlay.activation %{{.+}} activations [#gnn_overlay.act<divide, 4.0>] : tensor<?x5xf32, {{.+}} -> tensor<?x4xf32,
// CHECK:         gnn_overlay.linear %{{.+}} : {{.+}} -> tensor<?x12xf32,
// CHECK:         gnn_overlay.aggregate sum
// CHECK:         gnn_overlay.vector_add
// CHECK:         gnn_overlay.aggregate sum
// CHECK:         gnn_overlay.vector_add
// CHECK-NOT:     gnn_overlay.aggregate
func.func @three_heads(%x: tensor<?x3x4xf32, #node>) -> tensor<?x3x4xf32, #node> {
  %s = gnn.sddmm %x via src, %x via dst : (tensor<?x3x4xf32, #node>, tensor<?x3x4xf32, #node>) -> tensor<?x3xf32, #edge>
  %a = gnn.edge_softmax %s over dst : tensor<?x3xf32, #edge>
  %m = gnn.apply mul %a, %x via src : (tensor<?x3xf32, #edge>, tensor<?x3x4xf32, #node>) -> tensor<?x3x4xf32, #edge>
  %y = gnn.aggregate sum %m via dst : tensor<?x3x4xf32, #edge> -> tensor<?x3x4xf32, #node>
  return %y : tensor<?x3x4xf32, #node>
}

// One channel a head: numbers of edges with the type of the rows that they weigh.
//
// CHECK-LABEL: func.func @one_channel
// CHECK-COUNT-2: gnn_overlay.aggregate sum %{{.+}} weights %{{.+}} : tensor<?x2xf32,
// CHECK-NOT:     gnn_overlay.aggregate
func.func @one_channel(%x: tensor<?x2x1xf32, #node>) -> tensor<?x2x1xf32, #node> {
  %s = gnn.sddmm %x via src, %x via dst : (tensor<?x2x1xf32, #node>, tensor<?x2x1xf32, #node>) -> !numbers
  %a = gnn.edge_softmax %s over dst : !numbers
  %r = gnn.reshape %a : !numbers -> tensor<?x2x1xf32, #edge>
  %g = gnn.gather %x via src : tensor<?x2x1xf32, #node> -> tensor<?x2x1xf32, #edge>
  %m = arith.mulf %r, %g : tensor<?x2x1xf32, #edge>
  %y = gnn.aggregate sum %m via dst : tensor<?x2x1xf32, #edge> -> tensor<?x2x1xf32, #node>
  return %y : tensor<?x2x1xf32, #node>
}
