// RUN: gnn-opt %s --gnn-tile-copy-async --split-input-file \
// RUN:   --remarks-filter='gnn-tile-copy-async' --remark-format=emitRemark --verify-diagnostics | FileCheck %s --implicit-check-not=gnn_tile.async

// Why a step is loaded, and not copied.

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#map = affine_map<(m, n, k) -> (k, m)>
#map1 = affine_map<(m, n, k) -> (k, n)>
#map2 = affine_map<(m, n, k) -> (m, n)>
#spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>
// CHECK-LABEL: func.func @in_part
func.func @in_part(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloca() : !tile
  %b = memref.alloca() : !tile
  // expected-remark @+1 {{a step stages what is not to be copied}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    %u = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true], gnn_tile.copy_async, gnn_tile.spread = #spread} : vector<16x64xf32>, !tile
    vector.transfer_write %u, %b[%c0, %c0] {in_bounds = [true, true], gnn_tile.spread = #spread} : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %q = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %r, %q, %acc : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  } {gnn_tile.load_ahead}
  return %s : vector<64x64xf32>
}

// -----

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
#map = affine_map<(m, n, k) -> (k, m)>
#map1 = affine_map<(m, n, k) -> (k, n)>
#map2 = affine_map<(m, n, k) -> (m, n)>
#spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>
// CHECK-LABEL: func.func @loaded_before
func.func @loaded_before(%x: memref<?x64xf32>, %rows: vector<16xindex>, %zero: vector<64x64xf32>, %begin: index, %end: index) -> vector<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloca() : !tile
  %t = gnn_tile.load_rows %x[%rows, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
  // expected-remark @+1 {{a step stages what it does not load}}
  %s = scf.for %k = %begin to %end step %c16 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true], gnn_tile.copy_async, gnn_tile.spread = #spread} : vector<16x64xf32>, !tile
    %r = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %n = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %r, %r, %acc : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  } {gnn_tile.load_ahead}
  return %s : vector<64x64xf32>
}
