// RUN: gnn-opt %s --verify-diagnostics --split-input-file

func.func @walk_c8(%n: index, %zero: f32) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 16, elements = 2> {
    // expected-error @+1 {{expected a window of 1 to 1048576 elements that is a multiple of the 8 of a step, got 36}}
    %s = gnn_tile.walk from %n to %n over element slots 2 in_flight 4 window 36 identity(%zero : f32) {
    ^bb0(%p: index):
      gnn_tile.yield %zero : f32
    } combine {
    ^bb0(%a: f32, %b: f32):
      gnn_tile.yield %a : f32
    }
  }
  return
}

// -----

func.func @walk_c8_teams(%n: index) {
  // expected-error @+1 {{expected 'window' of a walk in a gnn_tile.teams, without 'run' and not 'in_step'}}
  gnn_tile.walk from %n to %n over element slots 1 in_flight 1 window 32 {
  ^bb0(%p: index):
    gnn_tile.yield
  }
  return
}

// -----

func.func @stage_window_c1(%n: index, %a: memref<16x32xi32, #gpu.address_space<workgroup>>) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 16, elements = 1> {
    // expected-error @+1 {{expected a body that yields an element of each array, got 'f32'}}
    gnn_tile.stage_window %n to %n into %a : memref<16x32xi32, #gpu.address_space<workgroup>> {
    ^bb0(%p: index):
      %zero = arith.constant 0.0 : f32
      gnn_tile.yield %zero : f32
    }
  }
  return
}

// -----

func.func @stage_window_c2(%n: index, %a: memref<16x32xi32>) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 16, elements = 1> {
    // expected-error @+1 {{expected arrays of workgroup memory, of one static shape of two dimensions, got 'memref<16x32xi32>'}}
    gnn_tile.stage_window %n to %n into %a : memref<16x32xi32> {
    ^bb0(%p: index):
      %zero = arith.constant 0 : i32
      gnn_tile.yield %zero : i32
    }
  }
  return
}

// -----

func.func @stage_window_c3(%n: index, %a: memref<16x32xi32, #gpu.address_space<workgroup>>) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 16, elements = 1> {
    // expected-error @+1 {{expected to be in a gnn_tile.teams, with 'team' in a gnn_tile.parallel over team, without in none}}
    gnn_tile.stage_window %n to %n team %n into %a : memref<16x32xi32, #gpu.address_space<workgroup>> {
    ^bb0(%p: index):
      %zero = arith.constant 0 : i32
      gnn_tile.yield %zero : i32
    }
  }
  return
}

// -----

func.func @stage_window_c4(%n: index, %a: memref<16x32xi32, #gpu.address_space<workgroup>>) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 16, elements = 1> {
    // expected-error @+1 {{expected numbers that the body loads from global memory beside 'async'}}
    gnn_tile.stage_window %n to %n into %a : memref<16x32xi32, #gpu.address_space<workgroup>> async {
    ^bb0(%p: index):
      %zero = arith.constant 0 : i32
      gnn_tile.yield %zero : i32
    }
  }
  return
}
