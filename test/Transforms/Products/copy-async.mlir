// RUN: gnn-opt %s --gnn-tile-copy-async --split-input-file \
// RUN:   --remarks-filter='gnn-tile-copy-async' --remark-format=emitRemark --verify-diagnostics | FileCheck %s

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>

// Nothing is carried but the half that holds the step. Operands of copies are
// computed in front of the wait for the copies of the step before. Any other user of
// the tile reads it where it is staged. The mark for loads ahead goes too.
//
// CHECK-LABEL: func.func @step
// CHECK-SAME:      %[[X:[^:]+]]: memref<?x64xf32>, %[[ROWS:[^:]+]]: vector<16xindex>, %[[ZERO:[^:]+]]: vector<64x64xf32>, %[[NONE:[^:]+]]: vector<16x64xf32>, %[[BEGIN:[^:]+]]: index, %[[END:[^:]+]]: index
// CHECK:         %[[ARRAY:.+]] = gnn_tile.array permuted 4 : memref<32x64xf32, #gpu.address_space<workgroup>>
// CHECK:         %[[SOME:.+]] = arith.cmpi slt, %[[BEGIN]], %[[END]]
// CHECK:         scf.if %[[SOME]] -> (vector<64x64xf32>, vector<16x64xf32>) {
// CHECK:           %[[FIRST:.+]] = gnn_tile.load_rows %[[X]][%[[ROWS]], %[[BEGIN]]]
// CHECK:           gnn_tile.stage %[[FIRST]], %[[ARRAY]][%c0{{.*}}] by in_flight spread
// CHECK:           %[[SECOND:.+]] = arith.addi %[[BEGIN]], %c16
// CHECK:           %[[LOOP:.+]]:3 = scf.for %[[K:.+]] = %[[SECOND]] to %[[END]] step %c16{{.*}} iter_args(%[[ACC:.+]] = %[[ZERO]], %[[COLUMNS:.+]] = %[[NONE]], %[[HALF:.+]] = %c0{{.*}}) -> (vector<64x64xf32>, vector<16x64xf32>, index) {
// CHECK:             %[[NEXT:.+]] = gnn_tile.load_rows %[[X]][%[[ROWS]], %[[K]]]
// CHECK:             %[[GROUP:.+]] = nvgpu.device_async_create_group
// CHECK:             nvgpu.device_async_wait %[[GROUP]]
// CHECK:             %[[OTHER:.+]] = arith.subi %c16{{.*}}, %[[HALF]]
// CHECK:             gnn_tile.stage %[[NEXT]], %[[ARRAY]][%[[OTHER]]] by in_flight spread
// CHECK:             %[[READ:.+]] = vector.transfer_read %[[ARRAY]][%[[HALF]], %c0]
// CHECK:             %[[SUM:.+]] = gnn_tile.contract %[[READ]], %[[READ]], %[[ACC]]
// CHECK:             %[[TILE:.+]] = vector.transfer_read %[[ARRAY]][%[[HALF]], %c0
// CHECK:             %[[ADDED:.+]] = arith.addf %[[COLUMNS]], %[[TILE]]
// CHECK:             scf.yield %[[SUM]], %[[ADDED]], %[[OTHER]]
// CHECK:           nvgpu.device_async_wait
// CHECK-NOT:       gnn_tile.stage
// CHECK:           vector.transfer_read %[[ARRAY]][%[[LOOP]]#2, %c0]
// CHECK:           gnn_tile.contract {{.+}} %[[LOOP]]#0
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[ZERO]], %[[NONE]]
// CHECK-NOT:     ahead
func.func @step(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %none: vector<16x64xf32>, %begin: index, %end: index) -> (vector<64x64xf32>, vector<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array permuted 4 : !tile
  // expected-remark @+1 {{the next step is copied while one is summed}}
  %s:2 = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero, %columns = %none) -> (vector<64x64xf32>, vector<16x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by async spread #spread : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    %c = arith.addf %columns, %t : vector<16x64xf32>
    scf.yield %n, %c : vector<64x64xf32>, vector<16x64xf32>
  }
  return %s#0, %s#1 : vector<64x64xf32>, vector<16x64xf32>
}

// -----

// The depth comes first where the rows have it last: each value goes to another row,
// and no 16 bytes stay together. Loads ahead may still do.
//
// CHECK-LABEL: func.func @turned
// CHECK-NOT:     scf.if
// CHECK:           gnn_tile.stage {{.+}} transposed ahead by registers
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @turned(%x: memref<?x64xf32>, %rows: vector<64xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  // expected-remark @+1 {{a thread stages something else than 16 bytes of a row in global memory}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] aligned 4 : memref<?x64xf32>, vector<64xindex>, index -> vector<64x16xf32>
    gnn_tile.stage %t, %a[%c0] transposed ahead by async spread <each = [1, 4], lanes = [32, 4]> : vector<64x16xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  return %s : vector<64x64xf32>
}

