// RUN: gnn-opt %s --gnn-tile-block-products --gnn-tile-lower-core-products --cse --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter=gnn-tile-lower-core-products --remark-format=emitRemark | FileCheck %s
// RUN: gnn-opt %s --gnn-attach-target="kind=cpu vector=8 vector-registers=16" --gnn-tile-block-products --gnn-tile-lower-core-products --cse --split-input-file \
// RUN:   | FileCheck %s --check-prefix=AVX2

gnn.graph @g square {node_types = 2, edge_types = 3}

// Four rows by 64 columns stay in 16 vectors while the summed dimension goes by;
// one vector register in two holds sums. Rows behind the last one are read again and
// not stored.
//
// CHECK-LABEL: func.func @panels
// CHECK:         gnn_tile.blocks {{.+}} threads 1 {
// CHECK:           scf.for %[[I:.+]] = %c0 to %[[N:.+]] step %c4 {
// CHECK:             %[[INSIDE:.+]] = arith.cmpi slt, %{{.+}}, %[[N]]
// CHECK:             %[[S:.+]]:16 = scf.for %[[K:.+]] = %c0 to %c64 step %c1 iter_args
// CHECK:               vector.load %{{.+}}[%[[K]], %{{.+}}] : memref<64x64xf32>, vector<16xf32>
// CHECK:               %[[X:.+]] = memref.load %{{.+}}[%{{.+}}, %[[K]]]
// CHECK:               vector.broadcast %{{.+}} : f32 to vector<16xf32>
// CHECK-COUNT-16:      math.fma {{.+}} : vector<16xf32>
// CHECK:             vector.store %[[S]]#0,
// CHECK:             scf.if %[[INSIDE]] {
// CHECK-NEXT:          vector.store %[[S]]#4,
//
// With half as many registers of half the length, four panels of 16 columns.
//
// AVX2-LABEL:  func.func @panels
// AVX2:          scf.for {{.+}} step %c4 {
// AVX2:            scf.for %[[C:.+]] = %{{.+}} to %{{.+}} step %c16 {
// AVX2:              %{{.+}}:8 = scf.for %{{.+}} = %c0 to %c64 step %c1 iter_args
// AVX2-COUNT-8:        math.fma {{.+}} : vector<8xf32>
// AVX2-NOT:            math.fma
// AVX2:              scf.yield
func.func @panels(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{panels of 4 rows by 4 vectors of 16}}
  gnn_tile.gemm @g rows src
      ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>) at <group : feature> extras at []
      outs(%y : memref<?x64xf32>) at <group : feature> schedule <n = 64> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Where rows may be written over and a row has several panels, a panel reads a copy
// of its rows.
//
// CHECK-LABEL: func.func @in_place
// CHECK-NOT:     memref.alloca
// AVX2-LABEL:  func.func @in_place
// AVX2:          %[[COPY:.+]] = memref.alloca() {alignment = 64 : i64} : memref<4x64xf32, #gpu.address_space<workgroup>>
// AVX2:          scf.for {{.+}} step %c4 {
// AVX2-COUNT-4:    memref.store {{.+}}, %[[COPY]]
// AVX2:            scf.for {{.+}} step %c16 {
// AVX2:              memref.load %[[COPY]]
func.func @in_place(%x: memref<?x64xf32>, %w: memref<64x64xf32>) {
  // expected-remark @+1 {{panels of 4 rows}}
  gnn_tile.gemm @g rows src
      ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>) at <group : feature> extras at []
      outs(%x : memref<?x64xf32>) at <group : feature> schedule <n = 64> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Columns past the last one are masked, in loads and stores alike.
