// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// The discardable attributes of the dialect: A1 to A4 of its description.

func.func @a1_spread(%v: vector<16x64xf32>, %x: memref<16x64xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'vector.transfer_write' op expected 'gnn_tile.spread' to be #gnn_tile.spread without teams, got 4 : i64}}
  vector.transfer_write %v, %x[%c0, %c0] {in_bounds = [true, true], gnn_tile.spread = 4} : vector<16x64xf32>, memref<16x64xf32>
  return
}

// -----

func.func @a1_op(%x: memref<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  // expected-error @+1 {{'vector.transfer_read' op expected 'gnn_tile.spread' at a vector.transfer_write or a vector.contract only}}
  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true], gnn_tile.spread = #gnn_tile.spread<each = [1, 4], lanes = [8, 16]>} : memref<16x64xf32>, vector<16x64xf32>
  return
}

// -----

#k_m = affine_map<(m, n, k) -> (k, m)>
#k_n = affine_map<(m, n, k) -> (k, n)>
#m_n = affine_map<(m, n, k) -> (m, n)>
func.func @a2_kind(%x: vector<16x64xf32>, %y: vector<16x16xf32>, %z: vector<64x16xf32>) {
  // expected-error @+1 {{'vector.contract' op expected 'gnn_tile.kind' to be #gnn_tile.product_kind, got "tf32x3"}}
  %s = vector.contract {indexing_maps = [#k_m, #k_n, #m_n], iterator_types = ["parallel", "parallel", "reduction"], gnn_tile.kind = "tf32x3"} %x, %y, %z : vector<16x64xf32>, vector<16x16xf32> into vector<64x16xf32>
  return
}

// -----

func.func @a2_op(%x: f32) {
  // expected-error @+1 {{'arith.addf' op expected 'gnn_tile.kind' at a vector.contract only}}
  %y = arith.addf %x, %x {gnn_tile.kind = #gnn_tile<product_kind ffma>} : f32
  return
}

// -----

func.func @a3_load_ahead(%n: index) {
  // expected-error @+1 {{'scf.for' op expected 'gnn_tile.load_ahead' to be without a value, got true}}
  scf.for %i = %n to %n step %n {
  } {gnn_tile.load_ahead = true}
  return
}

// -----

func.func @a3_op(%c: i1) {
  // expected-error @+1 {{'scf.if' op expected 'gnn_tile.load_ahead' at an scf.for only}}
  scf.if %c {
  } {gnn_tile.load_ahead}
  return
}

// -----

func.func @a4_op() {
  // expected-error @+1 {{'memref.alloc' op expected 'gnn_tile.permuted' at a memref.alloca only}}
  %a = memref.alloc() {gnn_tile.permuted = 4 : i64} : memref<16x64xf32>
  return
}

// -----

func.func @a4_permuted() {
  // expected-error @+1 {{'memref.alloca' op expected 'gnn_tile.permuted' to be an i64, got 4 : i32}}
  %a = memref.alloca() {gnn_tile.permuted = 4 : i32} : memref<16x64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @a4_memory() {
  // expected-error @+1 {{'memref.alloca' op expected 'gnn_tile.permuted' at an array of workgroup memory of two or more dimensions, got 'memref<16x64xf32>'}}
  %a = memref.alloca() {gnn_tile.permuted = 4 : i64} : memref<16x64xf32>
  return
}

// -----

func.func @a4_columns() {
  // expected-error @+1 {{'memref.alloca' op expected 'gnn_tile.permuted' to be 1, 2 or 4, 8 times which divides the columns of 'memref<16x64xf32, #gpu.address_space<workgroup>>', got 64}}
  %a = memref.alloca() {gnn_tile.permuted = 64 : i64} : memref<16x64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @a4_power() {
  // expected-error @+1 {{'memref.alloca' op expected 'gnn_tile.permuted' to be 1, 2 or 4, 8 times which divides the columns of 'memref<16x96xf32, #gpu.address_space<workgroup>>', got 3}}
  %a = memref.alloca() {gnn_tile.permuted = 3 : i64} : memref<16x96xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @a4_eight() {
  // expected-error @+1 {{'memref.alloca' op expected 'gnn_tile.permuted' to be 1, 2 or 4, 8 times which divides the columns of 'memref<16x64xf32, #gpu.address_space<workgroup>>', got 8}}
  %a = memref.alloca() {gnn_tile.permuted = 8 : i64} : memref<16x64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @a4_zero() {
  // expected-error @+1 {{'memref.alloca' op expected 'gnn_tile.permuted' to be 1, 2 or 4, 8 times which divides the columns of 'memref<16x64xf32, #gpu.address_space<workgroup>>', got 0}}
  %a = memref.alloca() {gnn_tile.permuted = 0 : i64} : memref<16x64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @a4_part() {
  // expected-error @+1 {{'memref.alloca' op expected 'gnn_tile.permuted' to be 1, 2 or 4, 8 times which divides the columns of 'memref<16x48xf32, #gpu.address_space<workgroup>>', got 4}}
  %a = memref.alloca() {gnn_tile.permuted = 4 : i64} : memref<16x48xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @a3_async(%v: f32, %x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'memref.store' op expected 'gnn_tile.async' at a vector.transfer_write only}}
  memref.store %v, %x[%c0] {gnn_tile.async} : memref<4xf32>
  return
}

// -----

func.func @a3_copy_async(%v: vector<16x64xf32>, %x: memref<16x64xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'vector.transfer_write' op expected 'gnn_tile.copy_async' to be without a value, got 4 : i64}}
  vector.transfer_write %v, %x[%c0, %c0] {in_bounds = [true, true], gnn_tile.copy_async = 4} : vector<16x64xf32>, memref<16x64xf32>
  return
}
