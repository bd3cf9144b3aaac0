// RUN: gnn-opt %s --gnn-tile-distribute --split-input-file | FileCheck %s

// Threads wait for each other wherever an op reads what others have staged, by its
// effects on the array and not by what kind of op it is.

!staged = memref<16x64xf32, #gpu.address_space<workgroup>>

// A load of one element.
//
// CHECK-LABEL: func.func @load
// CHECK:         gnn_tile.blocks
// CHECK-NOT:       gpu.barrier
// CHECK-COUNT-2:   vector.store {{.*}}#gpu.address_space<workgroup>
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      memref.load %{{.+}} #gpu.address_space<workgroup>
// CHECK-NOT:       gpu.barrier
// CHECK:         return
func.func @load(%x: memref<?x64xf32>, %to: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %k = vector.step : vector<16xindex>
    %a = gnn_tile.array : !staged
    %t = gnn_tile.load_rows %x[%k, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !staged
    %first = memref.load %a[%c0, %c0] : !staged
    %all = vector.broadcast %first : f32 to vector<16x64xf32>
    gnn_tile.store_rows %all, %to[%k, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

!staged = memref<32x64xf32, #gpu.address_space<workgroup>>
!view = memref<16x64xf32, strided<[64, 1], offset: 1024>, #gpu.address_space<workgroup>>

// A view of an array is that array, and its rows are not those of the array: what is
// the first half here is in the second.
//
// CHECK-LABEL: func.func @view
// CHECK:         gnn_tile.blocks
// CHECK-NOT:       gpu.barrier
// CHECK-COUNT-2:   vector.store {{.*}}memref<32x64xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      gpu.barrier
// CHECK:           vector.load {{.*}}memref<16x64xf32, strided<[64, 1], offset: 1024>
// CHECK-NOT:       gpu.barrier
// CHECK:         return
func.func @view(%x: memref<?x64xf32>, %to: memref<8x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %p = arith.constant 0.0 : f32
    %k = vector.step : vector<16xindex>
    %r = vector.step : vector<8xindex>
    %a = gnn_tile.array : !staged
    %v = memref.reinterpret_cast %a to offset: [1024], sizes: [16, 64], strides: [64, 1] : !staged to !view
    %t = gnn_tile.load_rows %x[%k, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c16] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !staged
    %u = vector.transfer_read %v[%c0, %c0], %p {in_bounds = [true, true]} : !view, vector<8x64xf32>
    gnn_tile.store_rows %u, %to[%r, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<8x64xf32>, memref<8x64xf32>, vector<8xindex>, index
  }
  return
}

// -----

!staged = memref<16x64xf32, #gpu.address_space<workgroup>>

// Rows that a store needs are loaded where that stands, not part by part behind the
// barrier that lets the next op write the array.
//
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-2: vector.store {{.*}} %[[A:[a-z0-9_]+]][{{.*}}#gpu.address_space<workgroup>
// CHECK-NEXT:    gpu.barrier
// CHECK:         vector.load %[[A]][
// CHECK:         vector.load %[[A]][
// CHECK-NOT:     vector.load %[[A]][
// CHECK:         gpu.barrier
// CHECK-NOT:     vector.load %[[A]][
// CHECK-COUNT-2: vector.store {{.*}} %[[A]][
func.func @rows(%x: memref<64x64xf32>, %to: memref<64x64xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %k = vector.step : vector<16xindex>
    %last = arith.constant dense<15> : vector<16xindex>
    %reversed = arith.subi %last, %k : vector<16xindex>
    %a = gnn_tile.array : !staged
    %c = gnn_tile.array : !staged
    %t = gnn_tile.load_rows %x[%k, %c0] aligned 4 : memref<64x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !staged
    %l = gnn_tile.load_rows %a[%reversed, %c0] aligned 4 : !staged, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %c[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !staged
    %r = vector.transfer_read %c[%c0, %c0], %p {in_bounds = [true, true]} : !staged, vector<16x64xf32>
    %s = arith.addf %l, %r : vector<16x64xf32>
    gnn_tile.store_rows %s, %to[%k, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<64x64xf32>, vector<16xindex>, index
    gnn_tile.stage %t, %a[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !staged
  }
  return
}
