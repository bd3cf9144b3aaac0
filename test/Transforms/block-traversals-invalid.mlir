// RUN: gnn-opt %s --gnn-tile-block-traversals --split-input-file --verify-diagnostics

gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @spmm(%x: tensor<?x64xf32>, %w: tensor<?xf32>) -> tensor<?x64xf32> {
  %n = gnn_tile.count @g count dst : index
  %init = tensor.empty(%n) : tensor<?x64xf32>
  // expected-error @+1 {{'gnn_tile.traverse' op expected memrefs, got 'tensor<?x64xf32>'}}
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x, %w : tensor<?x64xf32>, tensor<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
      outs(%init : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = by_length, split_rows = 256> {
  ^bb0(%xv: f32, %wv: f32):
    %m = arith.mulf %xv, %wv : f32
    %s = gnn_tile.reduce sum [element] %m : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
