// Accesses that name the elements' own order are those at the elements alone.
//
// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-kernels-pipeline --split-input-file > %t.named
// RUN: sed 's/element -> edge.in_rows>/element>/' %s > %t.mlir
// RUN: gnn-opt %t.mlir --gnn-schedule-pipeline --gnn-kernels-pipeline --split-input-file | diff %t.named -
// RUN: FileCheck %s < %t.named

gnn.graph @g square {node_types = 1, edge_types = 1}

// The numbers of four elements are loaded at once.
//
// CHECK-LABEL: gpu.func @weighted_0_traverse
// CHECK:         memref.load %[[W:.+]][%{{.+}}] : memref<?xf32>
// CHECK-NEXT:    memref.load %[[W]][%{{.+}}] : memref<?xf32>
// CHECK-NEXT:    memref.load %[[W]][%{{.+}}] : memref<?xf32>
// CHECK-NEXT:    memref.load %[[W]][%{{.+}}] : memref<?xf32>
func.func @weighted(%x: memref<?x32xf32>, %w: memref<?xf32>, %y: memref<?x32xf32>,
    %workspace: memref<?xi8> {gnn.workspace}) {
  %none = arith.constant 0 : index
  gnn_tile.workspace_size %none
  gnn_tile.traverse @g <dst, edge.in_rows, features = 32> ins(%x, %w : memref<?x32xf32>, memref<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge.in_rows>]
      outs(%y : memref<?x32xf32>) at [#gnn_tile.at<group : feature>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32, %f: f32):
    %p = arith.mulf %v, %f : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// An index that is the position in the walk starts at a row's first element:
// nothing asks whether there is one yet.
//
// CHECK-LABEL: gpu.func @argument_0_traverse
// CHECK:         arith.cmpf ugt
// CHECK-NEXT:    arith.cmpf ord
// CHECK-NEXT:    %[[WINS:.+]] = arith.andi
// CHECK-NEXT:    arith.select %[[WINS]],
// CHECK-NEXT:    arith.select %[[WINS]],
func.func @argument(%x: memref<?x32xf32>, %y: memref<?x32xf32>, %i: memref<?x32xi32>,
    %workspace: memref<?xi8> {gnn.workspace}) {
  %none = arith.constant 0 : index
  gnn_tile.workspace_size %none
  gnn_tile.traverse @g <dst, edge.in_rows, features = 32> ins(%x : memref<?x32xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y, %i : memref<?x32xf32>, memref<?x32xi32>) at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %e = gnn_tile.index <element -> edge.in_rows>
    %m, %a = gnn_tile.arg_reduce max %v, %e : f32
    gnn_tile.yield %m, %a : f32, i32
  }
  return
}
