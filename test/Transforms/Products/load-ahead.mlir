// RUN: gnn-opt %s --gnn-tile-load-ahead --split-input-file \
// RUN:   --remarks-filter='gnn-tile-load-ahead' --remark-format=emitRemark --verify-diagnostics | FileCheck %s

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>

// The loop carries what is staged; the halves of an array are taken in turns. The
// next step is loaded once this one is staged, and the last one is summed behind the
// loop. Without a step nothing is loaded.
//
// CHECK-LABEL: func.func @step
// CHECK-SAME:      %[[X:[^:]+]]: memref<?x64xf32>, %[[ROWS:[^:]+]]: vector<16xindex>, %[[ZERO:[^:]+]]: vector<64x64xf32>, %[[BEGIN:[^:]+]]: index, %[[END:[^:]+]]: index
// CHECK:         %[[ARRAY:.+]] = gnn_tile.array permuted 4 : memref<32x64xf32, #gpu.address_space<workgroup>>
// CHECK:         %[[SOME:.+]] = arith.cmpi slt, %[[BEGIN]], %[[END]]
// CHECK:         scf.if %[[SOME]] -> (vector<64x64xf32>) {
// CHECK:           %[[FIRST:.+]] = gnn_tile.load_rows %[[X]][%[[ROWS]], %[[BEGIN]]]
// CHECK:           %[[SECOND:.+]] = arith.addi %[[BEGIN]], %c16
// CHECK:           %[[LOOP:.+]]:3 = scf.for %[[K:.+]] = %[[SECOND]] to %[[END]] step %c16{{.*}} iter_args(%[[ACC:.+]] = %[[ZERO]], %[[STAGED:.+]] = %[[FIRST]], %[[HALF:.+]] = %c0{{.*}}) -> (vector<64x64xf32>, vector<16x64xf32>, index) {
// CHECK:             gnn_tile.stage %[[STAGED]], %[[ARRAY]][%[[HALF]]] by registers
// CHECK:             %[[READ:.+]] = vector.transfer_read %[[ARRAY]][%[[HALF]], %c0]
// CHECK:             %[[NEXT:.+]] = gnn_tile.load_rows %[[X]][%[[ROWS]], %[[K]]]
// CHECK:             %[[SUM:.+]] = gnn_tile.contract %[[READ]], %[[READ]], %[[ACC]]
// CHECK:             %[[OTHER:.+]] = arith.subi %c16{{.*}}, %[[HALF]]
// CHECK:             scf.yield %[[SUM]], %[[NEXT]], %[[OTHER]]
// CHECK:           gnn_tile.stage %[[LOOP]]#1, %[[ARRAY]][%[[LOOP]]#2] by registers
// CHECK:           gnn_tile.contract {{.+}} %[[LOOP]]#0
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[ZERO]]
func.func @step(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array permuted 4 : !tile
  // expected-remark @+1 {{the next step is loaded while one is summed}}
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

// The loads depend on what was summed: the loop stays.
//
// CHECK-LABEL: func.func @depends
// CHECK-NOT:     scf.if
// CHECK:         scf.for
// CHECK-NOT:     ahead
func.func @depends(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = gnn_tile.array : memref<16x64xf32, #gpu.address_space<workgroup>>
  // expected-remark @+1 {{what is loaded depends on what is summed}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%at = %c0) -> (index) {
    %t = gnn_tile.load_rows %x[%rows, %at] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
    %n = arith.addi %at, %c16 : index
    scf.yield %n : index
  }
  return
}

// -----

// Nothing is multiplied: there is no place for the loads.
//
// CHECK-LABEL: func.func @sums_nothing
// CHECK-NOT:     scf.if
func.func @sums_nothing(%x: memref<?x64xf32>, %rows: vector<16xindex>, %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = gnn_tile.array : memref<16x64xf32, #gpu.address_space<workgroup>>
  // expected-remark @+1 {{a step has no product}}
  scf.for %k = %begin to %end step %c16 {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
  }
  return
}

// -----

// Someone reads from the middle of the array, which would be in the other half.
//
// CHECK-LABEL: func.func @middle
// CHECK-NOT:     scf.if
!half = memref<32x64xf32, #gpu.address_space<workgroup>>
func.func @middle(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !half
  // expected-remark @+1 {{'vector.transfer_read' uses a part of what is staged}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !half
    %r = vector.transfer_read %a[%c16, %c0], %p {in_bounds = [true, true]} : !half, vector<16x64xf32>
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  return %s : vector<64x64xf32>
}

// -----

// An array that the step reads and does not stage has no halves.
//
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
// CHECK-LABEL: func.func @other
// CHECK-SAME:      %[[OTHER:[^ ,]+]]: memref<16x64xf32, #gpu.address_space<workgroup>>)
// CHECK:         scf.for
// CHECK:           vector.transfer_read %{{.+}}[%[[HALF:arg[0-9]+]], %c0]
// CHECK:           vector.transfer_read %[[OTHER]][%c0, %c0]
// CHECK:         vector.transfer_read %[[OTHER]][%c0, %c0]
func.func @other(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index, %other: !tile) -> (vector<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  // expected-remark @+1 {{the next step is loaded while one is summed}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %w = vector.transfer_read %other[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %w, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  return %s : vector<64x64xf32>
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
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  return %s : vector<64x64xf32>
}

// -----

// The next step is given what is computed of this one's number.
//
// CHECK-LABEL: func.func @yields_number
// CHECK-NOT:     scf.if
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @yields_number(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> (vector<64x64xf32>, index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  // expected-remark @+1 {{what is summed depends on the number of the step}}
  %s:2 = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero, %before = %c0) -> (vector<64x64xf32>, index) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n, %k : vector<64x64xf32>, index
  }
  return %s#0, %s#1 : vector<64x64xf32>, index
}

// -----

// A constant of what is loaded and of what is summed is of both.
//
// CHECK-LABEL: func.func @constant
// CHECK:         scf.if
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @constant(%x: memref<?x?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  // expected-remark @+1 {{the next step is loaded while one is summed}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %c0 = arith.constant 0 : index
    %t = gnn_tile.load_rows %x[%c0, %rows, %k] : memref<?x?x64xf32>, index, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  return %s : vector<64x64xf32>
}

// -----

// Behind a write of all that is read, the array holds the same in any half.
//
// CHECK-LABEL: func.func @written_behind
// CHECK:         %[[ARRAY:.+]] = gnn_tile.array : memref<32x64xf32, #gpu.address_space<workgroup>>
// CHECK:         scf.if
// CHECK:         gnn_tile.stage %{{.+}}, %[[ARRAY]][%c0]
// CHECK:         vector.transfer_read %[[ARRAY]][%c0, %c0]
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @written_behind(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index, %lines: vector<8x64xf32>) -> (vector<64x64xf32>, vector<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = gnn_tile.array : !tile
  // expected-remark @+1 {{the next step is loaded while one is summed}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] ahead by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = gnn_tile.contract %r, %r, %acc spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  gnn_tile.stage %lines, %a[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<8x64xf32>, !tile
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<8x64xf32>
  return %s, %l : vector<64x64xf32>, vector<8x64xf32>
}
