// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// Rows to which several of the domain lead, or none do.

func.func @traverse_c6_parent(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op several points would write one row of an output at #gnn_tile.at<group -> parent_dst_pair>}}
  %y = gnn_tile.traverse @g <edge> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group -> parent_dst_pair>] {
  ^bb0(%xv: f32):
    gnn_tile.yield %xv : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// No map leads to the rows that these are the first of: they are written, not read.

func.func @traverse_prefix(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op no map leads from 'dst' to 'src'}}
  %y = gnn_tile.traverse @g <dst> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group -> src>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    gnn_tile.yield %xv : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Not the other way round, nor by rows in another order.

func.func @traverse_prefix_reversed(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op no map leads from 'src' to 'dst'}}
  %y = gnn_tile.traverse @g <src> ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group -> dst>] {
  ^bb0(%xv: f32):
    gnn_tile.yield %xv : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @traverse_prefix_in_order(%x: tensor<?xf32, #gnn_tile.order<dst.by_type>>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op no map leads from 'dst.by_type' to 'src'}}
  %y = gnn_tile.traverse @g <dst.by_type> ins(%x : tensor<?xf32, #gnn_tile.order<dst.by_type>>) at [#gnn_tile.at<group>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group -> src>] {
  ^bb0(%xv: f32):
    gnn_tile.yield %xv : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
