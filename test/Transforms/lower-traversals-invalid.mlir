// RUN: gnn-opt %s --gnn-tile-lower-traversals --verify-diagnostics --split-input-file

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @no_blocks(%x: memref<?xf32>, %y: memref<?xf32>, %first: index, %end: index, %column: index) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected a traversal in a loop over blocks, got 'func.func'}}
  gnn_tile.traverse @g <edge> rows[%first to %end] columns[%column]
      ins(%x : memref<?xf32>) at [#gnn_tile.at<group>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>]
      schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 256, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @no_range(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected a traversal on a range, got one on all rows (gnn-tile-block-traversals makes blocks)}}
  gnn_tile.traverse @g <edge>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<group>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>]
      schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 256, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}
