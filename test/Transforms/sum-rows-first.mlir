// RUN: gnn-opt %s --split-input-file --gnn-tile-sum-rows-first --verify-diagnostics \
// RUN:   --remarks-filter=gnn-tile-sum-rows-first --remark-format=emitRemark | FileCheck %s

#rows = #gnn_tile.at<group : feature>
#src = #gnn_tile.at<element -> src : feature>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 100000, dst_nodes = 100000, edges = 20000000,
    type_edges = [20000000], src_pairs = [100000], dst_pairs = [100000], in_degree_squares = 4000000000, in_degree_max = 400,
    out_degree_squares = 4000000000, out_degree_max = 400, src_pair_max = [400], dst_pair_max = [400]>}

// The sum over all edges is one of the rows that a walk goes through, and of these. A
// row of a destination is read once for its edges.
//
// CHECK-LABEL: func.func @split
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// CHECK:         %[[R:.+]] = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// CHECK-SAME:      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
// CHECK:           gnn_tile.reduce sum [element]
// CHECK:         %[[W:.+]] = gnn_tile.traverse @g <graph, dst, features = 64>
// CHECK-SAME:      ins(%[[R]] : tensor<?x64xf32>) at [#gnn_tile.at<element : feature>]
// CHECK:           gnn_tile.reduce sum [element]
// CHECK:         return %{{.+}}, %[[W]]
func.func @split(%x: tensor<?x64xf32>, %z: tensor<?x64xf32>, %n: tensor<?x64xf32>, %m: tensor<1x64xf32>) -> (tensor<?x64xf32>, tensor<1x64xf32>) {
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : tensor<?x64xf32>) at [#src]
      outs(%n : tensor<?x64xf32>) at [#rows] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  // expected-remark-re @+1 {{the sum over all edges is taken of the rows of 'dst' first, by the walk of {{.+}}: {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model}}
  %w = gnn_tile.traverse @g <graph, edge.in_rows, features = 64> ins(%x, %z : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#src, #gnn_tile.at<element -> dst : feature>] outs(%m : tensor<1x64xf32>) at [#rows] {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  } -> tensor<1x64xf32>
  return %y, %w : tensor<?x64xf32>, tensor<1x64xf32>
}

// Negative: rows that nothing walks; a sum that the walk is made of.
//
// CHECK-LABEL: func.func @none
// CHECK:         gnn_tile.traverse @g <graph, edge.in_rows, features = 64>
// CHECK-NOT:     gnn_tile.traverse
func.func @none(%x: tensor<?x64xf32>, %m: tensor<1x64xf32>) -> tensor<1x64xf32> {
  // expected-remark @+1 {{no walk over the edges of rows goes through its elements}}
  %w = gnn_tile.traverse @g <graph, edge.in_rows, features = 64> ins(%x : tensor<?x64xf32>)
      at [#src] outs(%m : tensor<1x64xf32>) at [#rows] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<1x64xf32>
  return %w : tensor<1x64xf32>
}

// An extreme of all edges is not one of rows, of which those without edges have 0.
//
// CHECK-LABEL: func.func @extreme
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// CHECK:         gnn_tile.traverse @g <graph, edge.in_rows, features = 64>
// CHECK-NOT:     gnn_tile.traverse
func.func @extreme(%x: tensor<?x64xf32>, %z: tensor<?x64xf32>, %n: tensor<?x64xf32>, %m: tensor<1x64xf32>) -> (tensor<?x64xf32>, tensor<1x64xf32>) {
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : tensor<?x64xf32>) at [#src]
      outs(%n : tensor<?x64xf32>) at [#rows] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  // expected-remark @+1 {{a row without elements would take part in the extreme}}
  %w = gnn_tile.traverse @g <graph, edge.in_rows, features = 64> ins(%x, %z : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#src, #gnn_tile.at<element -> dst : feature>] outs(%m : tensor<1x64xf32>) at [#rows] {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce max [element] %p : f32
    gnn_tile.yield %s : f32
  } -> tensor<1x64xf32>
  return %y, %w : tensor<?x64xf32>, tensor<1x64xf32>
}

// CHECK-LABEL: func.func @between
// CHECK:         gnn_tile.traverse @g <graph, edge.in_rows, features = 64>
// CHECK-NEXT:    ^bb0
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// CHECK-NOT:     gnn_tile.traverse @g <graph, dst
func.func @between(%x: tensor<?x64xf32>, %n: tensor<?x64xf32>, %m: tensor<1x64xf32>) -> tensor<?x64xf32> {
  // expected-remark @+1 {{the walk reads what is made of it}}
  %w = gnn_tile.traverse @g <graph, edge.in_rows, features = 64> ins(%x : tensor<?x64xf32>)
      at [#src] outs(%m : tensor<1x64xf32>) at [#rows] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<1x64xf32>
  %c = tensor.collapse_shape %w [[0, 1]] : tensor<1x64xf32> into tensor<64xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x, %c : tensor<?x64xf32>, tensor<64xf32>)
      at [#src, #gnn_tile.at<all : feature>] outs(%n : tensor<?x64xf32>) at [#rows] {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

#rows = #gnn_tile.at<group : feature>
#src = #gnn_tile.at<element -> src : feature>

// Negative, by statistics: twenty times as many rows as edges, which take longer to
// write and to read than what the sum reads.
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 40000000, dst_nodes = 40000000, edges = 2000000,
    type_edges = [2000000], src_pairs = [2000000], dst_pairs = [2000000], in_degree_squares = 2000000, in_degree_max = 1,
    out_degree_squares = 2000000, out_degree_max = 1, src_pair_max = [1], dst_pair_max = [1]>}

// CHECK-LABEL: func.func @many_rows
// CHECK:         gnn_tile.traverse @g <graph, edge.in_rows, features = 64>
func.func @many_rows(%x: tensor<?x64xf32>, %z: tensor<?xf32>, %n: tensor<?x64xf32>, %m: tensor<1x64xf32>) -> (tensor<?x64xf32>, tensor<1x64xf32>) {
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : tensor<?x64xf32>) at [#src]
      outs(%n : tensor<?x64xf32>) at [#rows] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  // expected-remark-re @+1 {{Remark="{{[0-9.]+}} us instead of {{[0-9.]+}} us by the model}}
  %w = gnn_tile.traverse @g <graph, edge.in_rows, features = 64> ins(%z : tensor<?xf32>)
      at [#gnn_tile.at<element -> src>] outs(%m : tensor<1x64xf32>) at [#rows] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<1x64xf32>
  return %y, %w : tensor<?x64xf32>, tensor<1x64xf32>
}

// -----

#rows = #gnn_tile.at<group : feature>
#src = #gnn_tile.at<element -> src : feature>

// Negative: without statistics.
gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @unknown
// CHECK:         gnn_tile.traverse @g <graph, edge.in_rows, features = 64>
func.func @unknown(%x: tensor<?x64xf32>, %n: tensor<?x64xf32>, %m: tensor<1x64xf32>) -> (tensor<?x64xf32>, tensor<1x64xf32>) {
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : tensor<?x64xf32>) at [#src]
      outs(%n : tensor<?x64xf32>) at [#rows] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  // expected-remark @+1 {{nothing is known of the length of rows}}
  %w = gnn_tile.traverse @g <graph, edge.in_rows, features = 64> ins(%x : tensor<?x64xf32>)
      at [#src] outs(%m : tensor<1x64xf32>) at [#rows] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<1x64xf32>
  return %y, %w : tensor<?x64xf32>, tensor<1x64xf32>
}
