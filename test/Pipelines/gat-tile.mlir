// RUN: gnn-opt %s --gnn-tile-pipeline | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-pipeline=online-softmax=0 | FileCheck %s --check-prefix=TWICE
// RUN: gnn-opt %s --gnn-tile-pipeline=fuse=false | FileCheck %s --check-prefix=APART

gnn.graph @g square {node_types = 1, edge_types = 1}
!x = tensor<?x64xf32, #gnn.rows<@g, node>>
!s = tensor<?x8xf32, #gnn.rows<@g, node>>
!e = tensor<?x8xf32, #gnn.rows<@g, edge>>
!h = tensor<?x8x16xf32, #gnn.rows<@g, node>>

// The attention of GAT is one traversal: scores, softmax and weighted sum leave
// no edge-sized buffer.
//
// CHECK-LABEL: func.func @gat
// CHECK-NOT:     gnn_tile.count @g count edge
// CHECK:         gnn_tile.workspace_size
// CHECK:         gnn_tile.gemm @g rows dst
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 16>
// CHECK:           gnn_tile.softmax_sum
// CHECK-NOT:       gnn_tile.reduce max [element]
// CHECK-NOT:     gnn_tile.traverse
//
// TWICE-LABEL: func.func @gat
// TWICE:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 16>
// TWICE:           gnn_tile.reduce max [element]
// TWICE:           math.exp
// TWICE:           gnn_tile.reduce sum [element]
// TWICE:           gnn_tile.reduce sum [element]
// TWICE-NOT:     gnn_tile.traverse
//
// APART-LABEL: func.func @gat
// APART:         gnn_tile.traverse @g <edge.in_rows, features = 8>
// APART:         gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
// APART:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 16>
func.func @gat(%x: !x, %w: tensor<8x64x16xf32>, %as: tensor<8x16xf32>, %ad: tensor<8x16xf32>) -> !h {
  %h = gnn.linear %x, %w : (!x, tensor<8x64x16xf32>) -> !h
  %s = gnn.dot %h, %as : (!h, tensor<8x16xf32>) -> !s
  %d = gnn.dot %h, %ad : (!h, tensor<8x16xf32>) -> !s
  %e = gnn.apply add %s via src, %d via dst : (!s, !s) -> !e
  %l = gnn.activation leaky_relu %e alpha = 0.2 : !e
  %a = gnn.edge_softmax %l over dst : !e
  %o = gnn.spmm mul %a, %h via src reduce sum via dst : (!e, !h) -> !h
  return %o : !h
}
