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
  %y = gnn.attention(%a = %l via src, %b = %r via dst) value %x via src over dst : (!s, !s, !x) -> !x {
    %c = arith.addf %a, %b : tensor<8xf32>
    %d = gnn.row_activation leaky_relu %c alpha = 0.2 : tensor<8xf32>
    gnn.yield %d : tensor<8xf32>
  }
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
  %y = gnn.attention(%a = %q via dst, %b = %k via src) value %v via src over dst stored : (!x, !x, !x) -> !x {
    %d = gnn.row_dot %a, %b : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8xf32>
    %c = arith.constant dense<0.25> : tensor<8xf32>
    %s = arith.mulf %d, %c : tensor<8xf32>
    gnn.yield %s : tensor<8xf32>
  }
  return %y : !x
}

// Rows of other sizes cannot share a walk: scores are stored though not asked to.
//
// CHECK-LABEL: func.func @other_sizes
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 32>
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 16>
func.func @other_sizes(%q: !wide, %k: !wide, %v: !x) -> !x {
  %y = gnn.attention(%a = %q via dst, %b = %k via src) value %v via src over dst : (!wide, !wide, !x) -> !x {
    %d = gnn.row_dot %a, %b : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8xf32>
    gnn.yield %d : tensor<8xf32>
  }
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
  %y = gnn.attention(%a = %l via src, %b = %r via dst) value %x via src over dst : (!s, !s, !x) -> !pair {
    %c = arith.addf %a, %b : tensor<8xf32>
    gnn.yield %c : tensor<8xf32>
  }
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
  %y = gnn.attention(%a = %q via dst, %b = %k via src) value %v via src over dst stored : (!x, !x, !x) -> !pair {
    %d = gnn.row_dot %a, %b : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8xf32>
    gnn.yield %d : tensor<8xf32>
  }
  return %y : !pair
}

// Every op of a body is computed at the level of its features: the bias and its
// function once a head, the difference once a feature, a condition of integers as
// it is.
//
// CHECK-LABEL: func.func @mixture
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 16>
// CHECK-SAME:      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<element -> src : head, feature>, #gnn_tile.at<all : head, feature>, #gnn_tile.at<element -> edge_type : head>]
// CHECK:         ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32, %[[W:.+]]: f32, %[[M:.+]]: i32
// CHECK:           %[[D:.+]] = arith.subf %[[A]], %[[B]] : f32
// CHECK:           %[[T:.+]] = math.tanh %[[D]] : f32
// CHECK:           %[[P:.+]] = arith.mulf %[[T]], %[[W]] : f32
// CHECK:           %[[S:.+]] = gnn_tile.reduce sum [feature] %[[P]] : f32
// CHECK:           %[[H:.+]] = arith.cmpi eq, %[[M]]
// CHECK:           arith.select %[[H]], %{{.+}}, %[[S]] : f32
// CHECK:         gnn_tile.traverse
func.func @mixture(%q: !x, %k: !x, %w: tensor<8x16xf32>, %m: tensor<3x8xi32, #gnn.rows<@g, edge_type>>, %v: !x) -> !x {
  %y = gnn.attention(%a = %q via dst, %b = %k via src, %c = %w, %d = %m) value %v via src over dst stored : (!x, !x, tensor<8x16xf32>, tensor<3x8xi32, #gnn.rows<@g, edge_type>>, !x) -> !x {
    %e = arith.subf %a, %b : tensor<8x16xf32>
    %f = math.tanh %e : tensor<8x16xf32>
    %s = gnn.row_dot %f, %c : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8xf32>
    %zero = arith.constant dense<0> : tensor<8xi32>
    %low = arith.constant dense<-1.0e9> : tensor<8xf32>
    %hidden = arith.cmpi eq, %d, %zero : tensor<8xi32>
    %t = arith.select %hidden, %low, %s : tensor<8xi1>, tensor<8xf32>
    gnn.yield %t : tensor<8xf32>
  }
  return %y : !x
}

// Scores that are all alike read nothing: the sum is a mean.
//
// CHECK-LABEL: func.func @no_inputs
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 8, features = 16>
func.func @no_inputs(%x: !x) -> !x {
  %y = gnn.attention() value %x via src over dst : (!x) -> !x {
    %c = arith.constant dense<1.0> : tensor<8xf32>
    gnn.yield %c : tensor<8xf32>
  }
  return %y : !x
}
