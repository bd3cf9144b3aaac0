// RUN: gnn-opt %s --gnn-tile-separate-group-sums --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter=gnn-tile-separate-group-sums --remark-format=emitRemark | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-separate-group-sums=edges=1 --split-input-file | FileCheck %s --check-prefix=ALL
// RUN: gnn-opt %s --gnn-tile-separate-group-sums=edges=0 --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: gnn-opt %s --gnn-tile-separate-group-sums=long-rows=false --split-input-file -o /dev/null \
// RUN:   --remarks-filter=gnn-tile-separate-group-sums --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=WHOLE

// OFF-NOT: <dst, heads = 2, features = 8>
// Rows that will not become pieces are weighed whole: 140 us in pieces.
// WHOLE: us in total instead of {{[0-9][0-9][0-9][0-9]}}.{{.*}} by the model

// Rows of 2,000,000 edges, one with 900,000 of them.
gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 200000,
    dst_nodes = 200000, edges = 2000000, type_edges = [2000000], src_pairs = [200000],
    dst_pairs = [200000], in_degree_max = 900000, out_degree_max = 50>}

// The half of a score that a destination has, whose row the walk then reads no more.
//
// CHECK-LABEL: func.func @score(
// CHECK-SAME:      %[[S:[a-z0-9]+]]: {{[^,]+}}, %[[X:[a-z0-9]+]]: {{[^,]+}}, %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[A:[a-z0-9]+]]: {{[^,]+}}, %[[Y:[a-z0-9]+]]:
// CHECK:         %[[N:.+]] = gnn_tile.count @g count dst
// CHECK:         %[[D:.+]] = gnn_tile.traverse @g <dst, heads = 2, features = 8> ins(%[[Q]], %[[A]] :
// CHECK-SAME:        at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<all : head, feature>]
// CHECK-SAME:        at [#gnn_tile.at<group : head>]
// CHECK:         ^bb0(%[[QV:.+]]: f32, %[[AV:.+]]: f32):
// CHECK-NEXT:      %[[P:.+]] = arith.mulf %[[QV]], %[[AV]]
// CHECK-NEXT:      %[[SUM:.+]] = gnn_tile.reduce sum [feature] %[[P]]
// CHECK-NEXT:      gnn_tile.yield %[[SUM]]
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 2, features = 8> ins(%[[S]], %[[X]], %[[D]] :
// CHECK-SAME:        at [#gnn_tile.at<element -> src : head>, #gnn_tile.at<element -> src : head, feature>, #gnn_tile.at<group : head>]
// CHECK:         ^bb0(%[[SV:.+]]: f32, %[[XV:.+]]: f32, %[[DV:.+]]: f32):
// CHECK:           %[[SCORE:.+]] = arith.addf %[[SV]], %[[DV]]
// CHECK:           gnn_tile.softmax_sum %[[SCORE]]
func.func @score(%s: tensor<?x2xf32>, %x: tensor<?x2x8xf32>, %q: tensor<?x2x8xf32>,
                 %a: tensor<2x8xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  // expected-remark @+1 {{sums over features of each 'dst' are computed before its elements are walked: }}
  %r = gnn_tile.traverse @g <dst, edge.in_rows, heads = 2, features = 8>
      ins(%s, %x, %q, %a : tensor<?x2xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<2x8xf32>)
      at [#gnn_tile.at<element -> src : head>, #gnn_tile.at<element -> src : head, feature>,
          #gnn_tile.at<group : head, feature>, #gnn_tile.at<all : head, feature>]
      outs(%y : tensor<?x2x8xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%sv: f32, %xv: f32, %qv: f32, %av: f32):
    %one = arith.constant 1.0 : f32
    %p = arith.mulf %qv, %av : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    %score = arith.addf %sv, %d : f32
    %m, %z, %t = gnn_tile.softmax_sum %score, %one, %xv : f32
    %o = arith.divf %t, %z : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

// A row that the walk reads for itself stays an input; sums that follow from elements
// do not go.
//
// CHECK-LABEL: func.func @kept(
// CHECK:         gnn_tile.traverse @g <dst, features = 8>
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
// CHECK-SAME:        at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>, #gnn_tile.at<group>]
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
// CHECK:           gnn_tile.reduce sum [element]
// CHECK:           gnn_tile.reduce sum [feature]
func.func @kept(%x: tensor<?x8xf32>, %q: tensor<?x8xf32>, %y: tensor<?x8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  // expected-remark @+1 {{sums over features of each 'dst' are computed before its elements are walked: }}
  %0 = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x, %q : tensor<?x8xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32, %qv: f32):
    %d = gnn_tile.reduce sum [feature] %qv : f32
    %w = arith.mulf %xv, %qv : f32
    %wd = arith.mulf %w, %d : f32
    %o = gnn_tile.reduce sum [element] %wd : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x8xf32>
  // expected-remark @+1 {{a sum over features of a group needs all of its elements}}
  %1 = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %s = gnn_tile.reduce sum [element] %xv : f32
    %n = gnn_tile.reduce sum [feature] %s : f32
    %o = arith.divf %s, %n : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x8xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// ALL-LABEL: func.func @unknown(
// ALL:         gnn_tile.traverse @g <dst, features = 8>
// ALL:         gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @unknown(%x: tensor<?x8xf32>, %q: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{nothing is known of the length of its rows}}
  %0 = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x, %q : tensor<?x8xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32, %qv: f32):
    %d = gnn_tile.reduce sum [feature] %qv : f32
    %w = arith.mulf %xv, %d : f32
    %o = gnn_tile.reduce sum [element] %w : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
