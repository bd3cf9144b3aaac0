// RUN: gnn-opt %s --gnn-attach-target=chip=h200 --gnn-schedule-pipeline | FileCheck %s --check-prefixes=CHECK,MANY
// RUN: gnn-opt %s --gnn-attach-target=chip=rtx3090 --gnn-schedule-pipeline | FileCheck %s --check-prefixes=CHECK,FEW
// RUN: gnn-opt %s --gnn-attach-target=chip=sm_89 --gnn-schedule-pipeline | FileCheck %s --check-prefixes=CHECK,SOME
// RUN: gnn-opt %s --gnn-attach-target=chip=h200 --gnn-schedule-pipeline | gnn-opt --gnn-verify-schedules -o /dev/null
// RUN: gnn-opt %s --gnn-attach-target=chip=h200 --gnn-schedule-pipeline | sed 's/processor_blocks = 32, shared_bytes/processor_blocks = 16, shared_bytes/' \
// RUN:   | not gnn-opt --gnn-verify-schedules 2>&1 | FileCheck %s --check-prefix=OTHER

// Blocks of a warp leave lanes enough registers where a multiprocessor has as many as the target
// has at work.
//
// CHECK-LABEL: func.func @dots
// MANY:          in_flight = 4, processor_blocks = 32, rows_per_block = 2,
// SOME:          in_flight = 4, processor_blocks = 24, rows_per_block = 2,
// FEW:           in_flight = 4, processor_blocks = 16, rows_per_block = 2,
// OTHER: error: {{.*}}cannot honour the schedule's 'processor_blocks': a multiprocessor has at most 16 blocks at work, got 32

gnn.graph @g square {node_types = 1, edge_types = 1, stats = #gnn.stats<src_nodes = 200000,
  dst_nodes = 200000, edges = 4000000, type_edges = [4000000], src_pairs = [200000],
  dst_pairs = [200000], in_degree_max = 9000, out_degree_max = 9000>}

func.func @dots(%x: memref<?x64xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x, %x : memref<?x64xf32>, memref<?x64xf32>)
      at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<element -> edge>]
      schedule <lanes = 16, rows_per_block = 2, row_walk = by_edges> {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  }
  return
}
