// RUN: gnn-opt %s --gnn-schedule-pipeline='tensor-cores=false async-copies=false' --gnn-tile-block-products --split-input-file \
// RUN:   --remarks-filter='gnn-tile-block-products' --remark-format=emitRemark --verify-diagnostics | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// A block takes one of the tiles that the rows of each type are cut into, as many
// columns as the schedule says, and one head.
//
// CHECK-LABEL: func.func @typed
// CHECK-SAME:      %[[X:[^:]+]]: memref<?x64xf32>, %[[W:[^:]+]]: memref<3x64x64xf32>, %[[Y:[^:]+]]: memref<?x64xf32>
// CHECK-DAG:     %[[TILES:.+]] = gnn_tile.count @g tile_count edge_type src_pair 64
// CHECK-DAG:     %[[LIST:.+]] = gnn_tile.structure @g tiles edge_type src_pair 64
// CHECK-DAG:     %[[MAP:.+]] = gnn_tile.structure @g map src_pair src
// CHECK-DAG:     %[[SOURCES:.+]] = gnn_tile.count @g count src :
// CHECK-DAG:     %[[XS:.+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[SOURCES]], 64], strides: [64, 1]
// CHECK-DAG:     %[[YS:.+]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [%{{.+}}, 64], strides: [64, 1]
// CHECK:         gnn_tile.blocks to [%[[TILES]], 64, 1] step [1, 64, 1] template "gemm" schedule #gnn_tile.gemm_schedule<n = 64, kind = ffma, copies = registers> {
// CHECK-NEXT:    ^bb0(%[[B:.+]]: index, %[[C:.+]]: index, %{{.+}}: index):
// CHECK:           %[[AT:.+]] = arith.muli %[[B]], %c3
// CHECK:           %[[TYPE:.+]] = arith.index_cast
// CHECK:           %[[FIRST:.+]] = arith.index_cast
// CHECK:           %[[END:.+]] = arith.index_cast
// CHECK:           %[[COUNT:.+]] = arith.subi %[[END]], %[[FIRST]]
// CHECK:           gnn_tile.gemm @g rows src_pair types edge_type rows[%[[FIRST]], %[[COUNT]]] type[%[[TYPE]]] columns[%[[C]]]
// CHECK-SAME:        ins(%[[XS]], %[[W]] :
// CHECK-SAME:        outs(%[[YS]] :
// CHECK-SAME:        index_arrays(%[[LIST]], %[[MAP]] :
func.func @typed(%x: memref<?x64xf32>, %w: memref<3x64x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{tiles of 64 rows and 64 columns}}
  gnn_tile.gemm @g rows src_pair types edge_type
      ins(%x, %w : memref<?x64xf32>, memref<3x64x64xf32>) at <group -> src : feature> extras at []
      outs(%y : memref<?x64xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Without types a block takes 64 rows, the last one what is left. The cost is
// stated while there is a template to ask.
//
// CHECK-LABEL: func.func @heads
// CHECK:         %[[ROWS:.+]] = gnn_tile.count @g count dst
// CHECK:         gnn_tile.cost
// CHECK:         gnn_tile.blocks to [%[[ROWS]], 8, 4] step [64, 16, 1]
// CHECK-NEXT:    ^bb0(%[[R:.+]]: index, %[[C:.+]]: index, %[[H:.+]]: index):
// CHECK:           %[[LEFT:.+]] = arith.subi %[[ROWS]], %[[R]]
// CHECK:           %[[COUNT:.+]] = arith.minsi %{{.+}}, %[[LEFT]]
// CHECK:           gnn_tile.gemm @g rows dst rows[%[[R]], %[[COUNT]]] columns[%[[C]]] head[%[[H]]]
func.func @heads(%x: memref<?x20xf32>, %w: memref<4x20x8xf32>, %y: memref<?x4x8xf32>) {
  // expected-remark @+1 {{tiles of 64 rows and 16 columns}}
  gnn_tile.gemm @g rows dst ins(%x, %w : memref<?x20xf32>, memref<4x20x8xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x4x8xf32>) at <group : head, feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Rows of weights are a fixed number, and need no list of tiles: 100 of each type
// are two tiles.
//
// CHECK-LABEL: func.func @weights
// CHECK-NOT:     gnn_tile.structure
// CHECK:         gnn_tile.blocks to [6, 4, 1] step [1, 16, 1]
// CHECK-NEXT:    ^bb0(%[[B:.+]]: index, %{{.+}}: index, %{{.+}}: index):
// CHECK:           %[[PLACE:.+]]:2 = affine.delinearize_index %[[B]] into (2)
// CHECK:           gnn_tile.gemm @g rows 300 types 100 rows[%{{.+}}, %{{.+}}] type[%[[PLACE]]#0]
func.func @weights(%x: memref<300x8xf32>, %w: memref<3x8x4xf32>, %y: memref<300x4xf32>) {
  // expected-remark @+1 {{tiles of 64 rows and 16 columns}}
  gnn_tile.gemm @g rows 300 types 100 ins(%x, %w : memref<300x8xf32>, memref<3x8x4xf32>)
      at <group : feature> extras at []
      outs(%y : memref<300x4xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @part square of @g types [0, 2] {node_types = 2, edge_types = 2}

// A type of a derived graph leads to a weight of its parent.
//
// CHECK-LABEL: func.func @parent
// CHECK:         %[[LIST:.+]] = gnn_tile.structure @part tiles edge_type src_pair 64
// CHECK:         %[[MAP:.+]] = gnn_tile.structure @part map edge_type parent_edge_type
// CHECK:         gnn_tile.blocks
// CHECK:           %[[TYPE:.+]] = arith.index_cast
// CHECK:           %[[LOADED:.+]] = memref.load %[[MAP]][%[[TYPE]]]
// CHECK:           %[[WEIGHT:.+]] = arith.index_cast %[[LOADED]]
// CHECK:           gnn_tile.gemm {{.+}} type[%[[TYPE]]] weight[%[[WEIGHT]]]
func.func @parent(%x: memref<?x64xf32>, %w: memref<3x64x8xf32>, %y: memref<?x8xf32>) {
  // expected-remark @+1 {{tiles of 64 rows and 16 columns}}
  gnn_tile.gemm @part rows src_pair types edge_type weights parent_edge_type
      ins(%x, %w : memref<?x64xf32>, memref<3x64x8xf32>) at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A block owns a part of one type's matrix, 64 of its rows by the columns of the
// schedule, and all rows of the type.
//
// CHECK-LABEL: func.func @outer
// CHECK:         %[[ROWS:.+]] = gnn_tile.structure @g rows edge_type src_pair
// CHECK:         gnn_tile.blocks to [3, 4, 1]
// CHECK-NEXT:    ^bb0(%[[T:.+]]: index, %[[TILE:.+]]: index, %{{.+}}: index):
// CHECK:           memref.load %[[ROWS]][%[[T]]]
// CHECK:           %[[PLACE:.+]]:2 = affine.delinearize_index %[[TILE]] into (2)
// CHECK:           %[[LEFT:.+]] = arith.muli %[[PLACE]]#0, %c64
// CHECK:           %[[RIGHT:.+]] = arith.muli %[[PLACE]]#1, %c64
// CHECK:           gnn_tile.outer @g rows src_pair types edge_type rows[%{{.+}}, %{{.+}}] type[%[[T]]] left[%[[LEFT]]] right[%[[RIGHT]]]
func.func @outer(%x: memref<?x100xf32>, %dy: memref<?x128xf32>, %dw: memref<3x100x128xf32>) {
  // expected-remark @+1 {{tiles of 64 rows and 64 columns}}
  gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %dy : memref<?x100xf32>, memref<?x128xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<3x100x128xf32>) schedule <n = 64>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A type may be a tile, of which there are as many as the graph has. Heads that are
// summed are no dimension of the grid.
//
// CHECK-LABEL: func.func @tiles
// CHECK:         %[[TILES:.+]] = gnn_tile.count @g tile_count edge_type src_pair 1024
// CHECK:         gnn_tile.blocks to [%[[TILES]], 1, 1]
// CHECK-NEXT:    ^bb0(%[[T:.+]]: index, %{{.+}}: index, %{{.+}}: index):
// CHECK:           %[[AT:.+]] = arith.muli %[[T]], %c3
// CHECK:           gnn_tile.outer {{.+}} rows[%{{.+}}, %{{.+}}] type[%[[T]]] left[%{{.+}}] right[%{{[^]]+}}] ins
func.func @tiles(%x: memref<?x4x16xf32>, %dy: memref<?x4x8xf32>, %dw: memref<?x16x8xf32>) {
  // expected-remark @+1 {{tiles of 64 rows and 16 columns}}
  gnn_tile.outer @g rows src_pair types tiles<edge_type, src_pair, 1024>
      ins(%x, %dy : memref<?x4x16xf32>, memref<?x4x8xf32>)
      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<group : head, feature>]
      outs(%dw : memref<?x16x8xf32>)
  return
}
