// RUN: gnn-opt %s -o /dev/null --gnn-schedule-pipeline --gnn-tile-list-costs | FileCheck %s
// RUN: gnn-opt %s -o /dev/null --gnn-schedule-pipeline=edge-walks=0 --gnn-tile-list-costs | FileCheck %s --check-prefix=ROWS

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 232965, dst_nodes = 232965,
    edges = 114615892, type_edges = [114615892], src_pairs = [232965], dst_pairs = [232965], in_degree_max = 42742,
    near_edges = [3997874, 29961454, 114615892]>}
gnn.graph @unknown square {node_types = 1, edge_types = 1}

// The rows of 64 features outgrow the L2, those of 32 do not: two tiles of one launch, and
// one that joins pieces of rows.
//
// CHECK:      {"function":"sum","domain":"#gnn_tile.domain<dst, edge.in_rows, features = 64>","launches":2,"seconds":0.00{{3[23]}}
// CHECK-SAME: "walk":{"joins":true,"tiles":2,"elements":114615892,"rows":232965,"in_flight":8,"operations":32,"warps":0.25,"results":0,
// CHECK-SAME: "reduces_features":false,"is_crowded":false,"stream_bytes":{{[0-9.]+}},"seconds":0.0016
// CHECK-SAME: "gathers":[{"rows":114615892,"row_bytes":128,"table_rows":232965,"ranges":1,"written":false,"again":false,"skew":0,"near":{{\[}}[8192,0.03488
//
// ROWS:       {"function":"sum","domain":"#gnn_tile.domain<dst, edge.in_rows, features = 64>","launches":1,"seconds":0.00{{[0-9]+}}}
func.func @sum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Nothing is known of this one.
//
// CHECK-NOT: "function":"other"
func.func @other(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @unknown <dst, edge.in_rows, features = 64> ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
