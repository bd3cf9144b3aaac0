// RUN: gnn-opt %s --gnn-schedule-pipeline='tensor-cores=false async-copies=false sum-runs=0' --gnn-kernels-pipeline --split-input-file | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// The tile says its type and rows. A gather list is a map that each thread reads
// once for each of the two rows that it loads;
// a scatter list one that it reads where it stores. The whole depth of 64 is staged
// at once, behind one barrier.
//
// CHECK-LABEL: gpu.func @lists_0_gemm
// CHECK-SAME:    workgroup(%{{[a-z0-9]+}} : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK-SAME:    known_block_size = array<i32: 128, 1, 1>
// CHECK-COUNT-5: memref.load %{{.+}} : memref<?xi32>
// CHECK-NOT:     memref<?xi32>
// CHECK:         gpu.barrier
// CHECK:         scf.for
// CHECK-NOT:       memref<?xi32>
// CHECK:           math.fma
// CHECK:         scf.if
// CHECK:           memref.load %[[SCATTER:.+]][%{{.+}}] : memref<?xi32>
// CHECK:           vector.store
// CHECK-LABEL: func.func @lists
// CHECK-DAG:     gnn_tile.structure @g map edge.dst_pairs src
// CHECK-DAG:     gnn_tile.structure @g map edge.dst_pairs edge.in_rows
// CHECK-DAG:     gnn_tile.structure @g tiles edge_type edge.dst_pairs 64
func.func @lists(%x: memref<?x64xf32>, %w: memref<3x64x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.gemm @g rows edge.dst_pairs types edge_type
      ins(%x, %w : memref<?x64xf32>, memref<3x64x64xf32>)
      at <group -> src : feature> extras at []
      outs(%y : memref<?x64xf32>) at <group -> edge.in_rows : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Heads are the third dimension of the grid; a depth of 20 is masked where it
// ends inside a tile of 32.
//
// CHECK-LABEL: gpu.func @heads_0_gemm
// CHECK:         %[[HEAD:.+]] = gpu.block_id  z
// CHECK:         arith.select
// CHECK:         vector.load %{{.+}}[%[[HEAD]], %{{.+}}, %{{.+}}] {{.+}} : memref<4x20x8xf32>
// CHECK:         vector.store %{{.+}}, %{{.+}}[%{{.+}}, %[[HEAD]], %{{.+}}] {{.+}} : memref<?x4x8xf32>
// CHECK-LABEL: func.func @heads
// CHECK-DAG:     %[[FOUR:.+]] = arith.constant 4 : index
// CHECK:         gpu.launch_func {{.+}} blocks in (%{{.+}}, %{{.+}}, %[[FOUR]])
func.func @heads(%x: memref<?x20xf32>, %w: memref<4x20x8xf32>, %y: memref<?x4x8xf32>) {
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

// The epilogue runs on the registers before the store: a bias of the type, a
// scale of the row.
//
// CHECK-LABEL: gpu.func @epilogue_0_gemm
// CHECK:         scf.for
// CHECK:         scf.if
// CHECK:           arith.addf
// CHECK:           arith.mulf
// CHECK:           vector.store
func.func @epilogue(%x: memref<?x64xf32>, %w: memref<3x64x64xf32>, %b: memref<3x64xf32>, %s: memref<?xf32>, %y: memref<?x64xf32>) {
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

// Weights times weights: 16 rows a type make one tile a type, without a list.
//
// CHECK-LABEL: gpu.func @weights_0_gemm
// CHECK-NOT:     memref<?xi32>
// CHECK-LABEL: func.func @weights
// CHECK-NOT:     gnn_tile.structure
// CHECK-DAG:     %[[TILES:.+]] = arith.constant 3 : index
// CHECK:         gpu.launch_func {{.+}} blocks in (%[[TILES]],
func.func @weights(%x: memref<48x8xf32>, %w: memref<3x8x4xf32>, %y: memref<48x4xf32>) {
  gnn_tile.gemm @g rows 48 types 16 ins(%x, %w : memref<48x8xf32>, memref<3x8x4xf32>)
      at <group : feature> extras at []
      outs(%y : memref<48x4xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A transposed weight is read along the depth, 16 of which a warp takes of a row;
// they are written where no two of its threads meet in a bank.
//
// CHECK-LABEL: gpu.func @transposed_0_gemm
// CHECK-NOT:     memref.load %{{.+}} : memref<64x32xf32>
// CHECK-COUNT-4: vector.load %{{.+}} {alignment = 16 : i64} : memref<64x32xf32>, vector<4xf32>
// CHECK:         %[[FOUR:.+]] = arith.divui %[[K:.+]], %c4
// CHECK:         %[[PART:.+]] = arith.andi %[[FOUR]], %c3
// CHECK:         %[[EIGHTS:.+]] = arith.muli %[[PART]], %c8
// CHECK:         %[[AT:.+]] = arith.xori %{{.+}}, %[[EIGHTS]]
// CHECK:         memref.store %{{.+}}, %{{.+}}[%[[K]], %[[AT]]]
func.func @transposed(%x: memref<?x32xf32>, %w: memref<64x32xf32>, %y: memref<?x64xf32>) {
  gnn_tile.gemm @g rows src transposed ins(%x, %w : memref<?x32xf32>, memref<64x32xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x64xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The gradient of a typed weight: a block owns a tile of one type's matrix and
// walks the rows of the type in order. While it adds up some, the next ones are
// loaded, and written to the other half of the shared memory. All types are one
// launch, without atomics.
//
// CHECK-LABEL: gpu.func @outer_0_outer
// CHECK-SAME:    workgroup(%{{[a-z0-9]+}} : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK:         memref.load %{{.+}} : memref<?xi32>
// CHECK:         scf.if {{.+}} {
// CHECK:           vector.load %{{.+}} : memref<?x64xf32>
// CHECK:           scf.for
// CHECK:             vector.store %{{.+}} : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK:             gpu.barrier
// CHECK:             vector.load %{{.+}} : memref<?x64xf32>
// CHECK:             math.fma
// CHECK-NOT:         gpu.barrier
// CHECK:             scf.yield
// CHECK:           gpu.barrier
// CHECK:           math.fma
// CHECK-NOT:     atomic
// CHECK-LABEL: func.func @outer
// CHECK-DAG:     gnn_tile.structure @g rows edge_type src_pair
// CHECK-DAG:     %[[TYPES:.+]] = arith.constant 3 : index
// CHECK:         gpu.launch_func {{.+}} blocks in (%[[TYPES]],
// CHECK-NOT:     gpu.launch_func
func.func @outer(%x: memref<?x64xf32>, %dy: memref<?x8xf32>, %dw: memref<3x64x8xf32>) {
  gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %dy : memref<?x64xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<3x64x8xf32>)
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The rows on the right are added up as they are staged; what threads with the same
// columns have is added up at the end, by the block of the first rows alone.
//
// CHECK-LABEL: gpu.func @sums_0_outer
// CHECK:         scf.for
// CHECK:           %[[NEXT:.+]] = arith.addf %{{.+}}, %[[STAGED:.+]] : vector<4xf32>
// CHECK:           scf.yield {{.+}} %[[NEXT]]
// CHECK:         arith.addf %{{.+}} : vector<4xf32>
// CHECK:         gpu.barrier
// CHECK:         vector.store %{{.+}} : memref<64x16xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:    gpu.barrier
// CHECK-COUNT-31: arith.addf %{{.+}} : f32
// CHECK-NOT:     arith.addf
// CHECK:         arith.cmpi slt, %{{.+}}, %c1
// CHECK:         memref.store %{{.+}} : memref<3x8xf32>
// CHECK-NOT:     atomic
func.func @sums(%x: memref<?x100xf32>, %dy: memref<?x8xf32>, %dw: memref<3x100x8xf32>, %db: memref<3x8xf32>) {
  gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %dy : memref<?x100xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<3x100x8xf32>) sums(%db : memref<3x8xf32>)
  return
}
