// A field that is set stays, and the others follow from it.
//
// RUN: gnn-opt %s --gnn-schedule-pipeline | FileCheck %s
//
// A schedule above 255 registers by the estimate is listed where it is set.
//
// RUN: gnn-opt %s -o /dev/null --gnn-schedule-pipeline --gnn-tile-list-schedules \
// RUN:   | FileCheck %s --check-prefix=LIST
// LIST-COUNT-12: "layout"
// LIST:          "in_flight":32,{{.*}}"registers":{{[0-9][0-9][0-9][0-9]}}
// LIST-NOT:      "layout"

gnn.graph @g square {node_types = 1, edge_types = 1}

// CHECK-LABEL: func.func @vector(
// CHECK:         schedule <{{.*}}vector = 1, lanes = 32, head_lanes = 1, element_lanes = 1
func.func @vector(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 1> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @lanes(
// CHECK:         schedule <{{.*}}lanes = 2, head_lanes = 1, element_lanes = 8
func.func @lanes(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <lanes = 2> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @head_lanes(
// CHECK:         schedule <{{.*}}lanes = 4, head_lanes = 8, element_lanes = 1
func.func @head_lanes(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <head_lanes = 8> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @element_lanes(
// CHECK:         schedule <{{.*}}lanes = 4, head_lanes = 1, element_lanes = 8
func.func @element_lanes(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <element_lanes = 8> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @both_lanes(
// CHECK:         schedule <{{.*}}lanes = 4, head_lanes = 2, element_lanes = 4
func.func @both_lanes(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <head_lanes = 2, element_lanes = 4> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @columns(
// CHECK:         schedule <{{.*}}columns_per_block = 48, vector = 4, lanes = 4, head_lanes = 1, element_lanes = 8
func.func @columns(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 48> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @odd_columns(
// CHECK:         schedule <{{.*}}columns_per_block = 6, vector = 2, lanes = 1, head_lanes = 1, element_lanes = 8
func.func @odd_columns(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 6> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @in_flight(
// CHECK:         schedule <{{.*}}in_flight = 1
func.func @in_flight(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <in_flight = 1> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @rows(
// CHECK:         schedule <{{.*}}rows_per_block = 1, row_order = natural, row_walk = team
func.func @rows(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <rows_per_block = 1> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @order(
// CHECK:         schedule <{{.*}}row_order = by_degree
func.func @order(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_order = by_degree> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @walk(
// CHECK:         schedule <{{.*}}row_walk = block
func.func @walk(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_walk = block> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @split(
// CHECK:         schedule <{{.*}}row_walk = by_length, split_rows = 7
func.func @split(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <split_rows = 7> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @many_registers(
// CHECK:         schedule <columns_per_block = 512, vector = 4, lanes = 2, head_lanes = 1, element_lanes = 8, in_flight = 32
func.func @many_registers(%x: memref<?x512xf32>, %y: memref<?x512xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 512>
      ins(%x : memref<?x512xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x512xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 512, vector = 4, lanes = 2, element_lanes = 8, in_flight = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
