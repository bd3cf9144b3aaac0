// RUN: gnn-opt %s --gnn-verify-form=form=buffers --verify-diagnostics --split-input-file

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c1(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'gnn_tile.traverse' op expected a loop over blocks around a range}}
  gnn_tile.traverse @g <dst, features = 8> rows[%c0 to %n] columns[%c0]
      ins(%x : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @form_c1_function square {node_types = 1, edge_types = 1}

%x = memref.alloc() : memref<8x8xf32>
%y = memref.alloc() : memref<8x8xf32>
// expected-error @+1 {{'gnn_tile.traverse' op expected a template in a func.func of the module}}
gnn_tile.traverse @form_c1_function <dst, features = 8>
    ins(%x : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
    outs(%y : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
    schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
}
