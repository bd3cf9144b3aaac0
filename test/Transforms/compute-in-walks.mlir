// RUN: gnn-opt %s --split-input-file --gnn-tile-compute-in-walks --verify-diagnostics \
// RUN:   --remarks-filter='gnn-tile-compute-in-walks' --remark-format=emitRemark | FileCheck %s
// RUN: gnn-opt %s --split-input-file --gnn-tile-compute-in-walks=setting=1 | FileCheck %s --check-prefix=ONE
// RUN: gnn-opt %s --split-input-file --gnn-tile-compute-in-walks=setting=2 | FileCheck %s --check-prefix=ALL
// RUN: gnn-opt %s --split-input-file --gnn-tile-compute-in-walks=setting=0 | FileCheck %s --check-prefix=APART
// RUN: gnn-opt %s --split-input-file --gnn-tile-compute-in-walks=edge-walks=0 | FileCheck %s --check-prefix=ROWS
// RUN: gnn-opt %s --split-input-file --gnn-tile-compute-in-walks=group-edges=false -o /dev/null \
// RUN:   --remarks-filter=gnn-tile-compute-in-walks --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=EDGES
// RUN: echo | not gnn-opt --gnn-tile-compute-in-walks=setting=3 2>&1 | FileCheck %s --check-prefix=RANGE

// RANGE: gnn-tile-compute-in-walks: expected 'setting' -1, 0, 1 or 2, got 3
// Scores in a kernel of the edges alone are dearer than in a walk of destinations: 1988 us.
// EDGES: each of 2 walks computes {{.*}} us instead of 25{{.*}} us by the model

#rows = #gnn_tile.at<group : feature>
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 100000, dst_nodes = 100000, edges = 20000000,
    type_edges = [20000000], src_pairs = [100000], dst_pairs = [100000], in_degree_squares = 4000000000, in_degree_max = 400,
    out_degree_squares = 4000000000, out_degree_max = 400, src_pair_max = [400], dst_pair_max = [400]>}

