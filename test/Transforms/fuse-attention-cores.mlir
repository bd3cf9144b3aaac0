// RUN: gnn-opt %s -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(gnn-attach-target{kind=cpu},func.func(gnn-fuse-attention))' \
// RUN:   --remarks-filter=gnn-fuse-attention --remark-format=emitRemark --verify-diagnostics

gnn.graph @g square {node_types = 1, edge_types = 1}
!x = tensor<?x8x16xf32, #gnn.rows<@g, node>>
!s = tensor<?x8xf32, #gnn.rows<@g, node>>
!se = tensor<?x8xf32, #gnn.rows<@g, edge>>

// A core walks a row twice: scores of few numbers are computed again, those of rows stored.
//
func.func @gat(%l: !s, %r: !s, %x: !x) -> !x {
  %s = gnn.apply add %l via src, %r via dst : (!s, !s) -> !se
  // expected-remark @+1 {{scores are computed in each walk; elements an edge: 8 to compute them again, 16 to store}}
  %a = gnn.edge_softmax %s over dst : !se
  %y = gnn.spmm mul %a, %x via src reduce sum via dst : (!se, !x) -> !x
  return %y : !x
}
func.func @dot(%q: !x, %x: !x) -> !x {
  %s = gnn.sddmm %q via dst, %x via src : (!x, !x) -> !se
  // expected-remark @+1 {{scores are stored; elements an edge: 128 to compute them again, 16 to store and read them}}
  %a = gnn.edge_softmax %s over dst : !se
  %y = gnn.spmm mul %a, %x via src reduce sum via dst : (!se, !x) -> !x
  return %y : !x
}
