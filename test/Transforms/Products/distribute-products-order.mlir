// RUN: gnn-opt %s --gnn-tile-distribute --canonicalize --cse --split-input-file | FileCheck %s

// Rows that two views of one buffer load and store are loaded before any is stored.
//
// CHECK-LABEL: func.func @views
// CHECK:         vector.load
// CHECK:         vector.load
// CHECK:         vector.store
// CHECK:         vector.store
func.func @views(%buf: memref<?x64xf32>, %n: index, %m: index) {
  %v = memref.reinterpret_cast %buf to offset: [0], sizes: [%n, 64], strides: [64, 1] : memref<?x64xf32> to memref<?x64xf32>
  %w = memref.reinterpret_cast %buf to offset: [0], sizes: [%m, 64], strides: [64, 1] : memref<?x64xf32> to memref<?x64xf32>
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c15 = arith.constant dense<15> : vector<16xindex>
    %k = vector.step : vector<16xindex>
    %back = arith.subi %c15, %k : vector<16xindex>
    %t = gnn_tile.load_rows %v[%k, %c0] aligned 4: memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.store_rows %t, %w[%back, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<?x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

// Loads of an array come before the array is staged again.
//
// CHECK-LABEL: func.func @reorder
// CHECK:         %[[ARRAY:.+]] = memref.alloca
// CHECK:         %[[OLD:.+]] = {{vector|memref}}.load %[[ARRAY]]
// CHECK:         {{vector|memref}}.load %arg0
// CHECK:         vector.store %{{.+}}, %[[ARRAY]]
// CHECK-NOT:     load %[[ARRAY]]
// CHECK:         return
!l = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @reorder(%x: memref<?x64xf32>, %to: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %k = vector.step : vector<16xindex>
    %a = gnn_tile.array : !l
    %z = arith.constant dense<0.0> : vector<16x64xf32>
    gnn_tile.stage %z, %a[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !l
    %u = gnn_tile.load_rows %a[%k, %c0] : !l, vector<16xindex>, index -> vector<16x64xf32>
    %t = gnn_tile.load_rows %x[%k, %c0] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !l
    gnn_tile.store_rows %u, %to[%k, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}
