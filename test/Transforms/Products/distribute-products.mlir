// RUN: gnn-opt %s --gnn-schedule-pipeline='tensor-cores=false async-copies=false sum-runs=0' --gnn-tile-block-products --gnn-tile-lower-products --gnn-tile-load-ahead --gnn-tile-distribute --canonicalize --cse --split-input-file \
// RUN:   --remarks-filter='gnn-tile-distribute' --remark-format=emitRemark --verify-diagnostics | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// The tile says its type and rows. A thread reads the map once for each of the two
// rows that it loads, stages fours of
// the depth one below the other, in columns that are permuted by the depth, and
// waits for the others once. It multiplies 8 rows by 4 columns, 16 steps at a time,
// and reads the map again where it stores. Nothing of a clamp is left behind the
// test of the row.
//
// CHECK-LABEL: func.func @lists
// CHECK:         gnn_tile.blocks {{.+}} schedule {{.+}} threads 128 {
// CHECK:           %[[THREAD:.+]] = gpu.thread_id x
// CHECK-COUNT-4:   memref.load %{{.+}}[%{{.+}}] : memref<?xi32>
// CHECK-NOT:       memref.load
// CHECK-COUNT-4:   vector.load %{{.+}} {alignment = 16 : i64} : memref<?x64xf32>, vector<4xf32>
// CHECK:           memref.load %{{.+}}[%{{.+}}] : memref<?xi32>
// CHECK-NOT:       memref.load
// CHECK-COUNT-4:   vector.load %{{.+}} {alignment = 16 : i64} : memref<?x64xf32>, vector<4xf32>
// CHECK-COUNT-8:   vector.load %{{.+}} {alignment = 16 : i64} : memref<3x64x64xf32>, vector<4xf32>
// CHECK:           %[[FOUR:.+]] = arith.divui %[[K:.+]], %c4
// CHECK:           %[[PART:.+]] = arith.andi %[[FOUR]], %c3
// CHECK:           %[[EIGHTS:.+]] = arith.muli %[[PART]], %c8
// CHECK:           %[[AT:.+]] = arith.xori %{{.+}}, %[[EIGHTS]]
// CHECK-COUNT-4:   memref.store %{{.+}}, %{{.+}}[%{{.+}}, %[[AT]]] : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK:           gpu.barrier
// CHECK-NOT:       gpu.barrier
// CHECK:           scf.for {{.+}} to %c64 step %c16 iter_args({{.+}}) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
// CHECK-COUNT-128:   math.fma %{{.+}} : vector<4xf32>
// CHECK-NOT:       math.fma
// CHECK-NOT:       gpu.barrier
// CHECK-COUNT-8:   scf.if
// CHECK:             memref.load %{{.+}}[%{{.+}}] : memref<?xi32>
// CHECK:             vector.store %{{.+}} {alignment = 16 : i64} : memref<?x64xf32>, vector<4xf32>
func.func @lists(%x: memref<?x64xf32>, %w: memref<3x64x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{over 128 threads}}
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

