// RUN: gnn-opt %s --gnn-tile-schedule-edge-walks=edges=1 --gnn-schedule-pipeline | FileCheck %s

gnn.graph @large square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 200000,
  dst_nodes = 200000, edges = 4000000, type_edges = [4000000], src_pairs = [200000],
  dst_pairs = [200000], in_degree_max = 9000, out_degree_max = 9000>}

// A walk by edges is checked with the columns that a block will have: of rows of
// many heads fewer lanes than a warp has take these, and others the heads.
//
// CHECK-LABEL: func.func @many_heads
// CHECK:         schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 2, {{.+}}, row_walk = by_edges
func.func @many_heads(%x: memref<?x2048x128xf32>, %y: memref<?x2048x128xf32>) {
  gnn_tile.traverse @large <dst, edge.in_rows, heads = 2048, features = 128>
      ins(%x, %x : memref<?x2048x128xf32>, memref<?x2048x128xf32>) at [#gnn_tile.at<element -> src : head, feature>, #gnn_tile.at<group : head, feature>]
      outs(%y : memref<?x2048x128xf32>) at [#gnn_tile.at<element : head, feature>] {
  ^bb0(%v: f32, %w: f32):
    %s = arith.addf %v, %w : f32
    gnn_tile.yield %s : f32
  }
  return
}
