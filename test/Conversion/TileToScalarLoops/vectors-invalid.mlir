// RUN: gnn-opt %s --convert-gnn-tile-vectors-to-scalar-loops --split-input-file --verify-diagnostics

func.func @unknown(%x: memref<64x16xf32>, %y: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<64xindex>
    %q = vector.step : vector<16xindex>
    %t = gnn_tile.load_rows %x[%r, %c0] : memref<64x16xf32>, vector<64xindex>, index -> vector<64x16xf32>
    // expected-error @+1 {{'vector.transpose' op has no loops of scalars: expected an op whose elements are known}}
    %u = vector.transpose %t, [1, 0] : vector<64x16xf32> to vector<16x64xf32>
    gnn_tile.store_rows %u, %y[%q, %c0] spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

func.func @effect(%x: vector<16xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    // expected-error @+1 {{'vector.print' op has no loops of scalars: expected an op of the loops form}}
    vector.print %x : vector<16xf32>
  }
  return
}

// -----

func.func @outside(%x: vector<16xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'gnn_tile.blocks' op has no loops of scalars: expected vectors of its own, and constants}}
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    vector.transfer_write %x, %y[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
  }
  return
}

// -----

func.func @two_dimensions(%y: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %zero = arith.constant 0.0 : f32
    %v = arith.constant dense<1.0> : vector<4x4xf32>
    // expected-error @+1 {{'vector.multi_reduction' op has no loops of scalars: expected a reduction of one dimension}}
    %s = vector.multi_reduction <add>, %v, %zero [0, 1] : vector<4x4xf32> to f32
    memref.store %s, %y[%c0] : memref<1xf32>
  }
  return
}

// -----

func.func @not_given(%y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    // expected-error @+1 {{'arith.constant' op has no loops of scalars: expected values that are all given}}
    %v = arith.constant sparse<[[1]], [2.0]> : vector<4xf32>
    vector.transfer_write %v, %y[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
  }
  return
}

// -----

func.func @reshape(%x: memref<64xf32>, %y: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %p = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    // expected-error @+1 {{'vector.shape_cast' op has no loops of scalars: expected to add or drop dimensions of size 1}}
    %w = vector.shape_cast %v : vector<64xf32> to vector<8x8xf32>
    vector.transfer_write %w, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xf32>, memref<8x8xf32>
  }
  return
}

// -----

func.func @read_outside(%x: memref<63xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %p = arith.constant 0.0 : f32
    // expected-error @+1 {{'vector.transfer_read' op has no loops of scalars: expected a read that stays inside of an array}}
    %v = vector.transfer_read %x[%c0], %p {in_bounds = [false]} : memref<63xf32>, vector<64xf32>
    vector.transfer_write %v, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  }
  return
}

// -----

func.func @write_outside(%y: memref<63xf32>) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %v = arith.constant dense<0.0> : vector<64xf32>
    // expected-error @+1 {{'vector.transfer_write' op has no loops of scalars: expected a write that stays inside of an array}}
    vector.transfer_write %v, %y[%c0] {in_bounds = [false]} : vector<64xf32>, memref<63xf32>
  }
  return
}

// -----

func.func @start(%y: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %one = arith.constant 1.0 : f32
    %v = arith.constant dense<1.0> : vector<4xf32>
    // expected-error @+1 {{'vector.reduction' op has no loops of scalars: expected a reduction that starts from nothing}}
    %s = vector.reduction <add>, %v, %one : vector<4xf32> into f32
    memref.store %s, %y[%c0] : memref<1xf32>
  }
  return
}

// -----

func.func @two_results() {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c1 = arith.constant 1 : i32
    // expected-error @+1 {{'gnn_tile.parallel' op has no loops of scalars: expected a single result where it has entries}}
    %f, %g = gnn_tile.parallel 8 over team -> vector<4xi32>, i32 {
    ^bb0(%t: index):
      gnn_tile.yield %c1, %c1 : i32, i32
    } combine {
    ^bb0(%x: i32, %y: i32, %u: i32, %v: i32):
      %m = arith.maxsi %x, %u : i32
      %n = arith.maxsi %y, %v : i32
      gnn_tile.yield %m, %n : i32, i32
    }
  }
  return
}
