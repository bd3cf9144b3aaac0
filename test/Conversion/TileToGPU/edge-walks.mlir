// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-kernels-pipeline --split-input-file | FileCheck %s

gnn.graph @g square {dst_sorted, node_types = 1, edge_types = 1}

// A sum that a row's end sets to nothing is a select in front of the branch.
//
// CHECK-LABEL: gpu.func @sum_0_traverse
// CHECK:         %[[ALL:.+]] = arith.addf
// CHECK-NEXT:    %[[ENDS:.+]] = arith.cmpi slt
// CHECK-NEXT:    %[[STATE:.+]] = arith.select %[[ENDS]], %{{.+}}, %[[ALL]] : vector<4xf32>
// CHECK:         scf.if %[[ENDS]] -> (i32, i32)
// CHECK:         arith.addf %[[STATE]], {{.+}} : vector<4xf32>
func.func @sum(%x: memref<?x32xf32>, %y: memref<?x32xf32>,
    %workspace: memref<?xi8> {gnn.workspace}) {
  %none = arith.constant 0 : index
  gnn_tile.workspace_size %none
  gnn_tile.traverse @g <dst, edge.in_rows, features = 32> ins(%x : memref<?x32xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x32xf32>) at [#gnn_tile.at<group : feature>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {dst_sorted, node_types = 1, edge_types = 1}

// Extremes with their edges have two, and leave them to the branch. The index
// starts at the first edge: nothing asks whether there is one yet. A NaN before
// all.
//
// CHECK-LABEL: gpu.func @argument_0_traverse
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             arith.cmpf ugt
// CHECK-NEXT:        arith.cmpf ord
// CHECK-NEXT:        %[[WINS:.+]] = arith.andi
// CHECK-NEXT:        arith.select %[[WINS]],
// CHECK-NEXT:        arith.select %[[WINS]],
// CHECK:             %[[ENDS:.+]] = arith.cmpi slt
// CHECK-NEXT:        scf.if %[[ENDS]] -> (vector<4xf32>, vector<4xi32>,
func.func @argument(%x: memref<?x32xf32>, %y: memref<?x32xf32>, %i: memref<?x32xi32>,
    %workspace: memref<?xi8> {gnn.workspace}) {
  %none = arith.constant 0 : index
  gnn_tile.workspace_size %none
  gnn_tile.traverse @g <dst, edge.in_rows, features = 32> ins(%x : memref<?x32xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y, %i : memref<?x32xf32>, memref<?x32xi32>) at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %e = gnn_tile.index <element>
    %m, %a = gnn_tile.arg_reduce max %v, %e : f32
    gnn_tile.yield %m, %a : f32, i32
  }
  return
}

// -----

gnn.graph @g square {dst_sorted, node_types = 1, edge_types = 1}

// A dot loads the row of the next group while this one is walked: a group's end
// brings the row behind it.
//
// CHECK-LABEL: gpu.func @dot_0_traverse
// CHECK:         scf.for
// CHECK:           scf.if %{{.+}} -> (vector<4xf32>, vector<4xf32>, i32, i32, i32, i32) {
// CHECK:             scf.if %{{.+}} -> (vector<4xf32>, vector<4xf32>, i32, i32, i32, i32) {
// CHECK:               %[[BEHIND:.+]] = vector.load
// CHECK:               scf.yield %[[NEXT:[^,]+]], %[[BEHIND]],
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield %{{[^,]+}}, %[[NEXT]],
func.func @dot(%x: memref<?x32xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 32> ins(%x, %x : memref<?x32xf32>, memref<?x32xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}
