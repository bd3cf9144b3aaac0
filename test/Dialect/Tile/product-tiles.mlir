// RUN: gnn-opt %s --verify-roundtrip | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}
gnn.graph @part square of @g types [0, 2] {node_types = 2, edge_types = 2}

// A gemm on a range says all that a block knows of its rows.
//
// CHECK-LABEL: func.func @gemm
// CHECK:         gnn_tile.gemm @part rows src_pair types edge_type weights parent_edge_type
// CHECK-SAME:      rows[%{{.+}}, %{{.+}}] type[%{{.+}}] weight[%{{.+}}] columns[%{{.+}}] head[%{{.+}}]
// CHECK-SAME:      index_arrays(%{{.+}}, %{{.+}} : memref<?xi32>, memref<?xi32>) schedule <n = 16>
func.func @gemm(%x: memref<?x64xf32>, %w: memref<3x4x64x16xf32>, %y: memref<?x4x16xf32>, %i: index) {
  %t = gnn_tile.structure @part tiles edge_type src_pair 64 : memref<?xi32>
  %m = gnn_tile.structure @part map edge_type parent_edge_type : memref<?xi32>
  gnn_tile.gemm @part rows src_pair types edge_type weights parent_edge_type
      rows[%i, %i] type[%i] weight[%i] columns[%i] head[%i]
      ins(%x, %w : memref<?x64xf32>, memref<3x4x64x16xf32>) at <group : feature> extras at []
      outs(%y : memref<?x4x16xf32>) at <group : head, feature>
      index_arrays(%t, %m : memref<?xi32>, memref<?xi32>) schedule <n = 16> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// CHECK-LABEL: func.func @outer
// CHECK:         gnn_tile.outer @g rows src_pair types edge_type rows[%{{.+}}, %{{.+}}] type[%{{.+}}] left[%{{.+}}] right[%{{[^ ]+}}] ins(
// CHECK-SAME:      sums(%{{.+}} : memref<3x8xf32>) index_arrays(%{{.+}} : memref<?xi32>) schedule <n = 16>
func.func @outer(%x: memref<?x64xf32>, %dy: memref<?x8xf32>, %dw: memref<3x64x8xf32>, %db: memref<3x8xf32>, %i: index) {
  %r = gnn_tile.structure @g rows edge_type src_pair : memref<?xi32>
  gnn_tile.outer @g rows src_pair types edge_type
      rows[%i, %i] type[%i] left[%i] right[%i]
      ins(%x, %dy : memref<?x64xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<3x64x8xf32>) sums(%db : memref<3x8xf32>)
      index_arrays(%r : memref<?xi32>) schedule <n = 16>
  return
}

// Rows and columns, rows alone, and columns alone.
//
// CHECK-LABEL: func.func @rows
// CHECK:         gnn_tile.load_rows %{{.+}}[%{{.+}}, %{{.+}}] where(%{{.+}} : vector<64xi1>) below 100 aligned 4 : memref<?x100xf32>, vector<64xindex>, index -> vector<64x16xf32>
// CHECK:         gnn_tile.load_rows %{{.+}}[%{{.+}}] : memref<?xi32>, vector<64xindex> -> vector<64xi32>
// CHECK:         gnn_tile.load_rows %{{.+}}[%{{.+}}] : memref<16xf32>, index -> vector<16xf32>
// CHECK:         gnn_tile.store_rows %{{.+}}, %{{.+}}[%{{.+}}, %{{.+}}] where(%{{.+}} : vector<64xi1>) below 100 aligned 4 spread <each = [4, 4], lanes = [16, 4]> : vector<64x16xf32>, memref<?x100xf32>, vector<64xindex>, index
func.func @rows(%x: memref<?x100xf32>, %map: memref<?xi32>, %b: memref<16xf32>, %r: vector<64xindex>, %m: vector<64xi1>, %c: index) {
  %t = gnn_tile.load_rows %x[%r, %c] where(%m : vector<64xi1>) below 100 aligned 4 : memref<?x100xf32>, vector<64xindex>, index -> vector<64x16xf32>
  %i = gnn_tile.load_rows %map[%r] : memref<?xi32>, vector<64xindex> -> vector<64xi32>
  %v = gnn_tile.load_rows %b[%c] : memref<16xf32>, index -> vector<16xf32>
  gnn_tile.store_rows %t, %x[%r, %c] where(%m : vector<64xi1>) below 100 aligned 4 spread <each = [4, 4], lanes = [16, 4]> : vector<64x16xf32>, memref<?x100xf32>, vector<64xindex>, index
  return
}

// CHECK-LABEL: func.func @staged
// CHECK:         %[[A:.+]] = gnn_tile.array permuted 4 : memref<16x64xf32, #gpu.address_space<workgroup>>
// CHECK:         %[[B:.+]] = gnn_tile.array : memref<16x64xf32, #gpu.address_space<workgroup>>
// CHECK:         gnn_tile.stage %{{.+}}, %[[A]][%{{.+}}] transposed ahead by async spread <each = [1, 4], lanes = [32, 4]> : vector<64x16xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
// CHECK:         gnn_tile.stage %{{.+}}, %[[B]][%{{.+}}] by in_flight spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
// CHECK:         gnn_tile.contract %{{.+}}, %{{.+}}, %{{.+}} kind tf32x3 spread <each = [2, 4], lanes = [32, 4]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
// CHECK:         gnn_tile.contract %{{.+}}, %{{.+}}, %{{.+}} spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
func.func @staged(%t: vector<64x16xf32>, %u: vector<16x64xf32>, %z: vector<64x64xf32>, %n: index) {
  %a = gnn_tile.array permuted 4 : memref<16x64xf32, #gpu.address_space<workgroup>>
  %b = gnn_tile.array permuted 1 : memref<16x64xf32, #gpu.address_space<workgroup>>
  scf.for %i = %n to %n step %n {
    gnn_tile.stage %t, %a[%i] transposed ahead by async spread <each = [1, 4], lanes = [32, 4]> : vector<64x16xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
  }
  gnn_tile.stage %u, %b[%n] by in_flight spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
  %p = gnn_tile.contract %u, %u, %z kind tf32x3 spread <each = [2, 4], lanes = [32, 4]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
  %q = gnn_tile.contract %u, %u, %z kind ffma spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
  return
}
