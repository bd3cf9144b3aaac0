// RUN: gnn-opt %s --gnn-tile-plan-memory=share=false | FileCheck %s

#row = #gnn_tile.at<group>
gnn.graph @g square {node_types = 2, edge_types = 3}

// The first buffer is dead when the second is born, and would be where the result
// will be: without sharing, each has its own place.
//
// CHECK-LABEL: func.func @apart
// CHECK-SAME:    memref<?xi8> {gnn.workspace}
// CHECK:         %[[ZERO:.+]] = arith.constant 0 : index
// CHECK:         %[[SECOND:.+]] = arith.addi %[[ZERO]], %{{.+}}
// CHECK:         %[[SIZE:.+]] = arith.addi %[[SECOND]], %{{.+}}
// CHECK:         gnn_tile.workspace_size %[[SIZE]]
// CHECK-DAG:     memref.view %{{.+}}[%[[ZERO]]]
// CHECK-DAG:     memref.view %{{.+}}[%[[SECOND]]]
func.func @apart(%x: memref<?xf32> {gnn.rows = #gnn.rows<@g, dst>},
    %y: memref<?xf32> {bufferize.result, gnn.rows = #gnn.rows<@g, dst>}) {
  %n = gnn_tile.count @g count dst : index
  %a = memref.alloc(%n) : memref<?xf32>
  gnn_tile.traverse @g <dst> ins(%x : memref<?xf32>) at [#row] outs(%a : memref<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst> ins(%a : memref<?xf32>) at [#row] outs(%x : memref<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  %b = memref.alloc(%n) : memref<?xf32>
  gnn_tile.traverse @g <dst> ins(%x : memref<?xf32>) at [#row] outs(%b : memref<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst> ins(%b : memref<?xf32>) at [#row] outs(%y : memref<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}
