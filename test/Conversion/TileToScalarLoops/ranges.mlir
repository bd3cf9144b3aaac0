// RUN: gnn-opt %s --gnn-schedule-pipeline --gnn-tile-block-traversals --gnn-tile-block-products --convert-gnn-tile-to-scalar-loops --cse --canonicalize --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// A block's rows, type and columns are those of its range; the last columns are
// fewer. Nothing but its loop says what a block is.
//
// CHECK-LABEL: func.func @gemm
// CHECK-DAG:     %[[LIST:.+]] = gnn_tile.structure @g tiles edge_type src_pair 64
// CHECK-DAG:     %[[MAP:.+]] = gnn_tile.structure @g map src_pair src
// CHECK-NOT:     gnn_tile.structure
// CHECK:         gnn_tile.blocks to [%{{.+}}, 40, 1] step [1, 32, 1] {{.+}} threads 1 {
// CHECK-NEXT:    ^bb0(%[[B:.+]]: index, %[[C:.+]]: index, %{{.+}}: index):
// CHECK:           memref.load %[[LIST]]
// CHECK:           %[[TYPE:.+]] = arith.index_cast
// CHECK:           %[[FIRST:.+]] = arith.index_cast
// CHECK:           %[[PAST:.+]] = arith.addi %[[C]], %c32
// CHECK:           %[[LAST:.+]] = arith.minsi %[[PAST]], %c40
// CHECK:           scf.for %[[ROW:.+]] = %[[FIRST]] to
// CHECK:             scf.for %[[COLUMN:.+]] = %[[C]] to %[[LAST]]
// CHECK:               scf.for %[[K:.+]] = %c0 to %c64
// CHECK:                 memref.load %[[MAP]][%[[ROW]]]
// CHECK:                 memref.load %{{.+}}[%[[TYPE]], %[[K]], %[[COLUMN]]]
// CHECK:               memref.store %{{.+}}, %{{.+}}[%[[ROW]], %[[COLUMN]]]
func.func @gemm(%x: memref<?x64xf32>, %w: memref<3x64x40xf32>, %y: memref<?x40xf32>) {
  gnn_tile.gemm @g rows src_pair types edge_type
      ins(%x, %w : memref<?x64xf32>, memref<3x64x40xf32>) at <group -> src : feature> extras at []
      outs(%y : memref<?x40xf32>) at <group : feature> schedule <n = 32> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Blocks of the first columns of the left side compute the sums; the others go
// through none.
//
// CHECK-LABEL: func.func @outer
// CHECK:         gnn_tile.blocks to [3, 4, 1] step [1, 1, 1]
// CHECK-NEXT:    ^bb0(%[[T:.+]]: index, %[[TILE:.+]]: index, %{{.+}}: index):
// CHECK-DAG:       %[[LEFT:.+]] = arith.muli %{{.+}}, %c64
// CHECK-DAG:       %[[IS_FIRST:.+]] = arith.cmpi eq, %[[LEFT]], %c0
// CHECK:           %[[END:.+]] = arith.select %[[IS_FIRST]], %[[LAST:.+]], %[[RIGHT:.+]] : index
// CHECK:           scf.for %[[TYPE:.+]] = %[[T]] to
// CHECK:           scf.for %[[A:.+]] = %[[LEFT]] to
// CHECK:             scf.for %[[B:.+]] = %[[RIGHT]] to %[[LAST]] step
// CHECK:               scf.for {{.+}} -> (f64)
// CHECK:               memref.store %{{.+}}, %{{.+}}[%[[TYPE]], %[[A]], %[[B]]]
// CHECK:           scf.for %[[B:.+]] = %[[RIGHT]] to %[[END]]
// CHECK:             memref.store %{{.+}}, %{{.+}}[%[[TYPE]], %[[B]]]
func.func @outer(%x: memref<?x100xf32>, %dy: memref<?x128xf32>, %dw: memref<3x100x128xf32>, %db: memref<3x128xf32>) {
  gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %dy : memref<?x100xf32>, memref<?x128xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<3x100x128xf32>) sums(%db : memref<3x128xf32>) schedule <n = 64>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The rows of a block are at positions of the order in which they are taken; the
// last block has fewer, and so have the last columns.
//
// CHECK-LABEL: func.func @traverse
// CHECK-DAG:     %[[N:.+]] = gnn_tile.count @g count dst
// CHECK-DAG:     %[[TAKEN:.+]] = gnn_tile.structure @g map dst.by_degree dst
// CHECK:         gnn_tile.blocks to [%[[N]], 48] step [4, 32]
// CHECK-NEXT:    ^bb0(%[[FIRST:.+]]: index, %[[COLUMN:.+]]: index):
// CHECK-DAG:       %[[PAST:.+]] = arith.addi %[[FIRST]], %c4
// CHECK-DAG:       %[[END:.+]] = arith.minsi %[[PAST]], %[[N]]
// CHECK-DAG:       %[[NEXT:.+]] = arith.addi %[[COLUMN]], %c32
// CHECK-DAG:       %[[LAST:.+]] = arith.minsi %[[NEXT]], %c48
// CHECK:           scf.for %[[POSITION:.+]] = %[[FIRST]] to %[[END]]
// CHECK:             %[[WORD:.+]] = memref.load %[[TAKEN]][%[[POSITION]]]
// CHECK:             %[[ROW:.+]] = arith.index_cast %[[WORD]]
// CHECK:             scf.for %[[F:.+]] = %[[COLUMN]] to %[[LAST]]
// CHECK:               memref.store %{{.+}}, %{{.+}}[%[[ROW]], %[[F]]]
func.func @traverse(%x: memref<?x48xf32>, %y: memref<?x48xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 48>
      ins(%x : memref<?x48xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x48xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 32, rows_per_block = 4, row_order = by_degree> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
