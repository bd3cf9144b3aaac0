// RUN: gnn-opt %s --gnn-tile-distribute --verify-diagnostics --split-input-file

// Reductions over lanes, and what workers say together.

func.func @kind(%x: memref<4x64xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %v = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
      // expected-error @+1 {{'vector.multi_reduction' op expected a sum, maximum or minimum over one dimension}}
      %s = vector.multi_reduction <mul>, %v, %one [0] : vector<64xf32> to f32
    }
  }
  return
}

// -----

func.func @start(%x: memref<4x64xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %v = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
      // expected-error @+1 {{'vector.multi_reduction' op expected a reduction that starts from 0.000000e+00 : f32}}
      %s = vector.multi_reduction <add>, %v, %one [0] : vector<64xf32> to f32
    }
  }
  return
}

// -----

// 256 threads are 8 warps.

func.func @flags() {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 8, elements = 1> {
      %c1 = arith.constant 1 : i32
      // expected-error @+1 {{'gnn_tile.parallel' op expected one integer for each of the 8 warps as the result of teams}}
      %f = gnn_tile.parallel 8 over team -> vector<4xi32> {
      ^bb0(%t: index):
        gnn_tile.yield %c1 : i32
      } combine {
      ^bb0(%x: i32, %y: i32):
        %m = arith.maxsi %x, %y : i32
        gnn_tile.yield %m : i32
      }
    }
  }
  return
}

// -----

// Other workers give every lane what all of them have.

func.func @entries() {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 8], teams = 1, elements = 4> {
      %c1 = arith.constant 1 : i32
      // expected-error @+1 {{'gnn_tile.parallel' op expected entries of the result for 'team' only, got 'vector<2xi32>' for 'element'}}
      %f = gnn_tile.parallel 4 over element -> vector<2xi32> {
      ^bb0(%t: index):
        gnn_tile.yield %c1 : i32
      } combine {
      ^bb0(%x: i32, %y: i32):
        %m = arith.maxsi %x, %y : i32
        gnn_tile.yield %m : i32
      }
    }
  }
  return
}

// -----

func.func @one_worker() {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %one = arith.constant 1.0 : f32
      // expected-error @+1 {{'gnn_tile.parallel' op expected several workers where results are combined}}
      %f = gnn_tile.parallel 4 over element -> f32 {
      ^bb0(%t: index):
        gnn_tile.yield %one : f32
      } combine {
      ^bb0(%x: f32, %y: f32):
        %m = arith.addf %x, %y : f32
        gnn_tile.yield %m : f32
      }
    }
  }
  return
}

// -----

func.func @flags_added() {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 8, elements = 1> {
      %c1 = arith.constant 1 : i32
      %f = gnn_tile.parallel 8 over team -> vector<8xi32> {
      ^bb0(%t: index):
        gnn_tile.yield %c1 : i32
      } combine {
      ^bb0(%x: i32, %y: i32):
        %m = arith.maxsi %x, %y : i32
        gnn_tile.yield %m : i32
      }
      // expected-error @+1 {{'arith.addi' op expected an entry or the maximum of what teams have said}}
      %g = arith.addi %f, %f : vector<8xi32>
    }
  }
  return
}

// -----

func.func @flags_yielded(%is: i1) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 8, elements = 1> {
      %c1 = arith.constant 1 : i32
      %f = gnn_tile.parallel 8 over team -> vector<8xi32> {
      ^bb0(%t: index):
        gnn_tile.yield %c1 : i32
      } combine {
      ^bb0(%x: i32, %y: i32):
        %m = arith.maxsi %x, %y : i32
        gnn_tile.yield %m : i32
      }
      %g = scf.if %is -> (vector<8xi32>) {
        // expected-error @+1 {{'scf.yield' op expected an entry or the maximum of what teams have said}}
        scf.yield %f : vector<8xi32>
      } else {
        scf.yield %f : vector<8xi32>
      }
    }
  }
  return
}
