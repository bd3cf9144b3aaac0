// RUN: gnn-opt %s --gnn-tile-write-in-place --split-input-file | FileCheck %s --check-prefix=TENSORS
// RUN: gnn-opt %s --gnn-tile-write-in-place --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize --buffer-results-to-out-params="hoist-dynamic-allocs modify-public-functions add-result-attr" \
// RUN:   --gnn-tile-plan-memory --split-input-file | FileCheck %s --check-prefix=BUFFERS

// Rows of three graphs that are required to be as many are of one tensor, the
// result, whatever graph a template walks.
//
// TENSORS-LABEL: func.func @chain
// TENSORS:         %[[A:.+]] = gnn_tile.gemm @a
// TENSORS:         %[[B:.+]] = gnn_tile.gemm @b {{.+}} ins(%[[A]], {{.+}} outs(%[[A]] :
// TENSORS:         gnn_tile.gemm @c {{.+}} ins(%[[B]], {{.+}} outs(%[[B]] :
//
// BUFFERS-LABEL: func.func @chain
// BUFFERS-NOT:     memref.view
// BUFFERS:         return
gnn.graph @a square {node_types = 1, edge_types = 1}
gnn.graph @b square {node_types = 1, edge_types = 1}
gnn.graph @c bipartite {node_types = 1, edge_types = 1}
func.func @chain(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32> {gnn.rows = #gnn.rows<@c, src>}) {
  %a = gnn_tile.count @a count dst : index
  %b = gnn_tile.count @b count src : index
  %c = gnn_tile.count @c count src : index
  gnn_tile.require %b, %a "as many"
  gnn_tile.require %b, %c "as many"
  %d = tensor.empty(%a) : tensor<?x8xf32>
  %0 = gnn_tile.gemm @a rows dst ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%d : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %e = tensor.empty(%b) : tensor<?x8xf32>
  %1 = gnn_tile.gemm @b rows src ins(%0, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%e : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %f = tensor.empty(%c) : tensor<?x8xf32>
  %2 = gnn_tile.gemm @c rows src ins(%1, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%f : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// -----

// At most as many are not as many, and others have nothing to do with them.
//
// TENSORS-LABEL: func.func @fewer
// TENSORS:         %[[A:.+]] = gnn_tile.gemm @a
// TENSORS-NOT:     outs(%[[A]] :
// TENSORS:         return
//
// BUFFERS-LABEL: func.func @fewer
// BUFFERS:         memref.view
// BUFFERS:         return
gnn.graph @a square {node_types = 1, edge_types = 1}
gnn.graph @b square {node_types = 1, edge_types = 1}
func.func @fewer(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32> {gnn.rows = #gnn.rows<@b, src>}) {
  %a = gnn_tile.count @a count dst : index
  %b = gnn_tile.count @b count src : index
  gnn_tile.require at_most %b, %a "at most"
  %d = tensor.empty(%a) : tensor<?x8xf32>
  %0 = gnn_tile.gemm @a rows dst ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%d : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %e = tensor.empty(%b) : tensor<?x8xf32>
  %1 = gnn_tile.gemm @b rows src ins(%0, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%e : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// A buffer that is dead before the result is written lies in the caller's
// buffer of it.
//
// BUFFERS-LABEL: func.func @sums
// BUFFERS-SAME:    %[[R:[a-z0-9]+]]: memref<?x8xf32> {{{.*}}gnn.rows = #gnn.rows<@b, dst>}
// BUFFERS:         %[[V:.+]] = memref.view
// BUFFERS-NOT:     memref.view
// BUFFERS:         gnn_tile.gemm {{.+}} outs(%[[R]] :
// BUFFERS:         gnn_tile.traverse {{.+}} ins(%[[R]] : {{.+}} outs(%[[V]] :
// BUFFERS-NOT:     memref.view
// BUFFERS:         gnn_tile.traverse {{.+}} ins(%[[V]] : {{.+}} outs(%[[R]] :
gnn.graph @a square {node_types = 1, edge_types = 1}
gnn.graph @b bipartite {node_types = 1, edge_types = 1}
func.func @sums(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32> {gnn.rows = #gnn.rows<@b, dst>}) {
  %a = gnn_tile.count @a count dst : index
  %b = gnn_tile.count @b count dst : index
  gnn_tile.require %b, %a "as many"
  %d = tensor.empty(%a) : tensor<?x8xf32>
  %0 = gnn_tile.gemm @a rows dst ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      at <group : feature> extras at [] outs(%d : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %1 = gnn_tile.traverse @a <dst, edge.in_rows, features = 8>
      ins(%0 : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%d : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  %e = tensor.empty(%b) : tensor<?x8xf32>
  %2 = gnn_tile.traverse @b <dst, edge.in_rows, features = 8>
      ins(%1 : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%e : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}
