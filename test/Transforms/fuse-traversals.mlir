// RUN: gnn-opt %s --gnn-tile-fuse-traversals | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// Rows of edges that only the sum over the edges reads: computed at each edge
// of the walk, never stored. The access of the producer's group becomes one of
// the element.
//
// CHECK-LABEL: func.func @rows_into_elements
// CHECK:         %[[Y:.+]] = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// CHECK-SAME:      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
// CHECK-SAME:      at [#gnn_tile.at<group : feature>]
// CHECK-NEXT:    ^bb0(%[[X:.+]]: f32, %[[W:.+]]: f32):
// CHECK-NEXT:      %[[M:.+]] = arith.mulf %[[X]], %[[W]]
// CHECK-NEXT:      %[[S:.+]] = gnn_tile.reduce sum [element] %[[M]]
// CHECK-NEXT:      gnn_tile.yield %[[S]]
// CHECK:         return %[[Y]]
func.func @rows_into_elements(%x: tensor<?x64xf32>, %w: tensor<?xf32>, %e: tensor<?x64xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %m = gnn_tile.traverse @g <edge.in_rows, features = 64>
      ins(%x, %w : tensor<?x64xf32>, tensor<?xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> edge>]
      outs(%e : tensor<?x64xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32, %wv: f32):
    %p = arith.mulf %xv, %wv : f32
    gnn_tile.yield %p : f32
  } -> tensor<?x64xf32, #gnn_tile.order<edge.in_rows>>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%m : tensor<?x64xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element : feature>]
      outs(%n : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%mv: f32):
    %s = gnn_tile.reduce sum [element] %mv : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// An op that follows a sum row by row joins its walk.
