// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-fuse-attention))' \
// RUN:   --remarks-filter='gnn-fuse-attention' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s
// RUN: gnn-opt %s --gnn-fuse-attention --gnn-tile-pipeline \
// RUN:   | FileCheck %s --check-prefix=MEMORY

gnn.graph @g square {node_types = 1, edge_types = 3}
gnn.graph @large square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1000000, dst_nodes = 1000000, edges = 20000000, type_edges = [20000000], src_pairs = [1000000], dst_pairs = [1000000]>}
gnn.graph @small square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 100, dst_nodes = 100, edges = 500, type_edges = [500], src_pairs = [100], dst_pairs = [100]>}
!x = tensor<?x8x16xf32, #gnn.rows<@g, node>>
!joined = tensor<?x128xf32, #gnn.rows<@g, node>>
!s = tensor<?x8xf32, #gnn.rows<@g, node>>
!xe = tensor<?x8x16xf32, #gnn.rows<@g, edge>>
!je = tensor<?x128xf32, #gnn.rows<@g, edge>>
!se = tensor<?x8xf32, #gnn.rows<@g, edge>>
!xp = tensor<?x8x16xf32, #gnn.rows<@g, src_pair>>
!sp = tensor<?x8xf32, #gnn.rows<@g, src_pair>>
!dp = tensor<?x8xf32, #gnn.rows<@g, dst_pair>>
!wp = tensor<?x8x16xf32, #gnn.rows<@g, dst_pair>>

// Additive scores (GAT) are computed in the one walk that there is, and no buffer is that of edges.
//
// CHECK-LABEL: func.func @gat
// CHECK-NEXT:    gnn.attention(%[[L:.+]] = %arg0 via src, %[[R:.+]] = %arg1 via dst) value %arg2 via src over dst :
// CHECK-NEXT:      %[[S:.+]] = arith.addf %[[L]], %[[R]] : tensor<8xf32>
// CHECK-NEXT:      %[[T:.+]] = gnn.row_activation leaky_relu %[[S]] alpha = 2.000000e-01 : tensor<8xf32>
// CHECK-NEXT:      gnn.yield %[[T]] : tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return
// MEMORY-LABEL: func.func @gat
// MEMORY-NOT:    count edge
// MEMORY:        gnn_tile.traverse
// MEMORY-NOT:    gnn_tile.traverse
func.func @gat(%l: !s, %r: !s, %x: !x) -> !x {
  %s = gnn.apply add %l via src, %r via dst : (!s, !s) -> !se
  %t = gnn.activation leaky_relu %s alpha = 0.2 : !se
  // expected-remark @+1 {{one attention: no 128 features an edge, scores are computed in each walk; elements an edge: 0 to compute them again, 16 to store and read them}}
  %a = gnn.edge_softmax %t over dst : !se
  %m = gnn.apply mul %a, %x via src : (!se, !x) -> !xe
  %y = gnn.aggregate sum %m via dst : !xe -> !x
  return %y : !x
}

// RGAT behind compaction: scores and values are rows of pairs.
//
// CHECK-LABEL: func.func @rgat
// CHECK-NEXT:    gnn.attention(%{{.+}} = %arg0, %{{.+}} = %arg1) value %arg2 over dst :
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      gnn.row_activation leaky_relu
// CHECK-NEXT:      gnn.yield
// MEMORY-LABEL: func.func @rgat
// MEMORY-NOT:    count edge
func.func @rgat(%l: !sp, %r: !dp, %h: !xp) -> !x {
  %u = gnn.gather %l : !sp -> !se
  %v = gnn.gather %r : !dp -> !se
  %s = arith.addf %u, %v : !se
  %t = gnn.activation leaky_relu %s alpha = 0.2 : !se
  // expected-remark @+1 {{scores are computed in each walk; elements an edge: 0 to compute them again, 16 to store}}
  %a = gnn.edge_softmax %t over dst : !se
  %e = gnn.gather %h : !xp -> !xe
  %m = gnn.apply mul %a, %e : (!se, !xe) -> !xe
  %y = gnn.aggregate sum %m via dst : !xe -> !x
  return %y : !x
}

