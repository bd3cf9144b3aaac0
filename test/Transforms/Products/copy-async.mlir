// RUN: gnn-opt %s --gnn-tile-copy-async --split-input-file \
// RUN:   --remarks-filter='gnn-tile-copy-async' --remark-format=emitRemark --verify-diagnostics | FileCheck %s

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>
#map = affine_map<(m, n, k) -> (k, m)>
#map1 = affine_map<(m, n, k) -> (k, n)>
#map2 = affine_map<(m, n, k) -> (m, n)>

// Nothing is carried but the half that holds the step. What copies are computed of
// stands in front of the wait for the copies of the step before. What else takes the
// tile reads it where it is staged. The mark for loads ahead goes too.
//
// CHECK-LABEL: func.func @step
// CHECK-SAME:      %[[X:[^:]+]]: memref<?x64xf32>, %[[ROWS:[^:]+]]: vector<16xindex>, %[[ZERO:[^:]+]]: vector<64x64xf32>, %[[NONE:[^:]+]]: vector<16x64xf32>, %[[BEGIN:[^:]+]]: index, %[[END:[^:]+]]: index
// CHECK:         %[[ARRAY:.+]] = memref.alloca() {gnn_tile.permuted = 4 : i64} : memref<32x64xf32, #gpu.address_space<workgroup>>
// CHECK:         %[[SOME:.+]] = arith.cmpi slt, %[[BEGIN]], %[[END]]
// CHECK:         scf.if %[[SOME]] -> (vector<64x64xf32>, vector<16x64xf32>) {
// CHECK:           %[[FIRST:.+]] = gnn_tile.load_rows %[[X]][%[[ROWS]], %[[BEGIN]]]
// CHECK:           vector.transfer_write %[[FIRST]], %[[ARRAY]][%c0{{.*}}, %c0] {gnn_tile.async, gnn_tile.spread = {{.+}}}
// CHECK:           %[[SECOND:.+]] = arith.addi %[[BEGIN]], %c16
// CHECK:           %[[LOOP:.+]]:3 = scf.for %[[K:.+]] = %[[SECOND]] to %[[END]] step %c16{{.*}} iter_args(%[[ACC:.+]] = %[[ZERO]], %[[COLUMNS:.+]] = %[[NONE]], %[[HALF:.+]] = %c0{{.*}}) -> (vector<64x64xf32>, vector<16x64xf32>, index) {
// CHECK:             %[[NEXT:.+]] = gnn_tile.load_rows %[[X]][%[[ROWS]], %[[K]]]
// CHECK:             %[[GROUP:.+]] = nvgpu.device_async_create_group
// CHECK:             nvgpu.device_async_wait %[[GROUP]]
// CHECK:             %[[OTHER:.+]] = arith.subi %c16{{.*}}, %[[HALF]]
// CHECK:             vector.transfer_write %[[NEXT]], %[[ARRAY]][%[[OTHER]], %c0] {gnn_tile.async
// CHECK:             %[[READ:.+]] = vector.transfer_read %[[ARRAY]][%[[HALF]], %c0]
// CHECK:             %[[SUM:.+]] = vector.contract {{.+}} %[[READ]], %[[READ]], %[[ACC]]
// CHECK:             %[[TILE:.+]] = vector.transfer_read %[[ARRAY]][%[[HALF]], %c0
// CHECK:             %[[ADDED:.+]] = arith.addf %[[COLUMNS]], %[[TILE]]
// CHECK:             scf.yield %[[SUM]], %[[ADDED]], %[[OTHER]]
// CHECK:           nvgpu.device_async_wait
// CHECK-NOT:       gnn_tile.async
// CHECK:           vector.transfer_read %[[ARRAY]][%[[LOOP]]#2, %c0]
// CHECK:           vector.contract {{.+}} %[[LOOP]]#0
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[ZERO]], %[[NONE]]
// CHECK-NOT:     gnn_tile.load_ahead
func.func @step(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %none: vector<16x64xf32>, %begin: index, %end: index) -> (vector<64x64xf32>, vector<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloca() {gnn_tile.permuted = 4 : i64} : !tile
  // expected-remark @+1 {{the next step is copied while one is summed}}
  %s:2 = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero, %columns = %none) -> (vector<64x64xf32>, vector<16x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true], gnn_tile.copy_async, gnn_tile.spread = #spread} : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %r, %r, %acc : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    %c = arith.addf %columns, %t : vector<16x64xf32>
    scf.yield %n, %c : vector<64x64xf32>, vector<16x64xf32>
  } {gnn_tile.load_ahead}
  return %s#0, %s#1 : vector<64x64xf32>, vector<16x64xf32>
}

// -----

