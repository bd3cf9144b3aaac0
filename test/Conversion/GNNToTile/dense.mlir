// RUN: gnn-opt %s --convert-gnn-to-gnn-tile | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}
!edge = tensor<?x16xf32, #gnn.rows<@g, edge>>
!edge8 = tensor<?x8xf32, #gnn.rows<@g, edge>>
!pair = tensor<?x16xf32, #gnn.rows<@g, src_pair>>
!node = tensor<?x16xf32, #gnn.rows<@g, node>>
!node8 = tensor<?x8xf32, #gnn.rows<@g, node>>
!heads = tensor<?x4x8xf32, #gnn.rows<@g, node>>
!w = tensor<3x16x8xf32, #gnn.rows<@g, edge_type>>

// A product first (Hector 3.2.5); its bias is its epilogue.

// CHECK-LABEL: func.func @linear
// CHECK:         gnn_tile.gemm @g rows dst ins(%{{.+}}, %{{.+}} : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature>
// CHECK-SAME:      extras(%{{.+}} : tensor<8xf32>) at [#gnn_tile.at<all : feature>]
// CHECK:           arith.addf
func.func @linear(%x: !node, %w: tensor<16x8xf32>, %b: tensor<8xf32>) -> !node8 {
  %y = gnn.linear %x, %w bias %b : (!node, tensor<16x8xf32>, tensor<8xf32>) -> !node8
  return %y : !node8
}

// All heads of the weight read one input; a weight without heads serves all.
//
// CHECK-LABEL: func.func @linear_heads
// CHECK:         gnn_tile.gemm @g rows dst ins({{.+}} tensor<4x16x8xf32>) at <group : feature>
// CHECK-SAME:      at <group : head, feature>
// CHECK:         gnn_tile.gemm @g rows dst ins({{.+}} tensor<8x8xf32>) at <group : head, feature>
func.func @linear_heads(%x: !node, %w: tensor<4x16x8xf32>, %v: tensor<8x8xf32>) -> !heads {
  %y = gnn.linear %x, %w : (!node, tensor<4x16x8xf32>) -> !heads
  %z = gnn.linear %y, %v : (!heads, tensor<8x8xf32>) -> !heads
  return %z : !heads
}

// All types in one product: rows walked by type, read and written through lists.
//
// CHECK-LABEL: func.func @typed_edges
// CHECK:         gnn_tile.gemm @g rows edge.{{.+}} types edge_type
// CHECK-SAME:      at <group -> edge : feature>
// CHECK-SAME:      extras(%{{.+}} : tensor<3x8xf32>) at [#gnn_tile.at<group -> edge_type : feature>]
// CHECK-SAME:      at <group -> edge.in_rows : feature>
// CHECK-NOT:     gnn_tile.gemm
func.func @typed_edges(%x: !edge, %w: !w, %b: tensor<3x8xf32, #gnn.rows<@g, edge_type>>) -> !edge8 {
  %y = gnn.typed_linear %x, %w bias %b : (!edge, !w, tensor<3x8xf32, #gnn.rows<@g, edge_type>>) -> !edge8
  return %y : !edge8
}

// Pairs lie by type as they are.
//
// CHECK-LABEL: func.func @typed_pairs
// CHECK:         gnn_tile.gemm @g rows src_pair types edge_type
func.func @typed_pairs(%x: !pair, %w: !w) -> tensor<?x8xf32, #gnn.rows<@g, src_pair>> {
  %y = gnn.typed_linear %x, %w : (!pair, !w) -> tensor<?x8xf32, #gnn.rows<@g, src_pair>>
  return %y : tensor<?x8xf32, #gnn.rows<@g, src_pair>>
}