//
// CHECK-LABEL: func.func @rows_after_a_sum
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<all : feature>]
// CHECK:           %[[S:.+]] = gnn_tile.reduce sum [element]
// CHECK-NEXT:      %[[B:.+]] = arith.addf %[[S]], %{{.+}}
// CHECK-NEXT:      gnn_tile.yield %[[B]]
// CHECK-NOT:     gnn_tile.traverse
func.func @rows_after_a_sum(%x: tensor<?x8xf32>, %b: tensor<8xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %s = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %r = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x8xf32>
  %y = gnn_tile.traverse @g <dst, features = 8>
      ins(%s, %b : tensor<?x8xf32>, tensor<8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<all : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%sv: f32, %bv: f32):
    %r = arith.addf %sv, %bv : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// Softmax and weighted sum walk the same edges of the same nodes; the scores
// have heads alone, which are the softmax's features.
//
// CHECK-LABEL: func.func @features_that_are_heads
// CHECK-NOT:     features = 4
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 4, features = 16>
// CHECK-SAME:      at [#gnn_tile.at<element : head>, #gnn_tile.at<element -> src : head, feature>]
// CHECK:           %[[M:.+]] = gnn_tile.reduce max [element]
// CHECK:           arith.subf %{{.+}}, %[[M]]
// CHECK:           gnn_tile.reduce sum [element]
// CHECK-NOT:     gnn_tile.traverse
func.func @features_that_are_heads(%s: tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>, %x: tensor<?x4x16xf32>, %e: tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x4x16xf32>) -> tensor<?x4x16xf32> {
  %a = gnn_tile.traverse @g <dst, edge.in_rows, features = 4>
      ins(%s : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element : feature>]
      outs(%e : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element : feature>] {
  ^bb0(%sv: f32):
    %m = gnn_tile.reduce max [element] %sv : f32
    %d = arith.subf %sv, %m : f32
    gnn_tile.yield %d : f32
  } -> tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, heads = 4, features = 16>
      ins(%a, %x : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x4x16xf32>)
      at [#gnn_tile.at<element : head>, #gnn_tile.at<element -> src : head, feature>]
      outs(%n : tensor<?x4x16xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%av: f32, %xv: f32):
    %p = arith.mulf %av, %xv : f32
    %r = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x4x16xf32>
  return %y : tensor<?x4x16xf32>
}

// An op that follows an output at the elements row by row is done at the
// elements.
//
// CHECK-LABEL: func.func @rows_after_elements
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 4>
// CHECK-SAME:      at [#gnn_tile.at<element : feature>, #gnn_tile.at<element -> edge_type>]
// CHECK-SAME:      at [#gnn_tile.at<element -> edge : feature>]
// CHECK-NOT:     gnn_tile.traverse
func.func @rows_after_elements(%s: tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>, %t: tensor<3xf32>, %e: tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %a = gnn_tile.traverse @g <dst, edge.in_rows, features = 4>
      ins(%s : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element : feature>]
      outs(%e : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element : feature>] {
  ^bb0(%sv: f32):
    %m = gnn_tile.reduce max [element] %sv : f32
    %d = arith.subf %sv, %m : f32
    gnn_tile.yield %d : f32
  } -> tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>
  %y = gnn_tile.traverse @g <edge.in_rows, features = 4>
      ins(%a, %t : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>, tensor<3xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group -> edge_type>]
      outs(%n : tensor<?x4xf32>) at [#gnn_tile.at<group -> edge : feature>] {
  ^bb0(%av: f32, %tv: f32):
    %p = arith.mulf %av, %tv : f32
    gnn_tile.yield %p : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// An input that both read the same way stays one, and index ops move with
// their access.
//
// CHECK-LABEL: func.func @shared_input
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows>
// CHECK-SAME:      ins(%{{.+}} : tensor<?xf32>) at [#gnn_tile.at<element -> src>]
// CHECK:           gnn_tile.index <element -> edge_type>
// CHECK-NOT:     gnn_tile.traverse
func.func @shared_input(%x: tensor<?xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?xf32>) -> tensor<?xf32> {
  %m = gnn_tile.traverse @g <edge.in_rows> ins(%x : tensor<?xf32>)
      at [#gnn_tile.at<group -> src>]
      outs(%e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    %t = gnn_tile.index #gnn_tile.at<group -> edge_type>
    %f = arith.sitofp %t : i32 to f32
    %p = arith.mulf %xv, %f : f32
    gnn_tile.yield %p : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  %y = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%m, %x : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?xf32>)
      at [#gnn_tile.at<element>, #gnn_tile.at<element -> src>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%mv: f32, %xv: f32):
    %p = arith.addf %mv, %xv : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Rows that are computed one by one are computed in the order in which they are
// read: what lay in the producer's order is reached from there.
//
// CHECK-LABEL: func.func @rows_in_another_order
// CHECK:         gnn_tile.traverse @g <dst_pair, edge.dst_pairs, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge.in_rows>, #gnn_tile.at<element>]
// CHECK:           gnn_tile.index <element -> edge.in_rows>
// CHECK:           gnn_tile.reduce sum [element]
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         return
func.func @rows_in_another_order(%x: tensor<?x8xf32>, %a: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %b: tensor<?xf32, #gnn_tile.order<edge.dst_pairs>>, %e: tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %m = gnn_tile.traverse @g <edge.in_rows, features = 8>
      ins(%x, %a, %b : tensor<?x8xf32>, tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?xf32, #gnn_tile.order<edge.dst_pairs>>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group>, #gnn_tile.at<group -> edge.dst_pairs>]
      outs(%e : tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32, %av: f32, %bv: f32):
    %i = gnn_tile.index #gnn_tile.at<group>
    %f = arith.sitofp %i : i32 to f32
    %c = arith.mulf %av, %bv : f32
    %d = arith.mulf %c, %f : f32
    %p = arith.mulf %xv, %d : f32
    gnn_tile.yield %p : f32
  } -> tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>
  %y = gnn_tile.traverse @g <dst_pair, edge.dst_pairs, features = 8>
      ins(%m : tensor<?x8xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element -> edge.in_rows : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%mv: f32):
    %s = gnn_tile.reduce sum [element] %mv : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

gnn.graph @whole square {node_types = 1, edge_types = 2}
gnn.graph @some square of @whole types [0] {node_types = 1, edge_types = 1}
gnn.graph @others square of @whole types [1] {node_types = 1, edge_types = 1}

// Sums over the edges of two derived graphs are added in the walk of the second:
// rows of nodes are the same on both.
//
// CHECK-LABEL: func.func @nodes_of_a_derived_graph
// CHECK:         %[[A:.+]] = gnn_tile.traverse @some <dst, edge.in_rows, features = 8>
// CHECK:         gnn_tile.traverse @others <dst, edge.in_rows, features = 8> ins(%{{.+}}, %[[A]] :
// CHECK-SAME:      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
// CHECK:           gnn_tile.reduce sum [element]
// CHECK:           arith.addf
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         return
func.func @nodes_of_a_derived_graph(%x: tensor<?x8xf32>, %i: tensor<?x8xf32>, %j: tensor<?x8xf32>, %n: tensor<?x8xf32>, %z: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %a = gnn_tile.traverse @some <dst, edge.in_rows, features = 8> ins(%x : tensor<?x8xf32>)
      at [#gnn_tile.at<element -> src : feature>]
      outs(%i : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  %b = gnn_tile.traverse @others <dst, edge.in_rows, features = 8> ins(%x : tensor<?x8xf32>)
      at [#gnn_tile.at<element -> src : feature>]
      outs(%j : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  %y = gnn_tile.traverse @whole <dst, features = 8> ins(%a, %b : tensor<?x8xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %w: f32):
    %s = arith.addf %v, %w : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  return %a, %y : tensor<?x8xf32>, tensor<?x8xf32>
}

// Rows of features of edges that two sums read, each in an order of its own, are
// computed in both.
//
// CHECK-LABEL: func.func @repeated
// CHECK-NOT:     traverse @g <edge.in_rows
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// CHECK:           arith.addf
// CHECK:         gnn_tile.traverse @g <src, edge.out_rows, features = 64>
// CHECK:           arith.addf
// CHECK-NOT:     gnn_tile.traverse
func.func @repeated(%x: tensor<?x64xf32>, %e: tensor<?x64xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %m = gnn_tile.traverse @g <edge.in_rows, features = 64>
      ins(%x, %x : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> dst : feature>]
      outs(%e : tensor<?x64xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    gnn_tile.yield %p : f32
  } -> tensor<?x64xf32, #gnn_tile.order<edge.in_rows>>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%m : tensor<?x64xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element : feature>]
      outs(%n : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%mv: f32):
    %s = gnn_tile.reduce sum [element] %mv : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  %z = gnn_tile.traverse @g <src, edge.out_rows, features = 64>
      ins(%m : tensor<?x64xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element -> edge.in_rows : feature>]
      outs(%n : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%mv: f32):
    %s = gnn_tile.reduce sum [element] %mv : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y, %z : tensor<?x64xf32>, tensor<?x64xf32>
}

// Negative: a number of each edge is stored.
//
// CHECK-LABEL: func.func @not_repeated
// CHECK:         gnn_tile.traverse @g <edge.in_rows>
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows>
// CHECK:         gnn_tile.traverse @g <src, edge.out_rows>
func.func @not_repeated(%x: tensor<?xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %m = gnn_tile.traverse @g <edge.in_rows>
      ins(%x, %x : tensor<?xf32>, tensor<?xf32>)
      at [#gnn_tile.at<group -> src>, #gnn_tile.at<group -> dst>]
      outs(%e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    gnn_tile.yield %p : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  %y = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%m : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%mv: f32):
    %s = gnn_tile.reduce sum [element] %mv : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  %z = gnn_tile.traverse @g <src, edge.out_rows>
      ins(%m : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element -> edge.in_rows>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%mv: f32):
    %s = gnn_tile.reduce sum [element] %mv : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}

// A constant of each edge is never stored, however many read it.
//
// CHECK-LABEL: func.func @constants
// CHECK-NOT:     traverse @g <edge.in_rows>
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows>
// CHECK:           arith.constant 5.000000e-01
// CHECK:         gnn_tile.traverse @g <src, edge.out_rows>
// CHECK:           arith.constant 5.000000e-01
// CHECK-NOT:     gnn_tile.traverse
func.func @constants(%x: tensor<?xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %m = gnn_tile.traverse @g <edge.in_rows> at []
      outs(%e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
    %half = arith.constant 0.5 : f32
    gnn_tile.yield %half : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  %y = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%m, %x : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?xf32>) at [#gnn_tile.at<element>, #gnn_tile.at<element -> src>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%mv: f32, %xv: f32):
    %p = arith.mulf %mv, %xv : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  %z = gnn_tile.traverse @g <src, edge.out_rows>
      ins(%m, %x : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?xf32>)
      at [#gnn_tile.at<element -> edge.in_rows>, #gnn_tile.at<element -> dst>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%mv: f32, %xv: f32):
    %p = arith.mulf %mv, %xv : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}

// Columns stay columns.
//
// CHECK-LABEL: func.func @columns
// CHECK:         gnn_tile.traverse @g <6, features = 4>
// CHECK-SAME:      at [#gnn_tile.at<group : feature, column>]
// CHECK-NOT:     gnn_tile.traverse
func.func @columns(%x: tensor<2x4x3xf32>, %a: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %y = gnn_tile.traverse @g <6, features = 4>
      ins(%x : tensor<2x4x3xf32>) at [#gnn_tile.at<group : feature, column>]
      outs(%a : tensor<6x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<6x4xf32>
  %z = gnn_tile.traverse @g <6, features = 4>
      ins(%y : tensor<6x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%a : tensor<6x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %o = math.exp %v : f32
    gnn_tile.yield %o : f32
  } -> tensor<6x4xf32>
  return %z : tensor<6x4xf32>
}

// Each of a row's edges reads the sum over them: the walk goes over them once more, as
// the walk of a softmax does.
//
// CHECK-LABEL: func.func @elements_after_sum
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 4>
// CHECK-SAME:      outs(%{{.+}} : tensor<?x4xf32, #edge_in_rows>) at [#gnn_tile.at<element : head>]
// CHECK:           %[[D:.+]] = gnn_tile.reduce sum [element]
// CHECK:           %[[R:.+]] = arith.subf %{{.+}}, %[[D]]
// CHECK:           gnn_tile.yield %[[R]]
// CHECK-NOT:     gnn_tile.traverse
func.func @elements_after_sum(%a: tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x4xf32>)
    -> tensor<?x4xf32, #gnn_tile.order<edge.in_rows>> {
  %d = gnn_tile.traverse @g <dst, edge.in_rows, heads = 4>
      ins(%a : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element : head>]
      outs(%n : tensor<?x4xf32>) at [#gnn_tile.at<group : head>] {
  ^bb0(%av: f32):
    %s = gnn_tile.reduce sum [element] %av : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x4xf32>
  %r = gnn_tile.traverse @g <edge.in_rows, heads = 4>
      ins(%a, %d : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x4xf32>)
      at [#gnn_tile.at<group : head>, #gnn_tile.at<group -> dst : head>]
      outs(%a : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : head>] {
  ^bb0(%av: f32, %dv: f32):
    %o = arith.subf %av, %dv : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>
  return %r : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>
}

// Work on one result of a walk joins it; the other stays a result.
//
// CHECK-LABEL: func.func @one_of_two_results
// CHECK:         %[[Y:.+]]:2 = gnn_tile.traverse @g <dst, edge.in_rows>
// CHECK:           %[[SUM:.+]] = gnn_tile.reduce sum [element]
// CHECK:           %[[MAX:.+]] = gnn_tile.reduce max [element]
// CHECK:           %[[B:.+]] = arith.addf %[[SUM]]
// CHECK:           gnn_tile.yield %[[B]], %[[MAX]]
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         return %[[Y]]#0, %[[Y]]#1
func.func @one_of_two_results(%x: tensor<?xf32>, %b: tensor<?xf32>, %n: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %s, %m = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%n, %n : tensor<?xf32>, tensor<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    %sum = gnn_tile.reduce sum [element] %xv : f32
    %max = gnn_tile.reduce max [element] %xv : f32
    gnn_tile.yield %sum, %max : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  %y = gnn_tile.traverse @g <dst>
      ins(%s, %b : tensor<?xf32>, tensor<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<group>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%sv: f32, %bv: f32):
    %o = arith.addf %sv, %bv : f32
    gnn_tile.yield %o : f32
  } -> tensor<?xf32>
  return %y, %m : tensor<?xf32>, tensor<?xf32>
}

// Rows of nodes are the same at both ends of a square graph: what follows a sum
// over edges out of a node joins its walk, as does what comes before it.
//
// CHECK-LABEL: func.func @at_the_other_end
// CHECK:         gnn_tile.traverse @g <src, edge.out_rows, features = 8>
// CHECK-SAME:      at [#gnn_tile.at<group : feature>, #gnn_tile.at<element -> dst : feature>, #gnn_tile.at<group : feature>]
// CHECK-NOT:     gnn_tile.traverse
func.func @at_the_other_end(%x: tensor<?x8xf32>, %z: tensor<?x8xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %e = gnn_tile.traverse @g <dst, features = 8>
      ins(%z : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %r = math.exp %v : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x8xf32>
  %s = gnn_tile.traverse @g <src, edge.out_rows, features = 8>
      ins(%x, %e : tensor<?x8xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<element -> dst : feature>, #gnn_tile.at<group : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32, %ev: f32):
    %p = arith.mulf %xv, %ev : f32
    %r = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x8xf32>
  %y = gnn_tile.traverse @g <dst, features = 8>
      ins(%s, %x : tensor<?x8xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%sv: f32, %xv: f32):
    %r = arith.addf %sv, %xv : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// Features that are only copied have no kernel: all readers, at nodes and at
// ends of edges, read the original.
//
// CHECK-LABEL: func.func @read_through
// CHECK-SAME:    %[[X:.+]]: tensor<?x8xf32>, %[[B:.+]]: tensor<f32>
// CHECK-NOT:     gnn_tile.yield %{{.+}} : f32 } -> tensor<?x4xf32>
// CHECK:         gnn_tile.traverse @g <src, features = 4> ins(%[[X]], %[[B]]
// CHECK-SAME:      at [#gnn_tile.at<group : feature + 4>, #gnn_tile.at<all>]
// CHECK:         gnn_tile.traverse @g <edge, features = 4> ins(%[[X]], %[[B]]
// CHECK-SAME:      at [#gnn_tile.at<group -> src : feature + 4>, #gnn_tile.at<all>]
// CHECK-NOT:     gnn_tile.traverse
func.func @read_through(%x: tensor<?x8xf32>, %b: tensor<f32>, %n: tensor<?x4xf32>, %e: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c = arith.constant 1 : index
  %some = tensor.empty(%c) : tensor<?x4xf32>
  %part = gnn_tile.traverse @g <src, features = 4>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<group : feature + 4>]
      outs(%some : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x4xf32>
  %all = gnn_tile.traverse @g <src, features = 4>
      ins(%b : tensor<f32>) at [#gnn_tile.at<all>]
      outs(%some : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x4xf32>
  %y = gnn_tile.traverse @g <src, features = 4>
      ins(%part, %all : tensor<?x4xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%n : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%p: f32, %a: f32):
    %r = arith.mulf %p, %a : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x4xf32>
  %z = gnn_tile.traverse @g <edge, features = 4>
      ins(%part, %all : tensor<?x4xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> src : feature>]
      outs(%e : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%p: f32, %a: f32):
    %r = arith.addf %p, %a : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x4xf32>
  return %y, %z : tensor<?x4xf32>, tensor<?x4xf32>
}

// A value that a reader reduces keeps its dimension, and another reader of the
// copy needs it stored.
//
// CHECK-LABEL: func.func @stays_stored
// CHECK:         tensor.empty
// CHECK-NEXT:    %[[ALL:.+]] = gnn_tile.traverse @g <src, features = 4>
// CHECK:         %[[PART:.+]] = gnn_tile.traverse @g <src, features = 4>
// CHECK:         gnn_tile.traverse {{.+}} ins(%[[ALL]] :
// CHECK:         gnn_tile.traverse {{.+}} ins(%[[ALL]], %[[PART]] :
func.func @stays_stored(%x: tensor<?x8xf32>, %b: tensor<?xf32>, %n: tensor<?xf32>, %m: tensor<?x4xf32>)
    -> (tensor<?xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %c = arith.constant 1 : index
  %some = tensor.empty(%c) : tensor<?x4xf32>
  %all = gnn_tile.traverse @g <src, features = 4>
      ins(%b : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%some : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x4xf32>
  %part = gnn_tile.traverse @g <src, features = 4>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<group : feature + 4>]
      outs(%some : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x4xf32>
  %y = gnn_tile.traverse @g <src, features = 4>
      ins(%all : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [feature] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  %z = gnn_tile.traverse @g <src, features = 4>
      ins(%all, %part : tensor<?x4xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%m : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %p: f32):
    %s = arith.addf %v, %p : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %z, %part : tensor<?xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
