// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-kernels-pipeline --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// 20 features are 5 vectors of 16 bytes over 8 lanes: lanes past the end read a
// valid column again and store nothing. No load waits for a branch.
//
// CHECK-LABEL: gpu.func @tail_0_traverse
// CHECK:         %[[INSIDE:.+]] = arith.cmpi slt, %[[COLUMN:.+]], %c20
// CHECK:         %[[SAFE:.+]] = arith.select %[[INSIDE]], %[[COLUMN]], %c0
// CHECK-NOT:     scf.if
// CHECK:         vector.load %{{.+}}[%{{.+}}, %[[SAFE]]] {alignment = 16 : i64} : memref<?x20xf32>, vector<4xf32>
// CHECK:         scf.if
// CHECK:           vector.store
func.func @tail(%x: memref<?x20xf32>, %y: memref<?x20xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 20>
      ins(%x : memref<?x20xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x20xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// 6 features are aligned to 8 bytes; an offset of 1 to 4.
//
// CHECK-LABEL: gpu.func @narrow_0_traverse
// CHECK:         vector.load {{.+}} {alignment = 8 : i64} : memref<?x6xf32>, vector<2xf32>
// CHECK-LABEL: gpu.func @narrow_1_traverse
// CHECK-NOT:     vector.load
// CHECK:         memref.load %{{.+}} : memref<?x8xf32>
// CHECK-LABEL: func.func @narrow
func.func @narrow(%x: memref<?x6xf32>, %y: memref<?x6xf32>, %z: memref<?x8xf32>, %u: memref<?x4xf32>) {
  gnn_tile.traverse @g <dst, features = 6>
      ins(%x : memref<?x6xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x6xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  gnn_tile.traverse @g <dst, features = 4>
      ins(%z : memref<?x8xf32>) at [#gnn_tile.at<group : feature + 1>]
      outs(%u : memref<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// 1024 features: 4 vectors a lane, and two columns of blocks.
//
// CHECK-LABEL: gpu.func @wide_0_traverse
// CHECK:         gpu.block_id  y
// CHECK-COUNT-4: vector.load
// CHECK-NOT:     vector.load
// CHECK-LABEL: func.func @wide
// CHECK-DAG:     %[[TWO:.+]] = arith.constant 2 : index
// CHECK:         gpu.launch_func {{.+}} blocks in (%{{.+}}, %[[TWO]], %{{.+}})
func.func @wide(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>) {
  gnn_tile.traverse @g <dst, features = 1024>
      ins(%x : memref<?x1024xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x1024xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Scalars a row: a lane a row.
//
// CHECK-LABEL: gpu.func @scalars_0_traverse
// CHECK-NOT:     gpu.subgroup_reduce
// CHECK:         memref.store
// CHECK-LABEL: func.func @scalars
// CHECK-DAG:     %[[THREADS:.+]] = arith.constant 256 : index
// CHECK-DAG:     %[[ROWS:.+]] = gnn_tile.count @g count edge
// CHECK:         %[[BLOCKS:.+]] = arith.ceildivui %[[ROWS]], %[[THREADS]]
// CHECK:         gpu.launch_func {{.+}} blocks in (%[[BLOCKS]], {{.+}}) threads in (%[[THREADS]],
func.func @scalars(%x: memref<?xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <edge> ins(%x : memref<?xf32>) at [#gnn_tile.at<group -> src>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Values that do not vary by element are loaded once, in front of the walk; ids
// of rows are loaded as i32 and widen for the address.
//
// CHECK-LABEL: gpu.func @hoisted_0_traverse
// CHECK:         %[[D:.+]] = memref.load %{{.+}} : memref<?xf32>
// CHECK:         scf.for
// CHECK-COUNT-4:   memref.load %{{.+}} : memref<?xi32>
// CHECK-NOT:       memref.load %{{.+}} : memref<?xf32>
// CHECK:           arith.mulf
func.func @hoisted(%x: memref<?x64xf32>, %d: memref<?xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x, %d : memref<?x64xf32>, memref<?xf32>) at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %dv: f32):
    %p = arith.mulf %v, %dv : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}
