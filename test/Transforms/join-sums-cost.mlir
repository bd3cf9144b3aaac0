// RUN: gnn-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(gnn-join-sums{cost=whole-rows}),canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-join-sums' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s
// RUN: gnn-opt %s --split-input-file --gnn-join-sums | FileCheck %s --check-prefix=PIECES

#edge = #gnn.rows<@g, edge>
#dst_pair = #gnn.rows<@g, dst_pair>
#node = #gnn.rows<@g, node>

// The edges of the one long row are of many types.
gnn.graph @g square {node_types = 1, edge_types = 4,
  stats = #gnn.stats<src_nodes = 1000, dst_nodes = 1000, edges = 400000,
                     type_edges = [100000, 100000, 100000, 100000],
                     src_pairs = [1000, 1000, 1000, 1000], dst_pairs = [1, 1, 1, 1],
                     in_degree_squares = 160000000000, in_degree_max = 400000,
                     dst_pair_max = [100000, 100000, 100000, 100000]>}

// Negative: walks of one type's edges are shorter. A long row in pieces is not waited
// for.
//
// PIECES-LABEL: func.func @long_row
// PIECES-NOT:     gnn.aggregate mean
// PIECES:         return
// CHECK-LABEL: func.func @long_row
// CHECK:         gnn.aggregate mean
// CHECK:         gnn.aggregate sum
func.func @long_row(%m: tensor<?x64xf32, #edge>) -> tensor<?x64xf32, #node> {
  %0 = gnn.aggregate mean %m : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #dst_pair>
  // expected-remark-re @+1 {{a weight for each row is dearer: {{.*}} us, {{.*}} us as two}}
  %1 = gnn.aggregate sum %0 : tensor<?x64xf32, #dst_pair> -> tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}

// -----

#edge = #gnn.rows<@g, edge>
#dst_pair = #gnn.rows<@g, dst_pair>
#node = #gnn.rows<@g, node>

// A group for about each edge: their rows would be written and read back.
gnn.graph @g square {node_types = 1, edge_types = 1,
  stats = #gnn.stats<src_nodes = 100000, dst_nodes = 100000, edges = 100000,
                     type_edges = [100000], src_pairs = [90000], dst_pairs = [90000]>}

// CHECK-LABEL: func.func @many_groups
// CHECK-NOT:     gnn.aggregate mean
func.func @many_groups(%m: tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #node> {
  %0 = gnn.aggregate mean %m : tensor<?x4xf32, #edge> -> tensor<?x4xf32, #dst_pair>
  // expected-remark-re @+1 {{one sum, weighted with degrees: {{.*}} us, {{.*}} us as two}}
  %1 = gnn.aggregate sum %0 : tensor<?x4xf32, #dst_pair> -> tensor<?x4xf32, #node>
  return %1 : tensor<?x4xf32, #node>
}
