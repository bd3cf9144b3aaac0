// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-kernels-pipeline --verify-diagnostics --split-input-file

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @vector(%x: memref<?x6xf32>, %y: memref<?x6xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'vector': rows are aligned to 2 features, not to 4}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 6>
      ins(%x : memref<?x6xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x6xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4> {
  ^bb0(%xv: f32):
    %s = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %s : f32
  }
  return
}
