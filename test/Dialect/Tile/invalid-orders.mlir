// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// expected-error @+1 {{expected an order of a row space other than its natural one, such as edge.in_rows, got 'edge'}}
func.func private @order_c1(tensor<?xf32, #gnn_tile.order<edge>>)

// -----

// expected-error @+1 {{expected an order of a row space other than its natural one, such as edge.in_rows, got 'parent_edge.in_rows'}}
func.func private @order_c1_of_the_parent(tensor<?xf32, #gnn_tile.order<parent_edge.in_rows>>)

// -----

// expected-error @+1 {{expected a leading dimension of ? for 'edge.in_rows' rows, got no dimension}}
func.func private @order_c2(tensor<f32, #gnn_tile.order<edge.in_rows>>)

// -----

// expected-error @+1 {{expected a leading dimension of ? for 'edge.in_rows' rows, got 7}}
func.func private @order_c2_of_a_number(tensor<7xf32, #gnn_tile.order<edge.in_rows>>)

// -----

!out_rows = tensor<?xf32, #gnn_tile.order<edge.out_rows>>

func.func @traverse_c9(%x: !out_rows, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op expected rows in the order #gnn_tile.order<edge.in_rows> at #gnn_tile.at<element>, got 'tensor<?xf32, #gnn_tile.order<edge.out_rows>>'}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : !out_rows) at [#gnn_tile.at<element>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @traverse_c9_output(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op expected rows in the order #gnn_tile.order<edge.in_rows> at #gnn_tile.at<group>, got 'tensor<?xf32>'}}
  %y = gnn_tile.traverse @g <edge.in_rows> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group -> src>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

!in_rows = tensor<?xf32, #gnn_tile.order<edge.in_rows>>

func.func @traverse_c9_natural(%x: !in_rows, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op expected rows in their natural order at #gnn_tile.at<element -> edge>, got 'tensor<?xf32, #gnn_tile.order<edge.in_rows>>'}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : !in_rows) at [#gnn_tile.at<element -> edge>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

!in_rows = tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>

func.func @gemm_c9(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %init: !in_rows) -> !in_rows {
  // expected-error @+1 {{'gnn_tile.gemm' op expected rows in their natural order at #gnn_tile.at<group : feature>, got 'tensor<?x4xf32, #gnn_tile.order<edge.in_rows>>'}}
  %y = gnn_tile.gemm @g rows edge
      ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
      at <group : feature> extras at [] outs(%init : !in_rows) at <group : feature> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> !in_rows
  return %y : !in_rows
}

// -----

!weight = tensor<?x8x4xf32, #gnn_tile.order<edge_type.src_types>>

func.func @gemm_c9_weight(%x: tensor<?x8xf32>, %w: !weight, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a weight, which has no rows of a graph, got 'tensor<?x8x4xf32, #gnn_tile.order<edge_type.src_types>>'}}
  %y = gnn_tile.gemm @g rows src_pair types edge_type
      ins(%x, %w : tensor<?x8xf32>, !weight)
      at <group -> src : feature> extras at [] outs(%init : tensor<?x4xf32>) at <group : feature> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

!out_rows = tensor<?x8xf32, #gnn_tile.order<edge.out_rows>>

func.func @outer_c5(%x: !out_rows, %dy: tensor<?x4xf32>, %init: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{'gnn_tile.outer' op expected rows in the order #gnn_tile.order<edge.in_rows> at #gnn_tile.at<group : feature>, got 'tensor<?x8xf32, #gnn_tile.order<edge.out_rows>>'}}
  %dw = gnn_tile.outer @g rows edge.in_rows ins(%x, %dy : !out_rows, tensor<?x4xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group -> edge : feature>]
      outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %dw : tensor<8x4xf32>
}

// -----

!out = tensor<?x8x4xf32, #gnn_tile.order<edge_type.src_types>>

func.func @outer_c5_output(%x: tensor<?x8xf32>, %dy: tensor<?x4xf32>, %init: !out) -> !out {
  // expected-error @+1 {{'gnn_tile.outer' op expected a weight, which has no rows of a graph, got 'tensor<?x8x4xf32, #gnn_tile.order<edge_type.src_types>>'}}
  %dw = gnn_tile.outer @g rows src_pair types edge_type ins(%x, %dy : tensor<?x8xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : !out) -> !out
  return %dw : !out
}
