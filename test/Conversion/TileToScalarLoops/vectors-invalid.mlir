// RUN: gnn-opt %s --convert-gnn-tile-vectors-to-scalar-loops --split-input-file --verify-diagnostics

func.func @unknown(%x: memref<64x16xf32>, %y: memref<16x64xf32>) {
  scf.forall (%b) in (1) {
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<64xindex>
    %q = vector.step : vector<16xindex>
    %t = gnn_tile.load_rows %x[%r, %c0] : memref<64x16xf32>, vector<64xindex>, index -> vector<64x16xf32>
    // expected-error @+1 {{'vector.transpose' op has no loops of scalars: expected an op whose elements are known}}
    %u = vector.transpose %t, [1, 0] : vector<64x16xf32> to vector<16x64xf32>
    gnn_tile.store_rows %u, %y[%q, %c0] : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @effect(%x: vector<16xf32>) {
  scf.forall (%b) in (1) {
    // expected-error @+1 {{'vector.print' op has no loops of scalars: expected an op of the loops form}}
    vector.print %x : vector<16xf32>
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @outside(%x: vector<16xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'scf.forall' op has no loops of scalars: expected vectors of its own, and constants}}
  scf.forall (%b) in (1) {
    vector.transfer_write %x, %y[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @two_dimensions(%y: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%b) in (1) {
    %zero = arith.constant 0.0 : f32
    %v = arith.constant dense<1.0> : vector<4x4xf32>
    // expected-error @+1 {{'vector.multi_reduction' op has no loops of scalars: expected a reduction of one dimension}}
    %s = vector.multi_reduction <add>, %v, %zero [0, 1] : vector<4x4xf32> to f32
    memref.store %s, %y[%c0] : memref<1xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
