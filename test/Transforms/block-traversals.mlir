// RUN: gnn-opt %s --gnn-tile-block-traversals --cse --split-input-file | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-block-traversals --cse --split-input-file --remarks-filter="gnn-tile.*" --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

gnn.graph @g square {node_types = 2, edge_types = 3}

// Buffers are seen with the rows that they have, nodes of a square graph once;
// index arrays are operands; the cost stands in front of the loop.
//
// REMARK: remark: [Passed] Blocked | Category:gnn-tile-block-traversals | Remark="blocks of 8 rows and 64 columns
// CHECK-LABEL: func.func @sum
// CHECK:         gnn_tile.cost
// CHECK:         %[[ROWS:.+]] = gnn_tile.structure @g rows dst edge.in_rows : memref<?xi32>
// CHECK:         %[[SRC:.+]] = gnn_tile.structure @g map edge.in_rows src : memref<?xi32>
// CHECK:         %[[X:.+]] = memref.reinterpret_cast %arg0 to offset: [0], sizes: [%{{.+}}, 64], strides: [64, 1]
// CHECK:         %[[Y:.+]] = memref.reinterpret_cast %arg1
// CHECK:         gnn_tile.blocks to [%[[N:.+]]] step [8] template "traverse" schedule #gnn_tile.traverse_schedule<{{.+}}> {
// CHECK-NEXT:    ^bb0(%[[FIRST:.+]]: index):
// CHECK:           gnn_tile.traverse @g <dst, edge.in_rows, features = 64> rows[%[[FIRST]] to %[[N]]] columns[%c0] ins(%[[X]] : memref<?x64xf32>) {{.+}} outs(%[[Y]] : memref<?x64xf32>) {{.+}} index_arrays(%[[ROWS]], %[[SRC]] : memref<?xi32>, memref<?xi32>)
func.func @sum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Tiles of columns are the second dimension of the grid; a row that its block
// walks is one; a fixed number of rows needs no view.
//
// CHECK-LABEL: func.func @tiles
// CHECK:         gnn_tile.blocks to [9, 100] step [1, 64]
// CHECK-NEXT:    ^bb0(%[[FIRST:.+]]: index, %[[COLUMN:.+]]: index):
// CHECK:           gnn_tile.traverse @g <9, features = 100> rows[%[[FIRST]] to %c9] columns[%[[COLUMN]]] ins(%arg0 : memref<9x100xf32>)
func.func @tiles(%x: memref<9x100xf32>, %y: memref<9x100xf32>) {
  gnn_tile.traverse @g <9, features = 100>
      ins(%x : memref<9x100xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<9x100xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 2, lanes = 32, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 1, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}
