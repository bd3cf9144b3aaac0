// RUN: gnn-opt %s --gnn-schedule-pipeline="schedule-rule=ranked:%S/../Tools/Inputs/ranker.txt" > %t.ranked
// RUN: gnn-opt %s --gnn-schedule-pipeline | diff - %t.ranked
// RUN: gnn-opt %s -o /dev/null --gnn-tile-rank-schedules="rule=ranked:%S/../Tools/Inputs/ranker.txt" \
// RUN:   --remarks-filter=gnn-tile-rank-schedules --remark-policy=all --remark-format=emitRemark 2>&1 | FileCheck %s

// A multiprocessor of so few registers has room for no block: the model has nothing to rank,
// and the rule's schedule stays.
//
// CHECK-NOT: ScheduleRanked
// CHECK: remark: [Missed] Refused {{.+}}"a multiprocessor has no room for a block of any of {{[0-9]+}} schedules, by the estimate of registers: the rule chooses"
// CHECK-NOT: ScheduleRanked

module attributes {gnn.target = #gnn.target<kind = "cuda", name = "some", chip = "sm_90", limits = {lanes = 32, threads = 1024, processor_threads = 2048, shared_bytes = 49152, registers = 32}, abilities = [], figures = {}>} {
  gnn.graph @g square {node_types = 1, edge_types = 1}
  func.func @sum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x : memref<?x64xf32>)
        at [#gnn_tile.at<element -> src : feature>] outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
    ^bb0(%a: f32):
      %s = gnn_tile.reduce sum [element] %a : f32
      gnn_tile.yield %s : f32
    }
    return
  }
}
