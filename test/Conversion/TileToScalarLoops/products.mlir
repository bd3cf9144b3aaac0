// RUN: gnn-opt %s --convert-gnn-tile-to-scalar-loops --cse --canonicalize --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// A row's weight is that of its type. The epilogue has what it needs of the row,
// of its type and of all rows.
//
// CHECK-LABEL: func.func @typed
// CHECK-SAME:    (%[[X:[^:]+]]: memref<?x8xf32>, %[[W:[^:]+]]: memref<3x8x4xf32>, %[[S:[^:]+]]: memref<?xf32>, %[[T:[^:]+]]: memref<3x4xf32>, %[[B:[^:]+]]: memref<4xf32>
// CHECK-DAG:     %[[N:.+]] = gnn_tile.count @g count src_pair
// CHECK-DAG:     %[[TYPES:.+]] = gnn_tile.structure @g map src_pair edge_type
// CHECK-DAG:     %[[SOURCES:.+]] = gnn_tile.structure @g map src_pair src
// CHECK:         scf.for %[[ROW:.+]] = %c0 to %[[N]]
// CHECK:           %[[TYPE32:.+]] = memref.load %[[TYPES]][%[[ROW]]]
// CHECK:           %[[TYPE:.+]] = arith.index_cast %[[TYPE32]]
// CHECK:           scf.for %[[COLUMN:.+]] = %c0 to %c4
// CHECK:             %[[SUM:.+]] = scf.for %[[K:.+]] = %c0 to %c8 {{.+}} -> (f64)
// CHECK:               memref.load %[[SOURCES]][%[[ROW]]]
// CHECK:               memref.load %[[W]][%[[TYPE]], %[[K]], %[[COLUMN]]]
// CHECK:               arith.mulf {{.+}} : f64
// CHECK:               arith.addf {{.+}} : f64
// CHECK:             arith.truncf %[[SUM]]
// CHECK:             memref.load %{{.+}}[%[[ROW]]] : memref<?xf32>
// CHECK:             memref.load %[[T]][%[[TYPE]], %[[COLUMN]]]
// CHECK:             memref.load %[[B]][%[[COLUMN]]]
// CHECK:             memref.store %{{.+}}, %{{.+}}[%[[ROW]], %[[COLUMN]]] : memref<?x4xf32>
func.func @typed(%x: memref<?x8xf32>, %w: memref<3x8x4xf32>, %s: memref<?xf32>, %t: memref<3x4xf32>, %b: memref<4xf32>, %y: memref<?x4xf32>) {
  gnn_tile.gemm @g rows src_pair types edge_type
      ins(%x, %w : memref<?x8xf32>, memref<3x8x4xf32>) at <group -> src : feature>
      extras(%s, %t, %b : memref<?xf32>, memref<3x4xf32>, memref<4xf32>)
      at [#gnn_tile.at<group>, #gnn_tile.at<group -> edge_type : feature>, #gnn_tile.at<all : feature>]
      outs(%y : memref<?x4xf32>) at <group : feature> {
  ^bb0(%acc: f32, %sv: f32, %tv: f32, %bv: f32):
    %p = arith.mulf %acc, %sv : f32
    %q = arith.addf %p, %tv : f32
    %r = arith.addf %q, %bv : f32
    gnn_tile.yield %r : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// 64 rows a type, and weights that are transposed, one a head.
//
// CHECK-LABEL: func.func @fixed
// CHECK:         scf.for %[[ROW:.+]] = %c0 to %c192
// CHECK:           %[[TYPE:.+]] = arith.divui %[[ROW]], %c64
// CHECK:           scf.for %[[HEAD:.+]] = %c0 to %c2
// CHECK:             scf.for %[[COLUMN:.+]] = %c0 to %c4
// CHECK:               scf.for %[[K:.+]] = %c0 to %c8
// CHECK:                 memref.load %{{.+}}[%[[ROW]], %[[K]]] : memref<192x8xf32>
// CHECK:                 memref.load %{{.+}}[%[[TYPE]], %[[HEAD]], %[[COLUMN]], %[[K]]]
// CHECK:               memref.store %{{.+}}, %{{.+}}[%[[ROW]], %[[HEAD]], %[[COLUMN]]]
func.func @fixed(%x: memref<192x8xf32>, %w: memref<3x2x4x8xf32>, %y: memref<192x2x4xf32>) {
  gnn_tile.gemm @g rows 192 types 64 transposed
      ins(%x, %w : memref<192x8xf32>, memref<3x2x4x8xf32>) at <group : feature>
      extras at []
      outs(%y : memref<192x2x4xf32>) at <group : head, feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The graph is one type, to which no map leads. A type of a derived graph has the
// weight that its parent has.
//
// CHECK-LABEL: func.func @of_graph
// CHECK-NOT:     gnn_tile.structure
// CHECK:         memref.load %{{.+}}[%c0, %{{.+}}, %{{.+}}] : memref<1x8x8xf32>
// CHECK-LABEL: func.func @of_parent
// CHECK-DAG:     %[[TYPES:.+]] = gnn_tile.structure @part map src_pair edge_type
// CHECK-DAG:     %[[PARENT:.+]] = gnn_tile.structure @part map edge_type parent_edge_type
// CHECK:         %[[TYPE32:.+]] = memref.load %[[TYPES]]
// CHECK:         %[[TYPE:.+]] = arith.index_cast %[[TYPE32]]
// CHECK:         %[[ROW32:.+]] = memref.load %[[PARENT]][%[[TYPE]]]
// CHECK:         %[[ROW:.+]] = arith.index_cast %[[ROW32]]
// CHECK:         memref.load %{{.+}}[%[[ROW]], %{{.+}}, %{{.+}}] : memref<3x8x8xf32>
func.func @of_graph(%x: memref<?x8xf32>, %w: memref<1x8x8xf32>, %y: memref<?x8xf32>) {
  gnn_tile.gemm @g rows dst types graph
      ins(%x, %w : memref<?x8xf32>, memref<1x8x8xf32>) at <group : feature>
      extras at [] outs(%y : memref<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
gnn.graph @part square of @g types [0, 2] {node_types = 2, edge_types = 2}
func.func @of_parent(%x: memref<?x8xf32>, %w: memref<3x8x8xf32>, %y: memref<?x8xf32>) {
  gnn_tile.gemm @part rows src_pair types edge_type weights parent_edge_type
      ins(%x, %w : memref<?x8xf32>, memref<3x8x8xf32>) at <group : feature>
      extras at [] outs(%y : memref<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A row that is written over is copied before: all of it is read for each column.
//
// CHECK-LABEL: func.func @in_place
// CHECK:         %[[COPY:.+]] = memref.alloca() : memref<8xf32>
// CHECK:         scf.for %[[ROW:.+]] = %c0 to
// CHECK:           scf.for %[[K:.+]] = %c0 to %c8
// CHECK:             memref.store %{{.+}}, %[[COPY]][%[[K]]]
// CHECK:           scf.for %[[COLUMN:.+]] = %c0 to %c8
// CHECK:             scf.for %[[K:.+]] = %c0 to %c8
// CHECK:               memref.load %[[COPY]][%[[K]]]
func.func @in_place(%x: memref<?x8xf32>, %w: memref<8x8xf32>) {
  gnn_tile.gemm @g rows dst ins(%x, %w : memref<?x8xf32>, memref<8x8xf32>) at <group : feature>
      extras at [] outs(%x : memref<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: func.func @outer
// CHECK:         %[[N:.+]] = gnn_tile.count @g count edge_type
// CHECK:         %[[ROWS:.+]] = gnn_tile.structure @g rows edge_type src_pair
// CHECK:         scf.for %[[TYPE:.+]] = %c0 to %[[N]]
// CHECK:           memref.load %[[ROWS]][%[[TYPE]]]
// CHECK:           %[[BEGIN:.+]] = arith.index_cast
// CHECK:           memref.load %[[ROWS]]
// CHECK:           %[[END:.+]] = arith.index_cast
// CHECK:           scf.for %[[A:.+]] = %c0 to %c8
// CHECK:             scf.for %[[B:.+]] = %c0 to %c4
// CHECK:               %[[SUM:.+]] = scf.for %[[ROW:.+]] = %[[BEGIN]] to %[[END]] {{.+}} -> (f64)
// CHECK:                 memref.load %{{.+}}[%{{.+}}, %[[A]]] : memref<?x8xf32>
// CHECK:                 memref.load %{{.+}}[%[[ROW]], %[[B]]] : memref<?x4xf32>
// CHECK:               memref.store %{{.+}}, %{{.+}}[%[[TYPE]], %[[A]], %[[B]]]
// CHECK:           scf.for %[[B:.+]] = %c0 to %c4
// CHECK:             scf.for {{.+}} -> (f64)
// CHECK:             memref.store %{{.+}}, %{{.+}}[%[[TYPE]], %[[B]]]
func.func @outer(%x: memref<?x8xf32>, %dy: memref<?x4xf32>, %w: memref<3x8x4xf32>, %s: memref<3x4xf32>) {
  gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %dy : memref<?x8xf32>, memref<?x4xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%w : memref<3x8x4xf32>) sums(%s : memref<3x4xf32>)
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Heads that the output does not have are summed over too.
//
// CHECK-LABEL: func.func @summed_heads
// CHECK:         %[[N:.+]] = gnn_tile.count @g count dst
// CHECK:         scf.for %[[A:.+]] = %c0 to %c8
// CHECK:           scf.for %[[B:.+]] = %c0 to %c4
// CHECK:             scf.for %[[HEAD:.+]] = %c0 to %c2 {{.+}} -> (f64)
// CHECK:               scf.for %[[ROW:.+]] = %c0 to %[[N]] {{.+}} -> (f64)
// CHECK:                 memref.load %{{.+}}[%[[ROW]], %[[HEAD]], %[[A]]]
// CHECK:                 memref.load %{{.+}}[%[[ROW]], %[[HEAD]], %[[B]]]
// CHECK:             memref.store %{{.+}}, %{{.+}}[%[[A]], %[[B]]]
func.func @summed_heads(%x: memref<?x2x8xf32>, %dy: memref<?x2x4xf32>, %w: memref<8x4xf32>) {
  gnn_tile.outer @g rows dst
      ins(%x, %dy : memref<?x2x8xf32>, memref<?x2x4xf32>)
      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<group : head, feature>]
      outs(%w : memref<8x4xf32>)
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A matrix for each head of each tile.
//
// CHECK-LABEL: func.func @tiles
// CHECK:         %[[N:.+]] = gnn_tile.count @g tile_count edge_type src_pair 1024
// CHECK:         scf.for %[[TILE:.+]] = %c0 to %[[N]]
// CHECK:           scf.for %[[HEAD:.+]] = %c0 to %c2
// CHECK:             scf.for %[[A:.+]] = %c0 to %c8
// CHECK:               scf.for %[[B:.+]] = %c0 to %c4
// CHECK:                 memref.store %{{.+}}, %{{.+}}[%[[TILE]], %[[HEAD]], %[[A]], %[[B]]] : memref<?x2x8x4xf32>
func.func @tiles(%x: memref<?x2x8xf32>, %dy: memref<?x2x4xf32>, %w: memref<?x2x8x4xf32>) {
  gnn_tile.outer @g rows src_pair types tiles<edge_type, src_pair, 1024>
      ins(%x, %dy : memref<?x2x8xf32>, memref<?x2x4xf32>)
      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<group : head, feature>]
      outs(%w : memref<?x2x8x4xf32>)
  return
}

// Sums of the left side.
//
// CHECK-LABEL: func.func @sums_of_left
// CHECK:           scf.for %[[A:.+]] = %c0 to %c8
// CHECK:             scf.for %{{.+}} = %c0 to %c4
// CHECK:           scf.for %[[B:.+]] = %c0 to %c8
// CHECK:             scf.for %[[ROW:[^ ]+]] = {{.+}} -> (f64)
// CHECK:               memref.load %{{.+}}[%[[ROW]], %[[B]]] : memref<?x8xf32>
// CHECK:             memref.store %{{.+}}, %{{.+}}[%[[B]]] : memref<8xf32>
func.func @sums_of_left(%x: memref<?x8xf32>, %dy: memref<?x4xf32>, %w: memref<8x4xf32>, %s: memref<8xf32>) {
  gnn_tile.outer @g rows src_pair
      ins(%x, %dy : memref<?x8xf32>, memref<?x4xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%w : memref<8x4xf32>) sums left(%s : memref<8xf32>)
  return
}
