// RUN: gnn-opt %s --gnn-tile-load-ahead --split-input-file \
// RUN:   --remarks-filter='gnn-tile-load-ahead' --remark-format=emitRemark --verify-diagnostics | FileCheck %s --implicit-check-not=arith.cmpi

// Why the loads of a step stay in it.

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
// CHECK-LABEL: func.func @array_of_others
func.func @array_of_others(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index, %a: !tile) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  // expected-remark @+1 {{a step stages in an array that is not one of the block}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  return %s : vector<64x64xf32>
}

// -----

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
!deep = memref<32x64xf32, #gpu.address_space<workgroup>>
// CHECK-LABEL: func.func @depths
func.func @depths(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  %d = gnn_tile.array : !deep
  // expected-remark @+1 {{a step stages arrays of several depths}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    gnn_tile.stage %t, %d[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !deep
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  return %s : vector<64x64xf32>
}

// -----

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
// CHECK-LABEL: func.func @stores
func.func @stores(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index, %to: memref<1xf32>) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  // expected-remark @+1 {{a step holds 'memref.store'}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    memref.store %p, %to[%c0] : memref<1xf32>
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  return %s : vector<64x64xf32>
}

// -----

// The last step is in the other half if the number of steps is even.
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
// CHECK-LABEL: func.func @read_behind
func.func @read_behind(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> (vector<64x64xf32>, vector<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  // expected-remark @+1 {{'vector.transfer_read' reads what a step before it may have left}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
  return %s, %l : vector<64x64xf32>, vector<16x64xf32>
}

// -----

// The write behind the loop is half of what is read.
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
// CHECK-LABEL: func.func @written_in_part
func.func @written_in_part(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> (vector<64x64xf32>, vector<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  // expected-remark @+1 {{'vector.transfer_read' reads what a step before it may have left}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  %h = vector.extract_strided_slice %s {offsets = [0, 0], sizes = [8, 64], strides = [1, 1]} : vector<64x64xf32> to vector<8x64xf32>
  gnn_tile.stage %h, %a[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<8x64xf32>, !tile
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
  return %s, %l : vector<64x64xf32>, vector<16x64xf32>
}

// -----

// In the second round, the loop stands between the write and the read.
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
// CHECK-LABEL: func.func @read_in_next_round
func.func @read_in_next_round(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index, %none: vector<16x64xf32>) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  gnn_tile.stage %none, %a[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
  %all = scf.for %i = %c0 to %end step %c16 iter_args(%some = %zero) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    // expected-remark @+1 {{'vector.transfer_read' reads what a step before it may have left}}
    %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %some) -> (vector<64x64xf32>) {
      %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
      gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
      %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
      %n = gnn_tile.contract %r, %l, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
      scf.yield %n : vector<64x64xf32>
    }
    scf.yield %s : vector<64x64xf32>
  }
  return %all : vector<64x64xf32>
}

// -----

// The branch takes '%next' of the step, which is no operand of it.
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
// CHECK-LABEL: func.func @loads_by_region
func.func @loads_by_region(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index, %isNext: i1) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  // expected-remark @+1 {{what is loaded depends on 'scf.if'}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %next = arith.addi %begin, %c16 : index
    %column = scf.if %isNext -> index {
      scf.yield %next : index
    } else {
      scf.yield %c0 : index
    }
    %t = gnn_tile.load_rows %x[%rows, %column] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  return %s : vector<64x64xf32>
}

// -----

// A thread carries a tile to the next step in one spread.
//
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
// CHECK-LABEL: func.func @two_spreads
// CHECK-NOT:     scf.if
func.func @two_spreads(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  %o = gnn_tile.array : !tile
  // expected-remark @+1 {{a step stages a tile by two spreads}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    gnn_tile.stage %t, %o[%c0] ahead by registers spread <each = [1, 1], lanes = [2, 64]> : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %w = vector.transfer_read %o[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %w, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  return %s : vector<64x64xf32>
}
