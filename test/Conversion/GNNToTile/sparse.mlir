// RUN: gnn-opt %s --convert-gnn-to-gnn-tile | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @block bipartite {node_types = 1, edge_types = 1}
gnn.graph @next bipartite {node_types = 1, edge_types = 1}
!node = tensor<?x4x8xf32, #gnn.rows<@g, node>>
!head = tensor<?x4xf32, #gnn.rows<@g, node>>
!score = tensor<?x4xf32, #gnn.rows<@g, edge>>

// CHECK-LABEL: func.func @apply
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 4>
// CHECK-SAME:      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> dst : feature>]
// CHECK:           arith.addf
func.func @apply(%x: !head) -> !score {
  %s = gnn.apply add %x via src, %x via dst : (!head, !head) -> !score
  return %s : !score
}

// CHECK-LABEL: func.func @sddmm
// CHECK:         gnn_tile.traverse @g <edge.in_rows, heads = 4, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group -> dst : head, feature>, #gnn_tile.at<group -> src : head, feature>]
// CHECK-SAME:      at [#gnn_tile.at<group : head>]
// CHECK:           gnn_tile.reduce sum [feature]
func.func @sddmm(%x: !node) -> !score {
  %s = gnn.sddmm %x via dst, %x via src : (!node, !node) -> !score
  return %s : !score
}

// CHECK-LABEL: func.func @spmm
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 4, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<element -> edge : head>, #gnn_tile.at<element -> src : head, feature>]
// CHECK:           arith.mulf
// CHECK:           gnn_tile.reduce sum [element]
func.func @spmm(%s: !score, %x: !node) -> !node {
  %y = gnn.spmm mul %s, %x via src reduce sum via dst : (!score, !node) -> !node
  return %y : !node
}

// CHECK-LABEL: func.func @spmm_to_sources
// CHECK:         gnn_tile.traverse @g <src, edge.out_rows, heads = 4, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<element -> edge : head>, #gnn_tile.at<element -> dst : head, feature>]
// CHECK:           gnn_tile.reduce max [element]
func.func @spmm_to_sources(%s: !score, %x: !node) -> !node {
  %y = gnn.spmm mul %s, %x via dst reduce max via src : (!score, !node) -> !node
  return %y : !node
}

// Shifted by the maximum: no score is too large.
//
// CHECK-LABEL: func.func @edge_softmax
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 4>
// CHECK-SAME:      at [#gnn_tile.at<element : feature>]
// CHECK:           %[[M:.+]] = gnn_tile.reduce max [element]
// CHECK:           arith.subf %{{.+}}, %[[M]]
// CHECK:           %[[P:.+]] = math.exp
// CHECK:           %[[S:.+]] = gnn_tile.reduce sum [element] %[[P]]
// CHECK:           arith.divf %[[P]], %[[S]]
func.func @edge_softmax(%s: !score) -> !score {
  %a = gnn.edge_softmax %s over dst : !score
  return %a : !score
}

// By source, into the order of destinations.
//
// CHECK-LABEL: func.func @edge_softmax_of_sources
// CHECK:         gnn_tile.traverse @g <src, edge.out_rows, features = 4>
// CHECK-SAME:      at [#gnn_tile.at<element -> edge.in_rows : feature>]
func.func @edge_softmax_of_sources(%s: !score) -> !score {
  %a = gnn.edge_softmax %s over src : !score
  return %a : !score
}

// Two sampled blocks: the rows of one are those of the next, in place.

// CHECK-LABEL: func.func @blocks
// CHECK:         %[[R:.+]] = gnn_tile.traverse @block <dst, edge.in_rows, features = 8>
// CHECK:         gnn_tile.traverse @next <dst, edge.in_rows, features = 8> ins(%[[R]] :
func.func @blocks(%x: tensor<?x8xf32, #gnn.rows<@block, src>>) -> tensor<?x8xf32, #gnn.rows<@next, dst>> {
  %y = gnn.spmm copy %x reduce mean : (tensor<?x8xf32, #gnn.rows<@block, src>>) -> tensor<?x8xf32, #gnn.rows<@block, dst>>
  %r = gnn.rebind_rows %y : tensor<?x8xf32, #gnn.rows<@block, dst>> -> tensor<?x8xf32, #gnn.rows<@next, src>>
  %z = gnn.spmm copy %r reduce mean : (tensor<?x8xf32, #gnn.rows<@next, src>>) -> tensor<?x8xf32, #gnn.rows<@next, dst>>
  return %z : tensor<?x8xf32, #gnn.rows<@next, dst>>
}
