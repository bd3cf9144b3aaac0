// RUN: gnn-opt %s --pass-pipeline="builtin.module(gnn-verify-form)" --verify-diagnostics --split-input-file
// RUN: not gnn-opt %s --gnn-tile-pipeline --split-input-file 2>&1 | FileCheck %s
// RUN: not gnn-opt %s --gnn-graph-pipeline --split-input-file 2>&1 | FileCheck %s

// Only templates change the order of rows. Each stage on tensors begins with the
// check.
//
// CHECK: 'tensor.cast' op expected rows in the order #gnn_tile.order<edge.in_rows>

gnn.graph @g square {node_types = 1, edge_types = 1}
!in_rows = tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>

// A reader of the rows would take them for rows in the user's order.

func.func @dropped(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %n = gnn_tile.count @g count edge : index
  %e = tensor.empty(%n) : !in_rows
  %a = gnn_tile.traverse @g <edge.in_rows, features = 4>
      ins(%x : tensor<?x4xf32>) at [#gnn_tile.at<group -> src : feature>]
      outs(%e : !in_rows) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> !in_rows
  // expected-error @+1 {{'tensor.cast' op expected rows in the order #gnn_tile.order<edge.in_rows>, as it takes them, got rows in their natural order; only templates change it}}
  %c = tensor.cast %a : !in_rows to tensor<?x4xf32>
  %o = tensor.empty(%n) : tensor<?x4xf32>
  %b = gnn_tile.traverse @g <edge, features = 4>
      ins(%c : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%o : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x4xf32>
  return %b : tensor<?x4xf32>
}

// -----

func.func @given(%x: tensor<?x4xf32>) -> tensor<?x4xf32, #gnn_tile.order<edge.in_rows>> {
  // expected-error @+1 {{'tensor.cast' op expected rows in their natural order, as it takes them, got rows in the order #gnn_tile.order<edge.in_rows>; only templates change it}}
  %y = tensor.cast %x : tensor<?x4xf32> to tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>
  return %y : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>
}

// -----

func.func @changed(%x: tensor<?xf32, #gnn_tile.order<edge.in_rows>>) -> tensor<?xf32, #gnn_tile.order<edge.out_rows>> {
  // expected-error @+1 {{'tensor.cast' op expected rows in the order #gnn_tile.order<edge.in_rows>, as it takes them, got rows in the order #gnn_tile.order<edge.out_rows>}}
  %y = tensor.cast %x : tensor<?xf32, #gnn_tile.order<edge.in_rows>> to tensor<?xf32, #gnn_tile.order<edge.out_rows>>
  return %y : tensor<?xf32, #gnn_tile.order<edge.out_rows>>
}

// -----

func.func @unranked(%x: tensor<?xf32, #gnn_tile.order<edge.in_rows>>) -> tensor<*xf32> {
  // expected-error @+1 {{'tensor.cast' op expected rows in the order #gnn_tile.order<edge.in_rows>}}
  %y = tensor.cast %x : tensor<?xf32, #gnn_tile.order<edge.in_rows>> to tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @collapsed(%x: tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>) -> tensor<?xf32> {
  // expected-error @+1 {{'tensor.collapse_shape' op expected rows in the order #gnn_tile.order<edge.in_rows>}}
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>> into tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @expanded(%x: tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>, %n: index) -> tensor<?x2x2xf32> {
  // expected-error @+1 {{'tensor.expand_shape' op expected rows in the order #gnn_tile.order<edge.in_rows>}}
  %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 2]
      : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>> into tensor<?x2x2xf32>
  return %y : tensor<?x2x2xf32>
}

// -----

// The destination is no input: the rows are those of the source.

func.func @inserted(%x: tensor<?x4xf32>, %into: tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>, %n: index) -> tensor<?x8xf32, #gnn_tile.order<edge.in_rows>> {
  // expected-error @+1 {{'tensor.insert_slice' op expected rows in their natural order, as it takes them, got rows in the order #gnn_tile.order<edge.in_rows>}}
  %y = tensor.insert_slice %x into %into[0, 0] [%n, 4] [1, 1]
      : tensor<?x4xf32> into tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>
  return %y : tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>
}

// -----

// An op that keeps the order, or has no rows to give on, is left alone.

!in_rows = tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>

func.func @kept(%x: !in_rows, %shape: tensor<3xindex>, %n: index)
    -> (tensor<?x2x2xf32, #gnn_tile.order<edge.in_rows>>, !in_rows, tensor<?x4xf32>) {
  %r = tensor.reshape %x(%shape) : (!in_rows, tensor<3xindex>)
      -> tensor<?x2x2xf32, #gnn_tile.order<edge.in_rows>>
  %s = arith.addf %x, %x : !in_rows
  %y = func.call @callee(%s) : (!in_rows) -> tensor<?x4xf32>
  %one = arith.constant 1 : index
  %u, %v = scf.for %i = %one to %n step %one iter_args(%a = %s, %b = %y) -> (!in_rows, tensor<?x4xf32>) {
    scf.yield %a, %b : !in_rows, tensor<?x4xf32>
  }
  return %r, %u, %v : tensor<?x2x2xf32, #gnn_tile.order<edge.in_rows>>, !in_rows, tensor<?x4xf32>
}

func.func private @callee(!in_rows) -> tensor<?x4xf32>
