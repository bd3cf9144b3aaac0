// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-join-sums{cost=rows}),canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-join-sums' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

#edge = #gnn.rows<@g, edge>
#dst_pair = #gnn.rows<@g, dst_pair>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 1,
  stats = #gnn.stats<src_nodes = 9, dst_nodes = 9, edges = 9, type_edges = [9],
                     src_pairs = [9], dst_pairs = [9]>}

// Times are not weighed where only rows count: features decide.
//
// CHECK-LABEL: func.func @narrow
// CHECK:         gnn.aggregate mean
func.func @narrow(%m: tensor<?x4xf32, #edge>) -> tensor<?x4xf32, #node> {
  %0 = gnn.aggregate mean %m : tensor<?x4xf32, #edge> -> tensor<?x4xf32, #dst_pair>
  // expected-remark @+1 {{its rows have 4 features, expected at least 16 where only rows count}}
  %1 = gnn.aggregate sum %0 : tensor<?x4xf32, #dst_pair> -> tensor<?x4xf32, #node>
  return %1 : tensor<?x4xf32, #node>
}

// CHECK-LABEL: func.func @wide
// CHECK-NOT:     gnn.aggregate mean
func.func @wide(%m: tensor<?x64xf32, #edge>) -> tensor<?x64xf32, #node> {
  %0 = gnn.aggregate mean %m : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #dst_pair>
  // expected-remark @+1 {{one sum, weighted with degrees}}
  %1 = gnn.aggregate sum %0 : tensor<?x64xf32, #dst_pair> -> tensor<?x64xf32, #node>
  return %1 : tensor<?x64xf32, #node>
}
