// RUN: gnn-opt %s --gnn-tile-distribute --split-input-file --verify-diagnostics

// Values of which no thread has a part: each value is asked for as its user is
// spread.

func.func @outside(%t: vector<16x64xf32>, %y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    // expected-error @+1 {{'gnn_tile.store_rows' op cannot be distributed over threads: expected no vectors from outside of the loop over blocks}}
    gnn_tile.store_rows %t, %y[%r, %c0] spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

func.func @constant(%y: memref<16x64xi32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    // expected-error @+1 {{'arith.constant' op cannot be distributed over threads: expected one value everywhere}}
    %n = arith.constant dense<[1, 0, 2, 3]> : vector<4xi32>
    %t = vector.broadcast %n : vector<4xi32> to vector<16x4xi32>
    gnn_tile.store_rows %t, %y[%r, %c0] spread <each = [1, 4], lanes = [8, 1]> : vector<16x4xi32>, memref<16x64xi32>, vector<16xindex>, index
  }
  return
}

// -----

func.func @broadcast(%x: memref<1x64xf32>, %y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    %first = arith.constant dense<0> : vector<1xindex>
    %u = gnn_tile.load_rows %x[%first, %c0] : memref<1x64xf32>, vector<1xindex>, index -> vector<1x64xf32>
    // expected-error @+1 {{'vector.broadcast' op cannot be distributed over threads: expected vectors that #gnn_tile.spread<each = [1, 4], lanes = [8, 16]> divides, got 'vector<1x64xf32>'}}
    %t = vector.broadcast %u : vector<1x64xf32> to vector<16x64xf32>
    gnn_tile.store_rows %t, %y[%r, %c0] spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

func.func @numbers_of_columns(%y: memref<16x64xi32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    // expected-error @+1 {{'vector.step' op cannot be distributed over threads: expected numbers of rows, not of columns}}
    %c = vector.step : vector<64xindex>
    %n = arith.index_cast %c : vector<64xindex> to vector<64xi32>
    %t = vector.broadcast %n : vector<64xi32> to vector<16x64xi32>
    gnn_tile.store_rows %t, %y[%r, %c0] spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xi32>, memref<16x64xi32>, vector<16xindex>, index
  }
  return
}

// -----

