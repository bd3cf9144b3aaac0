// RUN: gnn-opt %s --verify-roundtrip | FileCheck %s
// RUN: gnn-opt %s --mlir-print-local-scope | FileCheck %s --check-prefix=WHOLE

// Attributes that repeat have names in front of a module: row spaces, which say their graph where
// it is not @g; orders; statistics and targets, which are long.
//
// CHECK:      #block_dst = #gnn.rows<@block, dst>
// CHECK-NEXT: #block_src = #gnn.rows<@block, src>
// CHECK-NEXT: #edge_in_rows = #gnn_tile.order<edge.in_rows>
// CHECK-NEXT: #edge_type = #gnn.rows<@g, edge_type>
// CHECK-NEXT: #node = #gnn.rows<@g, node>
// CHECK-NEXT: #stats = #gnn.stats<src_nodes = 4, dst_nodes = 4, edges = 5, type_edges = [5], src_pairs = [4], dst_pairs = [3]>
// CHECK-NEXT: #target = #gnn.target<kind = "cpu",
// CHECK-NEXT: module attributes {gnn.target = #target} {
module attributes {gnn.target = #gnn.target<kind = "cpu", name = "", chip = "x86-64-v3", limits = {lanes = 1, threads = 1, vector = 8, vector_registers = 16}, abilities = [], figures = {memory_bandwidth = 2.0e10}>} {
  // CHECK: gnn.graph @g square {node_types = 1, edge_types = 1, stats = #stats}
  // WHOLE: stats = #gnn.stats<
  gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 4, dst_nodes = 4, edges = 5, type_edges = [5], src_pairs = [4], dst_pairs = [3]>}
  gnn.graph @block bipartite {node_types = 1, edge_types = 1}
  // CHECK: func.func private @f(tensor<?x8xf32, #node>, tensor<1x8xf32, #edge_type>, tensor<?xf32, #block_src>) -> tensor<?xf32, #block_dst>
  // WHOLE: @f(tensor<?x8xf32, #gnn.rows<@g, node>>,
  func.func private @f(tensor<?x8xf32, #gnn.rows<@g, node>>, tensor<1x8xf32, #gnn.rows<@g, edge_type>>, tensor<?xf32, #gnn.rows<@block, src>>) -> tensor<?xf32, #gnn.rows<@block, dst>>
  // CHECK: func.func private @sorted(tensor<?x8xf32, #edge_in_rows>, memref<?x8xf32> {gnn.rows = #node})
  func.func private @sorted(tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>, memref<?x8xf32> {gnn.rows = #gnn.rows<@g, node>})
}
