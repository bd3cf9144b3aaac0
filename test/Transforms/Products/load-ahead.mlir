// RUN: gnn-opt %s --gnn-tile-load-ahead --split-input-file \
// RUN:   --remarks-filter='gnn-tile-load-ahead' --remark-format=emitRemark --verify-diagnostics | FileCheck %s

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#map = affine_map<(m, n, k) -> (k, m)>
#map1 = affine_map<(m, n, k) -> (k, n)>
#map2 = affine_map<(m, n, k) -> (m, n)>

// What is staged is carried; the halves of an array are taken in turns. The next step
// is loaded once this one is staged, and the last one is summed behind the loop.
// Without a step nothing is loaded.
//
// CHECK-LABEL: func.func @step
// CHECK-SAME:      %[[X:[^:]+]]: memref<?x64xf32>, %[[ROWS:[^:]+]]: vector<16xindex>, %[[ZERO:[^:]+]]: vector<64x64xf32>, %[[BEGIN:[^:]+]]: index, %[[END:[^:]+]]: index
// CHECK:         %[[ARRAY:.+]] = memref.alloca() {gnn_tile.permuted = 4 : i64} : memref<32x64xf32, #gpu.address_space<workgroup>>
// CHECK:         %[[SOME:.+]] = arith.cmpi slt, %[[BEGIN]], %[[END]]
// CHECK:         scf.if %[[SOME]] -> (vector<64x64xf32>) {
// CHECK:           %[[FIRST:.+]] = gnn_tile.load_rows %[[X]][%[[ROWS]], %[[BEGIN]]]
// CHECK:           %[[SECOND:.+]] = arith.addi %[[BEGIN]], %c16
// CHECK:           %[[LOOP:.+]]:3 = scf.for %[[K:.+]] = %[[SECOND]] to %[[END]] step %c16{{.*}} iter_args(%[[ACC:.+]] = %[[ZERO]], %[[STAGED:.+]] = %[[FIRST]], %[[HALF:.+]] = %c0{{.*}}) -> (vector<64x64xf32>, vector<16x64xf32>, index) {
// CHECK:             vector.transfer_write %[[STAGED]], %[[ARRAY]][%[[HALF]], %c0]
// CHECK:             %[[READ:.+]] = vector.transfer_read %[[ARRAY]][%[[HALF]], %c0]
// CHECK:             %[[NEXT:.+]] = gnn_tile.load_rows %[[X]][%[[ROWS]], %[[K]]]
// CHECK:             %[[SUM:.+]] = vector.contract {{.+}} %[[READ]], %[[READ]], %[[ACC]]
// CHECK:             %[[OTHER:.+]] = arith.subi %c16{{.*}}, %[[HALF]]
// CHECK:             scf.yield %[[SUM]], %[[NEXT]], %[[OTHER]]
// CHECK:           vector.transfer_write %[[LOOP]]#1, %[[ARRAY]][%[[LOOP]]#2, %c0]
// CHECK:           vector.contract {{.+}} %[[LOOP]]#0
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[ZERO]]
func.func @step(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloca() {gnn_tile.permuted = 4 : i64} : !tile
  // expected-remark @+1 {{the next step is loaded while one is summed}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %r, %r, %acc : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  } {gnn_tile.load_ahead}
  return %s : vector<64x64xf32>
}

// -----

// What is loaded depends on what was summed: the loop stays.
//
// CHECK-LABEL: func.func @depends
// CHECK-NOT:     scf.if
// CHECK:         scf.for
// CHECK-NOT:     gnn_tile.load_ahead
func.func @depends(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = memref.alloca() : memref<16x64xf32, #gpu.address_space<workgroup>>
  // expected-remark @+1 {{what is loaded depends on what is summed}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%at = %c0) -> (index) {
    %t = gnn_tile.load_rows %x[%rows, %at] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
    %n = arith.addi %at, %c16 : index
    scf.yield %n : index
  } {gnn_tile.load_ahead}
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
  %a = memref.alloca() : memref<16x64xf32, #gpu.address_space<workgroup>>
  // expected-remark @+1 {{a step has no product}}
  scf.for %k = %begin to %end step %c16 {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
  } {gnn_tile.load_ahead}
  return
}

// -----