// RGAT as written: terms and values are rows of edges.
//
// CHECK-LABEL: func.func @rgat_on_edges
// MEMORY-LABEL: func.func @rgat_on_edges
// CHECK:         %[[H:.+]] = gnn.reshape
// CHECK:         gnn.attention(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) value %[[H]] over dst :
func.func @rgat_on_edges(%h: !je, %q: tensor<128x8xf32>, %k: tensor<128x8xf32>) -> !x {
  %l = gnn.linear %h, %q : (!je, tensor<128x8xf32>) -> !se
  %r = gnn.linear %h, %k : (!je, tensor<128x8xf32>) -> !se
  %s = arith.addf %l, %r : !se
  %e = gnn.reshape %h : !je -> !xe
  %t = gnn.activation leaky_relu %s alpha = 0.2 : !se
  // expected-remark @+1 {{scores are computed in each walk}}
  %a = gnn.edge_softmax %t over dst : !se
  %m = gnn.apply mul %a, %e : (!se, !xe) -> !xe
  %y = gnn.aggregate sum %m via dst : !xe -> !x
  return %y : !x
}

// In GATv2 a score reads a row, and is stored.
//
// CHECK-LABEL: func.func @gatv2
// CHECK-NEXT:    gnn.attention(%{{.+}} = %arg0 via src, %{{.+}} = %arg1 via dst, %[[A:.+]] = %arg2) value %arg0 via src over dst :
// CHECK-NEXT:      arith.addf {{.*}} : tensor<8x16xf32>
// CHECK-NEXT:      %[[T:.+]] = gnn.row_activation leaky_relu
// CHECK-NEXT:      gnn.row_dot %[[T]], %[[A]] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8xf32>
// CHECK-NEXT:      gnn.yield
// MEMORY-LABEL: func.func @gatv2
// MEMORY-NOT:    memref<?x8x16xf32> {{.*}}#gnn_tile.at<element :
func.func @gatv2(%l: !x, %r: !x, %a: tensor<8x16xf32>) -> !x {
  %s = gnn.apply add %l via src, %r via dst : (!x, !x) -> !xe
  %t = gnn.activation leaky_relu %s alpha = 0.2 : !xe
  %d = gnn.dot %t, %a : (!xe, tensor<8x16xf32>) -> !se
  // expected-remark @+1 {{scores are computed in each walk; elements an edge: 0 to compute them again, 16 to store and read them}}
  %w = gnn.edge_softmax %d over dst : !se
  %m = gnn.apply mul %w, %l via src : (!se, !x) -> !xe
  %y = gnn.aggregate sum %m via dst : !xe -> !x
  return %y : !x
}