// -----

// Rows that begin anywhere have no 16 bytes on their boundary.
//
// CHECK-LABEL: func.func @not_aligned
// CHECK-NOT:     scf.if
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @not_aligned(%x: memref<?x63xf32>, %rows: vector<16xindex>, %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = gnn_tile.array : !tile
  // expected-remark @+1 {{a thread stages something else than 16 bytes of a row in global memory}}
  scf.for %k = %begin to %end step %c16 {
    %t = gnn_tile.load_rows %x[%rows, %k] below 63 : memref<?x63xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by async spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
  }
  return
}

// -----

// The copies depend on what was summed.
//
// CHECK-LABEL: func.func @depends
// CHECK-NOT:     scf.if
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @depends(%x: memref<?x64xf32>, %rows: vector<16xindex>, %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = gnn_tile.array : !tile
  // expected-remark @+1 {{what is copied depends on what is summed}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%at = %c0) -> (index) {
    %t = gnn_tile.load_rows %x[%rows, %at] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by async spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    %n = arith.addi %at, %c16 : index
    scf.yield %n : index
  }
  return
}

// -----

// Outside of a loop that loads ahead, a copy begins once its rows are known, in front
// of what other loads are staged, and is waited for where it is read.
//
// CHECK-LABEL: func.func @at_once
// CHECK:         %[[X:.+]] = gnn_tile.load_rows
// CHECK-NEXT:    %[[W:.+]] = gnn_tile.load_rows
// CHECK-NEXT:    gnn_tile.stage %[[W]], %{{.+}} by in_flight
// CHECK-NEXT:    gnn_tile.stage %[[X]], %{{.+}} by registers
// CHECK-NEXT:    vector.transfer_read
// CHECK-NEXT:    %[[GROUP:.+]] = nvgpu.device_async_create_group
// CHECK-NEXT:    nvgpu.device_async_wait %[[GROUP]]
// CHECK-NEXT:    vector.transfer_read
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>
func.func @at_once(%x: memref<?x64xf32>, %rows: vector<16xindex>) -> (vector<16x64xf32>, vector<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  %b = gnn_tile.array : !tile
  %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
  %w = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
  gnn_tile.stage %t, %a[%c0] by registers spread #spread : vector<16x64xf32>, !tile
  // expected-remark @+1 {{copied asynchronously while other rows are loaded}}
  gnn_tile.stage %w, %b[%c0] by async spread #spread : vector<16x64xf32>, !tile
  %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
  %s = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
  return %r, %s : vector<16x64xf32>, vector<16x64xf32>
}

// -----

// Nobody would wait for it.
//
// CHECK-LABEL: func.func @unread
// CHECK-NOT:     in_flight
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @unread(%x: memref<?x64xf32>, %rows: vector<16xindex>) {
  %c0 = arith.constant 0 : index
  %a = gnn_tile.array : !tile
  %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
  // expected-remark @+1 {{nothing behind it reads what it stages}}
  gnn_tile.stage %t, %a[%c0] by async spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
  return
}

// -----

// A tile that the step before has left in the array would be in the other half.
//
// CHECK-LABEL: func.func @reads_first
// CHECK-NOT:     scf.if
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @reads_first(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  // expected-remark @+1 {{a step uses an array before it stages in it}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by async spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  return %s : vector<64x64xf32>
}

// -----

// An array that the step reads and does not stage has no halves.
//
// CHECK-LABEL: func.func @other
// CHECK-SAME:      %[[OTHER:[^ ,]+]]: memref<16x64xf32, #gpu.address_space<workgroup>>)
// CHECK:         scf.for
// CHECK:           vector.transfer_read %{{.+}}[%[[HALF:arg[0-9]+]], %c0]
// CHECK:           vector.transfer_read %[[OTHER]][%c0, %c0]
// CHECK:         vector.transfer_read %[[OTHER]][%c0, %c0]
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @other(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index, %other: !tile) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  // expected-remark @+1 {{the next step is copied while one is summed}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by async spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %w = vector.transfer_read %other[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %w, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  return %s : vector<64x64xf32>
}

// -----

// The write meanwhile is somewhere else.
//
// CHECK-LABEL: func.func @writes_other
// CHECK:         gnn_tile.load_rows
// CHECK-NEXT:    gnn_tile.stage %{{.+}} by in_flight
// CHECK-NEXT:    gnn_tile.store_rows
// CHECK-NEXT:    nvgpu.device_async_create_group
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>
func.func @writes_other(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %rows: vector<16xindex>, %none: vector<16x64xf32>) -> vector<16x64xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<64x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
  gnn_tile.store_rows %none, %y[%rows, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<64x64xf32>, vector<16xindex>, index
  // expected-remark @+1 {{copied asynchronously while other rows are loaded}}
  gnn_tile.stage %t, %a[%c0] by async spread #spread : vector<16x64xf32>, !tile
  %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
  return %r : vector<16x64xf32>
}
