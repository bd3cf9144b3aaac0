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

// -----

// In global memory threads wait for rows that others store.
//
// CHECK-LABEL: func.func @stored
// CHECK-COUNT-2: vector.store {{.*}} %[[Y:[a-z0-9_]+]][{{.*}} : memref<16x64xf32>
// CHECK-NEXT:    gpu.barrier
// CHECK:         vector.load %[[Y]][
// CHECK:         return
func.func @stored(%x: memref<16x64xf32>, %y: memref<16x64xf32>, %z: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %k = vector.step : vector<16xindex>
    %last = arith.constant dense<15> : vector<16xindex>
    %reversed = arith.subi %last, %k : vector<16xindex>
    %t = gnn_tile.load_rows %x[%k, %c0] aligned 4 : memref<16x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.store_rows %t, %y[%k, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
    %u = gnn_tile.load_rows %y[%reversed, %c0] aligned 4 : memref<16x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.store_rows %u, %z[%k, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

// Rows that a thread alone loads and stores need no barrier, nor does what it stores over
// them in the same way; stored over by another spread they do.
//
// CHECK-LABEL: func.func @own
// CHECK:         gnn_tile.blocks
// CHECK-NOT:       gpu.barrier
// CHECK-COUNT-4:   vector.store {{.*}} : memref<16x64xf32>
// CHECK-NEXT:      gpu.barrier
// CHECK-COUNT-2:   vector.store {{.*}} : memref<16x64xf32>
// CHECK-NOT:       gpu.barrier
// CHECK:         return
func.func @own(%y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %k = vector.step : vector<16xindex>
    %zero = arith.constant dense<0.0> : vector<16x64xf32>
    %t = gnn_tile.load_rows %y[%k, %c0] aligned 4 : memref<16x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    %u = arith.addf %t, %t : vector<16x64xf32>
    gnn_tile.store_rows %u, %y[%k, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
    gnn_tile.store_rows %zero, %y[%k, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
    gnn_tile.store_rows %zero, %y[%k, %c0] aligned 4 spread <each = [2, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

// In a loop, the rows of the next step may be those of others.
//
// CHECK-LABEL: func.func @steps
// CHECK:         scf.for
// CHECK:           gpu.barrier
// CHECK:           vector.store {{.*}} : memref<16x64xf32>
// CHECK:         return
func.func @steps(%y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %k = vector.step : vector<8xindex>
    %zero = arith.constant dense<0.0> : vector<8x64xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      %first = vector.broadcast %i : index to vector<8xindex>
      %r = arith.addi %first, %k : vector<8xindex>
      gnn_tile.store_rows %zero, %y[%r, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<8x64xf32>, memref<16x64xf32>, vector<8xindex>, index
    }
  }
  return
}

// -----

// A column of what is stored over is read by other threads too: before any of them
// stores.
//
// CHECK-LABEL: func.func @column
// CHECK:         gnn_tile.blocks
// CHECK-COUNT-2:   memref.load %[[Y:[a-z0-9_]+]][{{.*}} : memref<16x64xf32>
// CHECK:           gpu.barrier
// CHECK-NOT:       memref.load %[[Y]]
// CHECK:         return
func.func @column(%y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %k = vector.step : vector<16xindex>
    %first = gnn_tile.load_rows %y[%k, %c0] : memref<16x64xf32>, vector<16xindex>, index -> vector<16xf32>
    %column = vector.shape_cast %first : vector<16xf32> to vector<16x1xf32>
    %all = vector.broadcast %column : vector<16x1xf32> to vector<16x64xf32>
    %t = gnn_tile.load_rows %y[%k, %c0] aligned 4 : memref<16x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    %u = arith.addf %t, %all : vector<16x64xf32>
    gnn_tile.store_rows %u, %y[%k, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

!staged = memref<16x64xf32, #gpu.address_space<workgroup>>

// A product reads its operands where it stands, behind the barrier of another read: the
// array is staged over behind one more.
//
// CHECK-LABEL: func.func @product
// CHECK:         gpu.barrier
// CHECK:         math.fma
// CHECK:         gpu.barrier
// CHECK:         vector.store {{.*}}#gpu.address_space<workgroup>
// CHECK:         return
func.func @product(%x: memref<16x64xf32>, %y: memref<64x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %k = vector.step : vector<16xindex>
    %r = vector.step : vector<64xindex>
    %a = gnn_tile.array : !staged
    %o = gnn_tile.array : !staged
    %t = gnn_tile.load_rows %x[%k, %c0] aligned 4 : memref<16x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !staged
    %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !staged, vector<16x64xf32>
    gnn_tile.stage %t, %o[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !staged
    %other = vector.transfer_read %o[%c0, %c0], %p {in_bounds = [true, true]} : !staged, vector<16x64xf32>
    %s = gnn_tile.contract %l, %l, %zeros spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    gnn_tile.stage %other, %a[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !staged
    gnn_tile.store_rows %s, %y[%r, %c0] aligned 4 spread <each = [8, 4], lanes = [8, 16]> : vector<64x64xf32>, memref<64x64xf32>, vector<64xindex>, index
  }
  return
}

// -----

!staged = memref<16x64xf32, #gpu.address_space<workgroup>>

// Rows that a store computes are read there: what stores over them by another spread
// waits, though a barrier stands behind the load.
//
// CHECK-LABEL: func.func @moved
// CHECK:         gpu.barrier
// CHECK:         vector.load %[[A:[a-z0-9_]+]][{{.*}} : memref<16x64xf32>, vector<4xf32>
// CHECK:         vector.store {{.*}} : memref<64x64xf32>
// CHECK:         gpu.barrier
// CHECK:         vector.store {{.*}} %[[A]][
// CHECK:         return
func.func @moved(%a: memref<16x64xf32>, %y: memref<64x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %k = vector.step : vector<16xindex>
    %zero = arith.constant dense<0.0> : vector<16x64xf32>
    %s = gnn_tile.array : !staged
    %t = gnn_tile.load_rows %a[%k, %c0] aligned 4 : memref<16x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %zero, %s[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !staged
    %u = vector.transfer_read %s[%c0, %c0], %p {in_bounds = [true, true]} : !staged, vector<16x64xf32>
    gnn_tile.store_rows %t, %y[%k, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<64x64xf32>, vector<16xindex>, index
    gnn_tile.store_rows %u, %a[%k, %c0] aligned 4 spread <each = [2, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}
