// RUN: gnn-opt %s --convert-gnn-to-gnn-tile | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @block bipartite {node_types = 1, edge_types = 1}
gnn.graph @next bipartite {node_types = 1, edge_types = 1}
!node = tensor<?x4x8xf32, #gnn.rows<@g, node>>
!head = tensor<?x4xf32, #gnn.rows<@g, node>>
!score = tensor<?x4xf32, #gnn.rows<@g, edge>>

func.func @apply(%x: !head) -> !score {
  %s = gnn.apply add %x via src, %x via dst : (!head, !head) -> !score
  return %s : !score
}

func.func @sddmm(%x: !node) -> !score {
  %s = gnn.sddmm %x via dst, %x via src : (!node, !node) -> !score
  return %s : !score
}

func.func @spmm(%s: !score, %x: !node) -> !node {
  %y = gnn.spmm mul %s, %x via src reduce sum via dst : (!score, !node) -> !node
  return %y : !node
}

func.func @spmm_to_sources(%s: !score, %x: !node) -> !node {
  %y = gnn.spmm mul %s, %x via dst reduce max via src : (!score, !node) -> !node
  return %y : !node
}

func.func @edge_softmax(%s: !score) -> !score {
  %a = gnn.edge_softmax %s over dst : !score
  return %a : !score
}

func.func @edge_softmax_of_sources(%s: !score) -> !score {
  %a = gnn.edge_softmax %s over src : !score
  return %a : !score
}

// Two sampled blocks: the rows of one are those of the next, in place.

func.func @blocks(%x: tensor<?x8xf32, #gnn.rows<@block, src>>) -> tensor<?x8xf32, #gnn.rows<@next, dst>> {
  %y = gnn.spmm copy %x reduce mean : (tensor<?x8xf32, #gnn.rows<@block, src>>) -> tensor<?x8xf32, #gnn.rows<@block, dst>>
  %r = gnn.rebind_rows %y : tensor<?x8xf32, #gnn.rows<@block, dst>> -> tensor<?x8xf32, #gnn.rows<@next, src>>
  %z = gnn.spmm copy %r reduce mean : (tensor<?x8xf32, #gnn.rows<@next, src>>) -> tensor<?x8xf32, #gnn.rows<@next, dst>>
  return %z : tensor<?x8xf32, #gnn.rows<@next, dst>>
}
