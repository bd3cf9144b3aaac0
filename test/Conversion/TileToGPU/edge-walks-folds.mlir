// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-kernels-pipeline | FileCheck %s

gnn.graph @g square {node_types = 1, edge_types = 1}

// The state of no elements is one of the values that rows are made of. Teams
// ask for it in branches, and rows are stored in others.
//
// CHECK-LABEL: gpu.func @fold_0_traverse
// CHECK-DAG:     %[[NONE:.+]] = arith.constant dense<2.71828175> : vector<4xf32>
// CHECK:         scf.for %{{.+}} iter_args(%{{.+}} = %[[NONE]],
// CHECK:         %[[ROW:.+]] = arith.subf %{{.+}}, %[[NONE]] : vector<4xf32>
// CHECK:         vector.store %[[ROW]],
// CHECK:         gpu.barrier
// CHECK:         %[[OF_TEAMS:.+]] = arith.subf %{{.+}}, %[[NONE]] : vector<4xf32>
// CHECK:         vector.store %[[OF_TEAMS]],
func.func @fold(%x: memref<?x32xf32>, %y: memref<?x32xf32>,
    %workspace: memref<?xi8> {gnn.workspace}) {
  %none = arith.constant 0 : index
  gnn_tile.workspace_size %none
  gnn_tile.traverse @g <dst, edge.in_rows, features = 32> ins(%x : memref<?x32xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x32xf32>) at [#gnn_tile.at<group : feature>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %one = arith.constant 1.0 : f32
    %k = math.exp %one : f32
    %s = gnn_tile.fold %v identity %k : f32 {
    ^bb1(%a: f32, %b: f32):
      %m = arith.mulf %a, %b : f32
      gnn_tile.yield %m : f32
    }
    %r = arith.subf %s, %k : f32
    gnn_tile.yield %r : f32
  }
  return
}
