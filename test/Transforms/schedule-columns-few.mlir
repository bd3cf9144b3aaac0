// RUN: gnn-opt %s --gnn-attach-target=chip=h200 --gnn-schedule-pipeline='edge-walks=1' | FileCheck %s

// A walk by edges of few elements has more lanes for each row than whole vectors take, until the
// GPU has enough threads; one of many has whole vectors.

gnn.graph @few square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 75879, dst_nodes = 75879,
  edges = 811480, type_edges = [811480], src_pairs = [60341], dst_pairs = [60341]>}
gnn.graph @many square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 232965, dst_nodes = 232965,
  edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232965]>}

// CHECK-LABEL: func.func @sums
// CHECK:         @few {{.*}}vector = 1, lanes = 8, {{.*}}by_edges
// CHECK:         @few {{.*}}features = 32>{{.*}}vector = 4, lanes = 8, {{.*}}by_edges
// CHECK:         @many {{.*}}vector = 4, lanes = 2, {{.*}}by_edges
func.func @sums(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %z: memref<?x8xf32>, %u: memref<?x32xf32>, %v: memref<?x32xf32>) {
  gnn_tile.traverse @few <dst, edge.in_rows, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%a: f32):
    %s = gnn_tile.reduce sum [element] %a : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @few <dst, edge.in_rows, features = 32>
      ins(%u : memref<?x32xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%v : memref<?x32xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%a: f32):
    %s = gnn_tile.reduce sum [element] %a : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @many <dst, edge.in_rows, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%z : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%a: f32):
    %s = gnn_tile.reduce sum [element] %a : f32
    gnn_tile.yield %s : f32
  }
  return
}
