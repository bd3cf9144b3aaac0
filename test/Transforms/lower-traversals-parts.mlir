// RUN: gnn-opt %s --gnn-tile-block-traversals --gnn-tile-lower-traversals --canonicalize --cse --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// Teams leave long rows; the block walks their parts in place of elements, and divides
// by the number of these.
//
// CHECK-LABEL: func.func @parts
// CHECK:         gnn_tile.blocks
// CHECK:           gnn_tile.parallel 8 over team -> vector<8xi32> {
// CHECK:             gnn_tile.walk {{.+}} over element slots 2 in_flight 4
// CHECK:           scf.for %[[WARP:.+]] = %c0 to %c8
// CHECK:             arith.cmpi sgt, %[[SIZE:.+]], %c100
// CHECK:             gnn_tile.walk from %[[FIRST:.+]] to %[[END:.+]] over block slots 16 in_flight 4 {{.+}} {
// CHECK-NEXT:        ^bb0(%[[PART:.+]]: index):
// CHECK-NEXT:          vector.transfer_read %[[PARTS:.+]][%[[PART]], %c0]
// CHECK-NEXT:          gnn_tile.yield
// CHECK:             %[[COUNT:.+]] = arith.index_cast %[[SIZE]] : index to i32
// CHECK:             arith.maxsi %[[COUNT]], %c1_i32
// CHECK:             arith.divf {{.+}} fastmath<afn>
func.func @parts(%x: memref<?x64xf32>, %p: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      parts(%p : memref<?x64xf32>) of long_tiles<dst, edge.in_rows, 100>
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = by_length, split_rows = 100> {
  ^bb0(%v: f32):
    %m = gnn_tile.reduce mean [element] %v : f32
    gnn_tile.yield %m : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Who walks all of its rows walks elements of short ones and parts of long ones.
//
// CHECK-LABEL: func.func @parts_by_team
// CHECK:         %[[LONG:.+]] = arith.cmpi sgt, %{{.+}}, %c100
// CHECK-DAG:     %[[LAST:.+]] = arith.select %[[LONG]], %{{.+}}, %[[FIRST:.+]] : index
// CHECK-DAG:     %[[WALKED:.+]] = arith.select %[[LONG]], %[[BEGIN:.+]], %{{.+}} : index
// CHECK:         %[[ELEMENTS:.+]] = gnn_tile.walk from %[[BEGIN]] to %[[WALKED]] over element
// CHECK:         %[[PARTS:.+]] = gnn_tile.walk from %[[FIRST]] to %[[LAST]] over element
// CHECK:         arith.addf %[[ELEMENTS]], %[[PARTS]]
func.func @parts_by_team(%x: memref<?x64xf32>, %p: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      parts(%p : memref<?x64xf32>) of long_tiles<dst, edge.in_rows, 100>
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
