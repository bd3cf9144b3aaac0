// RUN: gnn-opt %s --gnn-kernels-pipeline=stop-at=scheduled | FileCheck %s
// RUN: gnn-opt %s --convert-gnn-tile-to-scalar-loops --remarks-filter='convert-gnn-tile-to-scalar-loops' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

gnn.graph @g square {node_types = 2, edge_types = 3}

// A template without a schedule becomes a kernel of one thread, whose launch costs
// what the template says.
//
// CHECK-LABEL: gpu.func @sum_0_traverse
// CHECK-SAME:    known_block_size = array<i32: 1, 1, 1>
// CHECK-NOT:     thread_id
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:         gpu.return
// CHECK-LABEL: func.func @sum
// CHECK:         gnn_tile.cost
// CHECK:         gpu.launch_func {{.+}} blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
//
// REMARK: remark: [Passed] Lowered | Category:convert-gnn-tile-to-scalar-loops | Remark="computed by loops of one thread"
func.func @sum(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
