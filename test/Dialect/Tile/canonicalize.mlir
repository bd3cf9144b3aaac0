// RUN: gnn-opt %s --canonicalize | FileCheck %s
// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-kernels-pipeline \
// RUN:   | FileCheck %s --check-prefix=KERNEL

gnn.graph @g square {node_types = 2, edge_types = 3}

// An input that a body does not use is not read, and no array leads to its rows;
// a kernel does without the array even where the input is there.
//
// CHECK-LABEL: func.func @unused
// CHECK-SAME:    %[[X:[^:]+]]: memref<?xf32>, %{{[^:]+}}: memref<2xf32>, %{{[^:]+}}: memref<?xf32>, %[[Y:[^:]+]]: memref<?xf32>
// CHECK-NEXT:    gnn_tile.traverse @g <dst, edge.in_rows> ins(%[[X]] : memref<?xf32>) at [#gnn_tile.at<element -> src_pair>] outs(%[[Y]]
// CHECK-NEXT:    ^bb0(%[[V:[^:]+]]: f32):
// CHECK-NEXT:      gnn_tile.reduce sum [element] %[[V]]
//
// KERNEL-LABEL: func.func @unused
// KERNEL-NOT:     gnn_tile.structure {{.*}} src_node_type
// KERNEL:         gnn_tile.structure @g map edge.in_rows src_pair
// KERNEL-NOT:     gnn_tile.structure {{.*}} src_node_type
// KERNEL:         return
func.func @unused(%x: memref<?xf32>, %t: memref<2xf32>, %z: memref<?xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%t, %x, %z : memref<2xf32>, memref<?xf32>, memref<?xf32>)
      at [#gnn_tile.at<element -> src_node_type>, #gnn_tile.at<element -> src_pair>, #gnn_tile.at<group>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%w: f32, %v: f32, %u: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
