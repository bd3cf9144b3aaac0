// RUN: gnn-opt %s --gnn-schedule-pipeline=edge-walks=0 --remarks-filter=gnn-tile-schedule-row-walks \
// RUN:   --remark-policy=all --split-input-file --verify-diagnostics | FileCheck %s

// A block each walks rows of nodes that are few and long (TraverseChoices.cpp has the times of an H200). A
// round of a team has 8 elements of 64 features, 64 of 8: the longest row of @long has 10 rounds, and a block
// walks it in 2. A multiprocessor has room for four blocks: 528 are at work at once, those of @long and
// @hubs. @twice has more, whose rows are longer in turn; those of @more wait too long. Rows of a hub are no
// longer for a team than what it leaves to the block.

gnn.graph @long square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 528, dst_nodes = 528, edges = 26400,
    type_edges = [26400], src_pairs = [528], dst_pairs = [528], in_degree_max = 75, out_degree_max = 75>}
gnn.graph @short square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 528, dst_nodes = 528, edges = 4224,
    type_edges = [4224], src_pairs = [528], dst_pairs = [528], in_degree_max = 20, out_degree_max = 20>}
gnn.graph @hubs square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 500, dst_nodes = 500, edges = 8000,
    type_edges = [8000], src_pairs = [500], dst_pairs = [500], in_degree_max = 350, out_degree_max = 350>}
gnn.graph @twice square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1000, dst_nodes = 1000, edges = 200000,
    type_edges = [200000], src_pairs = [1000], dst_pairs = [1000], in_degree_max = 245, out_degree_max = 245>}
gnn.graph @shorter square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 1000, dst_nodes = 1000, edges = 50000,
    type_edges = [50000], src_pairs = [1000], dst_pairs = [1000], in_degree_max = 75, out_degree_max = 75>}
gnn.graph @more square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2000, dst_nodes = 2000, edges = 400000,
    type_edges = [400000], src_pairs = [2000], dst_pairs = [2000], in_degree_max = 245, out_degree_max = 245>}

// CHECK-LABEL: func.func @rows
// CHECK:         row_walk = block
// CHECK:         row_walk = by_length, split_rows = 64
// CHECK:         row_walk = block
// CHECK:         row_walk = block
// CHECK:         row_walk = by_length, split_rows = 200
// CHECK:         row_walk = by_length, split_rows = 256
func.func @rows(%x64: memref<?x64xf32>, %y64: memref<?x64xf32>, %x8: memref<?x8xf32>, %y8: memref<?x8xf32>, %x256: memref<?x256xf32>, %y256: memref<?x256xf32>) {
  // expected-remark @+1 {{all teams of a block walk each row: rows are few}}
  gnn_tile.traverse @long <dst, edge.in_rows, features = 64> ins(%x64 : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y64 : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{all teams of a block walk a row of more than 64 elements}}
  gnn_tile.traverse @short <dst, edge.in_rows, features = 64> ins(%x64 : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y64 : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{all teams of a block walk each row: rows are few}}
  gnn_tile.traverse @hubs <dst, edge.in_rows, features = 64> ins(%x64 : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y64 : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{all teams of a block walk each row: rows are few}}
  gnn_tile.traverse @twice <dst, edge.in_rows, features = 64> ins(%x64 : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y64 : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{all teams of a block walk a row of more than 200 elements}}
  gnn_tile.traverse @shorter <dst, edge.in_rows, features = 64> ins(%x64 : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y64 : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{all teams of a block walk a row of more than 256 elements}}
  gnn_tile.traverse @more <dst, edge.in_rows, features = 64> ins(%x64 : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y64 : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Rows of one round, and tiles of columns, each of which has as many blocks.
//
// CHECK-LABEL: func.func @features
// CHECK:         features = 8>
// CHECK:         row_walk = by_length, split_rows = 512
// CHECK:         columns_per_block = 64, {{.*}}row_walk = by_length
func.func @features(%x64: memref<?x64xf32>, %y64: memref<?x64xf32>, %x8: memref<?x8xf32>, %y8: memref<?x8xf32>, %x256: memref<?x256xf32>, %y256: memref<?x256xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 512 elements}}
  gnn_tile.traverse @long <dst, edge.in_rows, features = 8> ins(%x8 : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y8 : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{all teams of a block walk a row of more than 200 elements}}
  gnn_tile.traverse @long <dst, edge.in_rows, features = 256> ins(%x256 : memref<?x256xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y256 : memref<?x256xf32>) at [#gnn_tile.at<group : feature>] schedule <columns_per_block = 64> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Fields that are given stay: another walk, the length of long rows, a window.
//
// CHECK-LABEL: func.func @given
// CHECK:         row_walk = by_length, split_rows = 7
// CHECK:         rows_per_block = 1, {{.*}}row_walk = team
// CHECK:         row_walk = block, window = 64
func.func @given(%x64: memref<?x64xf32>, %y64: memref<?x64xf32>, %x8: memref<?x8xf32>, %y8: memref<?x8xf32>, %x256: memref<?x256xf32>, %y256: memref<?x256xf32>) {
  // expected-remark @+1 {{all teams of a block walk a row of more than 7 elements}}
  gnn_tile.traverse @long <dst, edge.in_rows, features = 64> ins(%x64 : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y64 : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] schedule <split_rows = 7> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{each team walks its own row: a block has one team}}
  gnn_tile.traverse @long <dst, edge.in_rows, features = 64> ins(%x64 : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y64 : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] schedule <rows_per_block = 1> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  // expected-remark @+1 {{all teams of a block walk each row: rows are few}}
  gnn_tile.traverse @long <dst, edge.in_rows, features = 64> ins(%x64 : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y64 : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] schedule <window = 64> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