// The depth comes first where the rows have it last: each value goes to another row,
// and no 16 bytes stay together. Loads ahead may still do.
//
// CHECK-LABEL: func.func @turned
// CHECK-NOT:     scf.if
// CHECK:         } {gnn_tile.load_ahead}
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#turned = affine_map<(m, k) -> (k, m)>
#map = affine_map<(m, n, k) -> (k, m)>
#map1 = affine_map<(m, n, k) -> (k, n)>
#map2 = affine_map<(m, n, k) -> (m, n)>
func.func @turned(%x: memref<?x64xf32>, %rows: vector<64xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloca() : !tile
  // expected-remark @+1 {{a thread stages something else than 16 bytes of a row in global memory}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] aligned 4 : memref<?x64xf32>, vector<64xindex>, index -> vector<64x16xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true], permutation_map = #turned, gnn_tile.copy_async, gnn_tile.spread = #gnn_tile.spread<each = [1, 4], lanes = [32, 4]>} : vector<64x16xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %r, %r, %acc : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  } {gnn_tile.load_ahead}
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
  %a = memref.alloca() : !tile
  // expected-remark @+1 {{a thread stages something else than 16 bytes of a row in global memory}}
  scf.for %k = %begin to %end step %c16 {
    %t = gnn_tile.load_rows %x[%rows, %k] below 63 : memref<?x63xf32>, vector<16xindex>, index -> vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true], gnn_tile.copy_async, gnn_tile.spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>} : vector<16x64xf32>, !tile
  } {gnn_tile.load_ahead}
  return
}

// -----

// What is copied depends on what was summed.
//
// CHECK-LABEL: func.func @depends
// CHECK-NOT:     scf.if
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @depends(%x: memref<?x64xf32>, %rows: vector<16xindex>, %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = memref.alloca() : !tile
  // expected-remark @+1 {{what is copied depends on what is summed}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%at = %c0) -> (index) {
    %t = gnn_tile.load_rows %x[%rows, %at] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true], gnn_tile.copy_async, gnn_tile.spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>} : vector<16x64xf32>, !tile
    %n = arith.addi %at, %c16 : index
    scf.yield %n : index
  } {gnn_tile.load_ahead}
  return
}

// -----

// Outside of a loop that loads ahead, a copy begins once its rows are known, in front
// of what other loads are staged, and is waited for where it is read.
//
// CHECK-LABEL: func.func @at_once
// CHECK:         %[[X:.+]] = gnn_tile.load_rows
// CHECK-NEXT:    %[[W:.+]] = gnn_tile.load_rows
// CHECK-NEXT:    vector.transfer_write %[[W]], %{{.+}} {gnn_tile.async, gnn_tile.spread = {{.+}}, in_bounds = [true, true]}
// CHECK-NEXT:    vector.transfer_write %[[X]]
// CHECK-NEXT:    vector.transfer_read
// CHECK-NEXT:    %[[GROUP:.+]] = nvgpu.device_async_create_group
// CHECK-NEXT:    nvgpu.device_async_wait %[[GROUP]]
// CHECK-NEXT:    vector.transfer_read
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>
func.func @at_once(%x: memref<?x64xf32>, %rows: vector<16xindex>) -> (vector<16x64xf32>, vector<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloca() : !tile
  %b = memref.alloca() : !tile
  %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
  %w = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
  vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true], gnn_tile.spread = #spread} : vector<16x64xf32>, !tile
  // expected-remark @+1 {{copied while others are loaded}}
  vector.transfer_write %w, %b[%c0, %c0] {in_bounds = [true, true], gnn_tile.copy_async, gnn_tile.spread = #spread} : vector<16x64xf32>, !tile
  %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
  %s = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
  return %r, %s : vector<16x64xf32>, vector<16x64xf32>
}

// -----

// Nobody would wait for it.
//
// CHECK-LABEL: func.func @unread
// CHECK-NOT:     gnn_tile.async
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @unread(%x: memref<?x64xf32>, %rows: vector<16xindex>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloca() : !tile
  %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
  // expected-remark @+1 {{nothing behind it reads what it stages}}
  vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true], gnn_tile.copy_async, gnn_tile.spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>} : vector<16x64xf32>, !tile
  return
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
    %t = gnn_tile.load_rows %x[%rows, %k] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true], gnn_tile.copy_async, gnn_tile.spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>} : vector<16x64xf32>, !tile
    %n = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %r, %r, %acc : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  } {gnn_tile.load_ahead}
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
#map = affine_map<(m, n, k) -> (k, m)>
#map1 = affine_map<(m, n, k) -> (k, n)>
#map2 = affine_map<(m, n, k) -> (m, n)>
func.func @other(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index, %other: !tile) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloca() : !tile
  // expected-remark @+1 {{the next step is copied while one is summed}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %k] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true], gnn_tile.copy_async, gnn_tile.spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>} : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %w = vector.transfer_read %other[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %r, %w, %acc : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  } {gnn_tile.load_ahead}
  return %s : vector<64x64xf32>
}

// -----

// What is written meanwhile is somewhere else.
//
// CHECK-LABEL: func.func @writes_other
// CHECK:         gnn_tile.load_rows
// CHECK-NEXT:    vector.transfer_write %{{.+}} {gnn_tile.async
// CHECK-NEXT:    gnn_tile.store_rows
// CHECK-NEXT:    nvgpu.device_async_create_group
!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>
func.func @writes_other(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %rows: vector<16xindex>, %none: vector<16x64xf32>) -> vector<16x64xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloca() : !tile
  %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<64x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
  gnn_tile.store_rows %none, %y[%rows, %c0] aligned 4 : vector<16x64xf32>, memref<64x64xf32>, vector<16xindex>, index
  // expected-remark @+1 {{copied while others are loaded}}
  vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true], gnn_tile.copy_async, gnn_tile.spread = #spread} : vector<16x64xf32>, !tile
  %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
  return %r : vector<16x64xf32>
}
