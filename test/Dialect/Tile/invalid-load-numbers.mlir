// RUN: gnn-opt %s --verify-diagnostics --split-input-file

func.func @load_numbers_c1_type(%x: memref<?xf32>, %i: index) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 32, elements = 1> {
    gnn_tile.parallel 32 over team {
    ^bb0(%t: index):
      // expected-error @+1 {{expected a buffer of global memory without a layout, whose elements are the results, got 'f32', 'i32', 'f32', 'f32' of 'memref<?xf32>'}}
      %v:4 = gnn_tile.load_numbers %x[%i] : memref<?xf32> -> f32, i32, f32, f32
      gnn_tile.yield
    }
  }
  return
}

// -----

func.func @load_numbers_c1_layout(%x: memref<?xf32, strided<[2]>>, %i: index) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 32, elements = 1> {
    gnn_tile.parallel 32 over team {
    ^bb0(%t: index):
      // expected-error @+1 {{expected a buffer of global memory without a layout, whose elements are the results, got 'f32', 'f32', 'f32', 'f32' of 'memref<?xf32, strided<[2]>>'}}
      %v:4 = gnn_tile.load_numbers %x[%i] : memref<?xf32, strided<[2]>> -> f32, f32, f32, f32
      gnn_tile.yield
    }
  }
  return
}

// -----

func.func @load_numbers_c2_count(%x: memref<?xf32>, %i: index) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 32, elements = 1> {
    gnn_tile.parallel 32 over team {
    ^bb0(%t: index):
      // expected-error @+1 {{expected 4, 8 or 16 numbers, whose number divides 'share', got 2 of 64}}
      %v:2 = gnn_tile.load_numbers %x[%i] team %t share 64 : memref<?xf32> -> f32, f32
      gnn_tile.yield
    }
  }
  return
}

// -----

func.func @load_numbers_c2_share(%x: memref<?xf32>, %i: index) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 32, elements = 1> {
    gnn_tile.parallel 32 over team {
    ^bb0(%t: index):
      // expected-error @+1 {{expected 4, 8 or 16 numbers, whose number divides 'share', got 4 of 6}}
      %v:4 = gnn_tile.load_numbers %x[%i] team %t share 6 : memref<?xf32> -> f32, f32, f32, f32
      gnn_tile.yield
    }
  }
  return
}

// -----

func.func @load_numbers_c3_share(%x: memref<?xf32>, %i: index) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 32, elements = 1> {
    gnn_tile.parallel 32 over team {
    ^bb0(%t: index):
      // expected-error @+1 {{expected to be in a gnn_tile.parallel over team, and both 'team' and 'share', or neither}}
      %v:4 = gnn_tile.load_numbers %x[%i] team %t : memref<?xf32> -> f32, f32, f32, f32
      gnn_tile.yield
    }
  }
  return
}

// -----

func.func @load_numbers_c3_team(%x: memref<?xf32>, %i: index) {
  // expected-error @+1 {{'gnn_tile.load_numbers' op expected to be in a gnn_tile.parallel over team, and both 'team' and 'share', or neither}}
  %v:4 = gnn_tile.load_numbers %x[%i] : memref<?xf32> -> f32, f32, f32, f32
  return
}

// -----

func.func @load_numbers_c1_memory(%x: memref<64xf32, #gpu.address_space<workgroup>>, %i: index) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 32, elements = 1> {
    gnn_tile.parallel 32 over team {
    ^bb0(%t: index):
      // expected-error @+1 {{expected a buffer of global memory without a layout, whose elements are the results, got 'f32', 'f32', 'f32', 'f32' of 'memref<64xf32, #gpu.address_space<workgroup>>'}}
      %v:4 = gnn_tile.load_numbers %x[%i] : memref<64xf32, #gpu.address_space<workgroup>> -> f32, f32, f32, f32
      gnn_tile.yield
    }
  }
  return
}

// -----

func.func @load_numbers_c4(%x: memref<?xf32>, %i: index) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 32, elements = 1> {
    gnn_tile.parallel 32 over team {
    ^bb0(%t: index):
      // expected-error @+1 {{expected 'team' to be the number of the gnn_tile.parallel over team}}
      %v:4 = gnn_tile.load_numbers %x[%i] team %i share 64 : memref<?xf32> -> f32, f32, f32, f32
      gnn_tile.yield
    }
  }
  return
}
