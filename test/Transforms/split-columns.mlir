// RUN: gnn-opt %s --gnn-tile-split-columns --split-input-file \
// RUN:   --remarks-filter=gnn-tile-split-columns --remark-format=emitRemark --verify-diagnostics | FileCheck %s

gnn.graph @g square {node_types = 1, edge_types = 1}

// The first tile stores its part, the next adds to it, and the last one makes of
// the sum what the body does. Only that one reads the weight.
//
// CHECK-LABEL: func.func @dot
// CHECK-SAME:    (%[[X:.*]]: memref<?x100xf32>, %[[Z:.*]]: memref<?x100xf32>, %[[W:.*]]: memref<?xf32>, %[[S:.*]]: memref<?xf32>)
// CHECK-NEXT:    gnn_tile.traverse @g <dst, edge.in_rows, features = 40>
// CHECK-SAME:      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>, #gnn_tile.at<element>]
// CHECK-SAME:      outs(%[[S]] : memref<?xf32>)
// CHECK-SAME:      schedule <columns_per_block = 40,
// CHECK:           %[[FIRST:.*]] = gnn_tile.reduce sum [feature]
// CHECK-NEXT:      gnn_tile.yield %[[FIRST]] : f32
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 40>
// CHECK-SAME:      ins(%[[X]], %[[Z]], %[[W]], %[[S]] :
// CHECK-SAME:      at [#gnn_tile.at<element -> src : feature + 40>, #gnn_tile.at<group : feature + 40>, #gnn_tile.at<element>, #gnn_tile.at<element>]
// CHECK:         ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %[[EARLIER:.*]]: f32):
// CHECK:           %[[OWN:.*]] = gnn_tile.reduce sum [feature]
// CHECK-NEXT:      %[[BOTH:.*]] = arith.addf %[[EARLIER]], %[[OWN]] : f32
// CHECK-NEXT:      gnn_tile.yield %[[BOTH]] : f32
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 20>
// CHECK-SAME:      at [#gnn_tile.at<element -> src : feature + 80>, #gnn_tile.at<group : feature + 80>, #gnn_tile.at<element>, #gnn_tile.at<element>]
// CHECK-SAME:      schedule <columns_per_block = 20,
// CHECK:         ^bb0(%{{.*}}: f32, %{{.*}}: f32, %[[WEIGHT:.*]]: f32, %[[EARLIER:.*]]: f32):
// CHECK:           %[[OWN:.*]] = gnn_tile.reduce sum [feature]
// CHECK-NEXT:      %[[ALL:.*]] = arith.addf %[[EARLIER]], %[[OWN]] : f32
// CHECK-NEXT:      %[[SCORE:.*]] = arith.mulf %[[ALL]], %[[WEIGHT]] : f32
// CHECK-NEXT:      gnn_tile.yield %[[SCORE]] : f32
func.func @dot(%x: memref<?x100xf32>, %z: memref<?x100xf32>, %w: memref<?xf32>, %s: memref<?xf32>) {
  // expected-remark @+1 {{3 tiles of 40 of 100 columns, which add to the result, one after the other}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 100>
      ins(%x, %z, %w : memref<?x100xf32>, memref<?x100xf32>, memref<?xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>, #gnn_tile.at<element>]
      outs(%s : memref<?xf32>) at [#gnn_tile.at<element>]
      schedule <columns_per_block = 40, vector = 4, lanes = 2, head_lanes = 1, element_lanes = 1, in_flight = 4, rows_per_block = 128, row_order = natural, row_walk = by_edges> {
  ^bb0(%xv: f32, %zv: f32, %wv: f32):
    %p = arith.mulf %xv, %zv : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    %e = arith.mulf %d, %wv : f32
    gnn_tile.yield %e : f32
  }
  return
}

// A mean is the sum of all tiles over all features. Highest values have the
// highest.
//
// CHECK-LABEL: func.func @mean
// CHECK:         %[[M:.*]] = gnn_tile.reduce sum [feature]
// CHECK:         %[[H:.*]] = gnn_tile.reduce max [feature]
// CHECK:         gnn_tile.yield %[[M]], %[[H]]
// CHECK:         %[[COUNT:.*]] = arith.constant 6.400000e+01 : f32
// CHECK:         arith.divf %{{.*}}, %[[COUNT]]
// CHECK:         arith.maximumf
func.func @mean(%x: memref<?x64xf32>, %m: memref<?xf32>, %h: memref<?xf32>) {
  // expected-remark @+1 {{2 tiles of 32 of 64 columns, which add to the result, one after the other}}
  gnn_tile.traverse @g <edge, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group -> src : feature>]
      outs(%m, %h : memref<?xf32>, memref<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<group>]
      schedule <columns_per_block = 32, vector = 4, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 32, row_order = natural, row_walk = team> {
  ^bb0(%xv: f32):
    %a = gnn_tile.reduce mean [feature] %xv : f32
    %b = gnn_tile.reduce max [feature] %xv : f32
    gnn_tile.yield %a, %b : f32, f32
  }
  return
}

// Heads have rows of their own; the last tile has what is left. The number of a
// head is that of all.
//
// CHECK-LABEL: func.func @heads
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, heads = 2, features = 16>
// CHECK-SAME:      at [#gnn_tile.at<element -> src : head, feature>]
// CHECK-SAME:      at [#gnn_tile.at<group : head, feature>] schedule <columns_per_block = 16, heads_per_block = 2,
// CHECK:           gnn_tile.index <all : head>
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
// CHECK-SAME:      at [#gnn_tile.at<element -> src : head + 2, feature>]
// CHECK-SAME:      at [#gnn_tile.at<group : head + 2, feature>] schedule <columns_per_block = 16, heads_per_block = 1,
// CHECK:           gnn_tile.index <all : head + 2>
// CHECK-NOT:     gnn_tile.traverse
func.func @heads(%x: memref<?x3x16xf32>, %y: memref<?x3x16xf32>) {
  // expected-remark @+1 {{2 tiles of 2 of 3 heads, one after the other}}
  gnn_tile.traverse @g <dst, edge.in_rows, heads = 3, features = 16>
      ins(%x : memref<?x3x16xf32>) at [#gnn_tile.at<element -> src : head, feature>]
      outs(%y : memref<?x3x16xf32>) at [#gnn_tile.at<group : head, feature>]
      schedule <columns_per_block = 16, heads_per_block = 2, vector = 4, lanes = 4, head_lanes = 2, element_lanes = 1, in_flight = 4, rows_per_block = 32, row_order = natural, row_walk = team> {
  ^bb0(%xv: f32):
    %i = gnn_tile.index #gnn_tile.at<all : head>
    %h = arith.sitofp %i : i32 to f32
    %s = gnn_tile.reduce sum [element] %xv : f32
    %t = arith.addf %s, %h : f32
    gnn_tile.yield %t : f32
  }
  return
}

// Columns that are not reduced are one launch.
//
// CHECK-LABEL: func.func @sum
// CHECK:         gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
// CHECK-NOT:     gnn_tile.traverse
func.func @sum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 32, vector = 4, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 4, rows_per_block = 32, row_order = natural, row_walk = team> {
  ^bb0(%xv: f32):
    %s = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// Numbers in the user's order do not lie side by side: parts are added up in the
// order of the walk, behind what the workspace has.
//
// CHECK-LABEL: func.func @other_order
// CHECK:         %[[N:.*]] = gnn_tile.count @g count edge : index
// CHECK:         %[[P:.*]] = memref.view %arg2[%c0][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK:         gnn_tile.traverse
// CHECK-SAME:      outs(%[[P]] : memref<?xf32>) at [#gnn_tile.at<element>]
// CHECK:         gnn_tile.traverse
// CHECK-SAME:      ins(%arg0, %[[P]] : memref<?x64xf32>, memref<?xf32>)
// CHECK-SAME:      outs(%arg1 : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
func.func @other_order(%x: memref<?x64xf32>, %s: memref<?xf32>, %w: memref<?xi8> {gnn.workspace}) {
  %c0 = arith.constant 0 : index
  gnn_tile.workspace_size %c0
  // expected-remark @+1 {{2 tiles of 32 of 64 columns, which add to sums in the workspace, one after the other}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%s : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
      schedule <columns_per_block = 32, vector = 4, lanes = 8, head_lanes = 1, element_lanes = 4, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    gnn_tile.yield %d : f32
  }
  return
}
