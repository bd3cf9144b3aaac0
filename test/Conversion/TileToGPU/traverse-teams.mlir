// RUN: gnn-opt %s --gnn-schedule-pipeline --convert-gnn-tile-to-gpu --canonicalize --cse --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// Rows of up to 100 edges are walked by 32 lanes each, longer ones by the block,
// whose 8 teams meet in shared memory; only the first team stores.
//
// CHECK-LABEL: gpu.func @split_0_traverse
// CHECK-SAME:    workgroup(%[[SHARED:.+]] : memref<8x16x4xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK:         arith.cmpi sle, %{{.+}}, %c100
// CHECK:         scf.for
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.for {{.+}} = %c0 to %c8 step %c1 {
// CHECK:           %[[LONG:.+]] = arith.cmpi sgt, %{{.+}}, %c100
// CHECK:           scf.if %[[LONG]] {
// CHECK:             scf.for
// CHECK:             vector.store %{{.+}}, %[[SHARED]]
// CHECK:             gpu.barrier
// CHECK:             scf.for {{.+}} = %c1 to %c8
// CHECK:             gpu.barrier
// CHECK:             %[[FIRST:.+]] = arith.cmpi eq
// CHECK:             vector.store
func.func @split(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <split_rows = 100> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The graph is one row: one block takes it whole.
//
// CHECK-LABEL: gpu.func @whole_0_traverse
// CHECK:         scf.for
// CHECK:         gpu.barrier
// CHECK-LABEL: func.func @whole
// CHECK:         %[[ONE:.+]] = gnn_tile.count @g count graph
// CHECK:         gpu.launch_func {{.+}} blocks in (%[[ONE]], %c1, %c1) threads in (%c256, %c1, %c1)
func.func @whole(%x: memref<?xf32>, %y: memref<1xf32>) {
  gnn_tile.traverse @g <graph, dst>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element>]
      outs(%y : memref<1xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
