// RUN: gnn-opt %s --gnn-verify-form=form=loops --verify-diagnostics --split-input-file
// RUN: gnn-opt %s --gnn-tile-distribute --verify-diagnostics --split-input-file

// Loops with lanes that gnn-verify-form refuses are refused by
// gnn-tile-distribute too, without the stage around it.

// A loop whose steps depend on the team, which is half a warp.

func.func @form_c5_team(%x: memref<?x16xf32>, %y: memref<?xf32>, %counts: memref<?xi32>) {
  gnn_tile.blocks to [4] step [2] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 2, elements = 1> {
      gnn_tile.parallel 2 over team {
      ^bb0(%t: index):
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %p = arith.constant 0.0 : f32
        %row = arith.addi %b, %t : index
        %count = memref.load %counts[%row] : memref<?xi32>
        %n = arith.index_cast %count : i32 to index
        %s = scf.for %e = %c0 to %n step %c1 iter_args(%a = %p) -> (f32) {
          %v = vector.transfer_read %x[%e, %c0], %p {in_bounds = [true]} : memref<?x16xf32>, vector<16xf32>
          // expected-error @+1 {{'vector.multi_reduction' op expected control flow that is the same for all lanes of a warp around an exchange between them, got 'scf.for' that differs by team, where a team is no whole warp}}
          %d = vector.multi_reduction <add>, %v, %p [0] : vector<16xf32> to f32
          %next = arith.addf %a, %d : f32
          scf.yield %next : f32
        }
        memref.store %s, %y[%row] : memref<?xf32>
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

// The number of a team gets into the condition by what a loop carries.

func.func @form_c5_carried(%x: memref<?x16xf32>, %y: memref<?xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 2, elements = 1> {
      gnn_tile.parallel 2 over team {
      ^bb0(%t: index):
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %p = arith.constant 0.0 : f32
        %last = scf.for %e = %c0 to %c4 step %c1 iter_args(%i = %c0) -> (index) {
          %is = arith.cmpi eq, %i, %c1 : index
          scf.if %is {
            %v = vector.transfer_read %x[%e, %c0], %p {in_bounds = [true]} : memref<?x16xf32>, vector<16xf32>
            // expected-error @+1 {{got 'scf.if' that differs by team}}
            %d = vector.multi_reduction <add>, %v, %p [0] : vector<16xf32> to f32
            memref.store %d, %y[%e] : memref<?xf32>
          }
          scf.yield %t : index
        }
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

// A team is a warp, but its lanes have different elements.

func.func @form_c5_element(%x: memref<?x16xf32>, %y: memref<?xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 1, elements = 2> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %s = gnn_tile.parallel 2 over element -> f32 {
      ^bb0(%e: index):
        %first = arith.cmpi eq, %e, %c0 : index
        %own = scf.if %first -> (f32) {
          %v = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true]} : memref<?x16xf32>, vector<16xf32>
          // expected-error @+1 {{got 'scf.if' that differs by element}}
          %d = vector.multi_reduction <add>, %v, %p [0] : vector<16xf32> to f32
          scf.yield %d : f32
        } else {
          scf.yield %p : f32
        }
        gnn_tile.yield %own : f32
      } combine {
      ^bb0(%l: f32, %r: f32):
        %both = arith.addf %l, %r : f32
        gnn_tile.yield %both : f32
      }
      memref.store %s, %y[%b] : memref<?xf32>
    }
  }
  return
}

// -----

// Lanes that walk a row exchange what they have behind the loop of its elements: here in
// a branch of half of the warp.

func.func @form_c5_results(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 4], teams = 2, elements = 4> {
      gnn_tile.parallel 2 over team {
      ^bb0(%t: index):
        %c0 = arith.constant 0 : index
        %p = arith.constant 0.0 : f32
        %first = arith.cmpi eq, %t, %c0 : index
        scf.if %first {
          // expected-error @+1 {{'gnn_tile.walk' op expected control flow that is the same for all lanes of a warp around an exchange between them, got 'scf.if' that differs by team}}
          %s = gnn_tile.walk from %c0 to %n over element slots 4 in_flight 1 identity(%p : f32) {
          ^bb0(%e: index):
            %v = memref.load %x[%e] : memref<?xf32>
            gnn_tile.yield %v : f32
          } combine {
          ^bb0(%l: f32, %r: f32):
            %both = arith.addf %l, %r : f32
            gnn_tile.yield %both : f32
          }
          memref.store %s, %y[%b] : memref<?xf32>
        }
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

// The elements of a row are walked in as many steps as it has.

func.func @form_c5_walk(%x: memref<?x16xf32>, %y: memref<?xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 2, elements = 1> {
      gnn_tile.parallel 2 over team {
      ^bb0(%t: index):
        %c0 = arith.constant 0 : index
        %p = arith.constant 0.0 : f32
        gnn_tile.walk from %c0 to %t over element slots 1 in_flight 1 {
        ^bb0(%e: index):
          %v = vector.transfer_read %x[%e, %c0], %p {in_bounds = [true]} : memref<?x16xf32>, vector<16xf32>
          // expected-error @+1 {{got 'gnn_tile.walk' that differs by team}}
          %d = vector.multi_reduction <add>, %v, %p [0] : vector<16xf32> to f32
          memref.store %d, %y[%e] : memref<?xf32>
          gnn_tile.yield
        }
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

// All teams take the same steps, or each is a warp of its own.

func.func @steps(%x: memref<?x16xf32>, %y: memref<?xf32>, %n: index) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 2, elements = 1> {
      gnn_tile.parallel 2 over team {
      ^bb0(%t: index):
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %p = arith.constant 0.0 : f32
        scf.for %e = %c0 to %n step %c1 {
          %v = vector.transfer_read %x[%e, %c0], %p {in_bounds = [true]} : memref<?x16xf32>, vector<16xf32>
          %d = vector.multi_reduction <add>, %v, %p [0] : vector<16xf32> to f32
          memref.store %d, %y[%t] : memref<?xf32>
        }
        gnn_tile.yield
      }
    }
  }
  return
}

func.func @warps(%x: memref<?x32xf32>, %y: memref<?xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 2, elements = 1> {
      gnn_tile.parallel 2 over team {
      ^bb0(%t: index):
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %p = arith.constant 0.0 : f32
        scf.for %e = %c0 to %t step %c1 {
          %v = vector.transfer_read %x[%e, %c0], %p {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
          %d = vector.multi_reduction <add>, %v, %p [0] : vector<32xf32> to f32
          memref.store %d, %y[%t] : memref<?xf32>
        }
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

!s = memref<64xf32, #gpu.address_space<workgroup>>
func.func @form_c9_lanes(%x: memref<64xf32>, %y: memref<4xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      %c63 = arith.constant 63 : index
      %p = arith.constant 0.0 : f32
      %a = gnn_tile.array : !s
      %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
      vector.transfer_write %v, %a[%c0] {in_bounds = [true]} : vector<64xf32>, !s
      // expected-error @+1 {{'memref.load' op expected an array in workgroup memory that teams read or write, got one that they read and write: lanes do not wait for each other}}
      %last = memref.load %a[%c63] : !s
      memref.store %last, %y[%b] : memref<4xf32>
    }
  }
  return
}

// -----

// Teams write rows for what is around them; they cannot read them themselves.

!s = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @form_c9_part(%x: memref<16x64xf32>, %y: memref<16x64xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c63 = arith.constant 63 : index
    %p = arith.constant 0.0 : f32
    %rows = vector.step : vector<16xindex>
    %a = gnn_tile.array : !s
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 4, elements = 1> {
      scf.for %r = %c0 to %c16 step %c1 {
        %v = vector.transfer_read %x[%r, %c0], %p {in_bounds = [true]} : memref<16x64xf32>, vector<64xf32>
        vector.transfer_write %v, %a[%r, %c0] {in_bounds = [true]} : vector<64xf32>, !s
        // expected-error @+1 {{'memref.load' op expected an array in workgroup memory that teams read or write, got one that they read and write: lanes do not wait for each other}}
        %last = memref.load %a[%r, %c63] : !s
        memref.store %last, %x[%r, %c0] : memref<16x64xf32>
      }
    }
    %t = gnn_tile.load_rows %a[%rows, %c0] aligned 4 : !s, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.store_rows %t, %y[%rows, %c0] aligned 4 spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

// Half of an array that is no multiple of what is permuted.

!array = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @form_c9_permuted_rows(%t: memref<8x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %r = vector.step : vector<8xindex>
    %a = gnn_tile.array permuted 4 : !array
    %u = gnn_tile.load_rows %t[%r, %c0] aligned 4 : memref<8x64xf32>, vector<8xindex>, index -> vector<8x64xf32>
    // expected-error @+1 {{'gnn_tile.stage' op expected a first row that is a multiple of 16 in an array with 'permuted' 4}}
    gnn_tile.stage %u, %a[%c8] by registers spread <each = [1, 4], lanes = [8, 16]> : vector<8x64xf32>, !array
  }
  return
}

// -----

// Threads that write more columns at once than the permutation leaves side by side.

!array = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @form_c9_permuted_columns(%t: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    %a = gnn_tile.array permuted 2 : !array
    %u = gnn_tile.load_rows %t[%r, %c0] aligned 4 : memref<16x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    // expected-error @+1 {{'gnn_tile.stage' op expected threads to stage up to 8 elements side by side in a permuted array, got #gnn_tile.spread<each = [1, 16], lanes = [16, 4]>}}
    gnn_tile.stage %u, %a[%c0] by registers spread <each = [1, 16], lanes = [16, 4]> : vector<16x64xf32>, !array
  }
  return
}

// -----

!array = memref<64x16xf32, #gpu.address_space<workgroup>>
func.func @form_c9_permuted_depths(%t: memref<16x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %r = vector.step : vector<16xindex>
    %a = gnn_tile.array permuted 2 : !array
    %u = gnn_tile.load_rows %t[%r, %c0] aligned 4 : memref<16x64xf32>, vector<16xindex>, index -> vector<16x64xf32>
    // expected-error @+1 {{expected threads to stage up to 4 elements side by side in a permuted array, got #gnn_tile.spread<each = [1, 8], lanes = [16, 8]>}}
    gnn_tile.stage %u, %a[%c0] transposed by registers spread <each = [1, 8], lanes = [16, 8]> : vector<16x64xf32>, !array
  }
  return
}

// -----

// The square of a carried number is no multiple because that was asked of the number.

!array = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @form_c9_permuted_square(%y: memref<8x64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %p = arith.constant 0.0 : f32
    %r = vector.step : vector<8xindex>
    %a = gnn_tile.array permuted 4 : !array
    %last = scf.for %i = %c0 to %c1 step %c1 iter_args(%k = %c2) -> (index) {
      %row = arith.muli %k, %k : index
      // expected-error @+1 {{'vector.transfer_read' op expected a first row that is a multiple of 16 in an array with 'permuted' 4}}
      %t = vector.transfer_read %a[%row, %c0], %p {in_bounds = [true, true]} : !array, vector<8x64xf32>
      gnn_tile.store_rows %t, %y[%r, %c0] spread <each = [1, 4], lanes = [8, 16]> : vector<8x64xf32>, memref<8x64xf32>, vector<8xindex>, index
      scf.yield %k : index
    }
  }
  return
}

// -----

// Columns that another lane of the team has written.

func.func @form_c9_columns(%x: memref<4x64xf32>, %y: memref<4x64xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %p = arith.constant 0.0 : f32
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %v = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
      vector.transfer_write %v, %y[%b, %c0] {in_bounds = [true]} : vector<64xf32>, memref<4x64xf32>
      // expected-error @+1 {{'vector.transfer_read' op expected the same indices and type as of 'vector.transfer_write', which writes that row before in these teams: lanes do not wait for each other}}
      %w = vector.transfer_read %y[%b, %c16], %p {in_bounds = [true]} : memref<4x64xf32>, vector<32xf32>
    }
  }
  return
}

// -----

func.func @form_c9_element(%x: memref<4x64xf32>, %y: memref<4x64xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %p = arith.constant 0.0 : f32
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %v = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
      vector.transfer_write %v, %y[%b, %c0] {in_bounds = [true]} : vector<64xf32>, memref<4x64xf32>
      // expected-error @+1 {{'memref.store' op expected the same indices and type as of 'vector.transfer_write'}}
      memref.store %p, %y[%b, %c16] : memref<4x64xf32>
    }
  }
  return
}

// -----

// One lane writes an element, and others would read it.

func.func @form_c9_one_lane(%y: memref<4xf32>, %z: memref<4xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    %p = arith.constant 0.0 : f32
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      memref.store %p, %y[%b] : memref<4xf32>
      // expected-error @+1 {{'memref.load' op expected the same indices and type as of 'memref.store'}}
      %v = memref.load %y[%b] : memref<4xf32>
      memref.store %v, %z[%b] : memref<4xf32>
    }
  }
  return
}

// -----

// An element of the row that is written, which other lanes have still to read; its row
// is another value of the same sum.

func.func @form_c9_reads_first(%y: memref<4x64xf32>, %i: index) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %row = arith.addi %b, %i : index
      %same = arith.addi %b, %i : index
      %first = memref.load %y[%row, %c0] : memref<4x64xf32>
      %w = vector.broadcast %first : f32 to vector<64xf32>
      // expected-error @+1 {{'vector.transfer_write' op expected the same indices and type as of 'memref.load', which reads that row before in these teams}}
      vector.transfer_write %w, %y[%same, %c0] {in_bounds = [true]} : vector<64xf32>, memref<4x64xf32>
    }
  }
  return
}
