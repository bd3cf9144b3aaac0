// RUN: gnn-opt %s --mlir-disable-threading --pass-pipeline="builtin.module(builtin.module(gnn-tile-rank-schedules{rule=ranked:%S/Inputs/ranker-by-edges.txt}))" | FileCheck %s

// One pass runs on both modules, whose templates differ in nothing but the statistics of
// their graph: the model scores two rows a block for few edges, and more for many.

// CHECK-LABEL: module @few
// CHECK: gnn_tile.traverse {{.+}} schedule <{{.+}} rows_per_block = 2,
module @few {
  gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 100,
    dst_nodes = 100, edges = 700, type_edges = [700], src_pairs = [90], dst_pairs = [80]>}
  func.func @sum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : memref<?x64xf32>)
        at [#gnn_tile.at<element -> src : feature>] outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
    ^bb0(%a: f32):
      %s = gnn_tile.reduce sum [element] %a : f32
      gnn_tile.yield %s : f32
    }
    return
  }
}

// CHECK-LABEL: module @many
// CHECK: gnn_tile.traverse {{.+}} schedule <{{.+}} rows_per_block = 32,
module @many {
  gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 10000,
    dst_nodes = 10000, edges = 70000, type_edges = [70000], src_pairs = [9000], dst_pairs = [8000]>}
  func.func @sum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : memref<?x64xf32>)
        at [#gnn_tile.at<element -> src : feature>] outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
    ^bb0(%a: f32):
      %s = gnn_tile.reduce sum [element] %a : f32
      gnn_tile.yield %s : f32
    }
    return
  }
}