//
// CHECK-LABEL: func.func @masked
// CHECK:         %[[MASK:.+]] = vector.create_mask
// CHECK:         vector.maskedload %{{.+}}, %[[MASK]]
// CHECK:         math.exp {{.+}} : vector<16xf32>
// CHECK:         vector.maskedstore %{{.+}}, %[[MASK]]
func.func @masked(%x: memref<?x5xf32>, %w: memref<5x7xf32>, %y: memref<?x7xf32>) {
  // expected-remark @+1 {{panels of 4 rows}}
  gnn_tile.gemm @g rows src
      ins(%x, %w : memref<?x5xf32>, memref<5x7xf32>) at <group : feature> extras at []
      outs(%y : memref<?x7xf32>) at <group : feature> schedule <n = 16> {
  ^bb0(%acc: f32):
    %e = math.exp %acc : f32
    gnn_tile.yield %e : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A transposed weight is copied, whole where it fits 48 KiB.
//
// CHECK-LABEL: func.func @transposed
// CHECK:         %[[W:.+]] = memref.alloca() {{.+}} : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK-NOT:     memref.alloca
// CHECK:         memref.store {{.+}}, %[[W]]
// CHECK:         scf.for {{.+}} step %c4 {
// CHECK:           vector.load %[[W]]
func.func @transposed(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{panels of 4 rows}}
  gnn_tile.gemm @g rows src transposed
      ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>) at <group : feature> extras at []
      outs(%y : memref<?x64xf32>) at <group : feature> schedule <n = 64> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// A larger one is by parts of 128 rows, between which the sums wait.
//
// CHECK-LABEL: func.func @parts
// CHECK-DAG:     %[[W:.+]] = memref.alloca() {{.+}} : memref<128x64xf32, #gpu.address_space<workgroup>>
// CHECK-DAG:     %[[SUMS:.+]] = memref.alloca() {{.+}} : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK:         scf.for %[[BEGIN:.+]] = %c0 to %c300 step %c128 {
// CHECK:           %[[NEXT:.+]] = arith.addi %[[BEGIN]], %c128
// CHECK:           %[[END:.+]] = arith.minsi %[[NEXT]], %c300
// CHECK:           %[[LAST:.+]] = arith.cmpi sle, %c300, %[[NEXT]]
// CHECK:           scf.for {{.+}} step %c4 {
// CHECK:             vector.load %[[SUMS]]
// CHECK:             scf.for %{{.+}} = %[[BEGIN]] to %[[END]]
// CHECK:             vector.store {{.+}}, %[[SUMS]]
// CHECK:             scf.if %[[LAST]] {
func.func @parts(%x: memref<?x300xf32>, %w: memref<64x300xf32>, %y: memref<?x64xf32>) {
  // expected-remark @+1 {{panels of 4 rows}}
  gnn_tile.gemm @g rows src transposed
      ins(%x, %w : memref<?x300xf32>, memref<64x300xf32>) at <group : feature> extras at []
      outs(%y : memref<?x64xf32>) at <group : feature> schedule <n = 64> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// An outer product takes four columns of the left side; the block of the first of
// them adds up the right one.
//
// CHECK-LABEL: func.func @outer
// CHECK:         scf.for {{.+}} step %c4 {
// CHECK:           %{{.+}}:16 = scf.for
// CHECK-COUNT-16:    math.fma
// CHECK:         scf.if
// CHECK:           %{{.+}}:4 = scf.for
// CHECK-COUNT-4:     arith.addf {{.+}} : vector<16xf32>
func.func @outer(%x: memref<?x64xf32>, %d: memref<?x64xf32>, %w: memref<3x64x64xf32>, %s: memref<3x64xf32>) {
  // expected-remark @+1 {{panels of 4 rows}}
  gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %d : memref<?x64xf32>, memref<?x64xf32>) at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%w : memref<3x64x64xf32>) sums(%s : memref<3x64xf32>) schedule <n = 64>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// Rows are added up 32 at a time, and what they give to the sums before, with its errors.
//
// CHECK-LABEL: func.func @outer_in_runs
// CHECK:         %[[WAITING:.+]] = memref.alloca() {alignment = 64 : i64} : memref<32x16xf32, #gpu.address_space<workgroup>>
// CHECK:         scf.for {{.+}} step %c4 {
// CHECK:           scf.for %[[R:.+]] = %{{.+}} to %[[END:.+]] step %c32
// CHECK:             %[[LEFT:.+]] = arith.subi %[[END]], %[[R]]
// CHECK:             %[[COUNT:.+]] = arith.minsi %c32, %[[LEFT]]
// CHECK:             %[[OWN:.+]]:16 = scf.for %{{.+}} = %c0 to %[[COUNT]] step %c1
// CHECK-COUNT-16:      math.fma
// CHECK:             %[[SUM:.+]] = vector.load %[[WAITING]][%c0, %c0]
// CHECK:             %[[ERROR:.+]] = vector.load %[[WAITING]][%c16, %c0]
// CHECK:             %[[NEXT:.+]] = arith.addf %[[SUM]], %[[OWN]]#0
// CHECK:             %[[TAKEN:.+]] = arith.subf %[[NEXT]], %[[SUM]]
// CHECK:             %[[LOST:.+]] = arith.subf %[[OWN]]#0, %[[TAKEN]]
// CHECK:             %[[NOW:.+]] = arith.addf %[[ERROR]], %[[LOST]]
// CHECK:             vector.store %[[NEXT]], %[[WAITING]][%c0, %c0]
// CHECK:             vector.store %[[NOW]], %[[WAITING]][%c16, %c0]
// CHECK-COUNT-16:  math.absf
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:             %{{.+}}:4 = scf.for
// CHECK-COUNT-4:       arith.addf {{.+}} : vector<16xf32>
// CHECK-COUNT-8:     arith.subf {{.+}} : vector<16xf32>
func.func @outer_in_runs(%x: memref<?x64xf32>, %d: memref<?x64xf32>, %w: memref<3x64x64xf32>, %s: memref<3x64xf32>) {
  // expected-remark @+1 {{panels of 4 rows}}
  gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %d : memref<?x64xf32>, memref<?x64xf32>) at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%w : memref<3x64x64xf32>) sums(%s : memref<3x64xf32>) schedule <n = 64, runs = 32>
  return
}
