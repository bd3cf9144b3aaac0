// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-tile-block-traversals --gnn-tile-lower-traversals | FileCheck %s

// The destination of an edge is found between the row pointers of all destinations; the source
// is in an array.
//
// CHECK-LABEL: func.func @dots
// CHECK-DAG:     %[[SRC:.+]] = gnn_tile.structure @g map edge.in_rows src
// CHECK-DAG:     %[[ROWS:.+]] = gnn_tile.structure @g rows dst edge.in_rows
// CHECK-NOT:     gnn_tile.structure @g map edge.in_rows dst
// CHECK:         %[[COUNT:.+]] = gnn_tile.count @g count dst : index
// CHECK:         gnn_tile.blocks
// CHECK:           memref.load %[[SRC]]
// CHECK:           math.ctlz
// CHECK:           scf.for {{.*}} iter_args(%[[LOW:.+]] = %c0, %[[HIGH:.+]] = %[[COUNT]])
// CHECK:             %[[SUM:.+]] = arith.addi %[[LOW]], %[[HIGH]]
// CHECK:             %[[MIDDLE:.+]] = arith.shrui %[[SUM]], %c1
// CHECK:             memref.load %[[ROWS]][%[[MIDDLE]]]
// CHECK:             arith.select %{{.+}}, %[[LOW]], %[[MIDDLE]]
// CHECK:             arith.select %{{.+}}, %[[MIDDLE]], %[[HIGH]]
gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @dots(%x: memref<?x64xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <edge.in_rows, features = 64>
      ins(%x, %x : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> dst : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] schedule <lookup = search> {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}
