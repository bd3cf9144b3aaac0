// RUN: gnn-opt %s --pass-pipeline='builtin.module(gnn-attach-target{kind=cpu},func.func(gnn-on-target{kind=cpu passes=gnn-tile-schedule-cores}))' \
// RUN:   | FileCheck %s --check-prefix=CPU
// RUN: gnn-opt %s --pass-pipeline='builtin.module(gnn-attach-target,func.func(gnn-on-target{kind=cpu passes=gnn-tile-schedule-cores}))' \
// RUN:   | FileCheck %s --check-prefix=OTHER
// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-on-target{kind=cpu passes=gnn-tile-schedule-cores}))' \
// RUN:   | FileCheck %s --check-prefix=OTHER
// RUN: not gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-on-target{kind=cpu passes=gnn-tile-schedule-core}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BAD
// RUN: gnn-opt %s --gnn-schedule-pipeline --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT

// A stage is one list of passes; those of one kind of target run for it alone.

// CPU:   schedule #gnn_tile.core_schedule<
// OTHER-NOT: schedule
// BAD:   gnn-on-target: {{.*}}'gnn-tile-schedule-core' does not refer to a registered pass
// TEXT:  gnn-on-target{kind=cpu passes=gnn-tile-schedule-cores}

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @sum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