// CHECK-LABEL: func.func @typed_nodes
// CHECK:         gnn_tile.gemm @g rows dst.by_type types dst_node_type
// CHECK-SAME:      at <group -> dst : feature>
func.func @typed_nodes(%x: !node, %w: tensor<2x16x8xf32, #gnn.rows<@g, node_type>>) -> !node8 {
  %y = gnn.typed_linear %x, %w : (!node, tensor<2x16x8xf32, #gnn.rows<@g, node_type>>) -> !node8
  return %y : !node8
}

// CHECK-LABEL: func.func @typed_edges_by_source
// CHECK:         gnn_tile.gemm @g rows edge.src_types types src_node_type
func.func @typed_edges_by_source(%x: !edge, %w: tensor<2x16x8xf32, #gnn.rows<@g, node_type>>) -> !edge8 {
  %y = gnn.typed_linear %x, %w via src : (!edge, tensor<2x16x8xf32, #gnn.rows<@g, node_type>>) -> !edge8
  return %y : !edge8
}

// CHECK-LABEL: func.func @outer
// CHECK:         gnn_tile.outer @g rows dst
// CHECK-SAME:      outs(%{{.+}} : tensor<16x8xf32>)
func.func @outer(%x: !node, %y: !node8) -> tensor<16x8xf32> {
  %w = gnn.outer %x, %y : (!node, !node8) -> tensor<16x8xf32>
  return %w : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @typed_outer
// CHECK:         gnn_tile.outer @g rows edge.{{.+}} types edge_type
// CHECK-SAME:      outs(%{{.+}} : tensor<3x16x8xf32>)
func.func @typed_outer(%x: !edge, %y: !edge8) -> !w {
  %w = gnn.typed_outer %x, %y : (!edge, !edge8) -> !w
  return %w : !w
}

// Weights are rows too: 3 types of 16, by one weight or by one a type.
//
// CHECK-LABEL: func.func @weight_product
// CHECK:         gnn_tile.gemm @g rows 48 ins(%{{.+}}, %{{.+}} : tensor<48x8xf32>, tensor<8x4xf32>)
func.func @weight_product(%w: !w, %a: tensor<8x4xf32>) -> tensor<3x16x4xf32, #gnn.rows<@g, edge_type>> {
  %y = gnn.weight_product %w, %a : (!w, tensor<8x4xf32>) -> tensor<3x16x4xf32, #gnn.rows<@g, edge_type>>
  return %y : tensor<3x16x4xf32, #gnn.rows<@g, edge_type>>
}

// CHECK-LABEL: func.func @weight_product_by_type
// CHECK:         gnn_tile.gemm @g rows 48 types 16 ins(%{{.+}}, %{{.+}} : tensor<48x8xf32>, tensor<3x8x1xf32>)
func.func @weight_product_by_type(%w: !w, %a: tensor<3x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x16xf32, #gnn.rows<@g, edge_type>> {
  %y = gnn.weight_product %w, %a : (!w, tensor<3x8xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x16xf32, #gnn.rows<@g, edge_type>>
  return %y : tensor<3x16xf32, #gnn.rows<@g, edge_type>>
}

// The columns of the first lie head by head.
//
// CHECK-LABEL: func.func @weight_product_by_heads
// CHECK:         gnn_tile.gemm @g rows 48 types 16 ins(%{{.+}}, %{{.+}} : tensor<48x2x4xf32>, tensor<3x2x4x5xf32>)
func.func @weight_product_by_heads(%w: !w, %a: tensor<3x2x4x5xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x16x10xf32, #gnn.rows<@g, edge_type>> {
  %y = gnn.weight_product %w, %a by_heads : (!w, tensor<3x2x4x5xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x16x10xf32, #gnn.rows<@g, edge_type>>
  return %y : tensor<3x16x10xf32, #gnn.rows<@g, edge_type>>
}

// CHECK-LABEL: func.func @weight_combine
// CHECK:         gnn_tile.gemm @g rows 3 ins(%{{.+}}, %{{.+}} : tensor<3x2xf32>, tensor<2x128xf32>)
func.func @weight_combine(%c: tensor<3x2xf32, #gnn.rows<@g, edge_type>>, %b: tensor<2x16x8xf32>) -> !w {
  %w = gnn.weight_combine %c, %b : (tensor<3x2xf32, #gnn.rows<@g, edge_type>>, tensor<2x16x8xf32>) -> !w
  return %w : !w
}

// The rows of both are those of the product: 16 a type, or all of them where the
// result has no types.
//
// CHECK-LABEL: func.func @weight_outer
// CHECK:         gnn_tile.outer @g rows 48 types 16 ins(%{{.+}}, %{{.+}} : tensor<48x8xf32>, tensor<48x4xf32>)
// CHECK-SAME:      outs(%{{.+}} : tensor<3x8x4xf32>)
// CHECK:         gnn_tile.outer @g rows 48 ins(%{{.+}}, %{{.+}} : tensor<48x8xf32>, tensor<48x4xf32>)
// CHECK-SAME:      outs(%{{.+}} : tensor<8x4xf32>)
func.func @weight_outer(%w: !w, %d: tensor<3x16x4xf32, #gnn.rows<@g, edge_type>>)
    -> (tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, tensor<8x4xf32>) {
  %y = gnn.weight_outer %w, %d : (!w, tensor<3x16x4xf32, #gnn.rows<@g, edge_type>>) -> tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>
  %z = gnn.weight_outer %w, %d : (!w, tensor<3x16x4xf32, #gnn.rows<@g, edge_type>>) -> tensor<8x4xf32>
  return %y, %z : tensor<3x8x4xf32, #gnn.rows<@g, edge_type>>, tensor<8x4xf32>
}

// Heads that lie side by side are heads of the product; others are types of it,
// which are summed behind it.
//
// CHECK-LABEL: func.func @weight_outer_with_heads
// CHECK:         gnn_tile.outer @g rows 48 ins(%{{.+}}, %{{.+}} : tensor<48x2x4xf32>, tensor<48x2x5xf32>)
// CHECK-SAME:      outs(%{{.+}} : tensor<2x4x5xf32>)
// CHECK:         gnn_tile.outer @g rows 24 types 4 ins(%{{.+}}, %{{.+}} : tensor<24x8xf32>, tensor<24x1xf32>)
// CHECK-SAME:      outs(%{{.+}} : tensor<6x8x1xf32>)
// CHECK:         gnn_tile.traverse @g <1, heads = 3, features = 16>
// CHECK:           gnn_tile.reduce sum [head]
func.func @weight_outer_with_heads(%w: !w, %d: tensor<3x16x10xf32, #gnn.rows<@g, edge_type>>,
                                   %u: tensor<3x2x4x8xf32, #gnn.rows<@g, edge_type>>,
                                   %v: tensor<3x2x4xf32, #gnn.rows<@g, edge_type>>)
    -> (tensor<2x4x5xf32>, tensor<2x8xf32>) {
  %y = gnn.weight_outer %w, %d by_heads : (!w, tensor<3x16x10xf32, #gnn.rows<@g, edge_type>>) -> tensor<2x4x5xf32>
  %z = gnn.weight_outer %u, %v : (tensor<3x2x4x8xf32, #gnn.rows<@g, edge_type>>, tensor<3x2x4xf32, #gnn.rows<@g, edge_type>>) -> tensor<2x8xf32>
  return %y, %z : tensor<2x4x5xf32>, tensor<2x8xf32>
}

// The product reads the weight where it is, the caller gets a copy.
//
// CHECK-LABEL: func.func @weight_transpose
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<3x16x8xf32>
// CHECK:         %[[T:.+]] = gnn_tile.traverse @g <24, features = 16>
// CHECK-SAME:      ins(%[[W]] : tensor<3x16x8xf32>) at [#gnn_tile.at<group : feature, column>]
// CHECK-SAME:      outs(%{{.+}} : tensor<24x16xf32>) at [#gnn_tile.at<group : feature>]
// CHECK:         gnn_tile.gemm {{.+}} transposed ins(%{{.+}}, %[[W]] :
func.func @weight_transpose(%x: !edge8, %w: !w) -> (!edge, tensor<3x8x16xf32, #gnn.rows<@g, edge_type>>) {
  %t = gnn.weight_transpose %w : (!w) -> tensor<3x8x16xf32, #gnn.rows<@g, edge_type>>
  %y = gnn.typed_linear %x, %t : (!edge8, tensor<3x8x16xf32, #gnn.rows<@g, edge_type>>) -> !edge
  return %y, %t : !edge, tensor<3x8x16xf32, #gnn.rows<@g, edge_type>>
}

// No copy where nothing but products reads it, even through a second transpose.
//
// CHECK-LABEL: func.func @transposed_twice
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<3x16x8xf32>
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         gnn_tile.gemm {{.+}} types edge_type ins(%{{.+}}, %[[W]] :
func.func @transposed_twice(%x: !edge, %w: !w) -> tensor<?xf32, #gnn.rows<@g, edge>> {
  %t = gnn.weight_transpose %w : (!w) -> tensor<3x8x16xf32, #gnn.rows<@g, edge_type>>
  %u = gnn.weight_transpose %t : (tensor<3x8x16xf32, #gnn.rows<@g, edge_type>>) -> !w
  %y = gnn.typed_linear %x, %u : (!edge, !w) -> !edge8
  %s = gnn.reduce_features sum %y : !edge8 -> tensor<?xf32, #gnn.rows<@g, edge>>
  return %s : tensor<?xf32, #gnn.rows<@g, edge>>
}

// All rows to one, and that one's leading dimensions.
//
// CHECK-LABEL: func.func @sum_rows
// CHECK:         gnn_tile.traverse @g <graph, dst, heads = 4, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<element : head, feature>]
// CHECK:           gnn_tile.reduce sum [element]
// CHECK:         gnn_tile.traverse @g <1, heads = 4, features = 8>
// CHECK:           gnn_tile.reduce sum [head]
func.func @sum_rows(%x: tensor<?x4x8xf32, #gnn.rows<@g, node>>) -> tensor<8xf32> {
  %s = gnn.sum_rows %x : tensor<?x4x8xf32, #gnn.rows<@g, node>> -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// A row of the graph is a weight already.
//
// CHECK-LABEL: func.func @sum_of_graph_row
// CHECK:         gnn_tile.traverse @g <graph, edge.in_rows, features = 8>
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         return
func.func @sum_of_graph_row(%x: !edge8) -> tensor<8xf32> {
  %m = gnn.aggregate mean %x : !edge8 -> tensor<1x8xf32, #gnn.rows<@g, graph>>
  %s = gnn.sum_rows %m : tensor<1x8xf32, #gnn.rows<@g, graph>> -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// Parts are summed in rounds; those that nothing divides, by a product with ones.
//
// CHECK-LABEL: func.func @sum_of_parts
// CHECK:         gnn_tile.traverse @g <37, heads = 20, features = 8>
// CHECK:           gnn_tile.reduce sum [head]
// CHECK:         %[[ONES:.+]] = gnn_tile.traverse @g <1, features = 37>
// CHECK:           arith.constant 1.000000e+00
// CHECK:         gnn_tile.gemm @g rows 1 ins(%[[ONES]], %{{.+}} : tensor<1x37xf32>, tensor<37x8xf32>)
func.func @sum_of_parts(%w: tensor<740x8xf32>) -> tensor<8xf32> {
  %s = gnn.sum_rows %w : tensor<740x8xf32> -> tensor<8xf32>
  return %s : tensor<8xf32>
}
