// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-kernels-pipeline --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// Rows of up to 100 edges are walked by 32 lanes each, longer ones by the block,
// whose 8 teams meet in shared memory; only the first team stores. A block looks
// for long rows only where one of its warps has said that it has some.
//
// CHECK-LABEL: gpu.func @split_0_traverse
// CHECK-SAME:    workgroup(%[[FLAGS:[^ ]+]] : memref<8xi32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
// CHECK-SAME:              %[[SHARED:[^ ]+]] : memref<8x16x4xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK:         %[[MINE:.+]] = arith.cmpi sgt, %{{.+}}, %c100
// CHECK:         scf.for
// CHECK:         %[[FLAG:.+]] = arith.extui %[[MINE]] : i1 to i32
// CHECK:         memref.store %[[FLAG]], %[[FLAGS]]
// CHECK:         gpu.barrier
// CHECK:         %[[ANY:.+]] = arith.cmpi sgt, %{{.+}}, %c0_i32
// CHECK:         scf.if %[[ANY]] {
// CHECK:         scf.for %[[WARP:.+]] = %c0 to %c8 step %c1 {
// CHECK:           memref.load %[[FLAGS]][%[[WARP]]]
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

// A row has one thread: no lanes add up what they have. The 32 rows of a warp say
// together whether one of them is long, and walk it together, each a 32nd, 4
// elements at once although they take 2 of their own.
//
// CHECK-LABEL: gpu.func @threads_0_traverse
// CHECK-SAME:    workgroup(%{{[^ ]+}} : memref<2xi32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
// CHECK-SAME:              %{{[^ ]+}} : memref<2x1x1xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK:         scf.for {{.+}} step %c2
// CHECK-NOT:     gpu.subgroup_reduce add
// CHECK:         gpu.subgroup_reduce maxsi %{{.+}} cluster(size = 32) : (i32) -> i32
// CHECK:         gpu.barrier
// CHECK:         scf.for {{.+}} = %c0 to %c2 step %c1 {
// CHECK:         scf.for {{.+}} = %c0 to %c32 step %c1 {
// CHECK:           scf.for {{.+}} step %c256
// CHECK:           gpu.subgroup_reduce add %{{.+}} cluster(size = 32) : (f32) -> f32
func.func @threads(%x: memref<?xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <src_pair, edge.src_pairs>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> edge.in_rows>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>]
      schedule <element_lanes = 1, in_flight = 2, rows_per_block = 64> {
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
