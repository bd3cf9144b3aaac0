// RUN: gnn-opt %s --gnn-tile-distribute-lanes --verify-diagnostics --split-input-file

func.func @op(%x: memref<4x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%b) in (4) {
    %v = vector.transfer_read %x[%b, %c0], %zero {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
    // expected-error @+1 {{'vector.shuffle' op cannot be distributed over lanes}}
    %w = vector.shuffle %v, %v [0, 1] : vector<64xf32>, vector<64xf32>
  } {gnn_tile.lanes = #gnn_tile.lanes<teams = 1, elements = 1, heads = 1, features = 16, vector = 4>}
  return
}

// -----

func.func @workers() {
  scf.forall (%b) in (4) {
    // expected-error @+1 {{'gnn_tile.parallel' op expected as many as there are workers: 2, got 4}}
    gnn_tile.parallel 4 over element {
    ^bb0(%e: index):
      gnn_tile.yield
    }
  } {gnn_tile.lanes = #gnn_tile.lanes<teams = 1, elements = 2, heads = 1, features = 16, vector = 4>}
  return
}

// -----

func.func @outside(%v: vector<64xf32>, %x: memref<4x64xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%b) in (4) {
    // expected-error @+1 {{'vector.transfer_write' op expected vectors of the loop over blocks, got one from outside}}
    vector.transfer_write %v, %x[%b, %c0] {in_bounds = [true]} : vector<64xf32>, memref<4x64xf32>
  } {gnn_tile.lanes = #gnn_tile.lanes<teams = 1, elements = 1, heads = 1, features = 16, vector = 4>}
  return
}

// -----

func.func @constants(%x: memref<4x2xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
  scf.forall (%b) in (4) {
    // expected-error @+1 {{'vector.transfer_write' op expected constants of equal entries, or the numbers of heads}}
    vector.transfer_write %v, %x[%b, %c0] {in_bounds = [true]} : vector<2xf32>, memref<4x2xf32>
  } {gnn_tile.lanes = #gnn_tile.lanes<teams = 1, elements = 1, heads = 1, features = 2, vector = 1>}
  return
}

// -----

func.func @attribute() {
  // expected-error @+1 {{'scf.forall' op expected 'gnn_tile.lanes' to be #gnn_tile.lanes}}
  scf.forall (%b) in (4) {
  } {gnn_tile.lanes = 4}
  return
}

// -----

func.func @walk(%begin: index, %end: index) {
  scf.forall (%b) in (4) {
    // expected-error @+1 {{'gnn_tile.walk' op cannot be distributed over lanes}}
    gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 {
    ^bb0(%p: index):
      gnn_tile.yield
    }
  } {gnn_tile.lanes = #gnn_tile.lanes<teams = 1, elements = 1, heads = 1, features = 16, vector = 4>}
  return
}
