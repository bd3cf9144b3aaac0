// RUN: gnn-opt %s --split-input-file --pass-pipeline='builtin.module(gnn-order-aggregate{cost=rows},canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-order-aggregate' --remark-policy=all --verify-diagnostics | FileCheck %s

#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>
#src_pair = #gnn.rows<@g, src_pair>
#dst_pair = #gnn.rows<@g, dst_pair>

// Relation 0 has fewer destination pairs, relation 1 fewer source pairs, and
// relation 2 as many: it stays where it is.
gnn.graph @g square {node_types = 1, edge_types = 3, stats = #gnn.stats<src_nodes = 100, dst_nodes = 100, edges = 600, type_edges = [200, 200, 200], src_pairs = [90, 20, 50], dst_pairs = [10, 80, 50]>}

// CHECK: gnn.graph @[[D:.*]] square of @g types [0]
// CHECK: gnn.graph @[[S:.*]] square of @g types [1, 2]
// CHECK-LABEL: @by_relation
// CHECK-DAG: %[[WS:.*]] = gnn.restrict_rows %arg1 : {{.*}} -> tensor<2x64x8xf32, #[[S]]_edge_type>
// CHECK-DAG: %[[PS:.*]] = gnn.typed_linear {{.*}}, %[[WS]] : (tensor<?x64xf32, #[[S]]_src_pair>
// CHECK-DAG: %[[WD:.*]] = gnn.restrict_rows %arg1 : {{.*}} -> tensor<1x64x8xf32, #[[D]]_edge_type>
// CHECK-DAG: %[[PD:.*]] = gnn.typed_linear {{.*}}, %[[WD]] : (tensor<?x64xf32, #[[D]]_dst_pair>
// CHECK: arith.addf
func.func @by_relation(%x: tensor<?x64xf32, #node>, %w: tensor<3x64x8xf32, #edge_type>, %a: tensor<?xf32, #edge>) -> tensor<?x8xf32, #node> {
  %0 = gnn.gather %x : tensor<?x64xf32, #node> -> tensor<?x64xf32, #src_pair>
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #src_pair>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #src_pair>
  %2 = gnn.apply mul %1, %a : (tensor<?x8xf32, #src_pair>, tensor<?xf32, #edge>) -> tensor<?x8xf32, #edge>
  %3 = gnn.aggregate mean %2 : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #dst_pair>
  // expected-remark @+1 {{product first 160 rows, sum first 140 rows, product first for 2 edge types and sum first for 1: 80 rows}}
  %4 = gnn.aggregate sum %3 : tensor<?x8xf32, #dst_pair> -> tensor<?x8xf32, #node>
  return %4 : tensor<?x8xf32, #node>
}

// A maximum over the relations stays the last: what is reordered ends at the pairs.
//
// CHECK-LABEL: @maximum_of_pairs
// CHECK: gnn.aggregate mean {{.*}} -> tensor<?x64xf32, #dst_pair>
// CHECK: gnn.typed_linear {{.*}} : (tensor<?x64xf32, #dst_pair>
// CHECK: gnn.aggregate max {{.*}} : tensor<?x8xf32, #dst_pair>
func.func @maximum_of_pairs(%x: tensor<?x64xf32, #node>, %w: tensor<3x64x8xf32, #edge_type>, %a: tensor<?xf32, #edge>) -> tensor<?x8xf32, #node> {
  %0 = gnn.gather %x : tensor<?x64xf32, #node> -> tensor<?x64xf32, #src_pair>
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #src_pair>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #src_pair>
  %2 = gnn.apply mul %1, %a : (tensor<?x8xf32, #src_pair>, tensor<?xf32, #edge>) -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{product first 160 rows, sum first 140 rows}}
  %3 = gnn.aggregate mean %2 : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #dst_pair>
  %4 = gnn.aggregate max %3 : tensor<?x8xf32, #dst_pair> -> tensor<?x8xf32, #node>
  return %4 : tensor<?x8xf32, #node>
}

// A result on pairs cannot be put together from two graphs.
// CHECK-LABEL: @pairs
// CHECK: %[[A:.*]] = gnn.aggregate sum {{.*}} : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #dst_pair>
// CHECK: gnn.typed_linear %[[A]], %arg1
func.func @pairs(%x: tensor<?x64xf32, #node>, %w: tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #dst_pair> {
  %0 = gnn.gather %x : tensor<?x64xf32, #node> -> tensor<?x64xf32, #src_pair>
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #src_pair>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #src_pair>
  %2 = gnn.gather %1 : tensor<?x8xf32, #src_pair> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{product first 160 rows, sum first 140 rows}}
  %3 = gnn.aggregate sum %2 : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #dst_pair>
  return %3 : tensor<?x8xf32, #dst_pair>
}

// CHECK-LABEL: @maximum
// CHECK: gnn.typed_linear {{.*}}src_pair>
// CHECK: gnn.aggregate max
func.func @maximum(%x: tensor<?x64xf32, #src_pair>, %w: tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #node> {
  %1 = gnn.typed_linear %x, %w : (tensor<?x64xf32, #src_pair>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #src_pair>
  %2 = gnn.gather %1 : tensor<?x8xf32, #src_pair> -> tensor<?x8xf32, #edge>
  %3 = gnn.aggregate max %2 via dst : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #node>
  return %3 : tensor<?x8xf32, #node>
}

// GraphSAGE's and GIN's sums come before a product with a bias; GIN adds the node
// itself, whose product is then there already.
// CHECK-LABEL: @own_input
// CHECK: %[[H:.*]] = gnn.linear %arg0, %arg1 : (tensor<?x64xf32
// CHECK: %[[S:.*]] = gnn.aggregate sum {{.*}} : tensor<?x8xf32, #edge>
// CHECK: %[[N:.*]] = arith.addf %[[S]], %[[H]]
// CHECK: %[[B:.*]] = gnn.broadcast %arg2
// CHECK: %[[R:.*]] = arith.addf %[[N]], %[[B]]
// CHECK: return %[[R]]
func.func @own_input(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  %2 = arith.addf %1, %x : tensor<?x64xf32, #node>
  // expected-remark @+1 {{rows of 64 features before the product and 8 after it}}
  %3 = gnn.linear %2, %w bias %b : (tensor<?x64xf32, #node>, tensor<64x8xf32>, tensor<8xf32>) -> tensor<?x8xf32, #node>
  return %3 : tensor<?x8xf32, #node>
}

// CHECK-LABEL: @own_input_first
// CHECK: %[[H:.*]] = gnn.linear %arg0, %arg1 : (tensor<?x64xf32
// CHECK: %[[S:.*]] = gnn.aggregate sum {{.*}} : tensor<?x8xf32, #edge>
// CHECK: arith.addf %[[S]], %[[H]]
func.func @own_input_first(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.spmm copy %x via src reduce sum via dst : (tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node>
  %1 = arith.addf %x, %0 : tensor<?x64xf32, #node>
  // expected-remark @+1 {{rows of 64 features before the product and 8 after it}}
  %2 = gnn.linear %1, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  return %2 : tensor<?x8xf32, #node>
}

// The other term may be a sum too; its own product cannot pass it, as both the
// edges and the node read it.
// CHECK-LABEL: @own_input_is_sum
// CHECK: %[[X:.*]] = gnn.aggregate sum %arg0
// CHECK: %[[H:.*]] = gnn.linear %[[X]], %arg1 : (tensor<?x64xf32
// CHECK: %[[S:.*]] = gnn.aggregate sum {{.*}} : tensor<?x8xf32, #edge>
// CHECK: arith.addf %[[S]], %[[H]]
func.func @own_input_is_sum(%e: tensor<?x64xf32, #edge>, %w: tensor<64x8xf32>) -> tensor<?x8xf32, #node> {
  %x = gnn.spmm copy %e reduce sum via dst : (tensor<?x64xf32, #edge>) -> tensor<?x64xf32, #node>
  %0 = gnn.spmm copy %x via src reduce sum via dst : (tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node>
  %1 = arith.addf %0, %x : tensor<?x64xf32, #node>
  // expected-remark @+2 {{the sum has other readers}}
  // expected-remark @+1 {{rows of 64 features before the product and 8 after it}}
  %2 = gnn.linear %1, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  return %2 : tensor<?x8xf32, #node>
}

// CHECK-LABEL: @other_input
// CHECK: gnn.aggregate sum
// CHECK: gnn.linear
func.func @other_input(%x: tensor<?x64xf32, #node>, %y: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  %2 = arith.addf %y, %1 : tensor<?x64xf32, #node>
  // expected-remark @+1 {{the sum has other rows than its own input added}}
  %3 = gnn.linear %2, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  return %3 : tensor<?x8xf32, #node>
}

// CHECK-LABEL: @by_feature
// CHECK: gnn.typed_linear {{.*}}src_pair>
func.func @by_feature(%x: tensor<?x64xf32, #src_pair>, %w: tensor<3x64x8xf32, #edge_type>, %a: tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #node> {
  %1 = gnn.typed_linear %x, %w : (tensor<?x64xf32, #src_pair>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #src_pair>
  %2 = gnn.apply mul %1, %a : (tensor<?x8xf32, #src_pair>, tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{a factor differs between features that the product mixes}}
  %3 = gnn.aggregate sum %2 via dst : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #node>
  return %3 : tensor<?x8xf32, #node>
}

// CHECK-LABEL: @other_readers
// CHECK: gnn.typed_linear {{.*}}src_pair>
func.func @other_readers(%x: tensor<?x64xf32, #src_pair>, %w: tensor<3x64x8xf32, #edge_type>) -> (tensor<?x8xf32, #node>, tensor<?x8xf32, #src_pair>) {
  %1 = gnn.typed_linear %x, %w : (tensor<?x64xf32, #src_pair>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #src_pair>
  %2 = gnn.gather %1 : tensor<?x8xf32, #src_pair> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{the product has other readers}}
  %3 = gnn.aggregate sum %2 via dst : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #node>
  return %3, %1 : tensor<?x8xf32, #node>, tensor<?x8xf32, #src_pair>
}

// -----

// Without statistics: theorem 2 for a product without types.

#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>
#src_pair = #gnn.rows<@g, src_pair>
gnn.graph @g square {node_types = 1, edge_types = 3}

// CHECK-LABEL: @narrow_after
// CHECK: %[[Y:.*]] = gnn.linear %arg0, %arg1
// CHECK: %[[E:.*]] = gnn.gather %[[Y]] via src
// CHECK: gnn.aggregate mean %[[E]] via dst : tensor<?x8xf32
func.func @narrow_after(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.spmm copy %x via src reduce mean via dst : (tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{rows of 64 features before the product and 8 after it}}
  %1 = gnn.linear %0, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  return %1 : tensor<?x8xf32, #node>
}

// CHECK-LABEL: @wide_after
// CHECK: %[[A:.*]] = gnn.aggregate sum {{.*}} via dst : tensor<?x8xf32
// CHECK: gnn.linear %[[A]], %arg1
func.func @wide_after(%x: tensor<?x8xf32, #node>, %w: tensor<8x64xf32>) -> tensor<?x64xf32, #node> {
  %0 = gnn.linear %x, %w : (tensor<?x8xf32, #node>, tensor<8x64xf32>) -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{rows of 8 features before the product and 64 after it}}
  %1 = gnn.spmm copy %0 via src reduce sum via dst : (tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}

// Two sums are passed one after the other (SGC).
// CHECK-LABEL: @twice
// CHECK: gnn.linear %arg0, %arg1
// CHECK-COUNT-2: gnn.aggregate sum {{.*}}tensor<?x8xf32
func.func @twice(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.spmm copy %x via src reduce sum via dst : (tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node>
  %1 = gnn.spmm copy %0 via src reduce sum via dst : (tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{rows of 64 features before the product and 8 after it}}
  %2 = gnn.linear %1, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  return %2 : tensor<?x8xf32, #node>
}

// CHECK-LABEL: @by_type
// CHECK: gnn.typed_linear {{.*}}src_pair>
func.func @by_type(%x: tensor<?x64xf32, #src_pair>, %w: tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #node> {
  %0 = gnn.typed_linear %x, %w : (tensor<?x64xf32, #src_pair>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #src_pair>
  %1 = gnn.gather %0 : tensor<?x8xf32, #src_pair> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{without statistics a product by edge type stays where it is}}
  %2 = gnn.aggregate sum %1 via dst : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #node>
  return %2 : tensor<?x8xf32, #node>
}

// Pairs or types may be more than nodes, or fewer.
// CHECK-LABEL: @types_before
// CHECK: gnn.linear %arg0, %arg1 : (tensor<3x16xf32
func.func @types_before(%x: tensor<3x16xf32, #edge_type>, %w: tensor<16x64xf32>) -> tensor<?x64xf32, #node> {
  %0 = gnn.linear %x, %w : (tensor<3x16xf32, #edge_type>, tensor<16x64xf32>) -> tensor<3x64xf32, #edge_type>
  %1 = gnn.gather %0 : tensor<3x64xf32, #edge_type> -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{features alone do not decide between a product of edge_type rows and of node rows}}
  %2 = gnn.aggregate sum %1 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %2 : tensor<?x64xf32, #node>
}

// CHECK-LABEL: @pairs_before
// CHECK: gnn.spmm
// CHECK: gnn.linear
func.func @pairs_before(%x: tensor<?x64xf32, #src_pair>, %w: tensor<64x8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.spmm copy %x reduce sum via dst : (tensor<?x64xf32, #src_pair>) -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{features alone do not decide between a product of src_pair rows and of node rows}}
  %1 = gnn.linear %0, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  return %1 : tensor<?x8xf32, #node>
}

// A product of edges is of more rows than one after their sum.
// CHECK-LABEL: @edges_before
// CHECK: %[[S:.*]] = gnn.aggregate sum %arg0
// CHECK: gnn.linear %[[S]], %arg1
func.func @edges_before(%x: tensor<?x8xf32, #edge>, %w: tensor<8x64xf32>) -> tensor<?x64xf32, #node> {
  %0 = gnn.linear %x, %w : (tensor<?x8xf32, #edge>, tensor<8x64xf32>) -> tensor<?x64xf32, #edge>
  // expected-remark @+1 {{rows of 8 features before the product and 64 after it}}
  %1 = gnn.aggregate sum %0 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}

// A reader of the product is no part of its chain.
// CHECK-LABEL: @readout
// CHECK: gnn.linear %arg0, %arg1
// CHECK: gnn.aggregate sum {{.*}} via dst : tensor<?x8xf32
func.func @readout(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>) -> tensor<1x8xf32, #gnn.rows<@g, graph>> {
  %0 = gnn.spmm copy %x via src reduce sum via dst : (tensor<?x64xf32, #node>) -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{rows of 64 features before the product and 8 after it}}
  %1 = gnn.linear %0, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  %2 = gnn.aggregate sum %1 : tensor<?x8xf32, #node> -> tensor<1x8xf32, #gnn.rows<@g, graph>>
  return %2 : tensor<1x8xf32, #gnn.rows<@g, graph>>
}

// A sum of pairs ends no chain with a product of one weight.
// CHECK-LABEL: @pairs_to_nodes
// CHECK: gnn.aggregate sum
// CHECK: gnn.linear
func.func @pairs_to_nodes(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %1 = gnn.aggregate sum %0 : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #gnn.rows<@g, dst_pair>>
  // expected-remark @+1 {{features alone do not decide between a product of node rows and of dst_pair rows}}
  %2 = gnn.linear %1, %w : (tensor<?x64xf32, #gnn.rows<@g, dst_pair>>, tensor<64x8xf32>) -> tensor<?x8xf32, #gnn.rows<@g, dst_pair>>
  %3 = gnn.aggregate sum %2 : tensor<?x8xf32, #gnn.rows<@g, dst_pair>> -> tensor<?x8xf32, #node>
  return %3 : tensor<?x8xf32, #node>
}

// CHECK-LABEL: @own_end
// CHECK: gnn.aggregate
// CHECK: gnn.linear
func.func @own_end(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.gather %x via dst : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{the sum reads node rows at the end that it sums to, expected rows at the other end of the edges}}
  %2 = gnn.linear %1, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  return %2 : tensor<?x8xf32, #node>
}

// CHECK-LABEL: @of_types
// CHECK: gnn.aggregate
// CHECK: gnn.linear
func.func @of_types(%x: tensor<3x64xf32, #edge_type>, %w: tensor<64x8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.gather %x : tensor<3x64xf32, #edge_type> -> tensor<?x64xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{the sum reads edge_type rows, expected rows at the other end of the edges}}
  %2 = gnn.linear %1, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  return %2 : tensor<?x8xf32, #node>
}
