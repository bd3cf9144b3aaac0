// RUN: gnn-opt %s --gnn-schedule-pipeline='edge-walks=0 row-orders=-1' | FileCheck %s
// RUN: gnn-opt %s --gnn-schedule-pipeline='edge-walks=0 row-orders=1' | FileCheck %s --check-prefix=DEGREE
// RUN: gnn-opt %s --gnn-schedule-pipeline=edge-walks=0 | FileCheck %s --check-prefix=OFF
// RUN: gnn-opt %s --gnn-schedule-pipeline='edge-walks=0 row-orders=-1' -o /dev/null --mlir-disable-threading \
// RUN:   --remarks-filter=gnn-tile-schedule-row-orders --remark-format=emitRemark 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAYS
// RUN: not gnn-opt %s --gnn-tile-schedule-row-orders=orders=3 2>&1 | FileCheck %s --check-prefix=RANGE

// OFF-NOT: by_degree
// OFF-NOT: degree_windows
// RANGE: gnn-tile-schedule-row-orders: expected 'orders' -1, 0, 1 or 2, got 3

// Rows of 50 elements on average, one of which has 17,000: blocks of eight wait for the longest.
gnn.graph @spread square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2400000,
  dst_nodes = 2400000, edges = 120000000, type_edges = [120000000], src_pairs = [2400000],
  dst_pairs = [2400000], in_degree_squares = 24000000000, in_degree_max = 17000,
  out_degree_squares = 24000000000, out_degree_max = 17000,
  near_edges = [96000000, 97000000, 98000000]>}

// All rows have the same length.
gnn.graph @even square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 2400000,
  dst_nodes = 2400000, edges = 120000000, type_edges = [120000000], src_pairs = [2400000],
  dst_pairs = [2400000], in_degree_squares = 6000000000, in_degree_max = 50,
  out_degree_squares = 6000000000, out_degree_max = 50>}

gnn.graph @unknown square {node_types = 1, edge_types = 1}

// CHECK-LABEL:  func.func @apart
// CHECK:          row_order = degree_windows, row_walk = by_length
// DEGREE-LABEL: func.func @apart
// DEGREE:         row_order = by_degree, row_walk = by_length
// SAYS: [Passed] RowOrder | {{.*}}Remark="blocks take rows degree_windows: a block takes 3.{{[0-9]+}} times as long as its mean row, and 1.01 times degree_windows: {{[0-9.]+}} us instead of {{[0-9.]+}} us by the model"
func.func @apart(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @spread <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL:  func.func @alike
// CHECK:          row_order = natural
// DEGREE-LABEL: func.func @alike
// DEGREE:         row_order = by_degree
// SAYS: [Missed] Refused | {{.*}}Remark="rows keep their order: an order by degree would be slower: a block takes 1.00 times as long as its mean row, and 1.00 times degree_windows:
func.func @alike(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @even <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL:  func.func @without_statistics
// CHECK:          row_order = natural
// DEGREE-LABEL: func.func @without_statistics
// DEGREE:         row_order = by_degree
// SAYS: [Missed] Refused | {{.*}}Remark="rows keep their order: nothing is known of the length of its rows"
func.func @without_statistics(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @unknown <src_pair, edge.src_pairs, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> dst : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Neither equal shares of the elements nor rows that a block walks one after the other wait.
//
// CHECK-LABEL:  func.func @do_not_wait
// CHECK:          row_order = natural, row_walk = by_edges
// CHECK:          row_order = natural, row_walk = block
// DEGREE-LABEL: func.func @do_not_wait
// DEGREE:         row_order = natural, row_walk = by_edges
// DEGREE:         row_order = natural, row_walk = block
// SAYS: Remark="rows keep their order: teams take equal shares of the elements"
// SAYS: Remark="rows keep their order: a block has one row"
func.func @do_not_wait(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @spread <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] schedule <row_walk = by_edges> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @spread <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] schedule <row_walk = block> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// An order that is set stays; edges have no degree, and rows without elements no length.
//
// CHECK-LABEL:  func.func @stays
// CHECK:          row_order = natural
// DEGREE-LABEL: func.func @stays
// DEGREE:         row_order = natural
// DEGREE:         row_order = natural
// SAYS-NOT: remark
func.func @stays(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %z: memref<?x64xf32>) {
  gnn_tile.traverse @spread <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] schedule <row_order = natural> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @spread <edge, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group -> src : feature>]
      outs(%z : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}
