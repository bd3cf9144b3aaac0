// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-fuse-attention))' \
// RUN:   --remarks-filter='gnn-fuse-attention' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

gnn.graph @g square {node_types = 1, edge_types = 3}
!x = tensor<?x8x16xf32, #gnn.rows<@g, node>>
!s = tensor<?x8xf32, #gnn.rows<@g, node>>
!xe = tensor<?x8x16xf32, #gnn.rows<@g, edge>>
!se = tensor<?x8xf32, #gnn.rows<@g, edge>>
!sd = tensor<?x8xf32, #gnn.rows<@g, dst_pair>>
!xd = tensor<?x8x16xf32, #gnn.rows<@g, dst_pair>>

// The caller wants the weights too.
//
// CHECK-LABEL: func.func @weights_are_a_result
// CHECK-NOT:     gnn.attention
func.func @weights_are_a_result(%s: !se, %x: !x) -> (!x, !se) {
  // expected-remark @+1 {{its weights have other readers}}
  %a = gnn.edge_softmax %s over dst : !se
  %m = gnn.apply mul %a, %x via src : (!se, !x) -> !xe
  %y = gnn.aggregate sum %m via dst : !xe -> !x
  return %y, %a : !x, !se
}

// The caller wants the messages too.
//
// CHECK-LABEL: func.func @messages_are_a_result
// CHECK-NOT:     gnn.attention
func.func @messages_are_a_result(%s: !se, %x: !x) -> (!x, !xe) {
  // expected-remark @+1 {{its messages have other readers}}
  %a = gnn.edge_softmax %s over dst : !se
  %m = gnn.apply mul %a, %x via src : (!se, !x) -> !xe
  %y = gnn.aggregate sum %m via dst : !xe -> !x
  return %y, %m : !x, !xe
}

// Nothing reads the weights.
//
// CHECK-LABEL: func.func @unread
// CHECK-NOT:     gnn.attention
func.func @unread(%s: !se) -> !se {
  // expected-remark @+1 {{nothing reads its weights}}
  %a = gnn.edge_softmax %s over dst : !se

  return %s : !se
}

// A maximum is no weighted sum.
//
// CHECK-LABEL: func.func @other_reduction
// CHECK-NOT:     gnn.attention
func.func @other_reduction(%s: !se, %x: !x) -> !x {
  // expected-remark @+1 {{its weights are reduced by no weighted sum}}
  %a = gnn.edge_softmax %s over dst : !se
  %m = gnn.apply mul %a, %x via src : (!se, !x) -> !xe
  %y = gnn.aggregate max %m via dst : !xe -> !x
  return %y : !x
}

// Nothing is weighed.
//
// CHECK-LABEL: func.func @weights_alone
// CHECK-NOT:     gnn.attention
func.func @weights_alone(%s: !se) -> !s {
  // expected-remark @+1 {{its weights are reduced by no weighted sum}}
  %a = gnn.edge_softmax %s over dst : !se
  %y = gnn.aggregate sum %a via src : !se -> !s
  return %y : !s
}

// Dropout of weights is no part of the op.
//
// CHECK-LABEL: func.func @other_use
// CHECK-NOT:     gnn.attention
func.func @other_use(%s: !se, %x: !x, %seed: i64, %offset: i64) -> !x {
  // expected-remark @+1 {{its weights go to gnn.dropout}}
  %a = gnn.edge_softmax %s over dst : !se
  %d = gnn.dropout %a p = 0.5 seed %seed offset %offset : !se
  %m = gnn.apply mul %d, %x via src : (!se, !x) -> !xe
  %y = gnn.aggregate sum %m via dst : !xe -> !x
  return %y : !x
}

// The sum is at the other end of the edges.
//
// CHECK-LABEL: func.func @other_end
// CHECK-NOT:     gnn.attention
func.func @other_end(%s: !se, %x: !x) -> !x {
  // expected-remark @+1 {{its groups are over dst, its sum is to node rows}}
  %a = gnn.edge_softmax %s over dst : !se
  %m = gnn.apply mul %a, %x via src : (!se, !x) -> !xe
  %y = gnn.aggregate sum %m via src : !xe -> !x
  return %y : !x
}

// The scores are not those of edges.
//
// CHECK-LABEL: func.func @pairs
// CHECK-NOT:     gnn.attention
func.func @pairs(%s: !sd, %x: !xd) -> !x {
  // expected-remark @+1 {{its scores are in dst_pair rows}}
  %a = gnn.edge_softmax %s over dst : !sd
  %m = gnn.apply mul %a, %x : (!sd, !xd) -> !xd
  %y = gnn.aggregate sum %m : !xd -> !x
  return %y : !x
}

// Messages are products of two rows.
//
// CHECK-LABEL: func.func @two_rows
// CHECK-NOT:     gnn.attention
func.func @two_rows(%s: !se, %x: !x, %z: !xe) -> !x {
  // expected-remark @+1 {{its messages are products of more than a row and a scalar}}
  %a = gnn.edge_softmax %s over dst : !se
  %m = gnn.apply mul %a, %x via src : (!se, !x) -> !xe
  %n = arith.mulf %m, %z : !xe
  %y = gnn.aggregate sum %n via dst : !xe -> !x
  return %y : !x
}

// Weights have heads and what they weigh has none.
//
// CHECK-LABEL: func.func @scalar_value
// CHECK-NOT:     gnn.attention
func.func @scalar_value(%s: !se, %x: tensor<?xf32, #gnn.rows<@g, node>>) -> !s {
  // expected-remark @+1 {{its weights have more features than what they weigh}}
  %a = gnn.edge_softmax %s over dst : !se
  %m = gnn.apply mul %a, %x via src : (!se, tensor<?xf32, #gnn.rows<@g, node>>) -> !se
  %y = gnn.aggregate sum %m via dst : !se -> !s
  return %y : !s
}
