// RUN: gnn-opt %s --gnn-tile-copy-async --split-input-file \
// RUN:   --remarks-filter='gnn-tile-copy-async' --remark-format=emitRemark --verify-diagnostics | FileCheck %s --implicit-check-not=gnn_tile.async

// Why a step is loaded, and not copied.

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>
// CHECK-LABEL: func.func @in_part
func.func @in_part(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  %b = gnn_tile.array : !tile
  // expected-remark @+1 {{a step stages what is not to be copied}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    %u = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by async spread #spread : vector<16x64xf32>, !tile
    gnn_tile.stage %u, %b[%c0] ahead by registers spread #spread : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %q = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %q, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  return %s : vector<64x64xf32>
}

// -----

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>
// CHECK-LABEL: func.func @loaded_before
func.func @loaded_before(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
  // expected-remark @+1 {{a step stages what it does not load}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    gnn_tile.stage %t, %a[%c0] ahead by async spread #spread : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  return %s : vector<64x64xf32>
}

// -----

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>
// CHECK-LABEL: func.func @read_behind
func.func @read_behind(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> (vector<64x64xf32>, vector<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  // expected-remark @+1 {{'vector.transfer_read' reads what a step before it may have left}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by async spread #spread : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
  return %s, %l : vector<64x64xf32>, vector<16x64xf32>
}

// -----

// The copy may go on until it is read.
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>
// CHECK-LABEL: func.func @written_before_staged
func.func @written_before_staged(%x: memref<64x64xf32>, %rows: vector<16xindex>, %none: vector<16x64xf32>) -> vector<16x64xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<64x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
  gnn_tile.store_rows %none, %x[%rows, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<64x64xf32>, vector<16xindex>, index
  // expected-remark @+1 {{what it copies may be written before it is read}}
  gnn_tile.stage %t, %a[%c0] by async spread #spread : vector<16x64xf32>, !tile
  %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
  return %r : vector<16x64xf32>
}

// CHECK-LABEL: func.func @written_before_read
func.func @written_before_read(%x: memref<64x64xf32>, %rows: vector<16xindex>, %none: vector<16x64xf32>, %if: i1) -> vector<16x64xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  %view = memref.cast %x : memref<64x64xf32> to memref<?x64xf32>
  %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<64x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
  // expected-remark @+1 {{what it copies may be written before it is read}}
  gnn_tile.stage %t, %a[%c0] by async spread #spread : vector<16x64xf32>, !tile
  scf.if %if {
    gnn_tile.store_rows %none, %view[%rows, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<?x64xf32>, vector<16xindex>, index
  }
  %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
  return %r : vector<16x64xf32>
}

// CHECK-LABEL: func.func @effects_unknown
func.func private @any()
func.func @effects_unknown(%x: memref<64x64xf32>, %rows: vector<16xindex>) -> vector<16x64xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<64x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
  // expected-remark @+1 {{what it copies may be written before it is read}}
  gnn_tile.stage %t, %a[%c0] by async spread #spread : vector<16x64xf32>, !tile
  func.call @any() : () -> ()
  %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
  return %r : vector<16x64xf32>
}

// -----

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>
// CHECK-LABEL: func.func @from_workgroup
func.func @from_workgroup(%x: memref<64x64xf32, #gpu.address_space<workgroup>>, %rows: vector<16xindex>) -> vector<16x64xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<64x64xf32, #gpu.address_space<workgroup>>, vector<16xindex>, index -> vector<16x64xf32>
  // expected-remark @+1 {{a thread stages something else than 16 bytes of a row in global memory}}
  gnn_tile.stage %t, %a[%c0] by async spread #spread : vector<16x64xf32>, !tile
  %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
  return %r : vector<16x64xf32>
}

// -----

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>
// CHECK-LABEL: func.func @of_other_block
func.func @of_other_block(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %rows: vector<16xindex>, %if: i1) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<64x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
  scf.if %if {
    // expected-remark @+1 {{it stages what another block loads}}
    gnn_tile.stage %t, %a[%c0] by async spread #spread : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    gnn_tile.store_rows %r, %y[%rows, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<64x64xf32>, vector<16xindex>, index
  }
  return
}
