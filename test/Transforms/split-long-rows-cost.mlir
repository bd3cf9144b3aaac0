// RUN: gnn-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-tile-split-long-rows{edge-walks=0}))' \
// RUN:   --remarks-filter='gnn-tile-split-long-rows' --remark-format=emitRemark \
// RUN:   | FileCheck %s
// RUN: not gnn-opt %s --gnn-tile-split-long-rows=length=-2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RANGE
// RUN: gnn-opt %s --split-input-file -o /dev/null --gnn-tile-split-long-rows=length=0 --remarks-filter=gnn-tile-split-long-rows \
// RUN:   --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: gnn-opt %s --split-input-file --gnn-tile-split-long-rows=length=0 \
// RUN:   | FileCheck %s --check-prefix=NONE

// RANGE: gnn-tile-split-long-rows: expected 'length' from -1 to 2147483647, got -2
// SAYS: it is turned off
// NONE-NOT: long_tiles

// As Debian's packages with inverse edges, one of which 26,007 others need: all other
// rows together take a third of its time.

gnn.graph @debian square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 146430,
  dst_nodes = 146430, edges = 2076414, type_edges = [2076414], src_pairs = [146430],
  dst_pairs = [146430], in_degree_max = 26007, out_degree_max = 26007>}

// CHECK-LABEL: func.func @hub
// CHECK:         long_tiles<dst, edge.in_rows, 128>
func.func @hub(%x: tensor<?x64xf32>, %init: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-remark-re @+1 {{rows of 'dst' with more than 128 elements ('edge.in_rows') are split into pieces of at most 128: 17{{[0-9.]+}} us in total instead of 482.92 us by the model; the longest row has 26007 elements}}
  %y = gnn_tile.traverse @debian <dst, edge.in_rows, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%init : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// As FB15k-237: no other row is nearly as long, but many have some hundred elements. Pieces
// of 64 would be three times as many as of 128.

gnn.graph @fb15k237 square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 14541,
  dst_nodes = 14541, edges = 631161, type_edges = [631161], src_pairs = [14541],
  dst_pairs = [14541], in_degree_max = 8641, out_degree_max = 8641>}

// CHECK-LABEL: func.func @middle
// CHECK:         long_tiles<dst, edge.in_rows, 128>
func.func @middle(%x: tensor<?x64xf32>, %init: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-remark @+1 {{rows of 'dst' with more than 128 elements ('edge.in_rows') are split into pieces of at most 128}}
  %y = gnn_tile.traverse @fb15k237 <dst, edge.in_rows, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%init : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// As WordNet: the other rows take longer.

gnn.graph @wordnet square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 264965,
  dst_nodes = 264965, edges = 1142986, type_edges = [1142986], src_pairs = [264965],
  dst_pairs = [264965], in_degree_max = 1350, out_degree_max = 1350>}

// CHECK-LABEL: func.func @others
// CHECK-NOT:     long_tiles
func.func @others(%x: tensor<?x64xf32>, %init: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-remark @+1 {{pieces of long rows would be slower}}
  %y = gnn_tile.traverse @wordnet <dst, edge.in_rows, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%init : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// A launch more takes longer than the longest row.

gnn.graph @even square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2708,
  dst_nodes = 2708, edges = 10556, type_edges = [10556], src_pairs = [2708],
  dst_pairs = [2708], in_degree_max = 80, out_degree_max = 60>}

// CHECK-LABEL: func.func @small
// CHECK-NOT:     long_tiles
func.func @small(%x: tensor<?x64xf32>, %init: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  // expected-remark @+1 {{pieces of long rows would be slower}}
  %y = gnn_tile.traverse @even <dst, edge.in_rows, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%init : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  // expected-remark @+1 {{the longest row has 60 elements, too few to split}}
  %z = gnn_tile.traverse @even <src, edge.out_rows, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%init : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y, %z : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

gnn.graph @any square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @unknown
// CHECK-NOT:     long_tiles
func.func @unknown(%x: tensor<?x64xf32>, %init: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-remark @+1 {{nothing is known of the length of its rows}}
  %y = gnn_tile.traverse @any <dst, edge.in_rows, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%init : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
