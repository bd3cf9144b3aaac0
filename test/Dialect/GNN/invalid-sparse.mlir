// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// Rows of several spaces at once. Each case is named after the constraint it
// breaks.

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @apply_c1(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>, %y: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.apply' op no path to lhs: a node row does not lead to one edge row}}
  gnn.apply add %x, %y : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @apply_c1_rhs(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.apply' op no path to rhs: a node row does not lead to one edge row}}
  gnn.apply add %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, edge>>) -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @apply_c2(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.apply' op two paths to lhs from edge rows to node rows: expected 'via src' or 'via dst', got none}}
  gnn.apply add %x, %y : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, edge>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @apply_c2_superfluous(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.apply' op one path to rhs from edge rows to edge rows: expected no via, got 'via dst'}}
  gnn.apply add %x via src, %y via dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, edge>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @apply_c3(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.apply' op add: expected two operands, got one}}
  gnn.apply add %x : (tensor<?x8xf32, #gnn.rows<@g, edge>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @apply_c3_copy(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.apply' op copy: expected one operand, got two}}
  gnn.apply copy %x, %x : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8xf32, #gnn.rows<@g, edge>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @apply_c4(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>, %y: tensor<?x4xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.apply' op expected features of one operand to begin with those of the other, got [8] and [4]}}
  gnn.apply mul %x, %y : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x4xf32, #gnn.rows<@g, edge>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @apply_c4_suffix(%x: tensor<?x16xf32, #gnn.rows<@g, edge>>, %y: tensor<?x8x16xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.apply' op expected features of one operand to begin with those of the other, got [16] and [8, 16]}}
  gnn.apply mul %x, %y : (tensor<?x16xf32, #gnn.rows<@g, edge>>, tensor<?x8x16xf32, #gnn.rows<@g, edge>>) -> tensor<?x8x16xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @apply_c5(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>, %y: tensor<?x8x16xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.apply' op expected features [8, 16] of result, got [8]}}
  gnn.apply mul %x, %y : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8x16xf32, #gnn.rows<@g, edge>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @sddmm_c1(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.sddmm' op no path to lhs: a src_pair row does not lead to one edge row}}
  gnn.sddmm %x, %x : (tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8xf32, #gnn.rows<@g, edge>>) -> tensor<?xf32, #gnn.rows<@g, src_pair>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @sddmm_c2(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.sddmm' op two paths to rhs from edge rows to node rows: expected 'via src' or 'via dst', got none}}
  gnn.sddmm %x via src, %x : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<?xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @sddmm_c3(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %y: tensor<?x4xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.sddmm' op expected features [8] of rhs, got [4]}}
  gnn.sddmm %x via src, %y via dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, node>>) -> tensor<?xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @sddmm_c3_none(%x: tensor<?xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.sddmm' op expected at least one feature dimension of lhs, got none}}
  gnn.sddmm %x via src, %x via dst : (tensor<?xf32, #gnn.rows<@g, node>>, tensor<?xf32, #gnn.rows<@g, node>>) -> tensor<?xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @sddmm_c4(%x: tensor<?x8x16xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.sddmm' op expected features [8] of result, got [16]}}
  gnn.sddmm %x via src, %x via dst : (tensor<?x8x16xf32, #gnn.rows<@g, node>>, tensor<?x8x16xf32, #gnn.rows<@g, node>>) -> tensor<?x16xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @spmm_c1(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.spmm' op expected rows that edges are reduced to, got edge rows}}
  gnn.spmm copy %x via src reduce sum : (tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @spmm_c2(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.spmm' op two paths to lhs from edge rows to node rows: expected 'via src' or 'via dst', got none}}
  gnn.spmm copy %x reduce sum via dst : (tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @spmm_c2_result(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.spmm' op two paths to result from edge rows to node rows: expected 'via src' or 'via dst', got none}}
  gnn.spmm copy %x via src reduce sum : (tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @b bipartite {node_types = 1, edge_types = 1}

func.func @spmm_c2_bipartite(%x: tensor<?x8xf32, #gnn.rows<@b, src>>) {
  // expected-error @+1 {{'gnn.spmm' op one path to result from edge rows to dst rows: expected no via, got 'via dst'}}
  gnn.spmm copy %x reduce sum via dst : (tensor<?x8xf32, #gnn.rows<@b, src>>) -> tensor<?x8xf32, #gnn.rows<@b, dst>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @spmm_c3(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.spmm' op mul: expected two operands, got one}}
  gnn.spmm mul %x via src reduce sum via dst : (tensor<?x8xf32, #gnn.rows<@g, node>>) -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @spmm_c4(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %a: tensor<?x4xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.spmm' op expected features of one operand to begin with those of the other, got [8] and [4]}}
  gnn.spmm mul %x via src, %a reduce sum via dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?x4xf32, #gnn.rows<@g, edge>>) -> tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @spmm_c5(%x: tensor<?x8xf32, #gnn.rows<@g, node>>, %a: tensor<?xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.spmm' op expected features [8] of result, got [4]}}
  gnn.spmm mul %x via src, %a reduce sum via dst : (tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<?xf32, #gnn.rows<@g, edge>>) -> tensor<?x4xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @edge_softmax_c1(%x: tensor<?x8xf32, #gnn.rows<@g, edge>>) {
  // expected-error @+1 {{'gnn.edge_softmax' op expected groups over src, dst, src_pair or dst_pair, got edge_type}}
  gnn.edge_softmax %x over edge_type : tensor<?x8xf32, #gnn.rows<@g, edge>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @edge_softmax_c2(%x: tensor<?x8xf32, #gnn.rows<@g, node>>) {
  // expected-error @+1 {{'gnn.edge_softmax' op expected edge rows or dst_pair rows over dst, got node rows}}
  gnn.edge_softmax %x over dst : tensor<?x8xf32, #gnn.rows<@g, node>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @edge_softmax_c2_pair(%x: tensor<?x8xf32, #gnn.rows<@g, dst_pair>>) {
  // expected-error @+1 {{'gnn.edge_softmax' op expected edge rows over dst_pair, got dst_pair rows}}
  gnn.edge_softmax %x over dst_pair : tensor<?x8xf32, #gnn.rows<@g, dst_pair>>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @edge_softmax_c2_end(%x: tensor<?x8xf32, #gnn.rows<@g, src_pair>>) {
  // expected-error @+1 {{'gnn.edge_softmax' op expected edge rows or dst_pair rows over dst, got src_pair rows}}
  gnn.edge_softmax %x over dst : tensor<?x8xf32, #gnn.rows<@g, src_pair>>
  return
}
