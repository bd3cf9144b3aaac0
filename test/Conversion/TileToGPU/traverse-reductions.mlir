// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-kernels-pipeline --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// A dot: features across the lanes of a row, 2 vectors each, which exchange their sums.
//
// CHECK-LABEL: gpu.func @features_0_traverse
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-2: arith.mulf {{.+}} : vector<4xf32>
// CHECK:         gpu.subgroup_reduce add %{{.+}} cluster(size = 8) : (f32) -> f32
// CHECK-NOT:     gpu.subgroup_reduce
// CHECK:         scf.if
// CHECK:           memref.store
func.func @features(%x: memref<?x64xf32>, %z: memref<?x64xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <edge, features = 64>
      ins(%x, %z : memref<?x64xf32>, memref<?x64xf32>) at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> dst : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32, %u: f32):
    %p = arith.mulf %v, %u : f32
    %s = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The mean over heads: 8 of them over the lanes that the 4 features leave.
//
// CHECK-LABEL: gpu.func @heads_0_traverse
// CHECK:         vector.load {{.+}} : memref<?x8x4xf32>, vector<4xf32>
// CHECK-COUNT-4: gpu.subgroup_reduce add %{{.+}} cluster(size = 8) : (f32) -> f32
// CHECK:         arith.divf
// CHECK:         vector.store
func.func @heads(%x: memref<?x8x4xf32>, %y: memref<?x4xf32>) {
  gnn_tile.traverse @g <dst, heads = 8, features = 4>
      ins(%x : memref<?x8x4xf32>) at [#gnn_tile.at<group : head, feature>]
      outs(%y : memref<?x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce mean [head] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Softmax and weighted sum are three walks: of the maximum, of the sum, and of
// what needs both. Nothing is 0 where a row is empty.
//
// CHECK-LABEL: gpu.func @ranks_0_traverse
// CHECK:         scf.for
// CHECK:           arith.maximumf
// CHECK:         arith.select
// CHECK:         scf.for
// CHECK:           math.exp
// CHECK:           arith.addf
// CHECK:         scf.for
// CHECK:           arith.divf
// CHECK-NOT:     atomic
func.func @ranks(%s: memref<?xf32>, %x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%s, %x : memref<?xf32>, memref<?x64xf32>) at [#gnn_tile.at<element>, #gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32, %u: f32):
    %m = gnn_tile.reduce max [element] %v : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %z = gnn_tile.reduce sum [element] %e : f32
    %a = arith.divf %e, %z : f32
    %p = arith.mulf %a, %u : f32
    %r = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %r : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A mean is a sum times the reciprocal of the number of elements, of 1 where there is none.
//
// CHECK-LABEL: gpu.func @mean_0_traverse
// CHECK:         scf.for
// CHECK:         %[[COUNT:.+]] = arith.maxsi %{{.+}}, %c1_i32 : i32
// CHECK:         %[[NUMBER:.+]] = arith.sitofp %[[COUNT]] : i32 to f32
// CHECK:         %[[SHARE:.+]] = arith.divf %{{.+}}, %[[NUMBER]] fastmath<afn>
// CHECK:         arith.mulf %{{.+}}, %[[SHARE]]
func.func @mean(%x: memref<?xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce mean [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The extreme and the lowest of its edges, a NaN before all; an empty row gives
// 0 and -1.
//
// CHECK-LABEL: gpu.func @argument_0_traverse
// CHECK-DAG:     %[[NONE:.+]] = arith.constant -1 : i32
// CHECK:         scf.for {{.+}} -> (f32, i32)
// CHECK:           arith.cmpf uno
// CHECK:           arith.cmpi slt
// CHECK:         arith.select %{{.+}}, %{{.+}}, %[[NONE]] : i32
// CHECK:         memref.store {{.+}} : memref<?xf32>
// CHECK:         memref.store {{.+}} : memref<?xi32>
func.func @argument(%x: memref<?xf32>, %y: memref<?xf32>, %i: memref<?xi32>) {
  gnn_tile.traverse @g <dst, edge.in_rows> ins(%x : memref<?xf32>) at [#gnn_tile.at<element -> src>]
      outs(%y, %i : memref<?xf32>, memref<?xi32>) at [#gnn_tile.at<group>, #gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %e = gnn_tile.index #gnn_tile.at<element -> edge>
    %m, %a = gnn_tile.arg_reduce max %v, %e : f32
    gnn_tile.yield %m, %a : f32, i32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A monoid with state: lanes combine theirs by the same region.
//
// CHECK-LABEL: gpu.func @fold_0_traverse
// CHECK:         scf.for {{.+}} -> (f32, f32)
// CHECK:           math.exp
// CHECK:           scf.yield
// CHECK:         gpu.shuffle xor
// CHECK:         gpu.shuffle xor
// CHECK:         math.exp
// CHECK:         memref.store
func.func @fold(%s: memref<?xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows> ins(%s : memref<?xf32>) at [#gnn_tile.at<element>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %lowest = arith.constant 0xFF7FFFFF : f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %max, %sum = gnn_tile.fold %v, %one identity %lowest, %zero : f32, f32 {
    ^bb0(%m0: f32, %z0: f32, %m1: f32, %z1: f32):
      %m = arith.maximumf %m0, %m1 : f32
      %d0 = arith.subf %m0, %m : f32
      %d1 = arith.subf %m1, %m : f32
      %e0 = math.exp %d0 : f32
      %e1 = math.exp %d1 : f32
      %p0 = arith.mulf %z0, %e0 : f32
      %p1 = arith.mulf %z1, %e1 : f32
      %t = arith.addf %p0, %p1 : f32
      gnn_tile.yield %m, %t : f32, f32
    }
    gnn_tile.yield %sum : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The number of elements needs no walk.
//
// CHECK-LABEL: gpu.func @size_0_traverse
// CHECK-NOT:     scf.for
// CHECK:         arith.sitofp
func.func @size(%y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows> at [] outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
    %n = gnn_tile.size : f32
    gnn_tile.yield %n : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Lanes meet for each element, though the value is the same for all: a row owns
// its whole warp, 2 lanes for its features and 16 for its edges.
//
// CHECK-LABEL: func.func @same_for_all
// CHECK:         %[[ROWS:.+]] = gnn_tile.count @g count dst
// CHECK:         %[[BLOCKS:.+]] = arith.ceildivui %[[ROWS]], %c8
// CHECK:         gpu.launch_func {{.+}} blocks in (%[[BLOCKS]], %c1, %c1) threads in (%c256, %c1, %c1)
func.func @same_for_all(%x: memref<?x8xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [feature, element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
