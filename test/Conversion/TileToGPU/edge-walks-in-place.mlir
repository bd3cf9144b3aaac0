// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-kernels-pipeline | FileCheck %s

// Weights that the walk writes over are no numbers that are read once: lanes load their own.
//
// CHECK-LABEL: gpu.func @scaled_0_traverse
// CHECK:         memref.load %{{.+}}[%{{.+}}] : memref<?xf32>
// CHECK-NOT:     nontemporal{{.*}}memref<?xf32>
// CHECK:         memref.store %{{.+}} : memref<?xf32>
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @scaled(%w: memref<?xf32>, %workspace: memref<?xi8> {gnn.workspace}) {
  %none = arith.constant 0 : index
  gnn_tile.workspace_size %none
  gnn_tile.traverse @g <dst, edge.in_rows> ins(%w : memref<?xf32>) at [#gnn_tile.at<element>]
      outs(%w : memref<?xf32>) at [#gnn_tile.at<element>] schedule <in_flight = 8, row_walk = by_edges, distribution = blocked> {
  ^bb0(%f: f32):
    %n = gnn_tile.size : f32
    %p = arith.mulf %f, %n : f32
    gnn_tile.yield %p : f32
  }
  return
}
