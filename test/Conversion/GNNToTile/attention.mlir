// RUN: gnn-opt %s --convert-gnn-to-gnn-tile --canonicalize | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}
!x = tensor<?x8x16xf32, #gnn.rows<@g, node>>
!s = tensor<?x8xf32, #gnn.rows<@g, node>>
!pair = tensor<?x8x16xf32, #gnn.rows<@g, dst_pair>>
!wide = tensor<?x8x32xf32, #gnn.rows<@g, node>>

// One traversal; the sum of powers and the weighted sum are one walk, divided
// once a row.
//
// CHECK-LABEL: func.func @computed_twice
// CHECK-NOT:     count edge
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 16>
// CHECK:           %[[E:.+]] = math.exp
// CHECK:           %[[Z:.+]] = gnn_tile.reduce sum [element] %[[E]]
// CHECK:           %[[D:.+]] = arith.maximumf %[[Z]]
// CHECK:           %[[M:.+]] = arith.mulf %[[E]]
// CHECK:           %[[T:.+]] = gnn_tile.reduce sum [element] %[[M]]
// CHECK:           arith.divf %[[T]], %[[D]]
// CHECK-NOT:     gnn_tile.traverse
func.func @computed_twice(%l: !s, %r: !s, %x: !x) -> !x {
  %y = gnn.attention add(%l via src, %r via dst) leaky_relu 0.2 value %x via src over dst : (!s, !s, !x) -> !x
  return %y : !x
}

// Scores are stored by the traversal that finds their maxima. The query is read
// once a row.
//
// CHECK-LABEL: func.func @stored
// CHECK-DAG:     tensor.empty(%{{.+}}) : tensor<?x8xf32>
// CHECK:         %[[S:.+]]:2 = gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 16>
// CHECK-SAME:      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<element -> src : head, feature>]
// CHECK-SAME:      at [#gnn_tile.at<element : head>, #gnn_tile.at<group : head>]
// CHECK:           gnn_tile.reduce sum [feature]
// CHECK:           gnn_tile.reduce max [element]
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 16>
// CHECK-SAME:      ins(%{{.+}}, %[[S]]#1, %[[S]]#0
// CHECK-NOT:       gnn_tile.reduce {{.*}}feature
// CHECK-NOT:     gnn_tile.traverse
func.func @stored(%q: !x, %k: !x, %v: !x) -> !x {
  %y = gnn.attention dot(%q via dst, %k via src) scale 0.25 value %v via src over dst stored : (!x, !x, !x) -> !x
  return %y : !x
}

// Rows of other sizes cannot share a walk: scores are stored though not asked to.
//
// CHECK-LABEL: func.func @other_sizes
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 32>
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 16>
func.func @other_sizes(%q: !wide, %k: !wide, %v: !x) -> !x {
  %y = gnn.attention dot(%q via dst, %k via src) value %v via src over dst : (!wide, !wide, !x) -> !x
  return %y : !x
}

// Groups are destinations, sums are for their pairs: maximum and sum of powers
// of each destination are stored, two scalars a head.
//
// CHECK-LABEL: func.func @to_pairs
// CHECK-NOT:     count edge
// CHECK:         %[[G:.+]]:2 = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
// CHECK:           gnn_tile.reduce max [element]
// CHECK:           gnn_tile.reduce sum [element]
// CHECK:         gnn_tile.traverse @g <dst_pair, edge.dst_pairs, heads = 8, features = 16>
// CHECK-SAME:      ins(%{{.+}}, %[[G]]#0, %[[G]]#1,
// CHECK-SAME:      #gnn_tile.at<group -> dst : head>, #gnn_tile.at<group -> dst : head>
func.func @to_pairs(%l: !s, %r: !s, %x: !x) -> !pair {
  %y = gnn.attention add(%l via src, %r via dst) value %x via src over dst : (!s, !s, !x) -> !pair
  return %y : !pair
}

// Stored scores and other groups: three traversals.
//
// CHECK-LABEL: func.func @stored_to_pairs
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 16>
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
// CHECK:         gnn_tile.traverse @g <dst_pair, edge.dst_pairs, heads = 8, features = 16>
// CHECK-SAME:      #gnn_tile.at<element -> edge.in_rows : head>]
func.func @stored_to_pairs(%q: !x, %k: !x, %v: !x) -> !pair {
  %y = gnn.attention dot(%q via dst, %k via src) value %v via src over dst stored : (!x, !x, !x) -> !pair
  return %y : !pair
}