func.func @columns_as_rows(%x: memref<16x16xf32>, %y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    // expected-error @+1 {{'gnn_tile.load_rows' op cannot be distributed over threads: expected rows as rows and columns as columns}}
    %u = gnn_tile.load_rows %x[%c0, %c0] : memref<16x16xf32>, index, index -> vector<16xf32>
    %v = vector.shape_cast %u : vector<16xf32> to vector<16x1xf32>
    %t = vector.broadcast %v : vector<16x1xf32> to vector<16x64xf32>
    gnn_tile.store_rows %t, %y[%r, %c0] spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

func.func @global_memory(%x: memref<16x64xf32>, %y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %r = vector.step : vector<16xindex>
    // expected-error @+1 {{'vector.transfer_read' op cannot be distributed over threads: expected rows of an array in workgroup memory, from column 0 on and without a mask, of columns that 4 divides, got a read of 'memref<16x64xf32>'}}
    %t = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x64xf32>, vector<16x64xf32>
    gnn_tile.store_rows %t, %y[%r, %c0] spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

func.func @slice(%x: memref<32x64xf32>, %y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    %q = vector.step : vector<32xindex>
    %u = gnn_tile.load_rows %x[%q, %c0] : memref<32x64xf32>, vector<32xindex>, index -> vector<32x64xf32>
    // expected-error @+1 {{'vector.extract_strided_slice' op cannot be distributed over threads: expected all columns of rows that threads hold in turns}}
    %t = vector.extract_strided_slice %u {offsets = [4, 0], sizes = [16, 64], strides = [1, 1]} : vector<32x64xf32> to vector<16x64xf32>
    gnn_tile.store_rows %t, %y[%r, %c0] spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

func.func @reduction(%x: memref<16x64xf32>, %y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    %one = arith.constant dense<1.0> : vector<64xf32>
    %u = gnn_tile.load_rows %x[%r, %c0] : memref<16x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    // expected-error @+1 {{'vector.multi_reduction' op cannot be distributed over threads: expected a sum over rows that a thread has all of}}
    %s = vector.multi_reduction <mul>, %u, %one [0] : vector<16x64xf32> to vector<64xf32>
    gnn_tile.store_rows %s, %y[%c0, %c0] spread <each = [4], lanes = [16]> : vector<64xf32>, memref<16x64xf32>, index, index
  }
  return
}

// -----

func.func @rows_alone(%x: memref<16x64xf32>, %y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    %u = gnn_tile.load_rows %x[%r, %c0] : memref<16x64xf32>, vector<16xindex>, index -> vector<16xf32>
    // expected-error @+1 {{'gnn_tile.store_rows' op cannot be distributed over threads: expected columns}}
    gnn_tile.store_rows %u, %y[%r, %c0] spread <each = [1], lanes = [16]> : vector<16xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @copied(%x: memref<16x64xf32>, %y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    %a = gnn_tile.array : !tile
    %t = gnn_tile.load_rows %x[%r, %c0] aligned 4 : memref<16x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    // expected-error @+1 {{'gnn_tile.stage' op cannot be distributed over threads: expected a spread that divides the rows that are copied}}
    gnn_tile.stage %t, %a[%c0] by in_flight spread <each = [1, 4], lanes = [32, 16]> : vector<16x64xf32>, !tile
  }
  return
}

// -----

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @columns(%y: memref<16x32xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %p = arith.constant 0.0 : f32
    %r = vector.step : vector<16xindex>
    %a = gnn_tile.array : !tile
    // expected-error @+1 {{'vector.transfer_read' op cannot be distributed over threads: expected rows of an array in workgroup memory, from column 0 on and without a mask, of columns that 4 divides, got a read of 'memref<16x64xf32, #gpu.address_space<workgroup>>'}}
    %t = vector.transfer_read %a[%c0, %c32], %p {in_bounds = [true, true]} : !tile, vector<16x32xf32>
    gnn_tile.store_rows %t, %y[%r, %c0] spread <each = [1, 4], lanes = [8, 8]> : vector<16x32xf32>, memref<16x32xf32>, vector<16xindex>, index
  }
  return
}

// -----

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @permuted_columns(%y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %r = vector.step : vector<16xindex>
    %a = gnn_tile.array permuted 2 : !tile
    // expected-error @+1 {{expected threads to read up to 8 columns side by side of a permuted array, got #gnn_tile.spread<each = [1, 16], lanes = [16, 4]>}}
    %t = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    gnn_tile.store_rows %t, %y[%r, %c0] spread <each = [1, 16], lanes = [16, 4]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

func.func @resource(%y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    // expected-error @+1 {{'arith.constant' op cannot be distributed over threads: expected one value everywhere, or the numbers of rows, got dense_resource<blob>}}
    %t = arith.constant dense_resource<blob> : vector<16x64xf32>
    gnn_tile.store_rows %t, %y[%r, %c0] spread <each = [1, 4], lanes = [16, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @staged_over(%t: memref<16x64xf32>, %y: memref<64x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %z = arith.constant dense<0.0> : vector<64x64xf32>
    %zeros = arith.constant dense<0.0> : vector<16x64xf32>
    %r = vector.step : vector<64xindex>
    %a = gnn_tile.array : !tile
    %u = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    gnn_tile.stage %zeros, %a[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    // expected-error @+1 {{'gnn_tile.contract' op cannot be distributed over threads: expected operands that nothing stages over before it}}
    %s = gnn_tile.contract %u, %u, %z spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    gnn_tile.store_rows %s, %y[%r, %c0] spread <each = [8, 4], lanes = [8, 16]> : vector<64x64xf32>, memref<64x64xf32>, vector<64xindex>, index
  }
  return
}

// -----

// A part of the block with lanes of its own has as many of them.

func.func @part_of_others(%x: memref<16x64xf32>, %y: memref<16x64xf32>, %n: index) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = vector.step : vector<16xindex>
    %t = gnn_tile.load_rows %x[%r, %c0] : memref<16x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.store_rows %t, %y[%r, %c0] spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
    // expected-error @+1 {{'gnn_tile.teams' op cannot be distributed over threads: expected as many as the rest of the block is spread over, 128, got 256}}
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 8, elements = 1> {
      scf.for %i = %c0 to %n step %c1 {
      }
    }
  }
  return
}

// -----

!tile = memref<16x34xf32, #gpu.address_space<workgroup>>
func.func @unaligned(%y: memref<16x32xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %r = vector.step : vector<16xindex>
    %a = gnn_tile.array : !tile
    // expected-error @+1 {{of columns that 4 divides, got a read of 'memref<16x34xf32, #gpu.address_space<workgroup>>'}}
    %t = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x32xf32>
    gnn_tile.store_rows %t, %y[%r, %c0] spread <each = [1, 4], lanes = [8, 8]> : vector<16x32xf32>, memref<16x32xf32>, vector<16xindex>, index
  }
  return
}

// -----

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @source(%x: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    %zero = arith.constant dense<0.0> : vector<16x64xf32>
    %a = gnn_tile.array : !tile
    %t = gnn_tile.load_rows %x[%r, %c0] aligned 4 : memref<16x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.stage %t, %a[%c0] by in_flight spread <each = [1, 4], lanes = [16, 16]> : vector<16x64xf32>, !tile
    // expected-error @+1 {{'gnn_tile.store_rows' op uses what is being copied: expected an nvgpu.device_async_wait in front of it}}
    gnn_tile.store_rows %zero, %x[%r, %c0] aligned 4 spread <each = [1, 4], lanes = [16, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

!tile = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @staged_over_in_loop(%y: memref<64x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %p = arith.constant 0.0 : f32
    %z = arith.constant dense<0.0> : vector<64x64xf32>
    %zeros = arith.constant dense<0.0> : vector<16x64xf32>
    %r = vector.step : vector<64xindex>
    %a = gnn_tile.array : !tile
    %u = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : !tile, vector<16x64xf32>
    scf.for %i = %c0 to %c1 step %c1 {
      gnn_tile.stage %zeros, %a[%c0] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, !tile
    }
    // expected-error @+1 {{expected operands that nothing stages over before it}}
    %s = gnn_tile.contract %u, %u, %z spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    gnn_tile.store_rows %s, %y[%r, %c0] spread <each = [8, 4], lanes = [8, 16]> : vector<64x64xf32>, memref<64x64xf32>, vector<64xindex>, index
  }
  return
}