// Someone reads from the middle of the array, which would be in the other half.
//
// CHECK-LABEL: func.func @middle
// CHECK-NOT:     scf.if
!half = memref<32x64xf32, #gpu.address_space<workgroup>>
#map = affine_map<(m, n, k) -> (k, m)>
#map1 = affine_map<(m, n, k) -> (k, n)>
#map2 = affine_map<(m, n, k) -> (m, n)>
func.func @middle(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloca() : !half
  // expected-remark @+1 {{'vector.transfer_read' uses a part of what is staged}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, !half
    %r = vector.transfer_read %a[%c16, %c0], %p {in_bounds = [true, true]} : !half, vector<16x64xf32>
    %n = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %r, %r, %acc : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  } {gnn_tile.load_ahead}
  return %s : vector<64x64xf32>
}

// -----

// An array that the step reads and does not stage has no halves.
//
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#map = affine_map<(m, n, k) -> (k, m)>
#map1 = affine_map<(m, n, k) -> (k, n)>
#map2 = affine_map<(m, n, k) -> (m, n)>
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
  %a = memref.alloca() : !tile
  // expected-remark @+1 {{the next step is loaded while one is summed}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %w = vector.transfer_read %other[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %r, %w, %acc : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  } {gnn_tile.load_ahead}
  return %s : vector<64x64xf32>
}

// -----

// What the step before has left in the array would be in the other half.
//
// CHECK-LABEL: func.func @reads_first
// CHECK-NOT:     scf.if
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#map = affine_map<(m, n, k) -> (k, m)>
#map1 = affine_map<(m, n, k) -> (k, n)>
#map2 = affine_map<(m, n, k) -> (m, n)>
func.func @reads_first(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloca() : !tile
  // expected-remark @+1 {{a step uses an array before it stages in it}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, !tile
    %n = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %r, %r, %acc : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  } {gnn_tile.load_ahead}
  return %s : vector<64x64xf32>
}

// -----

// The next step is given what is computed of this one's number.
//
// CHECK-LABEL: func.func @yields_number
// CHECK-NOT:     scf.if
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#map = affine_map<(m, n, k) -> (k, m)>
#map1 = affine_map<(m, n, k) -> (k, n)>
#map2 = affine_map<(m, n, k) -> (m, n)>
func.func @yields_number(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> (vector<64x64xf32>, index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloca() : !tile
  // expected-remark @+1 {{what is summed depends on the number of the step}}
  %s:2 = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero, %before = %c0) -> (vector<64x64xf32>, index) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %r, %r, %acc : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n, %k : vector<64x64xf32>, index
  } {gnn_tile.load_ahead}
  return %s#0, %s#1 : vector<64x64xf32>, index
}

// -----

// A constant of what is loaded and of what is summed is of both.
//
// CHECK-LABEL: func.func @constant
// CHECK:         scf.if
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#map = affine_map<(m, n, k) -> (k, m)>
#map1 = affine_map<(m, n, k) -> (k, n)>
#map2 = affine_map<(m, n, k) -> (m, n)>
func.func @constant(%x: memref<?x?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloca() : !tile
  // expected-remark @+1 {{the next step is loaded while one is summed}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %c0 = arith.constant 0 : index
    %t = gnn_tile.load_rows %x[%c0, %rows, %k] : memref<?x?x64xf32>, index, vector<16xindex>, index -> vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %r, %r, %acc : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  } {gnn_tile.load_ahead}
  return %s : vector<64x64xf32>
}

// -----

// Behind a write of all that is read, the array holds the same in any half.
//
// CHECK-LABEL: func.func @written_behind
// CHECK:         %[[ARRAY:.+]] = memref.alloca() : memref<32x64xf32, #gpu.address_space<workgroup>>
// CHECK:         scf.if
// CHECK:         vector.transfer_write %{{.+}}, %[[ARRAY]][%c0, %c0]
// CHECK:         vector.transfer_read %[[ARRAY]][%c0, %c0]
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#map = affine_map<(m, n, k) -> (k, m)>
#map1 = affine_map<(m, n, k) -> (k, n)>
#map2 = affine_map<(m, n, k) -> (m, n)>
func.func @written_behind(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index, %lines: vector<8x64xf32>) -> (vector<64x64xf32>, vector<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloca() : !tile
  // expected-remark @+1 {{the next step is loaded while one is summed}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %r, %r, %acc : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  } {gnn_tile.load_ahead}
  vector.transfer_write %lines, %a[%c0, %c0] {in_bounds = [true, true]} : vector<8x64xf32>, !tile
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<8x64xf32>
  return %s, %l : vector<64x64xf32>, vector<8x64xf32>
}
