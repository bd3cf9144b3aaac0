// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-kernels-pipeline --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// A field that is set is honoured; the rest follow from it. Here 4 lanes of 8
// bytes hold 16 features in 2 vectors, 2 lanes share the edges, 8 at a time; of a
// long row all 8 of a warp do.
//
// CHECK-LABEL: gpu.func @walk_0_traverse
// CHECK-SAME:    known_block_size = array<i32: 128, 1, 1>
// CHECK:         scf.for {{.+}} step %c16
// CHECK-COUNT-16:  vector.load {{.+}}, vector<2xf32>
// CHECK-NOT:       vector.load
// CHECK-COUNT-4: gpu.subgroup_reduce add %{{.+}} cluster(size = 2, stride = 4) : (f32) -> f32
// CHECK-NOT:     gpu.subgroup_reduce add
// CHECK:         gpu.barrier
// CHECK-COUNT-4: gpu.subgroup_reduce add %{{.+}} cluster(size = 8, stride = 4) : (f32) -> f32
// CHECK-NOT:     gpu.subgroup_reduce
// CHECK-LABEL: func.func @walk
// CHECK-DAG:     %[[ROWS:.+]] = arith.constant 16 : index
// CHECK:         arith.ceildivui %{{.+}}, %[[ROWS]]
func.func @walk(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 16>
      ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x16xf32>) at [#gnn_tile.at<group : feature>]
      schedule <rows_per_block = 16, lanes = 4, element_lanes = 2, vector = 2, in_flight = 8> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// 32 columns a block: 256 features are 8 columns of blocks.
//
// CHECK-LABEL: func.func @columns
// CHECK-DAG:     %[[TILES:.+]] = arith.constant 8 : index
// CHECK:         gpu.launch_func {{.+}} blocks in (%{{.+}}, %[[TILES]], %{{.+}})
func.func @columns(%x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 256>
      ins(%x : memref<?x256xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x256xf32>) at [#gnn_tile.at<group : feature>]
      schedule <lanes = 8, columns_per_block = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// 32 lanes of 16 bytes hold all 256 features in 2 vectors.
//
// CHECK-LABEL: gpu.func @two_vectors_0_traverse
// CHECK-COUNT-2: vector.load
// CHECK-NOT:     vector.load
// CHECK-LABEL: func.func @two_vectors
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : index
// CHECK:         gpu.launch_func {{.+}} blocks in (%{{.+}}, %[[ONE]], %{{.+}})
func.func @two_vectors(%x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  gnn_tile.traverse @g <dst, features = 256>
      ins(%x : memref<?x256xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x256xf32>) at [#gnn_tile.at<group : feature>]
      schedule <lanes = 32> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Rows by descending degree, through the map that the runtime makes.
//
// CHECK-LABEL: func.func @row_order
// CHECK:         gnn_tile.structure @g map dst.by_degree dst
func.func @row_order(%x: memref<?xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] schedule <row_order = by_degree> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A tile of 16 columns: 64 are 4 columns of blocks.
//
// CHECK-LABEL: func.func @product
// CHECK-DAG:     %[[TILES:.+]] = arith.constant 4 : index
// CHECK:         gpu.launch_func {{.+}} blocks in (%{{.+}}, %[[TILES]], %{{.+}})
func.func @product(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x64xf32>) at <group : feature>
      schedule <n = 16> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
