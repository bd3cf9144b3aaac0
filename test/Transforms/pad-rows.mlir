// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-tile-pad-rows))' | FileCheck %s --check-prefix=COST
// RUN: gnn-opt %s --pass-pipeline='builtin.module(gnn-attach-target{kind=cpu},func.func(gnn-tile-pad-rows{pad=1}))' \
// RUN:   | FileCheck %s --check-prefix=CORE
// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-tile-pad-rows{pad=0}))' \
// RUN:   | FileCheck %s --check-prefix=NEVER
// RUN: gnn-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(gnn-tile-pad-rows{pad=0}))' \
// RUN:   --remarks-filter=gnn-tile-pad-rows --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: gnn-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(gnn-tile-pad-rows{pad=1}))' \
// RUN:   --remarks-filter=gnn-tile-pad-rows --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: gnn-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(gnn-tile-pad-rows))' \
// RUN:   --remarks-filter=gnn-tile-pad-rows --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-tile-pad-rows{pad=1}))' | FileCheck %s

// OFF: it is turned off
// NEVER-NOT: memref<?x44xf32>

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<
    src_nodes = 100000, dst_nodes = 100000, edges = 10000000, type_edges = [10000000],
    src_pairs = [100000], dst_pairs = [100000],
    in_degree_squares = 2000000000, in_degree_max = 1000,
    out_degree_squares = 2000000000, out_degree_max = 1000,
    src_pair_max = [1000], dst_pair_max = [1000]>}
gnn.graph @few square {node_types = 1, edge_types = 1, stats = #gnn.stats<
    src_nodes = 100000, dst_nodes = 100000, edges = 10000, type_edges = [10000],
    src_pairs = [5000], dst_pairs = [5000],
    in_degree_squares = 20000, in_degree_max = 10,
    out_degree_squares = 20000, out_degree_max = 10,
    src_pair_max = [10], dst_pair_max = [10]>}

// A product writes and a walk gathers rows of 41 features: 44 columns, which a core takes
// as three vectors of 16.
//
// CHECK-LABEL: func.func @product
// CHECK:         %[[B:.+]] = memref.alloc(%{{.+}}) : memref<?x44xf32>
// CHECK:         gnn_tile.gemm {{.+}} outs(%[[B]] : memref<?x44xf32>)
// CHECK:         gnn_tile.traverse {{.+}} features = 41> ins(%[[B]] : memref<?x44xf32>) {{.+}} outs(%{{.+}} : memref<?x41xf32>)
// COST-LABEL:  func.func @product
// COST:          memref.alloc(%{{.+}}) : memref<?x44xf32>
// CORE-LABEL:  func.func @product
// CORE:          memref.alloc(%{{.+}}) : memref<?x48xf32>
// REMARK:      rows of a buffer: 44 columns for 41 features
// WHY:         rows of a buffer: 44 columns for 41 features: {{.+}} us instead of {{.+}} us by the model
func.func @product(%x: memref<?x16xf32>, %w: memref<16x41xf32>, %y: memref<?x41xf32>) {
  %n = gnn_tile.count @g count dst : index
  %b = memref.alloc(%n) : memref<?x41xf32>
  gnn_tile.gemm @g rows node ins(%x, %w : memref<?x16xf32>, memref<16x41xf32>)
      at <group : feature> extras at [] outs(%b : memref<?x41xf32>) at <group : feature> {
  ^bb0(%p: f32):
    gnn_tile.yield %p : f32
  }
  gnn_tile.traverse @g <dst, edge.in_rows, features = 41>
      ins(%b : memref<?x41xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x41xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Rows of an argument are copied once for two walks; what reads them in order reads the
// argument.
//
// CHECK-LABEL: func.func @argument(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x41xf32>,
// CHECK:         %[[B:.+]] = memref.alloc(%{{.+}}) : memref<?x44xf32>
// CHECK:         gnn_tile.traverse @g <src, features = 41> ins(%[[X]] : memref<?x41xf32>) {{.+}} outs(%[[B]] : memref<?x44xf32>)
// CHECK:         gnn_tile.traverse {{.+}} ins(%[[B]], %[[X]] : memref<?x44xf32>, memref<?x41xf32>)
// CHECK:         gnn_tile.traverse {{.+}} ins(%[[B]] : memref<?x44xf32>)
// COST-LABEL:  func.func @argument
// COST:          memref<?x44xf32>
// REMARK:      rows of an argument, in a copy: 44 columns for 41 features
func.func @argument(%x: memref<?x41xf32>, %y: memref<?x41xf32>, %z: memref<?x41xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 41>
      ins(%x, %x : memref<?x41xf32>, memref<?x41xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?x41xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %own: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    %t = arith.addf %s, %own : f32
    gnn_tile.yield %t : f32
  }
  gnn_tile.traverse @g <dst, edge.in_rows, features = 41>
      ins(%x : memref<?x41xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%z : memref<?x41xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce max [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// A copy of many rows for few edges does not pay.
//
// CHECK-LABEL: func.func @few_edges
// CHECK:         memref<?x44xf32>
// COST-LABEL:  func.func @few_edges
// COST-NOT:      memref<?x44xf32>
// WHY:         a pad gains too little: {{.+}} us instead of {{.+}} us by the model
func.func @few_edges(%x: memref<?x41xf32>, %y: memref<?x41xf32>) {
  gnn_tile.traverse @few <dst, edge.in_rows, features = 41>
      ins(%x : memref<?x41xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x41xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// Negative: rows of whole vectors, of one number, and a buffer that is reshaped.
//
// CHECK-LABEL: func.func @refused
// CHECK-DAG:     memref.alloc(%{{.+}}) : memref<?x40xf32>
// CHECK-DAG:     memref.alloc(%{{.+}}) : memref<?x1xf32>
// CHECK-DAG:     memref.alloc(%{{.+}}) : memref<?x9xf32>
// REMARK:      'memref.collapse_shape' takes it whole
func.func @refused(%y: memref<?x40xf32>, %z: memref<?xf32>) {
  %n = gnn_tile.count @g count dst : index
  %a = memref.alloc(%n) : memref<?x40xf32>
  %b = memref.alloc(%n) : memref<?x1xf32>
  %c = memref.alloc(%n) : memref<?x9xf32>
  %d = memref.collapse_shape %c [[0, 1]] : memref<?x9xf32> into memref<?xf32>
  gnn_tile.traverse @g <dst, edge.in_rows, features = 40>
      ins(%a : memref<?x40xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x40xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%d : memref<?xf32>) at [#gnn_tile.at<group>]
      outs(%z : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%z : memref<?xf32>) at [#gnn_tile.at<group>]
      outs(%b : memref<?x1xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}
