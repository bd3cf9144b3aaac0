// RUN: gnn-opt %s --gnn-schedule-pipeline='tensor-cores=false async-copies=false sum-runs=0' --gnn-tile-block-products --gnn-tile-lower-products --cse --split-input-file \
// RUN:   --remarks-filter='gnn-tile-lower-products' --remark-format=emitRemark --verify-diagnostics | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// A depth of 64 is one step: both operands are staged, depth first, and multiplied.
// Rows behind the last one of the tile are read as that, and not stored. A thread
// loads fours of the depth, and has 8 rows of 4 columns of the sums.
//
// CHECK-LABEL: func.func @typed
// CHECK-SAME:      %[[W:[^:]+]]: memref<3x64x64xf32>
// CHECK-DAG:     %[[MAP:.+]] = gnn_tile.structure @g map src_pair src
// CHECK:         gnn_tile.blocks
// CHECK-DAG:       %[[L:.+]] = gnn_tile.array permuted 4 : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK:           %[[R:.+]] = gnn_tile.array permuted 4 : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK:           %[[ROWS:.+]] = arith.addi %{{.+}}, %{{.+}} : vector<64xindex>
// CHECK:           %[[LAST:.+]] = vector.broadcast %{{.+}} : index to vector<64xindex>
// CHECK-DAG:       %[[INSIDE:.+]] = arith.cmpi sle, %[[ROWS]], %[[LAST]]
// CHECK-DAG:       %[[CLAMPED:.+]] = arith.minsi %[[ROWS]], %[[LAST]]
// CHECK:           %[[LED:.+]] = gnn_tile.load_rows %[[MAP]][%[[CLAMPED]]] : memref<?xi32>, vector<64xindex> -> vector<64xi32>
// CHECK:           %[[FROM:.+]] = arith.index_cast %[[LED]] : vector<64xi32> to vector<64xindex>
// CHECK-NOT:       scf.for
// CHECK:           %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<64x64xf32>
// CHECK:           %[[X:.+]] = gnn_tile.load_rows %{{.+}}[%[[FROM]], %c0] aligned 4 : memref<?x64xf32>, vector<64xindex>, index -> vector<64x64xf32>
// CHECK:           %[[WEIGHT:.+]] = gnn_tile.load_rows %[[W]][%{{.+}}, %{{.+}}, %{{.+}}] aligned 4 : memref<3x64x64xf32>, index, vector<64xindex>, index -> vector<64x64xf32>
// CHECK:           gnn_tile.stage %[[X]], %[[L]][%c0] transposed by registers spread <each = [1, 4], lanes = [32, 4]>
// CHECK:           gnn_tile.stage %[[WEIGHT]], %[[R]][%c0] by registers spread <each = [1, 4], lanes = [8, 16]>
// CHECK-DAG:       %[[XS:.+]] = vector.transfer_read %[[L]]
// CHECK-DAG:       %[[WS:.+]] = vector.transfer_read %[[R]]
// CHECK:           %[[SUMS:.+]] = gnn_tile.contract %[[XS]], %[[WS]], %[[ZERO]] spread <each = [8, 4], lanes = [8, 16]>
// CHECK:           gnn_tile.store_rows %[[SUMS]], %{{.+}}[%[[CLAMPED]], %{{.+}}] where(%[[INSIDE]] : vector<64xi1>) aligned 4 spread <each = [8, 4], lanes = [8, 16]>
func.func @typed(%w: memref<3x64x64xf32>, %x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{steps of 64}}
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

