// RUN: gnn-opt %s --split-input-file --pass-pipeline='builtin.module(gnn-order-aggregate{cost=rows},canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-order-aggregate' --remark-policy=all --verify-diagnostics | FileCheck %s

// Rows of types, and graphs that are derived already.

#edge = #gnn.rows<@g, edge>
#edge_type = #gnn.rows<@g, edge_type>
#node = #gnn.rows<@g, node>
#src_pair = #gnn.rows<@g, src_pair>
#dst_pair = #gnn.rows<@g, dst_pair>
gnn.graph @g square {node_types = 2, edge_types = 3, stats = #gnn.stats<src_nodes = 100, dst_nodes = 100, edges = 600, type_edges = [200, 200, 200], src_pairs = [90, 20, 50], dst_pairs = [10, 80, 50]>}

// CHECK: gnn.graph @[[D:.*]] square of @g types [0]
// CHECK: gnn.graph @[[S:.*]] square of @g types [1, 2]

// A derived graph knows nothing of node types: their rows pass to it as rows of
// what reads them.
// CHECK-LABEL: @of_node_types
// CHECK-DAG: %[[P:.*]] = gnn.gather %arg0 : {{.*}} -> tensor<?x64xf32, #src_pair>
// CHECK-DAG: %[[RP:.*]] = gnn.restrict_rows %[[P]] : {{.*}} -> tensor<?x64xf32, #[[S]]_src_pair>
// CHECK-DAG: gnn.typed_linear %[[RP]],
// CHECK-DAG: %[[E:.*]] = gnn.gather %arg0 via src : {{.*}} -> tensor<?x64xf32, #edge>
// CHECK-DAG: gnn.restrict_rows %[[E]] : {{.*}} -> tensor<?x64xf32, #[[D]]_edge>
func.func @of_node_types(%x: tensor<2x64xf32, #gnn.rows<@g, node_type>>, %w: tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #node> {
  %0 = gnn.gather %x : tensor<2x64xf32, #gnn.rows<@g, node_type>> -> tensor<?x64xf32, #src_pair>
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #src_pair>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #src_pair>
  %2 = gnn.gather %1 : tensor<?x8xf32, #src_pair> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{product first 160 rows, sum first 140 rows, product first for 2 edge types and sum first for 1: 80 rows}}
  %3 = gnn.aggregate sum %2 via dst : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #node>
  return %3 : tensor<?x8xf32, #node>
}

// CHECK-LABEL: @of_the_graph
// CHECK-DAG: %[[P:.*]] = gnn.gather %arg0 : {{.*}} -> tensor<?x64xf32, #src_pair>
// CHECK-DAG: %[[RP:.*]] = gnn.restrict_rows %[[P]] : {{.*}} -> tensor<?x64xf32, #[[S]]_src_pair>
// CHECK-DAG: gnn.typed_linear %[[RP]],
func.func @of_the_graph(%x: tensor<1x64xf32, #gnn.rows<@g, graph>>, %w: tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #node> {
  %0 = gnn.gather %x : tensor<1x64xf32, #gnn.rows<@g, graph>> -> tensor<?x64xf32, #src_pair>
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #src_pair>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #src_pair>
  %2 = gnn.gather %1 : tensor<?x8xf32, #src_pair> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{product first 160 rows, sum first 140 rows, product first for 2 edge types and sum first for 1: 80 rows}}
  %3 = gnn.aggregate sum %2 via dst : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #node>
  return %3 : tensor<?x8xf32, #node>
}

// A product of relations' embeddings is of one row each.
// CHECK-LABEL: @of_edge_types
// CHECK: gnn.typed_linear %arg0, %arg1 : (tensor<3x64xf32
func.func @of_edge_types(%x: tensor<3x64xf32, #edge_type>, %w: tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #node> {
  %0 = gnn.typed_linear %x, %w : (tensor<3x64xf32, #edge_type>, tensor<3x64x8xf32, #edge_type>) -> tensor<3x8xf32, #edge_type>
  %1 = gnn.gather %0 : tensor<3x8xf32, #edge_type> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{product first 3 rows, sum first 140 rows}}
  %2 = gnn.aggregate sum %1 via dst : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #node>
  return %2 : tensor<?x8xf32, #node>
}

// One of pairs at the end of the sum is of as many rows as one after it.
// CHECK-LABEL: @of_own_pairs
// CHECK: gnn.typed_linear
// CHECK: gnn.aggregate
func.func @of_own_pairs(%x: tensor<?x64xf32, #dst_pair>, %w: tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #node> {
  %0 = gnn.typed_linear %x, %w : (tensor<?x64xf32, #dst_pair>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #dst_pair>
  %1 = gnn.gather %0 : tensor<?x8xf32, #dst_pair> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{product first 140 rows, sum first 140 rows}}
  %2 = gnn.aggregate sum %1 via dst : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #node>
  return %2 : tensor<?x8xf32, #node>
}

// Pairs that are summed to edge types end no chain; the product before does.
// CHECK-LABEL: @pairs_to_types
// CHECK: %[[A:.*]] = gnn.aggregate sum {{.*}} : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #dst_pair>
// CHECK: gnn.typed_linear %[[A]], %arg1
func.func @pairs_to_types(%x: tensor<?x64xf32, #src_pair>, %w: tensor<3x64x8xf32, #edge_type>) -> tensor<3x8xf32, #edge_type> {
  %0 = gnn.typed_linear %x, %w : (tensor<?x64xf32, #src_pair>, tensor<3x64x8xf32, #edge_type>) -> tensor<?x8xf32, #src_pair>
  %1 = gnn.gather %0 : tensor<?x8xf32, #src_pair> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{product first 160 rows, sum first 140 rows}}
  %2 = gnn.aggregate sum %1 : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #dst_pair>
  %3 = gnn.aggregate sum %2 : tensor<?x8xf32, #dst_pair> -> tensor<3x8xf32, #edge_type>
  return %3 : tensor<3x8xf32, #edge_type>
}

// -----

#edge = #gnn.rows<@d, edge>
#edge_type = #gnn.rows<@d, edge_type>
#node = #gnn.rows<@d, node>
#src_pair = #gnn.rows<@d, src_pair>
gnn.graph @g square {node_types = 1, edge_types = 3, stats = #gnn.stats<src_nodes = 100, dst_nodes = 100, edges = 600, type_edges = [200, 200, 200], src_pairs = [90, 20, 50], dst_pairs = [10, 80, 50]>}
gnn.graph @d square of @g types [0, 1] {node_types = 1, edge_types = 2}

// No graph is derived from one that is derived.
// CHECK-LABEL: @of_derived
// CHECK: %[[S:.*]] = gnn.aggregate sum {{.*}} -> tensor<?x64xf32, #d_dst_pair>
// CHECK: gnn.typed_linear %[[S]], %arg1
func.func @of_derived(%x: tensor<?x64xf32, #node>, %w: tensor<2x64x8xf32, #edge_type>) -> tensor<?x8xf32, #node> {
  %0 = gnn.gather %x : tensor<?x64xf32, #node> -> tensor<?x64xf32, #src_pair>
  %1 = gnn.typed_linear %0, %w : (tensor<?x64xf32, #src_pair>, tensor<2x64x8xf32, #edge_type>) -> tensor<?x8xf32, #src_pair>
  %2 = gnn.gather %1 : tensor<?x8xf32, #src_pair> -> tensor<?x8xf32, #edge>
  // expected-remark @+1 {{product first 110 rows, sum first 90 rows, no edge types apart: the graph is derived from another}}
  %3 = gnn.aggregate sum %2 via dst : tensor<?x8xf32, #edge> -> tensor<?x8xf32, #node>
  return %3 : tensor<?x8xf32, #node>
}
