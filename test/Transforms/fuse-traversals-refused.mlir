// RUN: gnn-opt %s --gnn-tile-fuse-traversals --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter='gnn-tile-fuse-traversals' --remark-format=emitRemark \
// RUN:   | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// Each refusal, at the traversal that stays.

#row = #gnn_tile.at<group>
// CHECK-LABEL: func.func @other_readers
// CHECK-COUNT-2: gnn_tile.traverse
func.func @other_readers(%x: tensor<?xf32>, %n: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  // expected-remark @+1 {{its result has other readers}}
  %a = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>) at [#row]
      outs(%n : tensor<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %b = gnn_tile.traverse @g <dst> ins(%a : tensor<?xf32>) at [#row]
      outs(%n : tensor<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}

// -----

#row = #gnn_tile.at<group>
gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @pinned
// CHECK-COUNT-2: gnn_tile.traverse
func.func @pinned(%x: tensor<?xf32>, %n: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{it has a schedule}}
  %a = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>) at [#row]
      outs(%n : tensor<?xf32>) at [#row] schedule <vector = 1> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %b = gnn_tile.traverse @g <dst> ins(%a : tensor<?xf32>) at [#row]
      outs(%n : tensor<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %b : tensor<?xf32>
}

// -----

#row = #gnn_tile.at<group>
gnn.graph @h square {node_types = 2, edge_types = 3}
gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @another_graph
// CHECK-COUNT-2: gnn_tile.traverse
func.func @another_graph(%x: tensor<?xf32>, %n: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{it walks another graph}}
  %a = gnn_tile.traverse @h <dst> ins(%x : tensor<?xf32>) at [#row]
      outs(%n : tensor<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %b = gnn_tile.traverse @g <dst> ins(%a : tensor<?xf32>) at [#row]
      outs(%n : tensor<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %b : tensor<?xf32>
}

// -----

#row = #gnn_tile.at<group>
gnn.graph @g square {node_types = 2, edge_types = 3}

// Another result is read before.
//
// CHECK-LABEL: func.func @several_results
// CHECK-COUNT-3: gnn_tile.traverse
func.func @several_results(%x: tensor<?xf32>, %n: tensor<?xf32>, %i: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xf32>) {
  // expected-remark @+2 {{its rows are read in another order or more than once}}
  // expected-remark @+1 {{it has several results}}
  %a, %arg = gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%n, %i : tensor<?xf32>, tensor<?xi32>) at [#row, #row] {
  ^bb0(%v: f32):
    %e = gnn_tile.index #gnn_tile.at<element -> edge>
    %m, %r = gnn_tile.arg_reduce max %v, %e : f32
    gnn_tile.yield %m, %r : f32, i32
  } -> tensor<?xf32>, tensor<?xi32>
  %c = gnn_tile.traverse @g <edge> ins(%arg : tensor<?xi32>) at [#gnn_tile.at<group -> src>]
      outs(%i : tensor<?xi32>) at [#row] {
  ^bb0(%v: i32):
    gnn_tile.yield %v : i32
  } -> tensor<?xi32>
  %b = gnn_tile.traverse @g <dst> ins(%a : tensor<?xf32>) at [#row]
      outs(%n : tensor<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %c, %b : tensor<?xi32>, tensor<?xf32>
}

// -----

#row = #gnn_tile.at<group : feature>
gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @part_of_the_features
// CHECK-COUNT-2: gnn_tile.traverse
func.func @part_of_the_features(%x: tensor<?x8xf32>, %n: tensor<?x8xf32>, %h: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-remark @+1 {{only a part of its features is read or written}}
  %a = gnn_tile.traverse @g <dst, features = 8> ins(%x : tensor<?x8xf32>) at [#row]
      outs(%n : tensor<?x8xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  %b = gnn_tile.traverse @g <dst, features = 4> ins(%a : tensor<?x8xf32>) at [#gnn_tile.at<group : feature + 4>]
      outs(%h : tensor<?x4xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x4xf32>
  return %b : tensor<?x4xf32>
}

// -----

#row = #gnn_tile.at<group : feature>
gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @first_features
// CHECK-COUNT-2: gnn_tile.traverse
func.func @first_features(%x: tensor<?x8xf32>, %n: tensor<?x8xf32>, %h: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-remark @+1 {{its features differ in number from those of its consumer}}
  %a = gnn_tile.traverse @g <dst, features = 8> ins(%x : tensor<?x8xf32>) at [#row]
      outs(%n : tensor<?x8xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  %b = gnn_tile.traverse @g <dst, features = 4> ins(%a : tensor<?x8xf32>) at [#row]
      outs(%h : tensor<?x4xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x4xf32>
  return %b : tensor<?x4xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Gathering the rows of nodes at edges would compute a node's row once an edge.
//
// CHECK-LABEL: func.func @computed_more_than_once
// CHECK-COUNT-2: gnn_tile.traverse
func.func @computed_more_than_once(%x: tensor<?x4xf32>, %n: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-remark @+1 {{its rows are read in another order or more than once}}
  %a = gnn_tile.traverse @g <src, features = 4> ins(%x : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%n : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %e = math.exp %v : f32
    gnn_tile.yield %e : f32
  } -> tensor<?x4xf32>
  %b = gnn_tile.traverse @g <dst, edge.in_rows, features = 4>
      ins(%a : tensor<?x4xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%n : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x4xf32>
  return %b : tensor<?x4xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @another_order
// CHECK-COUNT-2: gnn_tile.traverse
func.func @another_order(%x: tensor<?xf32>, %e: tensor<?xf32, #gnn_tile.order<edge.in_rows>>, %n: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{its rows are read in another order or more than once}}
  %a = gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%e : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element>] {
  ^bb0(%v: f32):
    %m = gnn_tile.reduce max [element] %v : f32
    %d = arith.subf %v, %m : f32
    gnn_tile.yield %d : f32
  } -> tensor<?xf32, #gnn_tile.order<edge.in_rows>>
  %b = gnn_tile.traverse @g <src, edge.out_rows>
      ins(%a : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element -> edge.in_rows>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %b : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A row that every edge of a walk reads, from a walk of its own over edges.
//
// CHECK-LABEL: func.func @two_walks
// CHECK-COUNT-2: gnn_tile.traverse
func.func @two_walks(%x: tensor<?xf32>, %n: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{it walks other elements}}
  %a = gnn_tile.traverse @g <dst, dst_pair.by_node> ins(%x : tensor<?xf32>) at [#gnn_tile.at<element -> dst_pair>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  %b = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%a, %x : tensor<?xf32>, tensor<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<element -> src>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %b : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @read_in_two_ways
// CHECK-COUNT-2: gnn_tile.traverse
func.func @read_in_two_ways(%x: tensor<?xf32>, %e: tensor<?xf32>, %n: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{its consumer reads it in two ways}}
  %a = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %b = gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%a, %a : tensor<?xf32>, tensor<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<element -> dst>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %b : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Heads are all of a row's, features may be a part.
//
// CHECK-LABEL: func.func @part_of_features_as_heads
// CHECK-COUNT-2: gnn_tile.traverse
func.func @part_of_features_as_heads(%x: tensor<?x7xf32>, %n: tensor<?x3xf32>, %o: tensor<?x3x2xf32>) -> tensor<?x3x2xf32> {
  // expected-remark @+1 {{it reads a part of the features that are heads of its consumer}}
  %a = gnn_tile.traverse @g <dst, features = 3> ins(%x : tensor<?x7xf32>) at [#gnn_tile.at<group : feature + 2>]
      outs(%n : tensor<?x3xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x3xf32>
  %b = gnn_tile.traverse @g <dst, heads = 3, features = 2>
      ins(%a : tensor<?x3xf32>) at [#gnn_tile.at<group : head>]
      outs(%o : tensor<?x3x2xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x3x2xf32>
  return %b : tensor<?x3x2xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A dot over features whose result is a head of the consumer.
//
// CHECK-LABEL: func.func @reduced_features_as_heads
// CHECK-COUNT-2: gnn_tile.traverse
func.func @reduced_features_as_heads(%x: tensor<?x4xf32>, %n: tensor<?x4xf32>, %h: tensor<?x4x8xf32>, %o: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  // expected-remark @+1 {{it reduces the features that are heads of its consumer}}
  %a = gnn_tile.traverse @g <dst, features = 4> ins(%x : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%n : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [feature] %v : f32
    %d = arith.divf %v, %s : f32
    gnn_tile.yield %d : f32
  } -> tensor<?x4xf32>
  %b = gnn_tile.traverse @g <dst, heads = 4, features = 8>
      ins(%a, %h : tensor<?x4xf32>, tensor<?x4x8xf32>) at [#gnn_tile.at<group : head>, #gnn_tile.at<group : head, feature>]
      outs(%o : tensor<?x4x8xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    gnn_tile.yield %p : f32
  } -> tensor<?x4x8xf32>
  return %b : tensor<?x4x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @other_dimensions
// CHECK-COUNT-2: gnn_tile.traverse
func.func @other_dimensions(%x: tensor<?x4xf32>, %n: tensor<?x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-remark @+1 {{its features are other dimensions of its consumer}}
  %a = gnn_tile.traverse @g <dst, heads = 4> ins(%x : tensor<?x4xf32>) at [#gnn_tile.at<group : head>]
      outs(%n : tensor<?x4xf32>) at [#gnn_tile.at<group : head>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x4xf32>
  %b = gnn_tile.traverse @g <dst, features = 4> ins(%a : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>]
      outs(%o : tensor<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x4xf32>
  return %b : tensor<?x4xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @all_points
// CHECK-COUNT-2: gnn_tile.traverse
func.func @all_points(%w: tensor<4x8xf32>, %x: tensor<?x4x8xf32>, %n: tensor<4x8xf32>, %o: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  // expected-remark @+1 {{all points of its consumer read it}}
  %a = gnn_tile.traverse @g <4, features = 8> ins(%w : tensor<4x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%n : tensor<4x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %e = math.exp %v : f32
    gnn_tile.yield %e : f32
  } -> tensor<4x8xf32>
  %b = gnn_tile.traverse @g <dst, heads = 4, features = 8>
      ins(%a, %x : tensor<4x8xf32>, tensor<?x4x8xf32>)
      at [#gnn_tile.at<all : head, feature>, #gnn_tile.at<group : head, feature>]
      outs(%o : tensor<?x4x8xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    gnn_tile.yield %p : f32
  } -> tensor<?x4x8xf32>
  return %b : tensor<?x4x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Done is said at the traversal that is left.
//
// CHECK-LABEL: func.func @fused
// CHECK-COUNT-1: gnn_tile.traverse
// CHECK-NOT:     gnn_tile.traverse
func.func @fused(%x: tensor<?xf32>, %n: tensor<?xf32>) -> tensor<?xf32> {
  %a = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  // expected-remark-re @+1 {{one traversal instead of two: traverse at {{.*}} and traverse at {{.*}}}}
  %b = gnn_tile.traverse @g <dst> ins(%a : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %e = math.exp %v : f32
    gnn_tile.yield %e : f32
  } -> tensor<?xf32>
  return %b : tensor<?xf32>
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 2}
gnn.graph @s square of @g types [1] {node_types = 1, edge_types = 1}
#row = #gnn_tile.at<group>
!by_degree = tensor<?xf32, #gnn_tile.order<dst.by_degree>>

// Edges of a derived graph are others, and so is the order of its degrees.
//
// CHECK-LABEL: func.func @edges_of_a_derived_graph
// CHECK-COUNT-4: gnn_tile.traverse
func.func @edges_of_a_derived_graph(%x: tensor<?xf32>, %n: tensor<?xf32>, %m: tensor<?xf32>, %y: !by_degree, %o: !by_degree) -> (tensor<?xf32>, !by_degree) {
  // expected-remark @+1 {{it walks another graph}}
  %a = gnn_tile.traverse @g <edge> ins(%x : tensor<?xf32>) at [#row]
      outs(%n : tensor<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %b = gnn_tile.traverse @s <edge> ins(%a : tensor<?xf32>) at [#gnn_tile.at<group -> parent_edge>]
      outs(%m : tensor<?xf32>) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  // expected-remark @+1 {{it walks another graph}}
  %c = gnn_tile.traverse @g <dst.by_degree> ins(%y : !by_degree) at [#row]
      outs(%o : !by_degree) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> !by_degree
  %d = gnn_tile.traverse @s <dst.by_degree> ins(%c : !by_degree) at [#row]
      outs(%o : !by_degree) at [#row] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> !by_degree
  return %b, %d : tensor<?xf32>, !by_degree
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @read_as_columns
// CHECK-COUNT-2: gnn_tile.traverse
func.func @read_as_columns(%x: tensor<2x4x3xf32>, %a: tensor<2x4x3xf32>, %n: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // expected-remark @+1 {{its consumer reads its columns}}
  %y = gnn_tile.traverse @g <2, heads = 4, features = 3>
      ins(%x : tensor<2x4x3xf32>) at [#gnn_tile.at<group : head, feature>]
      outs(%a : tensor<2x4x3xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<2x4x3xf32>
  %z = gnn_tile.traverse @g <6, features = 4>
      ins(%y : tensor<2x4x3xf32>) at [#gnn_tile.at<group : feature, column>]
      outs(%n : tensor<6x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<6x4xf32>
  return %z : tensor<6x4xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @columns_as_heads
// CHECK-COUNT-2: gnn_tile.traverse
func.func @columns_as_heads(%x: tensor<2x4x3xf32>, %a: tensor<6x4xf32>, %n: tensor<6x4x5xf32>) -> tensor<6x4x5xf32> {
  // expected-remark @+1 {{it reads columns, whose features are heads of its consumer}}
  %y = gnn_tile.traverse @g <6, features = 4>
      ins(%x : tensor<2x4x3xf32>) at [#gnn_tile.at<group : feature, column>]
      outs(%a : tensor<6x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<6x4xf32>
  %z = gnn_tile.traverse @g <6, heads = 4, features = 5>
      ins(%y : tensor<6x4xf32>) at [#gnn_tile.at<group : head>]
      outs(%n : tensor<6x4x5xf32>) at [#gnn_tile.at<group : head, feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<6x4x5xf32>
  return %z : tensor<6x4x5xf32>
}

// -----

gnn.graph @block bipartite {node_types = 1, edge_types = 1}

// The consumer has more rows than the producer computes.
//
// CHECK-LABEL: func.func @some_rows
// CHECK-COUNT-2: gnn_tile.traverse
func.func @some_rows(%x: tensor<?xf32>, %z: tensor<?xf32>, %n: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{only some of its rows are written}}
  %a = gnn_tile.traverse @block <dst> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%z : tensor<?xf32>) at [#gnn_tile.at<group -> src>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %b = gnn_tile.traverse @block <src> ins(%a : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %e = math.exp %v : f32
    gnn_tile.yield %e : f32
  } -> tensor<?xf32>
  return %b : tensor<?xf32>
}

// -----

#row = #gnn_tile.at<group>
gnn.graph @g square {node_types = 1, edge_types = 1}

// A constant for each row, which both of its readers look up by edges.
//
// CHECK-LABEL: func.func @cannot_compute_it
// CHECK-COUNT-3: gnn_tile.traverse
func.func @cannot_compute_it(%x: tensor<?xf32>, %n: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  // expected-remark @+1 {{its result has another reader, which cannot compute it: its rows are read in another order or more than once}}
  %a = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>) at [#row]
      outs(%n : tensor<?xf32>) at [#row] {
  ^bb0(%v: f32):
    %c = arith.constant 1.0 : f32
    gnn_tile.yield %c : f32
  } -> tensor<?xf32>
  %c = gnn_tile.traverse @g <edge.out_rows> ins(%a : tensor<?xf32>) at [#gnn_tile.at<group -> dst>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  %b = gnn_tile.traverse @g <edge.out_rows> ins(%a : tensor<?xf32>) at [#gnn_tile.at<group -> dst>]
      outs(%n : tensor<?xf32>) at [#gnn_tile.at<group -> edge>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %b, %c : tensor<?xf32>, tensor<?xf32>
}

// -----

#row = #gnn_tile.at<group : feature>
#edges = #gnn_tile.order<edge.in_rows>
gnn.graph @g square {node_types = 2, edge_types = 3}

// A walk does not go on to do something for each edge with rows of many features.
//
// CHECK-LABEL: func.func @features_after_sum
// CHECK-COUNT-2: gnn_tile.traverse
func.func @features_after_sum(%a: tensor<?x64xf32, #edges>, %n: tensor<?x64xf32>) -> tensor<?x64xf32, #edges> {
  // expected-remark @+1 {{its rows are read in another order or more than once}}
  %d = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%a : tensor<?x64xf32, #edges>) at [#gnn_tile.at<element : feature>]
      outs(%n : tensor<?x64xf32>) at [#row] {
  ^bb0(%av: f32):
    %s = gnn_tile.reduce sum [element] %av : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  %r = gnn_tile.traverse @g <edge.in_rows, features = 64>
      ins(%a, %d : tensor<?x64xf32, #edges>, tensor<?x64xf32>)
      at [#row, #gnn_tile.at<group -> dst : feature>]
      outs(%a : tensor<?x64xf32, #edges>) at [#row] {
  ^bb0(%av: f32, %dv: f32):
    %o = arith.subf %av, %dv : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x64xf32, #edges>
  return %r : tensor<?x64xf32, #edges>
}
