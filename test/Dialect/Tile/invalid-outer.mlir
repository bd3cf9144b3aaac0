// RUN: gnn-opt %s --verify-diagnostics --split-input-file

func.func @outer_c6(%x: tensor<?x64xf32>, %dy: tensor<?x8xf32>, %init: tensor<3x64x8xf32>, %b: tensor<3x64xf32>) {
  // expected-error @+1 {{'gnn_tile.outer' op expected sums of shape [3, 8], got 'tensor<3x64xf32>'}}
  %dw, %db = gnn_tile.outer @g rows src_pair types edge_type ins(%x, %dy : tensor<?x64xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<3x64x8xf32>) sums(%b : tensor<3x64xf32>) -> tensor<3x64x8xf32>, tensor<3x64xf32>
  return
}

// -----

func.func @outer_c6_type(%x: tensor<?x64xf32>, %dy: tensor<?x8xf32>, %init: tensor<64x8xf32>, %b: tensor<8xf64>) {
  // expected-error @+1 {{'gnn_tile.outer' op expected operands of one float type, got 'tensor<64x8xf32>' and 'tensor<8xf64>'}}
  %dw, %db = gnn_tile.outer @g rows src ins(%x, %dy : tensor<?x64xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<64x8xf32>) sums(%b : tensor<8xf64>) -> tensor<64x8xf32>, tensor<8xf64>
  return
}

// -----

func.func @outer_c6_heads(%x: tensor<?x2x4xf32>, %dy: tensor<?x2x8xf32>, %init: tensor<2x4x8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{'gnn_tile.outer' op expected no heads beside 'sums', got 2}}
  %dw, %db = gnn_tile.outer @g rows src ins(%x, %dy : tensor<?x2x4xf32>, tensor<?x2x8xf32>)
      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<group : head, feature>]
      outs(%init : tensor<2x4x8xf32>) sums(%b : tensor<8xf32>) -> tensor<2x4x8xf32>, tensor<8xf32>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @outer_c1_static(%x: memref<?x?xf32>, %y: memref<?x8xf32>, %w: memref<4x8xf32>) {
  // expected-error @+1 {{'gnn_tile.outer' op expected static sizes but that of rows at #gnn_tile.at<group : feature>, got 'memref<?x?xf32>'}}
  gnn_tile.outer @g rows src ins(%x, %y : memref<?x?xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>] outs(%w : memref<4x8xf32>)
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @sums_of_the_other_side(%x: tensor<?x64xf32>, %dy: tensor<?x8xf32>, %init: tensor<64x8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'gnn_tile.outer' op expected sums of shape [64], got 'tensor<8xf32>'}}
  %dw, %db = gnn_tile.outer @g rows src ins(%x, %dy : tensor<?x64xf32>, tensor<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%init : tensor<64x8xf32>) sums left(%b : tensor<8xf32>) -> tensor<64x8xf32>, tensor<8xf32>
  return %db : tensor<8xf32>
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @left_without_sums(%x: tensor<?x64xf32>, %dy: tensor<?x8xf32>, %init: tensor<64x8xf32>) -> tensor<64x8xf32> {
  // expected-error @+1 {{'gnn_tile.outer' op expected 'sums' beside 'sums_left'}}
  %dw = "gnn_tile.outer"(%x, %dy, %init) <{graph = @g, rows = #gnn_tile<rows src>, sums_left,
      inputs_at = [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>],
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}>
      : (tensor<?x64xf32>, tensor<?x8xf32>, tensor<64x8xf32>) -> tensor<64x8xf32>
  return %dw : tensor<64x8xf32>
}