// Products of the rows at the ends of an edge, which walks over the edges into a row and
// out of one read. Each computes them: rows of its own end are those of the group.
// Nothing is stored for an edge, and nothing reads %p.
//
// CHECK-LABEL: func.func @into_walks
// CHECK-SAME:    %[[Q:[^:]+]]: tensor<?x64xf32>, %[[K:[^:]+]]: tensor<?x64xf32>
// CHECK-NOT:     gnn_tile.traverse @g <edge.in_rows
// CHECK:         %[[Z:.+]] = gnn_tile.traverse @g <src, edge.out_rows, features = 64>
// CHECK-SAME:      ins(%[[Q]], %[[K]] : tensor<?x64xf32>, tensor<?x64xf32>)
// CHECK-SAME:      at [#gnn_tile.at<element -> dst : feature>, #gnn_tile.at<group : feature>]
// CHECK-SAME:      outs(%{{.+}} : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>]
// CHECK:         ^bb0(%[[QV:.+]]: f32, %[[KV:.+]]: f32):
// CHECK:           %[[M:.+]] = arith.mulf %[[QV]], %[[KV]]
// CHECK:           %[[S:.+]] = gnn_tile.reduce sum [feature] %[[M]]
// CHECK:           %[[E:.+]] = math.exp %[[S]]
// CHECK:           %[[W:.+]] = arith.mulf %[[QV]], %[[E]]
// CHECK:           %[[Y:.+]] = gnn_tile.reduce sum [element] %[[W]]
// CHECK:           gnn_tile.yield %[[Y]]
// CHECK:         %[[Y:.+]] = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// CHECK-SAME:      at [#gnn_tile.at<group : feature>, #gnn_tile.at<element -> src : feature>]
// CHECK-SAME:      outs(%{{.+}} : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>]
// CHECK:         return %[[Y]], %[[Z]]
//
// One of them computes them, and stores those that the other one reads, which comes
// behind it.
//
// ONE-LABEL:   func.func @into_walks
// ONE:           %[[R:.+]]:2 = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// ONE-SAME:        at [#gnn_tile.at<group : feature>, #gnn_tile.at<element -> src : feature>]
// ONE-SAME:        at [#gnn_tile.at<element>, #gnn_tile.at<group : feature>]
// ONE:           %[[Z:.+]] = gnn_tile.traverse @g <src, edge.out_rows, features = 64>
// ONE-SAME:        ins(%[[R]]#0,
// ONE:           return %[[R]]#1, %[[Z]]
//
// APART-LABEL: func.func @into_walks
// APART:         gnn_tile.traverse @g <edge.in_rows, features = 64>
// APART-COUNT-2: gnn_tile.traverse @g <{{src|dst}}, edge
func.func @into_walks(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x64xf32>)
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
  // expected-remark-re @+1 {{each of 2 walks computes the values of edges that it reads: {{.+}}, {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model, {{[0-9.]+}} us in one walk that stores them}}
  %z = gnn_tile.traverse @g <src, edge.out_rows, features = 64>
      ins(%s, %q : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>)
      at [#gnn_tile.at<element -> edge.in_rows>, #gnn_tile.at<element -> dst : feature>]
      outs(%n : tensor<?x64xf32>) at [#rows] {
  ^bb0(%sv: f32, %qv: f32):
    %m = arith.mulf %qv, %sv : f32
    %r = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x64xf32>
  // expected-remark-re @+1 {{each of 2 walks computes the values of edges that it reads: {{.+}}}}
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
  // expected-remark @+1 {{the values of edges that it reads are stored: it walks the edges more than once}}
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
  // expected-remark @+1 {{the values of edges that it reads are stored: they have other heads and features}}
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

// A walk over the edges out of a row stores them in their order, for one that reads what
// is made of them by way of its sum, and cannot compute them itself.
//
// CHECK-LABEL: func.func @on_the_way
// CHECK:         gnn_tile.traverse @g <src, edge.out_rows, features = 64>
// CHECK-SAME:      at [#gnn_tile.at<element -> edge.in_rows>, #gnn_tile.at<group>]
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows>
// CHECK-SAME:      at [#gnn_tile.at<element>, #gnn_tile.at<element -> src>]
func.func @on_the_way(%q: tensor<?x64xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?xf32>) -> tensor<?xf32> {
  %s = gnn_tile.traverse @g <edge.in_rows, features = 64> ins(%q : tensor<?x64xf32>) at [#gnn_tile.at<group -> src : feature>]
      outs(%e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%qv: f32):
    %r = gnn_tile.reduce sum [feature] %qv : f32
    gnn_tile.yield %r : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  // expected-remark-re @+1 {{a walk computes the values of edges that it reads: {{.+}}, {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model}}
  %t = gnn_tile.traverse @g <src, edge.out_rows> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element -> edge.in_rows>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%sv: f32):
    %r = gnn_tile.reduce sum [element] %sv : f32
    gnn_tile.yield %r : f32
  } -> tensor<?xf32>
  // expected-remark @+1 {{the values of edges that it reads are stored: the second reads what is computed of the first in between}}
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
  // expected-remark @+1 {{the values of edges that it reads are stored: rows may be short, or one of them long}}
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

// Rows of two edges, which leave lanes idle: negative where a team takes a row.
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2000000, dst_nodes = 2000000, edges = 4000000,
    type_edges = [4000000], src_pairs = [2000000], dst_pairs = [2000000], in_degree_squares = 8000000, in_degree_max = 4,
    out_degree_squares = 8000000, out_degree_max = 4, src_pair_max = [4], dst_pair_max = [4]>}

// CHECK-LABEL: func.func @short_rows
// CHECK-NOT:     gnn_tile.traverse @g <edge.in_rows
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// ROWS-LABEL:  func.func @short_rows
// ROWS:          gnn_tile.traverse @g <edge.in_rows, features = 64>
// ROWS:          gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
func.func @short_rows(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x64xf32>) -> (tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>) {
  %s = gnn_tile.traverse @g <edge.in_rows, features = 64> ins(%q, %k : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group -> dst : feature>, #gnn_tile.at<group -> src : feature>]
      outs(%e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%qv: f32, %kv: f32):
    %m = arith.mulf %qv, %kv : f32
    %r = gnn_tile.reduce sum [feature] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  // expected-remark-re @+1 {{a walk computes the values of edges that it reads: {{.+}}, {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model}}
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

// By statistics: half of the edges lead to one row, which takes longer where each of its edges
// waits for a product, unless rows are walked by edges.
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 10000, dst_nodes = 10000, edges = 400000,
    type_edges = [400000], src_pairs = [10000], dst_pairs = [10000], in_degree_squares = 40000000000, in_degree_max = 200000,
    out_degree_squares = 16000000, out_degree_max = 160, src_pair_max = [160], dst_pair_max = [200000]>}

// ROWS-LABEL: func.func @long_row
// ROWS:         gnn_tile.traverse @g <edge.in_rows, features = 64>
// ROWS:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// CHECK-LABEL: func.func @long_row
// CHECK-NOT:     gnn_tile.traverse @g <edge.in_rows, features = 64>
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
  // expected-remark-re @+1 {{a walk computes the values of edges that it reads: {{.*}} us instead of {{[0-9.]+}} us by the model}}
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

// All walks compute what a sum over types reads too, and the one that does so for the
// least stores it for that.
gnn.graph @g square {node_types = 1, edge_types = 2, stats = #gnn.stats<src_nodes = 100000, dst_nodes = 100000, edges = 20000000,
    type_edges = [10000000, 10000000], src_pairs = [100000, 100000], dst_pairs = [100000, 100000], in_degree_squares = 4000000000, in_degree_max = 400,
    out_degree_squares = 4000000000, out_degree_max = 400, src_pair_max = [200, 200], dst_pair_max = [200, 200]>}

// ALL-LABEL: func.func @others
// ALL-NOT:     gnn_tile.traverse @g <edge.in_rows
// ALL:         gnn_tile.traverse @g <src, edge.out_rows, features = 64>
// ALL-SAME:      outs(%{{[^,]+}} : tensor<?x64xf32>)
// ALL:         %[[R:.+]]:2 = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// ALL-SAME:      at [#gnn_tile.at<element>, #gnn_tile.at<group : feature>]
// ALL:         gnn_tile.traverse @g <edge_type, edge.dst_pairs>
// ALL-SAME:      ins(%[[R]]#0
func.func @others(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?x64xf32>, %t: tensor<2xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<2xf32>) {
  %s = gnn_tile.traverse @g <edge.in_rows, features = 64> ins(%q, %k : tensor<?x64xf32>, tensor<?x64xf32>)
      at [#gnn_tile.at<group -> dst : feature>, #gnn_tile.at<group -> src : feature>]
      outs(%e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<group>] {
  ^bb0(%qv: f32, %kv: f32):
    %m = arith.mulf %qv, %kv : f32
    %r = gnn_tile.reduce sum [feature] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  // expected-remark-re @+1 {{each of 2 walks computes the values of edges that it reads: {{.+}}}}
  %z = gnn_tile.traverse @g <src, edge.out_rows, features = 64>
      ins(%s, %q : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>)
      at [#gnn_tile.at<element -> edge.in_rows>, #gnn_tile.at<element -> dst : feature>]
      outs(%n : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%sv: f32, %qv: f32):
    %m = arith.mulf %qv, %sv : f32
    %r = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x64xf32>
  // expected-remark-re @+1 {{each of 2 walks computes the values of edges that it reads: {{.+}}}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%s, %k : tensor<?xf32, #gnn_tile.order<edge.in_rows>>, tensor<?x64xf32>)
      at [#gnn_tile.at<element>, #gnn_tile.at<element -> src : feature>]
      outs(%n : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%sv: f32, %kv: f32):
    %m = arith.mulf %kv, %sv : f32
    %r = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %r : f32
  } -> tensor<?x64xf32>
  %d = gnn_tile.traverse @g <edge_type, edge.dst_pairs> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element -> edge.in_rows>]
      outs(%t : tensor<2xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%sv: f32):
    %r = gnn_tile.reduce sum [element] %sv : f32
    gnn_tile.yield %r : f32
  } -> tensor<2xf32>
  return %y, %z, %d : tensor<?x64xf32>, tensor<?x64xf32>, tensor<2xf32>
}
