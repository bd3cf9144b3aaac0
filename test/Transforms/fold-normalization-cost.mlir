// RUN: gnn-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(gnn-fold-normalization),canonicalize,cse)' \
// RUN:   --remarks-filter='gnn-fold-normalization' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1,
  stats = #gnn.stats<src_nodes = 1000, dst_nodes = 1000, edges = 3000, type_edges = [3000],
                     src_pairs = [900], dst_pairs = [1000]>}

// Negative: the product of few rows ends with the normalization for less than
// the launches on weights take.
//
// CHECK-LABEL: func.func @few_rows
// CHECK:         gnn.batch_norm
func.func @few_rows(%x: tensor<?x64xf32, #node>, %w: tensor<64x8xf32>, %m: tensor<8xf32>) -> tensor<?x8xf32, #node> {
  %0 = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x8xf32>) -> tensor<?x8xf32, #node>
  // expected-remark @+1 {{scaling the weights takes longer}}
  %1 = gnn.batch_norm %0 mean %m variance %m gamma %m beta %m eps = 1.0e-5 : tensor<?x8xf32, #node>, tensor<8xf32>
  return %1 : tensor<?x8xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1,
  stats = #gnn.stats<src_nodes = 100000000, dst_nodes = 100000000, edges = 3000, type_edges = [3000],
                     src_pairs = [900], dst_pairs = [1000]>}

// Very many rows are worth the launches.
//
// CHECK-LABEL: func.func @many_rows
// CHECK-NOT:     gnn.batch_norm
func.func @many_rows(%x: tensor<?x64xf32, #node>, %w: tensor<64x64xf32>, %m: tensor<64xf32>) -> tensor<?x64xf32, #node> {
  %0 = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x64xf32>) -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{the weights are normalized, once a call}}
  %1 = gnn.batch_norm %0 mean %m variance %m gamma %m beta %m eps = 1.0e-5 : tensor<?x64xf32, #node>, tensor<64xf32>
  return %1 : tensor<?x64xf32, #node>
}

// -----

#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}

// Negative: without statistics no launch is added.
//
// CHECK-LABEL: func.func @unknown_rows
// CHECK:         gnn.batch_norm
func.func @unknown_rows(%x: tensor<?x64xf32, #node>, %w: tensor<64x64xf32>, %m: tensor<64xf32>) -> tensor<?x64xf32, #node> {
  %0 = gnn.linear %x, %w : (tensor<?x64xf32, #node>, tensor<64x64xf32>) -> tensor<?x64xf32, #node>
  // expected-remark @+1 {{without statistics, the op that makes the rows ends with it}}
  %1 = gnn.batch_norm %0 mean %m variance %m gamma %m beta %m eps = 1.0e-5 : tensor<?x64xf32, #node>, tensor<64xf32>
  return %1 : tensor<?x64xf32, #node>
}
