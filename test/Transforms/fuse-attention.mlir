// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-fuse-attention))' \
// RUN:   --remarks-filter='gnn-fuse-attention' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

!node = tensor<?x64xf32, #gnn.rows<@g, node>>
!edge = tensor<?x64xf32, #gnn.rows<@g, edge>>

gnn.graph @g square {node_types = 1, edge_types = 1}

// Negative: nothing pays here.
//
// CHECK-LABEL: func.func @fuse_attention
// CHECK:         gnn.aggregate
func.func @fuse_attention(%m: !edge) -> !node {
  // expected-remark @+1 {{no case is known in which it pays}}
  %y = gnn.aggregate sum %m via dst : !edge -> !node
  return %y : !node
}
