// RUN: gnn-opt %s --split-input-file --gnn-tile-join-traversals --verify-diagnostics \
// RUN:   --remarks-filter='gnn-tile-join-traversals' --remark-format=emitRemark | FileCheck %s

#rows = #gnn_tile.at<group : feature>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 100000, dst_nodes = 100000, edges = 20000000,
    type_edges = [20000000], src_pairs = [100000], dst_pairs = [100000], in_degree_squares = 4000000000, in_degree_max = 400,
    out_degree_squares = 4000000000, out_degree_max = 400, src_pair_max = [400], dst_pair_max = [400]>}

// Products of the rows at the ends of an edge, which the walk over the edges into
// a row and another one read: rows of the destination are those of the group, and
// what the other one reads of each edge is a result of the walk. It comes after
// the walk then. Nothing reads %p.
//
// CHECK-LABEL: func.func @into_walk
// CHECK-SAME:    %[[Q:[^:]+]]: tensor<?x64xf32>, %[[K:[^:]+]]: tensor<?x64xf32>
// CHECK:         %[[R:.+]]:2 = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// CHECK-SAME:      ins(%[[Q]], %[[K]] : tensor<?x64xf32>, tensor<?x64xf32>)
// CHECK-SAME:      at [#gnn_tile.at<group : feature>, #gnn_tile.at<element -> src : feature>]
// CHECK-SAME:      at [#gnn_tile.at<element>, #gnn_tile.at<group : feature>]
// CHECK:         ^bb0(%[[QV:.+]]: f32, %[[KV:.+]]: f32):
// CHECK:           %[[M:.+]] = arith.mulf %[[QV]], %[[KV]]
// CHECK:           %[[S:.+]] = gnn_tile.reduce sum [feature] %[[M]]
// CHECK:           %[[E:.+]] = math.exp %[[S]]
// CHECK:           %[[W:.+]] = arith.mulf %[[KV]], %[[E]]
// CHECK:           %[[Y:.+]] = gnn_tile.reduce sum [element] %[[W]]
// CHECK:           gnn_tile.yield %[[E]], %[[Y]]
// CHECK:         %[[Z:.+]] = gnn_tile.traverse @g <src, edge.out_rows, features = 64>
// CHECK-SAME:      ins(%[[R]]#0, %[[Q]]
// CHECK:         return %[[R]]#1, %[[Z]]
func.func @into_walk(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %p, %s = gnn_tile.traverse @g <edge.in_rows, features = 64> ins(%q, %k : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group -> dst : feature>, #gnn_tile.at<group -> src : feature>]
      outs(%e, %e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
      at [#gnn_tile.at<group>, #gnn_tile.at<group>] {
  ^bb0(%qv: f32, %kv: f32):
    %m = arith.mulf %qv, %kv : f32
    %r = gnn_tile.reduce sum [feature] %m : f32
    %x = math.exp %r : f32
    gnn_tile.yield %r, %x : f32, f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  %z = gnn_tile.traverse @g <src, edge.out_rows, features = 64>
      ins(%s, %q : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>)
      at [#gnn_tile.at<element -> edge.in_rows>, #gnn_tile.at<element -> dst : feature>]
      outs(%n : tensor<?x64xf32>) at [#rows] {
  ^bb0(%sv: f32, %qv: f32):
    %m = arith.mulf %qv, %sv : f32
    %r = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x64xf32>
  // expected-remark-re @+1 {{a walk computes for each edge what it reads of it: {{.+}}, {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%s, %k : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>)
      at [#gnn_tile.at<element>, #gnn_tile.at<element -> src : feature>]
      outs(%n : tensor<?x64xf32>) at [#rows] {
  ^bb0(%sv: f32, %kv: f32):
    %m = arith.mulf %kv, %sv : f32
    %r = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x64xf32>
  return %y, %z : tensor<?x64xf32>, tensor<?x64xf32>
}

// Negative: the second walk would compute the score once more.
//
// CHECK-LABEL: func.func @two_walks
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 64>
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows>
func.func @two_walks(%q: tensor<?x64xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?xf32>) -> tensor<?xf32> {
  %s = gnn_tile.traverse @g <edge.in_rows, features = 64> ins(%q : tensor<?x64xf32>) at [#gnn_tile.at<group -> src : feature>]
      outs(%e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%qv: f32):
    %r = gnn_tile.reduce sum [feature] %qv : f32
    gnn_tile.yield %r : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  // expected-remark @+1 {{what it reads of each edge is stored: it walks the edges more than once}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%sv: f32):
    %h = gnn_tile.reduce max [element] %sv : f32
    %d = arith.subf %sv, %h : f32
    %x = math.exp %d : f32
    %r = gnn_tile.reduce sum [element] %x : f32
    gnn_tile.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Negative: a sum of fewer features would be one of other numbers.
//
// CHECK-LABEL: func.func @other_features
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 64>
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 32>
func.func @other_features(%q: tensor<?x64xf32>, %k: tensor<?x32xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %s = gnn_tile.traverse @g <edge.in_rows, features = 64> ins(%q : tensor<?x64xf32>) at [#gnn_tile.at<group -> src : feature>]
      outs(%e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%qv: f32):
    %r = gnn_tile.reduce sum [feature] %qv : f32
    gnn_tile.yield %r : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  // expected-remark @+1 {{what it reads of each edge is stored: they have other heads and features}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 32> ins(%s, %k : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x32xf32>)
      at [#gnn_tile.at<element>, #gnn_tile.at<element -> src : feature>]
      outs(%n : tensor<?x32xf32>) at [#rows] {
  ^bb0(%sv: f32, %kv: f32):
    %m = arith.mulf %kv, %sv : f32
    %r = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// Negative: the walk reads what is made of the edges' numbers by way of another sum.
//
// CHECK-LABEL: func.func @on_the_way
// CHECK-COUNT-3: gnn_tile.traverse
func.func @on_the_way(%q: tensor<?x64xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?xf32>) -> tensor<?xf32> {
  %s = gnn_tile.traverse @g <edge.in_rows, features = 64> ins(%q : tensor<?x64xf32>) at [#gnn_tile.at<group -> src : feature>]
      outs(%e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%qv: f32):
    %r = gnn_tile.reduce sum [feature] %qv : f32
    gnn_tile.yield %r : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  %t = gnn_tile.traverse @g <src, edge.out_rows> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element -> edge.in_rows>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%sv: f32):
    %r = gnn_tile.reduce sum [element] %sv : f32
    gnn_tile.yield %r : f32
  } -> tensor<?xf32>
  // expected-remark @+1 {{what it reads of each edge is stored: the second reads what is computed of the first in between}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows> ins(%s, %t : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?xf32>)
      at [#gnn_tile.at<element>, #gnn_tile.at<element -> src>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%sv: f32, %tv: f32):
    %m = arith.mulf %tv, %sv : f32
    %r = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Negative: without statistics.
gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @unknown_rows
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 64>
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
func.func @unknown_rows(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x64xf32>) -> (tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>) {
  %s = gnn_tile.traverse @g <edge.in_rows, features = 64> ins(%q, %k : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group -> dst : feature>, #gnn_tile.at<group -> src : feature>]
      outs(%e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%qv: f32, %kv: f32):
    %m = arith.mulf %qv, %kv : f32
    %r = gnn_tile.reduce sum [feature] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  // expected-remark @+1 {{what it reads of each edge is stored: rows may be short, or one of them long}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%s, %k : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>)
      at [#gnn_tile.at<element>, #gnn_tile.at<element -> src : feature>]
      outs(%n : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%sv: f32, %kv: f32):
    %m = arith.mulf %kv, %sv : f32
    %r = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x64xf32>
  return %s, %y : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>
}

// -----

// Negative, by statistics: rows of two edges, which leave lanes idle.
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2000000, dst_nodes = 2000000, edges = 4000000,
    type_edges = [4000000], src_pairs = [2000000], dst_pairs = [2000000], in_degree_squares = 8000000, in_degree_max = 4,
    out_degree_squares = 8000000, out_degree_max = 4, src_pair_max = [4], dst_pair_max = [4]>}

// CHECK-LABEL: func.func @short_rows
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 64>
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
func.func @short_rows(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x64xf32>) -> (tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>) {
  %s = gnn_tile.traverse @g <edge.in_rows, features = 64> ins(%q, %k : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group -> dst : feature>, #gnn_tile.at<group -> src : feature>]
      outs(%e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%qv: f32, %kv: f32):
    %m = arith.mulf %qv, %kv : f32
    %r = gnn_tile.reduce sum [feature] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  // expected-remark-re @+1 {{what it reads of each edge is stored: {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%s, %k : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>)
      at [#gnn_tile.at<element>, #gnn_tile.at<element -> src : feature>]
      outs(%n : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%sv: f32, %kv: f32):
    %m = arith.mulf %kv, %sv : f32
    %r = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x64xf32>
  return %s, %y : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>
}

// -----

// Negative, by statistics: half of the edges lead to one row, which takes longer where each
// of its edges waits for a product.
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 10000, dst_nodes = 10000, edges = 100000,
    type_edges = [100000], src_pairs = [10000], dst_pairs = [10000], in_degree_squares = 2500000000, in_degree_max = 50000,
    out_degree_squares = 1000000, out_degree_max = 40, src_pair_max = [40], dst_pair_max = [50000]>}

// CHECK-LABEL: func.func @long_row
// CHECK:         gnn_tile.traverse @g <edge.in_rows, features = 64>
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
func.func @long_row(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x64xf32>) -> (tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>) {
  %s = gnn_tile.traverse @g <edge.in_rows, features = 64> ins(%q, %k : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group -> dst : feature>, #gnn_tile.at<group -> src : feature>]
      outs(%e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%qv: f32, %kv: f32):
    %m = arith.mulf %qv, %kv : f32
    %r = gnn_tile.reduce sum [feature] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  // expected-remark-re @+1 {{what it reads of each edge is stored: {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%s, %k : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>)
      at [#gnn_tile.at<element>, #gnn_tile.at<element -> src : feature>]
      outs(%n : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%sv: f32, %kv: f32):
    %m = arith.mulf %kv, %sv : f32
    %r = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x64xf32>
  return %s, %y : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>
}

// -----

// Walks over the same rows of 8 and of 16 features.

#rows = #gnn_tile.at<group : feature>
gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @other_features
// CHECK-COUNT-2: gnn_tile.traverse
func.func @other_features(%x: tensor<?x8xf32>, %y: tensor<?x16xf32>) -> (tensor<?x8xf32>, tensor<?x16xf32>) {
  %a = gnn_tile.traverse @g <dst, edge.in_rows, features = 8> ins(%x : tensor<?x8xf32>)
      at [#gnn_tile.at<element -> src : feature>] outs(%x : tensor<?x8xf32>) at [#rows] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  // expected-remark-re @+1 {{two traversals over the same rows, {{.*}}: they have other heads and features}}
  %b = gnn_tile.traverse @g <dst, edge.in_rows, features = 16> ins(%y : tensor<?x16xf32>)
      at [#gnn_tile.at<element -> src : feature>] outs(%y : tensor<?x16xf32>) at [#rows] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x16xf32>
  return %a, %b : tensor<?x8xf32>, tensor<?x16xf32>
}
