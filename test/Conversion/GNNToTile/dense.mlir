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
