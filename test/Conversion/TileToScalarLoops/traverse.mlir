// RUN: gnn-opt %s --convert-gnn-tile-to-scalar-loops --cse --canonicalize --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// A value is computed in the innermost of the loops that it varies by: the
// maximum of a head in front of the features, what varies by element once for each
// feature. Sums are f64. Results of each element are stored in a loop of their
// own, elements innermost.
//
// CHECK-LABEL: func.func @softmax
// CHECK:         gnn_tile.blocks to [1] step [1] template "traverse" threads 1 {
// CHECK:           scf.for %[[ROW:.+]] = %c0 to %{{.+}} step %c1
// CHECK:             %[[BEGIN:.+]] = arith.index_cast
// CHECK:             %[[END:.+]] = arith.index_cast
// CHECK:             scf.for %[[HEAD:.+]] = %c0 to %c4
// CHECK:               %[[MAX:.+]] = scf.for %[[E:.+]] = %[[BEGIN]] to %[[END]]
// CHECK:                 memref.load %{{.+}}[%[[E]], %[[HEAD]]]
// CHECK:                 arith.maximumf
// CHECK:               %[[SOME:.+]] = arith.cmpi slt, %[[BEGIN]], %[[END]]
// CHECK:               %[[OR_ZERO:.+]] = arith.select %[[SOME]], %[[MAX]], %{{.+}} : f32
// CHECK:               scf.for %[[FEATURE:.+]] = %c0 to %c8
// CHECK:                 %[[SUM:.+]] = scf.for %[[E:.+]] = %[[BEGIN]] to %[[END]] {{.+}} -> (f64)
// CHECK:                   arith.subf %{{.+}}, %[[OR_ZERO]]
// CHECK:                   math.exp
// CHECK:                   memref.load %{{.+}}[%{{.+}}, %[[HEAD]], %[[FEATURE]]]
// CHECK:                 %[[STORED:.+]] = arith.truncf %[[SUM]]
// CHECK:                 memref.store %[[STORED]], %{{.+}}[%[[ROW]], %[[HEAD]], %[[FEATURE]]]
// CHECK:             scf.for %[[HEAD:.+]] = %c0 to %c4
// CHECK:               arith.maximumf
// CHECK:               scf.for %[[E:.+]] = %[[BEGIN]] to %[[END]]
// CHECK:                 memref.store %{{.+}}, %{{.+}}[%[[E]], %[[HEAD]]]
func.func @softmax(%s: memref<?x4xf32>, %x: memref<?x4x8xf32>, %y: memref<?x4x8xf32>, %a: memref<?x4xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, heads = 4, features = 8>
      ins(%s, %x : memref<?x4xf32>, memref<?x4x8xf32>) at [#gnn_tile.at<element : head>, #gnn_tile.at<element -> src : head, feature>]
      outs(%y, %a : memref<?x4x8xf32>, memref<?x4xf32>) at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<element : head>] {
  ^bb0(%sv: f32, %xv: f32):
    %m = gnn_tile.reduce max [element] %sv : f32
    %d = arith.subf %sv, %m : f32
    %e = math.exp %d : f32
    %p = arith.mulf %e, %xv : f32
    %t = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %t, %e : f32, f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The component of a fold that has no features is folded without those that
// have.
//
// CHECK-LABEL: func.func @folded
// CHECK:         gnn_tile.blocks
// CHECK:           scf.for
// CHECK:             %[[W:.+]] = scf.for {{.+}} -> (f32) {
// CHECK:             scf.for %{{.+}} = %c0 to %c8
// CHECK:               %[[BOTH:.+]]:2 = scf.for {{.+}} -> (f32, f32) {
// CHECK:               arith.divf %[[BOTH]]#1, %[[W]]
func.func @folded(%x: memref<?x8xf32>, %w: memref<?xf32>, %y: memref<?x8xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
      ins(%x, %w : memref<?x8xf32>, memref<?xf32>) at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32, %wv: f32):
    %zero = arith.constant 0.0 : f32
    %s:2 = gnn_tile.fold %wv, %xv identity %zero, %zero : f32, f32 {
    ^bb0(%w0: f32, %x0: f32, %w1: f32, %x1: f32):
      %ws = arith.addf %w0, %w1 : f32
      %xs = arith.addf %x0, %x1 : f32
      gnn_tile.yield %ws, %xs : f32, f32
    }
    %q = arith.divf %s#1, %s#0 : f32
    gnn_tile.yield %q : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The lowest index of the largest; 0 and -1 of an empty group. A NaN is beyond
// every number.
//
// CHECK-LABEL: func.func @first
// CHECK:         %[[BEST:.+]]:2 = scf.for {{.+}} iter_args(%[[V:.+]] = %{{.+}}, %[[I:.+]] = %c2147483647_i32) -> (f32, i32)
// CHECK:           %[[NEW:.+]] = memref.load {{.+}} : memref<?xf32>
// CHECK:           %[[INDEX:.+]] = memref.load {{.+}} : memref<?xi32>
// CHECK:           %[[OVER:.+]] = arith.cmpf ugt, %[[NEW]], %[[V]]
// CHECK:           %[[NUMBER:.+]] = arith.cmpf ord, %[[V]], %[[V]]
// CHECK:           %[[BETTER:.+]] = arith.andi %[[OVER]], %[[NUMBER]]
// CHECK:           arith.cmpf ugt, %[[V]], %[[NEW]]
// CHECK:           arith.cmpi slt, %[[INDEX]], %[[I]]
// CHECK:         arith.select %{{.+}}, %[[BEST]]#0, %cst{{.*}} : f32
// CHECK:         arith.select %{{.+}}, %[[BEST]]#1, %c-1_i32
// CHECK:         arith.sitofp
func.func @first(%x: memref<?xf32>, %y: memref<?xf32>, %i: memref<?xi32>, %n: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x : memref<?xf32>) at [#gnn_tile.at<element>]
      outs(%y, %i, %n : memref<?xf32>, memref<?xi32>, memref<?xf32>) at [#gnn_tile.at<group>, #gnn_tile.at<group>, #gnn_tile.at<group>] {
  ^bb0(%xv: f32):
    %e = gnn_tile.index #gnn_tile.at<element -> edge>
    %v, %a = gnn_tile.arg_reduce max %xv, %e : f32
    %s = gnn_tile.size : f32
    gnn_tile.yield %v, %a, %s : f32, i32, f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A row that is written over is copied before, as all of it is read for each
// feature.
//
// CHECK-LABEL: func.func @in_place
// CHECK:         %[[COPY:.+]] = memref.alloca() : memref<8xf32>
// CHECK:         scf.for %[[ROW:.+]] = %c0 to
// CHECK:           scf.for %[[F:.+]] = %c0 to %c8
// CHECK:             memref.store %{{.+}}, %[[COPY]][%[[F]]]
// CHECK:           scf.for {{.+}} -> (f32)
// CHECK:             memref.load %[[COPY]]
// CHECK:           scf.for %[[F:.+]] = %c0 to %c8
// CHECK:             memref.load %[[COPY]][%[[F]]]
// CHECK:             memref.store %{{.+}}, %{{.+}}[%[[ROW]], %[[F]]]
func.func @in_place(%x: memref<?x8xf32>) {
  gnn_tile.traverse @g <dst, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%x : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%xv: f32):
    %m = gnn_tile.reduce max [feature] %xv : f32
    %d = arith.subf %xv, %m : f32
    gnn_tile.yield %d : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Rows of weights that are read the other way round, of a fixed number.
//
// CHECK-LABEL: func.func @columns
// CHECK:         scf.for %[[ROW:.+]] = %c0 to %c24
// CHECK:           scf.for %[[F:.+]] = %c0 to %c4
// CHECK:             %[[MATRIX:.+]] = arith.divui %[[ROW]], %c8
// CHECK:             %[[COLUMN:.+]] = arith.remui %[[ROW]], %c8
// CHECK:             memref.load %{{.+}}[%[[MATRIX]], %[[F]], %[[COLUMN]]]
func.func @columns(%w: memref<3x4x8xf32>, %y: memref<24x4xf32>) {
  gnn_tile.traverse @g <24, features = 4>
      ins(%w : memref<3x4x8xf32>) at [#gnn_tile.at<group : feature, column>]
      outs(%y : memref<24x4xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A tile is (group, begin, end).
//
// CHECK-LABEL: func.func @tiles
// CHECK:         %[[COUNT:.+]] = gnn_tile.count @g tile_count edge_type src_pair 64
// CHECK:         %[[TILES:.+]] = gnn_tile.structure @g tiles edge_type src_pair 64
// CHECK:         scf.for %[[TILE:.+]] = %c0 to %[[COUNT]]
// CHECK:           %[[PLACE:.+]] = arith.muli %[[TILE]], %c3
// CHECK:           %[[SECOND:.+]] = arith.addi %[[PLACE]], %c1
// CHECK:           memref.load %[[TILES]][%[[SECOND]]]
// CHECK:           %[[THIRD:.+]] = arith.addi %[[PLACE]], %c2
// CHECK:           memref.load %[[TILES]][%[[THIRD]]]
func.func @tiles(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  gnn_tile.traverse @g <tiles<edge_type, src_pair, 64>, src_pair, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<element : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The highest score by a walk of its own; sums are wide, and a score of minus infinity
// has no power of itself.
//
// CHECK-LABEL: func.func @softmax
// CHECK-DAG:     %[[LEAST:.+]] = arith.constant -3.40282347E+38
// CHECK-DAG:     %[[INFINITY:.+]] = arith.constant 0xFF800000 : f32
// CHECK:         %[[HIGHEST:.+]] = scf.for {{.+}} iter_args(%{{.+}} = %[[INFINITY]]) -> (f32)
// CHECK:           arith.maximumf
// CHECK:         %[[SCORE:.+]] = arith.select %{{.+}}, %[[HIGHEST]], %{{.+}}
// CHECK:         %[[TOP:.+]] = arith.maximumf %[[SCORE]], %[[LEAST]]
// CHECK:         scf.for {{.+}} -> (f64)
// CHECK:           %[[D:.+]] = arith.subf %{{.+}}, %[[TOP]]
// CHECK:           math.exp %[[D]]
// CHECK:         arith.truncf
func.func @softmax(%x: memref<?xf32>, %v: memref<?xf32>, %y: memref<?xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows>
      ins(%x, %v : memref<?xf32>, memref<?xf32>) at [#gnn_tile.at<element>, #gnn_tile.at<element>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%xv: f32, %vv: f32):
    %m, %s = gnn_tile.softmax_sum %xv, %vv : f32
    gnn_tile.yield %s : f32
  }
  return
}
