// RUN: gnn-opt %s --gnn-tile-distribute --split-input-file --verify-diagnostics

func.func @unknown_op(%x: memref<64x16xf32>, %y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<64xindex>
    %q = vector.step : vector<16xindex>
    %t = gnn_tile.load_rows %x[%r, %c0] : memref<64x16xf32>, vector<64xindex>, index -> vector<64x16xf32>
    // expected-error @+1 {{'vector.transpose' op cannot be distributed over threads: expected an op that is distributed as its result is}}
    %u = vector.transpose %t, [1, 0] : vector<64x16xf32> to vector<16x64xf32>
    gnn_tile.store_rows %u, %y[%q, %c0] spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

func.func @too_small(%x: memref<?x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    %t = gnn_tile.load_rows %x[%r, %c0] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    // expected-error @+1 {{'gnn_tile.store_rows' op cannot be distributed over threads: expected vectors that #gnn_tile.spread<each = [1, 4], lanes = [32, 16]> divides, got 'vector<16xindex>'}}
    gnn_tile.store_rows %t, %x[%r, %c0] spread <each = [1, 4], lanes = [32, 16]> : vector<16x64xf32>, memref<?x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

// A value that a loop carries is held in one way.

func.func @two_spreads(%x: memref<?x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = arith.constant dense<0.0> : vector<16x64xf32>
    %r = vector.step : vector<16xindex>
    // expected-error @+1 {{'scf.for' op cannot be distributed over threads: expected one spread of result #0, got #gnn_tile.spread<each = [1, 4], lanes = [8, 16]> and #gnn_tile.spread<each = [1, 2], lanes = [4, 32]>}}
    %s = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %zero) -> (vector<16x64xf32>) {
      %n = arith.addf %a, %a : vector<16x64xf32>
      scf.yield %n : vector<16x64xf32>
    }
    gnn_tile.store_rows %s, %x[%r, %c0] spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<?x64xf32>, vector<16xindex>, index
    gnn_tile.store_rows %s, %x[%r, %c0] spread <each = [1, 2], lanes = [4, 32]> : vector<16x64xf32>, memref<?x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

// Threads find the operands of a product in workgroup memory.

func.func @not_staged(%x: memref<?x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %r = vector.step : vector<16xindex>
    %q = vector.step : vector<64xindex>
    %t = gnn_tile.load_rows %x[%r, %c0] : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    // expected-error @+1 {{'gnn_tile.contract' op cannot be distributed over threads: expected operands that are staged in workgroup memory}}
    %n = gnn_tile.contract %t, %t, %zero spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    gnn_tile.store_rows %n, %x[%q, %c0] spread <each = [8, 4], lanes = [8, 16]> : vector<64x64xf32>, memref<?x64xf32>, vector<64xindex>, index
  }
  return
}

// -----

// A product is stored as it is summed.

func.func @other_spread(%x: memref<?x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %q = vector.step : vector<64xindex>
    %a = gnn_tile.array : memref<16x64xf32, #gpu.address_space<workgroup>>
    %t = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x64xf32, #gpu.address_space<workgroup>>, vector<16x64xf32>
    // expected-error @+1 {{'gnn_tile.contract' op cannot be distributed over threads: expected the spread that is asked for, #gnn_tile.spread<each = [4, 4], lanes = [16, 8]>, got #gnn_tile.spread<each = [8, 4], lanes = [8, 16]>}}
    %n = gnn_tile.contract %t, %t, %zero spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    gnn_tile.store_rows %n, %x[%q, %c0] spread <each = [4, 4], lanes = [16, 8]> : vector<64x64xf32>, memref<?x64xf32>, vector<64xindex>, index
  }
  return
}

// -----

// Tensor cores hold sums in one way.

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>

func.func @fragments(%y: memref<64x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %none = arith.constant 0.0 : f32
    %a = gnn_tile.array : !tile
    %r = vector.step : vector<64xindex>
    %x = vector.transfer_read %a[%c0, %c0], %none {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    // expected-error @+1 {{'gnn_tile.contract' op cannot be multiplied on tensor cores: expected sums spread as #gnn_tile.spread<each = [2, 4], lanes = [32, 4]>, got #gnn_tile.spread<each = [8, 4], lanes = [8, 16]>}}
    %s = gnn_tile.contract %x, %x, %zero kind tf32x3 spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    gnn_tile.store_rows %s, %y[%r, %c0] spread <each = [8, 4], lanes = [8, 16]> : vector<64x64xf32>, memref<64x64xf32>, vector<64xindex>, index
  }
  return
}

// -----

// A copied tile is there once threads have waited for it.

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>

func.func @no_wait(%x: memref<?x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %a = gnn_tile.array : !tile
    %r = vector.step : vector<16xindex>
    %q = vector.step : vector<64xindex>
    %t = gnn_tile.load_rows %x[%r, %c0] aligned 4 : memref<?x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] by in_flight spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    // expected-error @+1 {{'vector.transfer_read' op uses what is being copied: expected an nvgpu.device_async_wait in front of it}}
    %y = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    %s = gnn_tile.contract %y, %y, %zero spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    gnn_tile.store_rows %s, %x[%q, %c0] spread <each = [8, 4], lanes = [8, 16]> : vector<64x64xf32>, memref<?x64xf32>, vector<64xindex>, index
  }
  return
}

// -----

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @no_rows(%x: memref<?x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<16x64xf32>
    %a = gnn_tile.array : !tile
    // expected-error @+1 {{'gnn_tile.stage' op cannot be distributed over threads: expected a copy of rows that its block loads, 16 bytes of one a thread}}
    gnn_tile.stage %zero, %a[%c0] by in_flight spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
  }
  return
}

// -----

func.func @atomic(%x: memref<16x64xf32>, %m: memref<4xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    %one = arith.constant 1.0 : f32
    // expected-error @+1 {{'memref.atomic_rmw' op cannot be done by every thread of a block: expected no effects but those of a load}}
    %s = memref.atomic_rmw addf %one, %m[%c0] : (f32, memref<4xf32>) -> f32
    %t = gnn_tile.load_rows %x[%r, %c0] : memref<16x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.store_rows %t, %x[%r, %c0] spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}
