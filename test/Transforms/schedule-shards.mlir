// RUN: gnn-opt %s --gnn-schedule-pipeline -o /dev/null --remarks-filter='gnn-tile-schedule-(lanes|rows)' \
// RUN:   --remark-format=emitRemark 2>&1 | grep Remark | FileCheck %s

// The facts of walks in shards: each pair of a node and a range of sources has a row, whose length
// is what the ranges leave of the node's, and rows of the 157 MB of sources that are gathered come
// from the L2 where a range of them fits in it.

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2449029,
    dst_nodes = 2449029, edges = 123718280, type_edges = [123718280], src_pairs = [2449029],
    dst_pairs = [2442842], in_degree_max = 15002, out_degree_max = 90>}
gnn.graph @two square of @g shards 2 of src {node_types = 1, edge_types = 2}
gnn.graph @four square of @g shards 4 of src {node_types = 1, edge_types = 4}
gnn.graph @of_dst square of @g shards 4 of dst {node_types = 1, edge_types = 4}

// CHECK: [[@LINE+3]]:{{.*}}"a group of 50.5 elements on average keeps 1 lane for its elements: a walk by edges has one"
// CHECK: [[@LINE+2]]:{{.*}}in_flight is 32: most rows come from memory"
func.func @whole(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16> ins(%x : memref<?x16xf32>)
      at [#gnn_tile.at<element -> src : feature>] outs(%y : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Half of the sources are 78 MB, a quarter 39 MB.
//
// CHECK: [[@LINE+3]]:{{.*}}a group of 25.3 elements on average keeps
// CHECK: [[@LINE+2]]:{{.*}}in_flight is 32: most rows come from memory"
func.func @half(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  gnn_tile.traverse @two <dst_pair, edge.dst_pairs, features = 16> ins(%x : memref<?x16xf32>)
      at [#gnn_tile.at<element -> src : feature>] outs(%y : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK: [[@LINE+3]]:{{.*}}a group of 12.7 elements on average keeps
// CHECK: [[@LINE+2]]:{{.*}}in_flight is 8: the sum is plain"
func.func @quarter(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  gnn_tile.traverse @four <dst_pair, edge.dst_pairs, features = 16> ins(%x : memref<?x16xf32>)
      at [#gnn_tile.at<element -> src : feature>] outs(%y : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Ranges of destinations are of use to walks of out-edges alone.
//
// CHECK: [[@LINE+2]]:{{.*}}in_flight is 8: the sum is plain"
func.func @out_edges(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  gnn_tile.traverse @of_dst <src_pair, edge.src_pairs, features = 16> ins(%x : memref<?x16xf32>)
      at [#gnn_tile.at<element -> dst : feature>] outs(%y : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK: [[@LINE+3]]:{{.*}}a group of 50.6 elements on average keeps
// CHECK: [[@LINE+2]]:{{.*}}in_flight is 32: most rows come from memory"
func.func @in_edges(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  gnn_tile.traverse @of_dst <dst_pair, edge.dst_pairs, features = 16> ins(%x : memref<?x16xf32>)
      at [#gnn_tile.at<element -> src : feature>] outs(%y : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
