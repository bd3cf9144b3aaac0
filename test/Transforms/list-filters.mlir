// Schedules that cannot be the best are left out of a listing; what rows of a graph say is in
// python/tests/test_schedule_filters.py.
//
// RUN: gnn-opt %s -o /dev/null --gnn-attach-target=chip=h200 --gnn-schedule-pipeline \
// RUN:   --gnn-tile-list-schedules="vary=vector,lanes,element_lanes,rows_per_block filter=registers,balance" \
// RUN:   --remarks-filter=gnn-tile-list-schedules --remark-format=emitRemark 2>&1 | FileCheck %s
// CHECK:         Remark="of 120 schedules filters leave: registers 94; balance 89 (the rows of its graph are not known)"
// CHECK-COUNT-89: "layout"
// CHECK-NOT:     "layout"
//
// Where none passes, the least bad stay: lanes of 64 columns for 41 features.
//
// RUN: gnn-opt %s -o /dev/null --gnn-attach-target=chip=h200 --gnn-schedule-pipeline \
// RUN:   --gnn-tile-list-schedules="vary=element_lanes filter=balance" \
// RUN:   --remarks-filter=gnn-tile-list-schedules --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=LEAST
// LEAST: Remark="of 1 schedules filters leave: balance 1, which fail least
//
// RUN: not gnn-opt %s -o /dev/null --gnn-tile-list-schedules=filter=registers,ranks 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: gnn-tile-list-schedules: expected 'filter' of registers, utilization, balance, got 'ranks'
// RUN: not gnn-opt %s -o /dev/null --gnn-tile-list-schedules="filter=balance graph=%t.none.npz" 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: graph: cannot open '{{.*}}.none.npz'

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @sum(%x: memref<?x41xf32>, %y: memref<?x41xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 41>
      ins(%x : memref<?x41xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x41xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
