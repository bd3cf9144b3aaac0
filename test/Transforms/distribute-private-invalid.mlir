// RUN: gnn-opt %s --gnn-verify-form=form=loops --verify-diagnostics --split-input-file
// RUN: gnn-opt %s --gnn-tile-distribute --verify-diagnostics --split-input-file

!private = memref<4x64xf32, #gpu.address_space<private>>
func.func @array_c3_other_team(%x: memref<4x64xf32>, %some: i1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %rows = gnn_tile.array : !private
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        %v = vector.transfer_read %x[%t, %c0], %zero {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
        // expected-error @+1 {{'vector.transfer_write' op expected a team to read or write its whole entry of a private array, at its number, got another use of 'memref<4x64xf32, #gpu.address_space<private>>'}}
        vector.transfer_write %v, %rows[%c0, %c0] {in_bounds = [true]} : vector<64xf32>, !private
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

!private = memref<4x64xf32, #gpu.address_space<private>>
func.func @array_c3_part(%x: memref<4x64xf32>, %some: i1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %rows = gnn_tile.array : !private
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        %v = vector.transfer_read %x[%t, %c0], %zero {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
        %s = vector.extract_strided_slice %v {offsets = [0], sizes = [32], strides = [1]} : vector<64xf32> to vector<32xf32>
        // expected-error @+1 {{'vector.transfer_write' op expected a team to read or write its whole entry of a private array, at its number, got another use of 'memref<4x64xf32, #gpu.address_space<private>>'}}
        vector.transfer_write %s, %rows[%t, %c0] {in_bounds = [true]} : vector<32xf32>, !private
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

!private = memref<4x64xf32, #gpu.address_space<private>>
func.func @array_c3_view(%x: memref<4x64xf32>, %some: i1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %rows = gnn_tile.array : !private
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        // expected-error @+1 {{'memref.cast' op expected a team to read or write its whole entry of a private array, at its number, got another use of 'memref<4x64xf32, #gpu.address_space<private>>'}}
        %w = memref.cast %rows : !private to memref<?x64xf32, #gpu.address_space<private>>
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

!private = memref<4x64xf32, #gpu.address_space<private>>
func.func @array_c3_twice(%x: memref<4x64xf32>, %some: i1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %rows = gnn_tile.array : !private
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        %v = vector.transfer_read %x[%t, %c0], %zero {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
        // expected-error @+1 {{'vector.transfer_write' op expected one op that writes a private array, got a second one}}
        vector.transfer_write %v, %rows[%t, %c0] {in_bounds = [true]} : vector<64xf32>, !private
        vector.transfer_write %v, %rows[%t, %c0] {in_bounds = [true]} : vector<64xf32>, !private
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

!private = memref<4x64xf32, #gpu.address_space<private>>
func.func @array_c3_branch(%x: memref<4x64xf32>, %some: i1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %rows = gnn_tile.array : !private
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        %v = vector.transfer_read %x[%t, %c0], %zero {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
        scf.if %some {
          // expected-error @+1 {{'vector.transfer_write' op expected each team to leave something in a private array, in no loop or branch}}
          vector.transfer_write %v, %rows[%t, %c0] {in_bounds = [true]} : vector<64xf32>, !private
        }
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

!private = memref<4x64xf32, #gpu.address_space<private>>
func.func @array_c3_same_teams(%x: memref<4x64xf32>, %some: i1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %rows = gnn_tile.array : !private
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        %v = vector.transfer_read %x[%t, %c0], %zero {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
        vector.transfer_write %v, %rows[%t, %c0] {in_bounds = [true]} : vector<64xf32>, !private
        // expected-error @+1 {{'vector.transfer_read' op expected teams behind those that write the private array, with the same spread}}
        %w = vector.transfer_read %rows[%t, %c0], %zero {in_bounds = [true]} : !private, vector<64xf32>
        vector.transfer_write %w, %x[%t, %c0] {in_bounds = [true]} : vector<64xf32>, memref<4x64xf32>
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

!private = memref<4x64xf32, #gpu.address_space<private>>
func.func @array_c3_spread(%x: memref<4x64xf32>, %some: i1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %rows = gnn_tile.array : !private
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        %v = vector.transfer_read %x[%t, %c0], %zero {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
        vector.transfer_write %v, %rows[%t, %c0] {in_bounds = [true]} : vector<64xf32>, !private
        gnn_tile.yield
      }
    }
    gnn_tile.teams <each = [1, 2], lanes = [1, 32], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        // expected-error @+1 {{'vector.transfer_read' op expected teams behind those that write the private array, with the same spread}}
        %w = vector.transfer_read %rows[%t, %c0], %zero {in_bounds = [true]} : !private, vector<64xf32>
        vector.transfer_write %w, %x[%t, %c0] {in_bounds = [true]} : vector<64xf32>, memref<4x64xf32>
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

!private = memref<4x64xf32, #gpu.address_space<private>>
func.func @array_c3_nothing(%x: memref<4x64xf32>, %some: i1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    // expected-error @+1 {{'gnn_tile.array' op expected a team to leave something in the private array that it reads}}
    %rows = gnn_tile.array : !private
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        %v = vector.transfer_read %x[%t, %c0], %zero {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
        %w = vector.transfer_read %rows[%t, %c0], %zero {in_bounds = [true]} : !private, vector<64xf32>
        vector.transfer_write %w, %x[%t, %c0] {in_bounds = [true]} : vector<64xf32>, memref<4x64xf32>
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

!private = memref<4x64xf32, #gpu.address_space<private>>
func.func @array_c3_masked(%x: memref<4x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %rows = gnn_tile.array : !private
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 4, elements = 1> {
      gnn_tile.parallel 4 over team {
      ^bb0(%t: index):
        %v = vector.transfer_read %x[%t, %c0], %zero {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
        %some = vector.create_mask %n : vector<64xi1>
        // expected-error @+1 {{'vector.transfer_write' op expected a team to read or write its whole entry of a private array, at its number, got another use of 'memref<4x64xf32, #gpu.address_space<private>>'}}
        vector.transfer_write %v, %rows[%t, %c0], %some {in_bounds = [true]} : vector<64xf32>, !private
        gnn_tile.yield
      }
    }
  }
  return
}
