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
    // expected-error @+1 {{'vector.print' op has no loops of scalars: expected an op of the loops form of products}}
    vector.print %x : vector<16xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
