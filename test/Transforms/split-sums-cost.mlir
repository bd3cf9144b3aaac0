// RUN: gnn-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(gnn-tile-split-sums))' \
// RUN:   --remarks-filter='gnn-tile-split-sums' --remark-format=emitRemark \
// RUN:   | FileCheck %s
// RUN: not gnn-opt %s --gnn-tile-split-sums=rows=-1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RANGE

// RANGE: gnn-tile-split-sums: expected 'rows' from 0 to 2147483647, got -1

// As ogbn-mag: 1.9 M nodes, four relations. 8 blocks for each of 132
// multiprocessors are 1056 of them; of sums that only read, 4 are enough.

gnn.graph @mag square {node_types = 4, edge_types = 4, stats = #gnn.stats<src_nodes = 1939743,
  dst_nodes = 1939743, edges = 21111007, type_edges = [7145660, 5416271, 7505078, 1043998],
  src_pairs = [1134649, 617924, 707430, 436803], dst_pairs = [736389, 617924, 59965, 8740]>}

// CHECK-LABEL: func.func @root
// CHECK:         tiles<graph, src, 1024>
func.func @root(%x: tensor<?x64xf32>, %init: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark @+1 {{the 'src' rows of each 'graph' are summed in tiles of 1024 first}}
  %dw = gnn_tile.outer @mag rows src ins(%x, %x : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %dw : tensor<64x64xf32>
}

// Four pieces of a larger matrix are four times as many blocks.
//
// CHECK-LABEL: func.func @wide
// CHECK:         tiles<graph, src, 4096>
func.func @wide(%x: tensor<?x128xf32>, %init: tensor<128x128xf32>) -> tensor<128x128xf32> {
  // expected-remark @+1 {{are summed in tiles of 4096 first}}
  %dw = gnn_tile.outer @mag rows src ins(%x, %x : tensor<?x128xf32>, tensor<?x128xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %dw : tensor<128x128xf32>
}

// CHECK-LABEL: func.func @relations
// CHECK:         tiles<edge_type, src_pair, 2048>
func.func @relations(%x: tensor<?x64xf32>, %init: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
  // expected-remark @+1 {{are summed in tiles of 2048 first}}
  %dw = gnn_tile.outer @mag rows src_pair types edge_type
      ins(%x, %x : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  return %dw : tensor<4x64x64xf32>
}

// CHECK-LABEL: func.func @bias
// CHECK:         tiles<dst_node_type, dst.by_type, 2048>
func.func @bias(%x: tensor<?x64xf32>, %init: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-remark @+1 {{the 'dst.by_type' rows of each 'dst_node_type' are summed in tiles of 2048 first}}
  %db = gnn_tile.traverse @mag <dst_node_type, dst.by_type, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%init : tensor<4x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<4x64xf32>
  return %db : tensor<4x64xf32>
}

// -----

// As MUTAG: 4 blocks a multiprocessor, of tiles that are shorter then. A traversal
// of 256 rows at least.

gnn.graph @mutag square {node_types = 1, edge_types = 2, stats = #gnn.stats<src_nodes = 50000,
  dst_nodes = 50000, edges = 148000, type_edges = [100000, 48000],
  src_pairs = [50000, 23800], dst_pairs = [50000, 23800]>}

// CHECK-LABEL: func.func @full
// CHECK:         tiles<edge_type, src_pair, 128>
// CHECK:         tiles<edge_type, src_pair, 256>
func.func @full(%x: tensor<?x64xf32>, %w: tensor<2x64x64xf32>, %b: tensor<2x64xf32>)
    -> (tensor<2x64x64xf32>, tensor<2x64xf32>) {
  // expected-remark @+1 {{are summed in tiles of 128 first}}
  %dw = gnn_tile.outer @mutag rows src_pair types edge_type
      ins(%x, %x : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%w : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  // expected-remark @+1 {{are summed in tiles of 256 first}}
  %db = gnn_tile.traverse @mutag <edge_type, src_pair, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<element : feature>]
      outs(%b : tensor<2x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<2x64xf32>
  return %dw, %db : tensor<2x64x64xf32>, tensor<2x64xf32>
}

// -----

// Types with few rows: a block each is enough.

gnn.graph @many square {node_types = 1, edge_types = 3, stats = #gnn.stats<src_nodes = 500,
  dst_nodes = 500, edges = 1500, type_edges = [500, 500, 500],
  src_pairs = [250, 250, 250], dst_pairs = [250, 250, 250]>}

// CHECK-LABEL: func.func @short
// CHECK-NOT:     tiles
func.func @short(%x: tensor<?x64xf32>, %init: tensor<3x64x64xf32>) -> tensor<3x64x64xf32> {
  // expected-remark @+1 {{the longest of its groups has 250 rows at most, too few for tiles of 64}}
  %dw = gnn_tile.outer @many rows src_pair types edge_type
      ins(%x, %x : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<3x64x64xf32>) -> tensor<3x64x64xf32>
  return %dw : tensor<3x64x64xf32>
}

// -----

// One long type among short ones.

gnn.graph @uneven square {node_types = 1, edge_types = 3, stats = #gnn.stats<src_nodes = 5000,
  dst_nodes = 5000, edges = 6000, type_edges = [5000, 500, 500],
  src_pairs = [4000, 250, 250], dst_pairs = [250, 250, 250]>}

// CHECK-LABEL: func.func @one_long
// CHECK:         tiles<edge_type, src_pair, 64>
func.func @one_long(%x: tensor<?x64xf32>, %init: tensor<3x64x64xf32>) -> tensor<3x64x64xf32> {
  // expected-remark @+1 {{are summed in tiles of 64 first}}
  %dw = gnn_tile.outer @uneven rows src_pair types edge_type
      ins(%x, %x : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<3x64x64xf32>) -> tensor<3x64x64xf32>
  return %dw : tensor<3x64x64xf32>
}
