// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// A tile leads to its group alone.

func.func @traverse_c2_tiles(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn_tile.traverse' op no map leads from 'tiles<edge_type, src_pair, 16>' to 'graph'}}
  %y = gnn_tile.traverse @g <tiles<edge_type, src_pair, 16>>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<group -> graph>]
      outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    gnn_tile.yield %xv : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @gemm_c6_tiles(%x: tensor<?x8xf32>, %w: tensor<3x8x4xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'gnn_tile.gemm' op expected types that have weights, got 'tiles<edge_type, src_pair, 16>'}}
  %y = gnn_tile.gemm @g rows src_pair types tiles<edge_type, src_pair, 16>
      ins(%x, %w : tensor<?x8xf32>, tensor<3x8x4xf32>)
      at <group : feature> extras at [] outs(%init : tensor<?x4xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @outer_c1_tiles(%x: tensor<?x8xf32>, %dy: tensor<?x4xf32>, %init: tensor<3x8x4xf32>) -> tensor<3x8x4xf32> {
  // expected-error @+1 {{'gnn_tile.outer' op expected an output with a leading dimension of ? for the tiles, got 'tensor<3x8x4xf32>'}}
  %dw = gnn_tile.outer @g rows src_pair types tiles<edge_type, src_pair, 16> ins(%x, %dy : tensor<?x8xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  return %dw : tensor<3x8x4xf32>
}

// -----

func.func @outer_c1_types(%x: tensor<?x8xf32>, %dy: tensor<?x4xf32>, %init: tensor<?x8x4xf32>) -> tensor<?x8x4xf32> {
  // expected-error @+1 {{'gnn_tile.outer' op expected an output with a number of types, got 'tensor<?x8x4xf32>'}}
  %dw = gnn_tile.outer @g rows src_pair types edge_type ins(%x, %dy : tensor<?x8xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<?x8x4xf32>) -> tensor<?x8x4xf32>
  return %dw : tensor<?x8x4xf32>
}

// -----

func.func @outer_c1_no_types(%x: tensor<?x8xf32>, %dy: tensor<?x4xf32>, %init: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'gnn_tile.outer' op expected an output with a number of types, got 'tensor<f32>'}}
  %dw = gnn_tile.outer @g rows src_pair types edge_type ins(%x, %dy : tensor<?x8xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<f32>) -> tensor<f32>
  return %dw : tensor<f32>
}

// -----

func.func @outer_c1_of_tiles(%x: tensor<?x8xf32>, %dy: tensor<?x4xf32>, %init: tensor<?x8x5xf32>) -> tensor<?x8x5xf32> {
  // expected-error @+1 {{'gnn_tile.outer' op expected an output of shape [?, 8, 4], got 'tensor<?x8x5xf32>'}}
  %dw = gnn_tile.outer @g rows src_pair types tiles<edge_type, src_pair, 16> ins(%x, %dy : tensor<?x8xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<?x8x5xf32>) -> tensor<?x8x5xf32>
  return %dw : tensor<?x8x5xf32>
}

// -----

// expected-error @+1 {{the elements of a 'tiles<edge_type, src_pair, 16>' do not lie side by side in 'edge.src_pairs'}}
func.func private @domain_c2_of_tiles() attributes {domain = #gnn_tile.domain<tiles<edge_type, src_pair, 16>, edge.src_pairs>}

// -----

// expected-error @+1 {{the elements of a 'graph' do not lie side by side in 'tiles<edge_type, src_pair, 16>'}}
func.func private @domain_c2_tiles() attributes {domain = #gnn_tile.domain<graph, tiles<edge_type, src_pair, 16>>}

// -----

// expected-error @+1 {{the elements of a 'edge_type' do not lie side by side in 'edge': expected one of}}
func.func private @tiles_of_no_rows() attributes {rows = #gnn_tile.rows tiles<edge_type, edge, 16>}

// -----

// expected-error @+1 {{expected a tile size from 1 to 2147483647, got '0'}}
func.func private @tiles_of_nothing() attributes {rows = #gnn_tile.rows tiles<edge_type, src_pair, 0>}