// With several steps, threads wait before they stage again, and before they read.
// Columns that are no fours are loaded and stored one by one.
//
// CHECK-LABEL: func.func @steps
// CHECK:         scf.for {{.+}} step %c32 iter_args
// CHECK:           memref.load %{{.+}} : memref<100x7xf32>
// CHECK:           arith.select %{{.+}} : f32
// CHECK:           gpu.barrier
// CHECK:           memref.store %{{.+}} : memref<32x64xf32, #gpu.address_space<workgroup>>
// CHECK:           gpu.barrier
// CHECK-NOT:       gpu.barrier
// CHECK:           math.fma
// CHECK:         arith.cmpi slt, %{{.+}}, %c7
// CHECK:         scf.if
// CHECK:           vector.extract %{{.+}}[0] : f32 from vector<4xf32>
// CHECK:           memref.store %{{.+}} : memref<?x7xf32>
func.func @steps(%x: memref<?x100xf32>, %w: memref<100x7xf32>, %y: memref<?x7xf32>) {
  // expected-remark @+1 {{over 128 threads}}
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

// The body runs where a row is stored, on the four columns of the thread: what it
// reads is read there. LLVM sees that a mask repeats the test of the branch.
//
// CHECK-LABEL: func.func @body
// CHECK:         math.fma
// CHECK:         scf.if
// CHECK:           %[[BIAS:.+]] = vector.load %{{.+}} : memref<3x64xf32>, vector<4xf32>
// CHECK:           %[[A:.+]] = arith.addf %{{.+}}, %[[BIAS]] : vector<4xf32>
// CHECK:           %[[SCALE:.+]] = memref.load %{{.+}} : memref<?xf32>
// CHECK:           %[[MASKED:.+]] = arith.select %{{.+}}, %[[SCALE]], %{{.+}} : f32
// CHECK:           %[[SCALES:.+]] = vector.broadcast %[[MASKED]] : f32 to vector<4xf32>
// CHECK:           %[[M:.+]] = arith.mulf %[[A]], %[[SCALES]] : vector<4xf32>
// CHECK:           vector.store %[[M]]
func.func @body(%x: memref<?x64xf32>, %w: memref<3x64x64xf32>, %b: memref<3x64xf32>, %s: memref<?xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{over 128 threads}}
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

// Steps that take halves in turns wait once: the next step is loaded behind that.
// Before the lines of the sums are staged where the last step was, and before they
// are read, threads wait too. One thread a column adds up all lines.
//
// CHECK-LABEL: func.func @sums
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:             vector.store %{{.+}} : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK:             gpu.barrier
// CHECK-NOT:         gpu.barrier
// CHECK:             vector.load %{{.+}} : memref<?x100xf32>
// CHECK:             math.fma
// CHECK-NOT:         gpu.barrier
// CHECK:             arith.addf %{{.+}} : vector<4xf32>
// CHECK:             scf.yield
// CHECK:           gpu.barrier
// CHECK:           math.fma
// CHECK:         gpu.barrier
// CHECK:         vector.store %{{.+}} : memref<64x16xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:    gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK-COUNT-31: arith.addf %{{.+}} : f32
// CHECK:         arith.cmpi eq, %{{.+}}, %c0
// CHECK:         arith.cmpi slt, %{{.+}}, %c16
// CHECK:         memref.store %{{.+}} : memref<3x8xf32>
func.func @sums(%x: memref<?x100xf32>, %dy: memref<?x8xf32>, %dw: memref<3x100x8xf32>, %db: memref<3x8xf32>) {
  // expected-remark @+1 {{over 128 threads}}
  gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %dy : memref<?x100xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<3x100x8xf32>) sums(%db : memref<3x8xf32>)
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The tiles of one head have been read before those of the next are staged.
//
// CHECK-LABEL: func.func @heads
// CHECK:         scf.for {{.+}} %c4 step %c1 iter_args
// CHECK-NOT:       memref.store
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if
// CHECK:             scf.for
func.func @heads(%x: memref<?x4x16xf32>, %dy: memref<?x4x8xf32>, %dw: memref<16x8xf32>) {
  // expected-remark @+1 {{over 128 threads}}
  gnn_tile.outer @g rows src
      ins(%x, %dy : memref<?x4x16xf32>, memref<?x4x8xf32>)
      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<group : head, feature>]
      outs(%dw : memref<16x8xf32>)
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// A value that is used twice is looked at once: this body would be looked at
// 2^40 times.
//
// CHECK-LABEL: func.func @deep
// CHECK-COUNT-40: arith.mulf
func.func @deep(%x: memref<?x64xf32>, %w: memref<64x16xf32>, %y: memref<?x16xf32>) {
  // expected-remark @+1 {{over 128 threads}}
  gnn_tile.gemm @g rows node ins(%x, %w : memref<?x64xf32>, memref<64x16xf32>) at <group : feature>
      extras at [] outs(%y : memref<?x16xf32>) at <group : feature> schedule <n = 16> {
  ^bb0(%v0: f32):
    %v1 = arith.mulf %v0, %v0 : f32
    %v2 = arith.mulf %v1, %v1 : f32
    %v3 = arith.mulf %v2, %v2 : f32
    %v4 = arith.mulf %v3, %v3 : f32
    %v5 = arith.mulf %v4, %v4 : f32
    %v6 = arith.mulf %v5, %v5 : f32
    %v7 = arith.mulf %v6, %v6 : f32
    %v8 = arith.mulf %v7, %v7 : f32
    %v9 = arith.mulf %v8, %v8 : f32
    %v10 = arith.mulf %v9, %v9 : f32
    %v11 = arith.mulf %v10, %v10 : f32
    %v12 = arith.mulf %v11, %v11 : f32
    %v13 = arith.mulf %v12, %v12 : f32
    %v14 = arith.mulf %v13, %v13 : f32
    %v15 = arith.mulf %v14, %v14 : f32
    %v16 = arith.mulf %v15, %v15 : f32
    %v17 = arith.mulf %v16, %v16 : f32
    %v18 = arith.mulf %v17, %v17 : f32
    %v19 = arith.mulf %v18, %v18 : f32
    %v20 = arith.mulf %v19, %v19 : f32
    %v21 = arith.mulf %v20, %v20 : f32
    %v22 = arith.mulf %v21, %v21 : f32
    %v23 = arith.mulf %v22, %v22 : f32
    %v24 = arith.mulf %v23, %v23 : f32
    %v25 = arith.mulf %v24, %v24 : f32
    %v26 = arith.mulf %v25, %v25 : f32
    %v27 = arith.mulf %v26, %v26 : f32
    %v28 = arith.mulf %v27, %v27 : f32
    %v29 = arith.mulf %v28, %v28 : f32
    %v30 = arith.mulf %v29, %v29 : f32
    %v31 = arith.mulf %v30, %v30 : f32
    %v32 = arith.mulf %v31, %v31 : f32
    %v33 = arith.mulf %v32, %v32 : f32
    %v34 = arith.mulf %v33, %v33 : f32
    %v35 = arith.mulf %v34, %v34 : f32
    %v36 = arith.mulf %v35, %v35 : f32
    %v37 = arith.mulf %v36, %v36 : f32
    %v38 = arith.mulf %v37, %v37 : f32
    %v39 = arith.mulf %v38, %v38 : f32
    %v40 = arith.mulf %v39, %v39 : f32
    gnn_tile.yield %v40 : f32
  }
  return
}