// HGT behind compaction: keys and values are rows of source pairs.
//
// CHECK-LABEL: func.func @hgt
// CHECK-NEXT:    gnn.attention(%[[Q:.+]] = %arg0 via dst, %[[K:.+]] = %arg1, %[[P:.+]] = %arg2) value %arg3 over dst :
// CHECK-NEXT:      %[[D:.+]] = gnn.row_dot %[[Q]], %[[K]]
// CHECK-NEXT:      %[[B:.+]] = arith.mulf %[[D]], %[[P]]
// CHECK-NEXT:      %[[C:.+]] = arith.constant dense<2.500000e-01> : tensor<8xf32>
// CHECK-NEXT:      arith.mulf %[[B]], %[[C]]
// CHECK-NEXT:      gnn.yield
func.func @hgt(%q: !x, %k: !xp, %p: tensor<3x8xf32, #gnn.rows<@g, edge_type>>, %v: !xp) -> !x {
  %d = gnn.sddmm %q via dst, %k : (!x, !xp) -> !se
  %b = gnn.apply mul %d, %p : (!se, tensor<3x8xf32, #gnn.rows<@g, edge_type>>) -> !se
  %c = arith.constant dense<0.25> : tensor<f32>
  %f = gnn.broadcast %c : tensor<f32> -> !se
  %s = arith.mulf %b, %f : !se
  // expected-remark @+1 {{scores are computed in each walk; elements an edge: 0 to compute them again, 16 to store}}
  %a = gnn.edge_softmax %s over dst : !se
  %m = gnn.apply mul %a, %v : (!se, !xp) -> !xe
  %y = gnn.aggregate sum %m via dst : !xe -> !x
  return %y : !x
}

// A graph transformer: products summed, spmm, messages of joined heads. A score
// is multiplied by what it was divided by.
//
// CHECK-LABEL: func.func @transformer
// CHECK-NEXT:    gnn.attention(%[[Q:.+]] = %arg0 via dst, %[[K:.+]] = %arg1 via src) value %arg2 via src over dst :
// CHECK-NEXT:      %[[D:.+]] = gnn.row_dot %[[Q]], %[[K]]
// CHECK-NEXT:      %[[C:.+]] = arith.constant dense<2.500000e-01> : tensor<8xf32>
// CHECK-NEXT:      arith.mulf %[[D]], %[[C]]
// CHECK-NEXT:      gnn.yield
func.func @transformer(%q: !x, %k: !x, %v: !x) -> !x {
  %p = gnn.apply mul %q via dst, %k via src : (!x, !x) -> !xe
  %d = gnn.reduce_features sum %p : !xe -> !se
  %c = arith.constant dense<4.0> : tensor<f32>
  %f = gnn.broadcast %c : tensor<f32> -> !se
  %s = arith.divf %d, %f : !se
  // expected-remark @+1 {{scores are computed in each walk}}
  %a = gnn.edge_softmax %s over dst : !se
  %y = gnn.spmm mul %a, %v via src reduce sum via dst : (!se, !x) -> !x
  return %y : !x
}

// Scalars of edges stay factors; heads are joined behind the sum.
//
// CHECK-LABEL: func.func @factor
// CHECK-NEXT:    %[[Y:.+]] = gnn.attention(%[[S:.+]] = %arg0) value %arg1 via src factor %arg2 over dst :
// CHECK-NEXT:      gnn.yield %[[S]] : tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[J:.+]] = gnn.reshape %[[Y]]
// CHECK-NEXT:    return %[[J]]
func.func @factor(%s: !se, %x: !x, %n: tensor<?xf32, #gnn.rows<@g, edge>>) -> !joined {
  // expected-remark @+1 {{one attention}}
  %a = gnn.edge_softmax %s over dst : !se
  %w = gnn.apply mul %a, %n : (!se, tensor<?xf32, #gnn.rows<@g, edge>>) -> !se
  %b = gnn.broadcast %w : !se -> !xe
  %e = gnn.gather %x via src : !x -> !xe
  %m = arith.mulf %b, %e : !xe
  %j = gnn.reshape %m : !xe -> !je
  %y = gnn.aggregate sum %j via dst : !je -> !joined
  return %y : !joined
}

// Weights of destinations, summed to pairs: what products behind the sum leave.
//
// CHECK-LABEL: func.func @to_pairs
// CHECK-NEXT:    gnn.attention(%{{.+}} = %arg0 via src, %{{.+}} = %arg1 via dst) value %arg2 via src over dst :{{.*}} -> tensor<?x8x16xf32, #dst_pair>
func.func @to_pairs(%l: !s, %r: !s, %x: !x) -> !wp {
  %s = gnn.apply add %l via src, %r via dst : (!s, !s) -> !se
  // expected-remark @+1 {{one attention}}
  %a = gnn.edge_softmax %s over dst : !se
  %m = gnn.apply mul %a, %x via src : (!se, !x) -> !xe
  %y = gnn.aggregate sum %m : !xe -> !wp
  return %y : !wp
}

// Scores that are read elsewhere are there anyway: they are taken as given.
//
// CHECK-LABEL: func.func @scores_are_read
// CHECK:         %[[S:.+]] = gnn.sddmm
// CHECK:         gnn.attention(%{{.+}} = %[[S]]) value
func.func @scores_are_read(%q: !x, %k: !x) -> (!x, !se) {
  %s = gnn.sddmm %q via dst, %k via src : (!x, !x) -> !se
  // expected-remark @+1 {{one attention}}
  %a = gnn.edge_softmax %s over dst : !se
  %y = gnn.spmm mul %a, %k via src reduce sum via dst : (!se, !x) -> !x
  return %y, %s : !x, !se
}

// Rows that are gathered whole and split into heads afterwards are split where
// they are, and a factor of an edge before the weighted sum.
//
// CHECK-LABEL: func.func @split_after_gather
// CHECK-DAG:     %[[Q:.+]] = gnn.reshape %arg0 : {{.*}} -> tensor<?x8x16xf32
// CHECK-DAG:     %[[K:.+]] = gnn.reshape %arg1 : {{.*}} -> tensor<?x8x16xf32
// CHECK-DAG:     %[[V:.+]] = gnn.reshape %arg2 : {{.*}} -> tensor<?x8x16xf32
// CHECK:         gnn.attention(%{{.+}} = %[[Q]] via dst, %{{.+}} = %[[K]] via src) value %[[V]] via src factor %arg3 over dst
func.func @split_after_gather(%q: !joined, %k: !joined, %v: !joined, %f: !se) -> !x {
  %gq = gnn.gather %q via dst : !joined -> !je
  %rq = gnn.reshape %gq : !je -> !xe
  %gk = gnn.gather %k via src : !joined -> !je
  %rk = gnn.reshape %gk : !je -> !xe
  %gv = gnn.gather %v via src : !joined -> !je
  %rv = gnn.reshape %gv : !je -> !xe
  %s = gnn.dot %rq, %rk : (!xe, !xe) -> !se
  // expected-remark @+1 {{one attention}}
  %a = gnn.edge_softmax %s over dst : !se
  %w = arith.mulf %a, %f : !se
  %m = gnn.apply mul %w, %rv : (!se, !xe) -> !xe
  %y = gnn.aggregate sum %m via dst : !xe -> !x
  return %y : !x
}

// The same sum as spmm.
//
// CHECK-LABEL: func.func @factor_of_spmm
// CHECK-NEXT:    gnn.attention(%{{.+}} = %arg0) value %arg1 via src factor %arg2 over dst :
func.func @factor_of_spmm(%s: !se, %x: !x, %n: tensor<?xf32, #gnn.rows<@g, edge>>) -> !x {
  // expected-remark @+1 {{one attention}}
  %a = gnn.edge_softmax %s over dst : !se
  %w = gnn.apply mul %a, %n : (!se, tensor<?xf32, #gnn.rows<@g, edge>>) -> !se
  %y = gnn.spmm mul %w, %x via src reduce sum via dst : (!se, !x) -> !x
  return %y : !x
}

// GATv2 with rows split after they were gathered, the weight in one piece, too.
//
// CHECK-LABEL: func.func @split_gatv2
// CHECK:         gnn.attention(%{{.+}} = %{{.+}} via src, %{{.+}} = %{{.+}} via dst, %{{.+}} = %arg2) value
// CHECK-SAME:    (tensor<?x8x16xf32, {{.+}}>, tensor<?x8x16xf32, {{.+}}>, tensor<8x16xf32>, tensor<?x8x16xf32
func.func @split_gatv2(%l: !joined, %r: !joined, %b: tensor<8x16xf32>, %x: !x) -> !x {
  %gl = gnn.gather %l via src : !joined -> !je
  %gr = gnn.gather %r via dst : !joined -> !je
  %sum = arith.addf %gl, %gr : !je
  %t = gnn.activation leaky_relu %sum alpha = 0.2 : !je
  %h = gnn.reshape %t : !je -> !xe
  %s = gnn.dot %h, %b : (!xe, tensor<8x16xf32>) -> !se
  // expected-remark @+1 {{one attention}}
  %a = gnn.edge_softmax %s over dst : !se
  %y = gnn.spmm mul %a, %x via src reduce sum via dst : (!se, !x) -> !x
  return %y : !x
}

// Scores of 4 by 2 become 8 heads, which all ops before the reshape have as well.
// One factor for each of the 4 is none for heads: the product with it is taken as
// given, one with a factor for all 8 is not.
//
// CHECK-LABEL: func.func @scalar_of_other_heads
// CHECK:         %[[T:.+]] = gnn.apply mul %{{.+}}, %arg1
// CHECK-DAG:     %[[S:.+]] = gnn.reshape %[[T]] : {{.*}} -> tensor<?x8xf32
// CHECK-DAG:     %[[P:.+]] = gnn.reshape %arg2 : {{.*}} -> tensor<?x8xf32
// CHECK:         gnn.attention(%[[A:.+]] = %[[S]], %[[B:.+]] = %[[P]]) value
// CHECK-NEXT:      arith.mulf %[[A]], %[[B]] : tensor<8xf32>
func.func @scalar_of_other_heads(%s: tensor<?x4x2xf32, #gnn.rows<@g, edge>>, %p: tensor<?x4xf32, #gnn.rows<@g, edge>>, %o: tensor<?x4x2xf32, #gnn.rows<@g, edge>>, %x: !x) -> !x {
  %u = gnn.activation tanh %s : tensor<?x4x2xf32, #gnn.rows<@g, edge>>
  %v = arith.addf %u, %s : tensor<?x4x2xf32, #gnn.rows<@g, edge>>
  %t = gnn.apply mul %v, %p : (tensor<?x4x2xf32, #gnn.rows<@g, edge>>, tensor<?x4xf32, #gnn.rows<@g, edge>>) -> tensor<?x4x2xf32, #gnn.rows<@g, edge>>
  %w = arith.mulf %t, %o : tensor<?x4x2xf32, #gnn.rows<@g, edge>>
  %h = gnn.reshape %w : tensor<?x4x2xf32, #gnn.rows<@g, edge>> -> !se
  // expected-remark @+1 {{one attention}}
  %a = gnn.edge_softmax %h over dst : !se
  %y = gnn.spmm mul %a, %x via src reduce sum via dst : (!se, !x) -> !x
  return %y : !x
}

// Scores over 2 features and values of 5 do not meet in one walk: scores are
// stored whatever that costs, and the op says so.
//
// CHECK-LABEL: func.func @other_features
// CHECK:         gnn.attention(%{{.+}} = %arg0 via dst, %{{.+}} = %arg1 via src) value %arg2 via src over dst stored :
func.func @other_features(%q: tensor<?x1x2xf32, #gnn.rows<@g, node>>, %k: tensor<?x1x2xf32, #gnn.rows<@g, node>>, %v: tensor<?x1x5xf32, #gnn.rows<@g, node>>) -> tensor<?x1x5xf32, #gnn.rows<@g, node>> {
  %s = gnn.sddmm %q via dst, %k via src : (tensor<?x1x2xf32, #gnn.rows<@g, node>>, tensor<?x1x2xf32, #gnn.rows<@g, node>>) -> tensor<?x1xf32, #gnn.rows<@g, edge>>
  // expected-remark @+1 {{scores are stored; rows with other features than those summed are weighed}}
  %a = gnn.edge_softmax %s over dst : tensor<?x1xf32, #gnn.rows<@g, edge>>
  %y = gnn.spmm mul %a, %v via src reduce sum via dst : (tensor<?x1xf32, #gnn.rows<@g, edge>>, tensor<?x1x5xf32, #gnn.rows<@g, node>>) -> tensor<?x1x5xf32, #gnn.rows<@g, node>>
  return %y : tensor<?x1x5xf32, #gnn.rows<@g, node>>
}

// With statistics seconds decide: rows that are read for the scores and weighed too are
// read once. For 500 edges the launch of another kernel is longer than all.
//
// CHECK-LABEL: func.func @many_edges
// CHECK:         gnn.attention(
// CHECK-NOT:     stored
// CHECK-LABEL: func.func @few_edges
// CHECK:         gnn.attention(
// CHECK-NOT:     stored
// CHECK:         return
func.func @many_edges(%q: tensor<?x64xf32, #gnn.rows<@large, node>>) -> tensor<?x64xf32, #gnn.rows<@large, node>> {
  %s = gnn.sddmm %q via dst, %q via src : (tensor<?x64xf32, #gnn.rows<@large, node>>, tensor<?x64xf32, #gnn.rows<@large, node>>) -> tensor<?xf32, #gnn.rows<@large, edge>>
  // expected-remark @+1 {{us to compute them in each walk}}
  %a = gnn.edge_softmax %s over dst : tensor<?xf32, #gnn.rows<@large, edge>>
  %y = gnn.spmm mul %a, %q via src reduce sum via dst : (tensor<?xf32, #gnn.rows<@large, edge>>, tensor<?x64xf32, #gnn.rows<@large, node>>) -> tensor<?x64xf32, #gnn.rows<@large, node>>
  return %y : tensor<?x64xf32, #gnn.rows<@large, node>>
}
func.func @few_edges(%q: tensor<?x64xf32, #gnn.rows<@small, node>>) -> tensor<?x64xf32, #gnn.rows<@small, node>> {
  %s = gnn.sddmm %q via dst, %q via src : (tensor<?x64xf32, #gnn.rows<@small, node>>, tensor<?x64xf32, #gnn.rows<@small, node>>) -> tensor<?xf32, #gnn.rows<@small, edge>>
  // expected-remark @+1 {{us to compute them in each walk}}
  %a = gnn.edge_softmax %s over dst : tensor<?xf32, #gnn.rows<@small, edge>>
  %y = gnn.spmm mul %a, %q via src reduce sum via dst : (tensor<?xf32, #gnn.rows<@small, edge>>, tensor<?x64xf32, #gnn.rows<@small, node>>) -> tensor<?x64xf32, #gnn.rows<@small, node>>
  return %y : tensor<?x64xf32, #gnn.rows<@small, node>>
}
