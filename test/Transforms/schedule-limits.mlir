// RUN: gnn-opt %s --gnn-schedule-pipeline | FileCheck %s
// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-tile-list-schedules=vary=lanes,rows_per_block -o /dev/null \
// RUN:   | FileCheck %s --check-prefix=LIST --implicit-check-not='"lanes":32' --implicit-check-not='"threads":128'
// RUN: sed 's/lanes = 16, threads = 64/lanes = 32, threads = 1024/' %s | gnn-opt --gnn-schedule-pipeline | FileCheck %s --check-prefix=GPU
// RUN: sed 's/^        {$/        schedule <rows_per_block = 8> {/' %s | not gnn-opt --gnn-schedule-pipeline 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: not gnn-opt %s --gnn-schedule-pipeline --gnn-block-pipeline --gnn-loops-pipeline --gnn-lanes-pipeline --gnn-gpu-pipeline 2>&1 | FileCheck %s --check-prefix=WARP

// Lanes and threads are those of the module's target.
//
// CHECK: schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 4, rows_per_block = 4,
// GPU:   schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8,
// LIST:  "lanes":16,{{.*}}"threads":64,
// WARP:  error: 'func.func' op expected a target of 32 lanes a warp to make kernels for, got 16
// MOST:  error: {{.*}}cannot honour the schedule's 'rows_per_block': expected whole warps and at most 64 threads, got 128 threads

module attributes {gnn.target = #gnn.target<kind = "cuda", name = "", chip = "sm_90",
    limits = {lanes = 16, threads = 64, shared_bytes = 49152, registers = 65536},
    abilities = [], figures = {}>} {
  gnn.graph @g square {node_types = 1, edge_types = 1}
  func.func @sum(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
        ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
        outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
        {
    ^bb0(%v: f32):
      %s = gnn_tile.reduce sum [element] %v : f32
      gnn_tile.yield %s : f32
    }
    return
  }
}
