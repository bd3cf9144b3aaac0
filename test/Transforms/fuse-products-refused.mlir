// RUN: gnn-opt %s --gnn-tile-fuse-products --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter='gnn-tile-fuse-products' --remark-format=emitRemark \
// RUN:   | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// Each refusal: first in front of a product, at the traversal that stays.

// CHECK-LABEL: func.func @does_more
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @does_more(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %e: tensor<?x16xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{it does more than copy rows}}
  %r = gnn_tile.traverse @g <src, features = 16>
      ins(%x : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %o = math.exp %v : f32
    gnn_tile.yield %o : f32
  } -> tensor<?x16xf32>
  %y = gnn_tile.gemm @g rows src
      ins(%r, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @pinned_gather
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @pinned_gather(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %e: tensor<?x16xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{it has a schedule}}
  %r = gnn_tile.traverse @g <src, features = 16>
      ins(%x : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>] schedule <in_flight = 1> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x16xf32>
  %y = gnn_tile.gemm @g rows src
      ins(%r, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @pinned_product
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @pinned_product(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %e: tensor<?x16xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{it has a schedule}}
  %r = gnn_tile.traverse @g <src, features = 16>
      ins(%x : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x16xf32>
  %y = gnn_tile.gemm @g rows src
      ins(%r, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> schedule <n = 64> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @h square {node_types = 2, edge_types = 3}
gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @gather_of_another_graph
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @gather_of_another_graph(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %e: tensor<?x16xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{it walks another graph}}
  %r = gnn_tile.traverse @h <src, features = 16>
      ins(%x : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x16xf32>
  %y = gnn_tile.gemm @g rows src
      ins(%r, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @copies_a_part
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @copies_a_part(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %e: tensor<?x16xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{only a part of its features is read or written}}
  %r = gnn_tile.traverse @g <src, features = 8>
      ins(%x : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x16xf32>) at [#gnn_tile.at<group : feature + 8>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x16xf32>
  %y = gnn_tile.gemm @g rows src
      ins(%r, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @reads_a_part
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @reads_a_part(%x: tensor<?x16xf32>, %w: tensor<8x8xf32>, %e: tensor<?x16xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{only a part of its features is read or written}}
  %r = gnn_tile.traverse @g <src, features = 16>
      ins(%x : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x16xf32>
  %y = gnn_tile.gemm @g rows src
      ins(%r, %w : tensor<?x16xf32>, tensor<8x8xf32>) at <group : feature + 4> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @repeats_a_scalar
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @repeats_a_scalar(%x: tensor<?xf32>, %w: tensor<16x8xf32>, %e: tensor<?x16xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{it repeats features}}
  %r = gnn_tile.traverse @g <src, features = 16>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%e : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x16xf32>
  %y = gnn_tile.gemm @g rows src
      ins(%r, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @copies_to_another_order
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @copies_to_another_order(%x: tensor<?x16xf32, #gnn_tile.order<src.by_type>>, %w: tensor<16x8xf32>, %e: tensor<?x16xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{its rows are read in another order}}
  %r = gnn_tile.traverse @g <src.by_type, features = 16>
      ins(%x : tensor<?x16xf32, #gnn_tile.order<src.by_type>>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x16xf32>) at [#gnn_tile.at<group -> src : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x16xf32>
  %y = gnn_tile.gemm @g rows src
      ins(%r, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @repeats_a_row
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @repeats_a_row(%x: tensor<16xf32>, %w: tensor<16x8xf32>, %e: tensor<?x16xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{no map leads from the product's rows to what it reads}}
  %r = gnn_tile.traverse @g <src, features = 16>
      ins(%x : tensor<16xf32>) at [#gnn_tile.at<all : feature>]
      outs(%e : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x16xf32>
  %y = gnn_tile.gemm @g rows src
      ins(%r, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Behind a product, at the product whose result is stored.
//
// CHECK-LABEL: func.func @pinned_reader
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @pinned_reader(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{the product's result is stored: its reader has a schedule}}
  %r = gnn_tile.gemm @g rows src
      ins(%x, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %y = gnn_tile.traverse @g <src, features = 8>
      ins(%r : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] schedule <in_flight = 1> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @pinned_epilogue
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @pinned_epilogue(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{the product's result is stored: the product has a schedule}}
  %r = gnn_tile.gemm @g rows src
      ins(%x, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> schedule <n = 64> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %y = gnn_tile.traverse @g <src, features = 8>
      ins(%r : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @h square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @reader_of_another_graph
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @reader_of_another_graph(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{the product's result is stored: its reader walks another graph}}
  %r = gnn_tile.gemm @g rows src
      ins(%x, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %y = gnn_tile.traverse @h <src, features = 8>
      ins(%r : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @walks_elements
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @walks_elements(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{the product's result is stored: its reader walks other rows}}
  %r = gnn_tile.gemm @g rows src
      ins(%x, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%r : tensor<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @needs_the_row
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @needs_the_row(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{the product's result is stored: its reader needs more than the product's current row and column}}
  %r = gnn_tile.gemm @g rows src
      ins(%x, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %y = gnn_tile.traverse @g <src, features = 8>
      ins(%r : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce max [feature] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @writes_a_part
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @writes_a_part(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %n: tensor<?x8xf32>, %e: tensor<?x16xf32>) -> tensor<?x16xf32> {
  // expected-remark @+1 {{the product's result is stored: the columns of its reader are not those of the product}}
  %r = gnn_tile.gemm @g rows src
      ins(%x, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %y = gnn_tile.traverse @g <src, features = 8>
      ins(%r : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @other_readers
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @other_readers(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %n: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  // expected-remark @+1 {{the product's result is stored: it has other readers}}
  %r = gnn_tile.gemm @g rows src
      ins(%x, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %y = gnn_tile.traverse @g <src, features = 8>
      ins(%r : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  return %y, %r : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Done is said at the product.
//
// CHECK-LABEL: func.func @done
// CHECK-NOT:     gnn_tile.traverse
func.func @done(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %e: tensor<?x16xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c = gnn_tile.traverse @g <src, features = 16>
      ins(%x : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>]
      outs(%e : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x16xf32>
  // expected-remark @+2 {{the product reads the rows it needs}}
  // expected-remark @+1 {{the traversal that reads the product becomes its epilogue}}
  %r = gnn_tile.gemm @g rows src
      ins(%c, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %y = gnn_tile.traverse @g <src, features = 8>
      ins(%r : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @columns
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @columns(%x: tensor<2x4x3xf32>, %w: tensor<4x8xf32>, %e: tensor<6x4xf32>, %n: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // expected-remark @+1 {{it reads columns}}
  %r = gnn_tile.traverse @g <6, features = 4>
      ins(%x : tensor<2x4x3xf32>) at [#gnn_tile.at<group : feature, column>]
      outs(%e : tensor<6x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<6x4xf32>
  %y = gnn_tile.gemm @g rows 6
      ins(%r, %w : tensor<6x4xf32>, tensor<4x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<6x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @epilogue_of_columns
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.gemm
func.func @epilogue_of_columns(%x: tensor<6x4xf32>, %w: tensor<4x8xf32>, %c: tensor<2x8x3xf32>, %n: tensor<6x8xf32>) -> tensor<6x8xf32> {
  // expected-remark @+1 {{the product's result is stored: the columns of its reader are not those of the product}}
  %y = gnn_tile.gemm @g rows 6
      ins(%x, %w : tensor<6x4xf32>, tensor<4x8xf32>) at <group : feature> extras at []
      outs(%n : tensor<6x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<6x8xf32>
  %z = gnn_tile.traverse @g <6, features = 8>
      ins(%y, %c : tensor<6x8xf32>, tensor<2x8x3xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature, column>]
      outs(%n : tensor<6x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %cv: f32):
    %s = arith.addf %v, %cv : f32
    gnn_tile.yield %s : f32
  } -> tensor<6x8xf32>
  return %z : tensor<6x8xf32>
}

// -----

gnn.graph @block bipartite {node_types = 1, edge_types = 1}

// The next op has more rows than the product computes.
//
// CHECK-LABEL: func.func @some_rows
// CHECK-DAG:     gnn_tile.gemm
// CHECK-DAG:     gnn_tile.traverse
func.func @some_rows(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>, %z: tensor<?x8xf32>, %n: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+1 {{the product's result is stored: only some of its rows are written}}
  %a = gnn_tile.gemm @block rows dst
      ins(%x, %w : tensor<?x16xf32>, tensor<16x8xf32>) at <group : feature> extras at []
      outs(%z : tensor<?x8xf32>) at <group -> src : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x8xf32>
  %b = gnn_tile.traverse @block <src, features = 8>
      ins(%a : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%n : tensor<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %e = math.exp %v : f32
    gnn_tile.yield %e : f32
  } -> tensor<?x8xf32>
  return %b : tensor<?x8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// An outer product has as many rows as its operand has features.
//
// CHECK-LABEL: func.func @part_of_a_row
// CHECK-DAG:     gnn_tile.traverse
// CHECK-DAG:     gnn_tile.outer
func.func @part_of_a_row(%x: tensor<?x20xf32>, %d: tensor<?x8xf32>, %e: tensor<?x16xf32>, %init: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-remark @+1 {{it reads a part of the features that there are}}
  %r = gnn_tile.traverse @g <src, features = 16>
      ins(%x : tensor<?x20xf32>) at [#gnn_tile.at<group : feature + 4>]
      outs(%e : tensor<?x16xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x16xf32>
  %dw = gnn_tile.outer @g rows src ins(%r, %d : tensor<?x16xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %dw : tensor<16x8xf32>
}
