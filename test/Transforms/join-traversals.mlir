// RUN: gnn-opt %s --gnn-tile-join-traversals | FileCheck %s

#row = #gnn_tile.at<group>
#rows = #gnn_tile.at<group : feature>
gnn.graph @g square {node_types = 1, edge_types = 3}

// A number of each edge that the next traversal and another one read.
//
// CHECK-LABEL: func.func @read_on_the_way
// CHECK:         %[[R:.+]]:2 = gnn_tile.traverse @g <edge.in_rows, features = 64>
// CHECK-SAME:      ins(%{{.+}}, %{{.+}} : tensor<?xf32>, tensor<?x64xf32>)
// CHECK-SAME:      at [#gnn_tile.at<group -> src>, #gnn_tile.at<group -> dst : feature>]
// CHECK:           %[[A:.+]] = math.exp
// CHECK:           %[[S:.+]] = gnn_tile.reduce sum [feature]
// CHECK:           %[[B:.+]] = arith.mulf %[[S]], %[[A]]
// CHECK:           gnn_tile.yield %[[A]], %[[B]]
// CHECK-NOT:     gnn_tile.traverse
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @read_on_the_way(%s: tensor<?xf32>, %x: tensor<?x64xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %f: tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
    -> (tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?xf32, #gnn_tile.order<edge.in_rows>>) {
  %a = gnn_tile.traverse @g <edge.in_rows> ins(%s : tensor<?xf32>) at [#gnn_tile.at<group -> src>]
      outs(%e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#row] {
  ^bb0(%v: f32):
    %p = math.exp %v : f32
    gnn_tile.yield %p : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  %b = gnn_tile.traverse @g <edge.in_rows, features = 64>
      ins(%x, %a : tensor<?x64xf32>, tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
      at [#gnn_tile.at<group -> dst : feature>, #row]
      outs(%f : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#row] {
  ^bb0(%v: f32, %w: f32):
    %r = gnn_tile.reduce sum [feature] %v : f32
    %p = arith.mulf %r, %w : f32
    gnn_tile.yield %p : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  return %a, %b : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?xf32, #gnn_tile.order<edge.in_rows>>
}

// Two sums over the edges of a pair; features of one are heads of the other.
//
// CHECK-LABEL: func.func @sums
// CHECK:         gnn_tile.traverse @g <src, edge.out_rows, heads = 4, features = 16>
// CHECK-SAME:      at [#gnn_tile.at<element -> edge.in_rows : head>, #gnn_tile.at<element -> dst : head, feature>]
// CHECK-SAME:      at [#gnn_tile.at<group : head>, #gnn_tile.at<group : head, feature>]
// CHECK-NOT:     gnn_tile.traverse
func.func @sums(%a: tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>, %x: tensor<?x4x16xf32>, %n: tensor<?x4xf32>, %m: tensor<?x4x16xf32>)
    -> (tensor<?x4xf32>, tensor<?x4x16xf32>) {
  %s = gnn_tile.traverse @g <src, edge.out_rows, features = 4>
      ins(%a : tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element -> edge.in_rows : feature>]
      outs(%n : tensor<?x4xf32>) at [#rows] {
  ^bb0(%v: f32):
    %r = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x4xf32>
  %t = gnn_tile.traverse @g <src, edge.out_rows, heads = 4, features = 16>
      ins(%x : tensor<?x4x16xf32>) at [#gnn_tile.at<element -> dst : head, feature>]
      outs(%m : tensor<?x4x16xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%v: f32):
    %r = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x4x16xf32>
  return %s, %t : tensor<?x4xf32>, tensor<?x4x16xf32>
}

// Negative: the sum is known only behind the walk; something in between reads the
// first; rows of nodes are no walk.
//
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-2: gnn_tile.traverse @g <src, edge.out_rows, features = 64>
// CHECK-COUNT-2: gnn_tile.traverse @g <src, features = 64>
func.func @apart(%x: tensor<?x64xf32>, %n: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) {
  %s = gnn_tile.traverse @g <src, edge.out_rows, features = 64> ins(%x : tensor<?x64xf32>)
      at [#gnn_tile.at<element -> dst : feature>] outs(%n : tensor<?x64xf32>) at [#rows] {
  ^bb0(%v: f32):
    %r = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x64xf32>
  %t = gnn_tile.traverse @g <src, edge.out_rows, features = 64> ins(%s : tensor<?x64xf32>)
      at [#gnn_tile.at<element -> dst : feature>] outs(%n : tensor<?x64xf32>) at [#rows] {
  ^bb0(%v: f32):
    %r = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x64xf32>
  %u = gnn_tile.traverse @g <src, features = 64> ins(%s : tensor<?x64xf32>) at [#rows]
      outs(%n : tensor<?x64xf32>) at [#rows] {
  ^bb0(%v: f32):
    %r = math.exp %v : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x64xf32>
  %w = gnn_tile.traverse @g <src, features = 64> ins(%x : tensor<?x64xf32>) at [#rows]
      outs(%n : tensor<?x64xf32>) at [#rows] {
  ^bb0(%v: f32):
    %r = math.exp %v : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x64xf32>
  return %t, %u, %w : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
}

// Negative: a part of the features of a row is no row of heads.
//
// CHECK-LABEL: func.func @part
// CHECK: gnn_tile.traverse @g <dst, edge.in_rows, features = 4>
// CHECK: gnn_tile.traverse @g <dst, edge.in_rows, heads = 4, features = 16>
func.func @part(%a: tensor<?x12xf32, #gnn_tile.order<edge.in_rows>>, %x: tensor<?x4x16xf32>, %n: tensor<?x4xf32>, %m: tensor<?x4x16xf32>)
    -> (tensor<?x4xf32>, tensor<?x4x16xf32>) {
  %s = gnn_tile.traverse @g <dst, edge.in_rows, features = 4>
      ins(%a : tensor<?x12xf32, #gnn_tile.order<edge.in_rows>>)
      at [#gnn_tile.at<element : feature + 8>] outs(%n : tensor<?x4xf32>) at [#rows] {
  ^bb0(%v: f32):
    %r = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x4xf32>
  %t = gnn_tile.traverse @g <dst, edge.in_rows, heads = 4, features = 16> ins(%x : tensor<?x4x16xf32>)
      at [#gnn_tile.at<element -> src : head, feature>] outs(%m : tensor<?x4x16xf32>)
      at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%v: f32):
    %r = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x4x16xf32>
  return %s, %t : tensor<?x4xf32>, tensor<?x4x16xf32>
}

// Negative: features of a part of the columns, as those of a concatenation, are
// no heads of the whole.
//
// CHECK-LABEL: func.func @part_of_columns
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 3>
// CHECK:         gnn_tile.traverse @g <edge.in_rows, heads = 3, features = 2>
func.func @part_of_columns(%x: tensor<?x3xf32> {gnn.rows = #gnn.rows<@g, node>}, %y: tensor<?x3x2xf32> {gnn.rows = #gnn.rows<@g, node>})
    -> (tensor<?x6xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x3xf32, #gnn_tile.order<edge.in_rows>>) {
  %n = gnn_tile.count @g count edge : index
  %e = tensor.empty(%n) : tensor<?x6xf32, #gnn_tile.order<edge.in_rows>>
  %a = gnn_tile.traverse @g <edge.in_rows, features = 3>
      ins(%x : tensor<?x3xf32>) at [#gnn_tile.at<group -> src : feature>]
      outs(%e : tensor<?x6xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x6xf32, #gnn_tile.order<edge.in_rows>>
  %i = tensor.empty(%n) : tensor<?x3xf32, #gnn_tile.order<edge.in_rows>>
  %b = gnn_tile.traverse @g <edge.in_rows, heads = 3, features = 2>
      ins(%y : tensor<?x3x2xf32>) at [#gnn_tile.at<group -> src : head, feature>]
      outs(%i : tensor<?x3xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group : head>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [feature] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x3xf32, #gnn_tile.order<edge.in_rows>>
  return %a, %b : tensor<?x6xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x3xf32, #gnn_tile.order<edge.in_rows>>
}
