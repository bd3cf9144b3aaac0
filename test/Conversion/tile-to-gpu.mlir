// RUN: gnn-opt %s --gnn-schedule-pipeline='tensor-cores=false async-copies=false' --gnn-kernels-pipeline --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// Features across lanes, 16 bytes at a time; the two halves of a warp share the
// edges of a row and exchange their sums. No atomics, no loads behind branches.
//
// CHECK-LABEL: gpu.func @spmm_0_traverse
// CHECK:         memref.reinterpret_cast
// CHECK:         %[[THREAD:.+]] = gpu.thread_id x
// CHECK:         affine.delinearize_index %[[THREAD]] into (2, 16) : index, index, index
// CHECK:         scf.for
// CHECK-NOT:       scf.if
// CHECK:           vector.load {{.+}} {alignment = 16 : i64} : memref<?x64xf32>, vector<4xf32>
// CHECK:           arith.addf {{.+}} : vector<4xf32>
// CHECK:           scf.yield
// CHECK:         gpu.subgroup_reduce add %{{.+}} cluster(size = 2, stride = 16) : (f32) -> f32
// CHECK-NOT:     atomic
// CHECK:         scf.if
// CHECK:           vector.store {{.+}} {alignment = 16 : i64}
// CHECK-LABEL: func.func @spmm
// CHECK:         gnn_tile.cost
// CHECK:         gnn_tile.structure @g rows dst edge.in_rows
// CHECK:         gnn_tile.structure @g map edge.in_rows src
// CHECK:         gpu.launch_func
func.func @spmm(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %s = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// 33 features: no vector is aligned in every row.
//
// CHECK-LABEL: gpu.func @odd_0_traverse
// CHECK-NOT:     vector.load
func.func @odd(%x: memref<?x33xf32>, %y: memref<?x33xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 33>
      ins(%x : memref<?x33xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x33xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %s = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// All types in one launch: the tile list says which weight a block takes.
//
// CHECK-LABEL: gpu.func @gemm_0_gemm
// CHECK-SAME:    workgroup(
// CHECK:         gpu.barrier
// CHECK:         scf.for
// CHECK:           math.fma
// CHECK-LABEL: func.func @gemm
// CHECK-DAG:     gnn_tile.structure @g tiles edge_type src_pair 64
// CHECK-DAG:     gnn_tile.count @g tile_count edge_type src_pair 64
// CHECK:         gpu.launch_func
// CHECK-NOT:     gpu.launch_func
func.func @gemm(%x: memref<?x64xf32>, %w: memref<3x64x8xf32>, %y: memref<?x8xf32>) {
  gnn_tile.gemm @g rows src_pair types edge_type
      ins(%x, %w : memref<?x64xf32>, memref<3x64x8xf32>)
      at <group -> src : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}
gnn.graph @part square of @g types [0, 2] {node_types = 1, edge_types = 2}
gnn.graph @block bipartite {node_types = 1, edge_types = 1}

// A row is stored where the map leads to; the first rows of others are at their own
// positions, and no map is read.
//
// CHECK-LABEL: gpu.func @among_the_parents_0_traverse
// CHECK:         %[[ROW:.+]] = memref.load %{{.+}} : memref<?xi32>
// CHECK:         %[[AT:.+]] = arith.index_cast %[[ROW]] : i32 to index
// CHECK:         vector.store %{{.+}}[%[[AT]], %{{.+}}]
// CHECK-LABEL: func.func @among_the_parents
// CHECK:         gnn_tile.structure @part map edge.in_rows parent_edge
func.func @among_the_parents(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @part <edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group -> parent_edge : feature>] {
  ^bb0(%xv: f32):
    gnn_tile.yield %xv : f32
  }
  return
}

// CHECK-LABEL: func.func @first_rows
// CHECK-NOT:     gnn_tile.structure
// CHECK:         gpu.launch_func
func.func @first_rows(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @block <dst, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group -> src : feature>] {
  ^bb0(%xv: f32):
    gnn_tile.yield %xv : f32
  }
  return
}
