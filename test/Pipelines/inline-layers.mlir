// RUN: gnn-opt %s --gnn-graph-pipeline | FileCheck %s
// RUN: not gnn-opt %S/Inputs/recursive-layer.mlir --gnn-graph-pipeline 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RECURSIVE

// A layer is a function that is called: what it holds, loops included, stands
// where it is called, and a private one is gone.

!node = tensor<?x8xf32, #gnn.rows<@g, node>>
!edge = tensor<?x8xf32, #gnn.rows<@g, edge>>

gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-NOT: func private
func.func private @layer(%x: !node, %w: tensor<8x8xf32>) -> !node {
  %m = gnn.gather %x via src : !node -> !edge
  %s = gnn.aggregate mean %m via dst : !edge -> !node
  %y = gnn.linear %s, %w : (!node, tensor<8x8xf32>) -> !node
  %two = arith.constant dense<2.0> : tensor<8xf32>
  %z = gnn.for_nodes %n in @g -> (!node) {
    %row = gnn.read %y[%n] : (!node, !gnn.row<@g, node>) -> tensor<8xf32>
    %twice = arith.mulf %row, %two : tensor<8xf32>
    gnn.yield %twice : tensor<8xf32>
  }
  return %z : !node
}

// CHECK-LABEL: func.func @model
// CHECK-NOT:     call
// CHECK-COUNT-2: gnn.linear
// CHECK-NOT:     {{gnn.linear|call}}
// CHECK:         return
func.func @model(%x: !node, %v: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> !node {
  %y = call @layer(%x, %v) : (!node, tensor<8x8xf32>) -> !node
  %z = call @layer(%y, %w) : (!node, tensor<8x8xf32>) -> !node
  return %z : !node
}

// RECURSIVE: error: 'func.call' op expected straight-line code, got a call that cannot be inlined