// A depth of 100 ends inside of a step of 32: columns of the input and rows of the
// weight behind it are 0. So do the 7 columns, which are no fours.
//
// CHECK-LABEL: func.func @odd
// CHECK:         scf.for %[[K:.+]] = %c0{{.*}} to %c100{{.*}} step %c32{{.*}} iter_args(%[[ACC:.+]] = %{{.+}}) -> (vector<64x16xf32>) {
// CHECK:           gnn_tile.load_rows %{{.+}}[%{{.+}}, %[[K]]] below 100 aligned 4 : memref<?x100xf32>
// CHECK:           %[[DEPTHS:.+]] = arith.addi
// CHECK:           %[[ENDS:.+]] = vector.broadcast %c99
// CHECK-DAG:       %[[INSIDE:.+]] = arith.cmpi sle, %[[DEPTHS]], %[[ENDS]]
// CHECK-DAG:       %[[CLAMPED:.+]] = arith.minsi %[[DEPTHS]], %[[ENDS]]
// CHECK:           gnn_tile.load_rows %{{.+}}[%[[CLAMPED]], %{{.+}}] where(%[[INSIDE]] : vector<32xi1>) below 7 : memref<100x7xf32>
// CHECK:           gnn_tile.contract
// CHECK-SAME:        %[[ACC]]
// CHECK:         gnn_tile.store_rows %{{.+}} below 7 spread
func.func @odd(%x: memref<?x100xf32>, %w: memref<100x7xf32>, %y: memref<?x7xf32>) {
  // expected-remark @+1 {{steps of 32}}
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x100xf32>, memref<100x7xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x7xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The body works on the tile: a bias of the type has columns, a scale has rows.
//
// CHECK-LABEL: func.func @body
// CHECK-SAME:      %[[B:[^:]+]]: memref<3x64xf32>
// CHECK:         %[[SUMS:.+]] = gnn_tile.contract
// CHECK:         %[[BIAS:.+]] = gnn_tile.load_rows %[[B]][%{{.+}}, %{{.+}}] aligned 4 : memref<3x64xf32>, index, index -> vector<64xf32>
// CHECK:         %[[WIDE:.+]] = vector.broadcast %[[BIAS]] : vector<64xf32> to vector<64x64xf32>
// CHECK:         %[[SCALE:.+]] = gnn_tile.load_rows %{{.+}}[%{{.+}}] where(%{{.+}} : vector<64xi1>) : memref<?xf32>, vector<64xindex> -> vector<64xf32>
// CHECK:         %[[COLUMN:.+]] = vector.shape_cast %[[SCALE]] : vector<64xf32> to vector<64x1xf32>
// CHECK:         %[[SCALES:.+]] = vector.broadcast %[[COLUMN]] : vector<64x1xf32> to vector<64x64xf32>
// CHECK:         %[[A:.+]] = arith.addf %[[SUMS]], %[[WIDE]] : vector<64x64xf32>
// CHECK:         %[[M:.+]] = arith.mulf %[[A]], %[[SCALES]] : vector<64x64xf32>
// CHECK:         gnn_tile.store_rows %[[M]]
func.func @body(%b: memref<3x64xf32>, %x: memref<?x64xf32>, %w: memref<3x64x64xf32>, %s: memref<?xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{steps of 64}}
  gnn_tile.gemm @g rows src_pair types edge_type
      ins(%x, %w : memref<?x64xf32>, memref<3x64x64xf32>) at <group -> src : feature>
      extras(%b, %s : memref<3x64xf32>, memref<?xf32>)
      at [#gnn_tile.at<group -> edge_type : feature>, #gnn_tile.at<group>]
      outs(%y : memref<?x64xf32>) at <group : feature> {
  ^bb0(%acc: f32, %bias: f32, %scale: f32):
    %a = arith.addf %acc, %bias : f32
    %m = arith.mulf %a, %scale : f32
    gnn_tile.yield %m : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The rows of a type in steps of 32. Those of the right are added up beside, in 32
// lines that are summed in the end, by the blocks of the first rows of the matrix.
//
// CHECK-LABEL: func.func @sums
// CHECK:         %[[R:.+]] = gnn_tile.array permuted 2 : memref<32x16xf32, #gpu.address_space<workgroup>>
// CHECK:         %[[LOOP:.+]]:2 = scf.for %[[ROW:.+]] = %{{.+}} to %{{.+}} step %c32{{.*}} iter_args(%[[ACC:.+]] = %{{.+}}, %[[SUM:.+]] = %{{.+}}) -> (vector<64x16xf32>, vector<32x16xf32>) {
// CHECK-DAG:       %[[INSIDE:.+]] = arith.cmpi sle
// CHECK-DAG:       %[[CLAMPED:.+]] = arith.minsi
// CHECK:           gnn_tile.load_rows %{{.+}} where(%[[INSIDE]] : vector<32xi1>) below 100 aligned 4 : memref<?x100xf32>
// CHECK:           %[[RIGHT:.+]] = gnn_tile.load_rows %{{.+}}[%[[CLAMPED]], %{{.+}}] where(%[[INSIDE]] : vector<32xi1>) below 8 aligned 4 : memref<?x8xf32>
// CHECK:           gnn_tile.stage {{.+}} ahead by
// CHECK:           gnn_tile.stage %[[RIGHT]], %[[R]][%c0{{.*}}] ahead by
// CHECK:           %[[NEXT:.+]] = gnn_tile.contract
// CHECK:           %[[PART:.+]] = vector.extract_strided_slice %[[RIGHT]] {offsets = [0, 0], sizes = [32, 16], strides = [1, 1]}
// CHECK:           %[[MORE:.+]] = arith.addf %[[SUM]], %[[PART]] : vector<32x16xf32>
// CHECK:           scf.yield %[[NEXT]], %[[MORE]]
// CHECK:         gnn_tile.stage %[[LOOP]]#1, %[[R]][%c0{{.*}}] by registers
// CHECK:         %[[LINES:.+]] = vector.transfer_read %[[R]]
// CHECK:         %[[TOTAL:.+]] = vector.multi_reduction <add>, %[[LINES]], %{{.+}} [0] : vector<32x16xf32> to vector<16xf32>
// CHECK:         scf.if
// CHECK:           gnn_tile.store_rows %[[TOTAL]], %{{.+}} below 8 spread <each = [1], lanes = [16]>
// CHECK:         gnn_tile.store_rows %[[LOOP]]#0
func.func @sums(%x: memref<?x100xf32>, %dy: memref<?x8xf32>, %dw: memref<3x100x8xf32>, %db: memref<3x8xf32>) {
  // expected-remark @+1 {{steps of 32}}
  gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %dy : memref<?x100xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<3x100x8xf32>) sums(%db : memref<3x8xf32>)
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Heads that are summed are a loop around that over rows.
//
// CHECK-LABEL: func.func @heads
// CHECK:         scf.for %[[H:.+]] = %c0{{.*}} to %c4{{.*}} step %c1{{.*}} iter_args(%[[ALL:.+]] = %{{.+}}) -> (vector<64x16xf32>) {
// CHECK:           scf.for {{.+}} iter_args(%{{.+}} = %[[ALL]])
// CHECK:             gnn_tile.load_rows %{{.+}}[%{{.+}}, %[[H]], %{{.+}}]
// CHECK:             gnn_tile.stage {{.+}} ahead by
func.func @heads(%x: memref<?x4x16xf32>, %dy: memref<?x4x8xf32>, %dw: memref<16x8xf32>) {
  // expected-remark @+1 {{steps of 32}}
  gnn_tile.outer @g rows src
      ins(%x, %dy : memref<?x4x16xf32>, memref<?x4x8xf32>)
      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<group : head, feature>]
      outs(%dw : memref<16x8xf32>)
  return
}
