// RUN: gnn-opt %s --pass-pipeline='builtin.module(gnn-attach-target{kind=cpu},func.func(gnn-tile-split-sums))' \
// RUN:   --remarks-filter='gnn-tile-split-sums' --remark-format=emitRemark \
// RUN:   --verify-diagnostics | FileCheck %s

// As WordNet: each of 16 cores has 32 tiles of sums or more, and 16 of outer products,
// whose matrices take time, so that all cores end together.

gnn.graph @wordnet square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 265000,
  dst_nodes = 265000, edges = 700000, type_edges = [700000], src_pairs = [265000], dst_pairs = [265000]>}

// CHECK-LABEL: func.func @sum
// CHECK:         tiles<graph, dst, 512>
func.func @sum(%x: tensor<?x64xf32>, %init: tensor<1x64xf32>) -> tensor<1x64xf32> {
  // expected-remark @+1 {{summed in tiles of 512 first}}
  %s = gnn_tile.traverse @wordnet <graph, dst, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<element : feature>]
      outs(%init : tensor<1x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%a: f32):
    %r = gnn_tile.reduce sum [element] %a : f32
    gnn_tile.yield %r : f32
  } -> tensor<1x64xf32>
  return %s : tensor<1x64xf32>
}

// CHECK-LABEL: func.func @outer
// CHECK:         tiles<graph, src, 1024>
func.func @outer(%x: tensor<?x64xf32>, %init: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark @+1 {{summed in tiles of 1024 first}}
  %dw = gnn_tile.outer @wordnet rows src ins(%x, %x : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %dw : tensor<64x64xf32>
}
