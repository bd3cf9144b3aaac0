// RUN: not gnn-opt %s --gnn-tile-pipeline 2>&1 | FileCheck %s

// Templates on buffers of a module that has tensors elsewhere: that a buffer has
// a gap shows as long as it is a buffer of its own. In the workspace, this one
// takes over the place of one that was written whole.

gnn.graph @g square {node_types = 2, edge_types = 3}
!node = tensor<?x8xf32, #gnn.rows<@g, node>>

func.func @on_tensors(%x: !node) -> !node {
  %y = gnn.activation tanh %x : !node
  return %y : !node
}

func.func @by_hand(%x: memref<?x8xf32>, %x4: memref<?x4xf32>,
    %z: memref<?x8xf32> {bufferize.result},
    %z2: memref<?x8xf32> {bufferize.result}) {
  %n = gnn_tile.count @g count dst : index
  %a = memref.alloc(%n) : memref<?x8xf32>
  %b = memref.alloc(%n) : memref<?x8xf32>
  gnn_tile.traverse @g <dst, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst, features = 8>
      ins(%a : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%z : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  // CHECK: [[#@LINE+1]]:3: error: 'gnn_tile.traverse' op leaves columns 4 to 7 of 'memref<?x8xf32>'
  gnn_tile.traverse @g <dst, features = 4>
      ins(%x4 : memref<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%b : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst, features = 8>
      ins(%b : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%z2 : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}
