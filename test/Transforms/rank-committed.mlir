// RUN: gnn-opt %s -o /dev/null --gnn-attach-target=chip=h200 \
// RUN:   --gnn-schedule-pipeline="schedule-rule=ranked:%gnn_src_root/benchmarks/tuning/models/h200-ranker.trees" \
// RUN:   --remarks-filter=gnn-tile-rank-schedules --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: gnn-opt %s -o /dev/null --gnn-attach-target=chip=h200 \
// RUN:   --gnn-schedule-pipeline="schedule-rule=ranked:%gnn_src_root/benchmarks/tuning/models/h200-cost.json" \
// RUN:   --remarks-filter=gnn-tile-rank-schedules --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: gnn-opt %s -o /dev/null --gnn-attach-target=kind=cpu \
// RUN:   --gnn-schedule-pipeline="schedule-rule=ranked:%gnn_src_root/benchmarks/tuning/models/cpu-ranker.trees" \
// RUN:   --remarks-filter=gnn-tile-rank-schedules --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: gnn-opt %s -o /dev/null --gnn-attach-target=kind=cpu \
// RUN:   --gnn-schedule-pipeline="schedule-rule=ranked:%gnn_src_root/benchmarks/tuning/models/cpu-cost.json" \
// RUN:   --remarks-filter=gnn-tile-rank-schedules --remark-format=emitRemark 2>&1 | FileCheck %s

// The committed models know the features and fields that traversals have: after a new one
// they are trained anew. They know no products, although some fields have the same name.
//
// CHECK: [Passed] ScheduleRanked
// CHECK: [Passed] ScheduleRanked
// CHECK: [Missed] Refused
// GPU-SAME: got one without n, kind, copies;

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @sum(%x: memref<?x4xf32>, %y: memref<?x4xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 4> ins(%x : memref<?x4xf32>)
      at [#gnn_tile.at<element -> src : feature>] outs(%y : memref<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%a: f32):
    %s = gnn_tile.reduce sum [element] %a : f32
    gnn_tile.yield %s : f32
  }
  return
}

func.func @dot(%x: memref<?x4xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 4> ins(%x, %x : memref<?x4xf32>, memref<?x4xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

func.func @product(%x: memref<?x4xf32>, %w: memref<4x4xf32>, %y: memref<?x4xf32>) {
  gnn_tile.gemm @g rows node ins(%x, %w : memref<?x4xf32>, memref<4x4xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x4xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
