// RUN: gnn-opt %s --gnn-tile-distribute --verify-diagnostics --split-input-file

func.func @op(%x: memref<4x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      %v = vector.transfer_read %x[%b, %c0], %zero {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
      // expected-error @+1 {{'vector.shuffle' op cannot be distributed over threads: expected an op that computes each element by itself, a broadcast or one that reads, writes or reduces vectors}}
      %w = vector.shuffle %v, %v [0, 1] : vector<64xf32>, vector<64xf32>
    }
  }
  return
}

// -----

func.func @workers() {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 1, elements = 2> {
      // expected-error @+1 {{'gnn_tile.parallel' op expected as many as there are workers: 2, got 4}}
      gnn_tile.parallel 4 over element {
      ^bb0(%e: index):
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

func.func @outside(%v: vector<64xf32>, %x: memref<4x64xf32>) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      // expected-error @+1 {{'vector.transfer_write' op expected vectors of its gnn_tile.teams, got one from outside}}
      vector.transfer_write %v, %x[%b, %c0] {in_bounds = [true]} : vector<64xf32>, memref<4x64xf32>
    }
  }
  return
}

// -----

func.func @constants(%x: memref<4x2xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 2], teams = 16, elements = 1> {
      // expected-error @+1 {{'vector.transfer_write' op expected constants of equal entries, or of one for each head}}
      vector.transfer_write %v, %x[%b, %c0] {in_bounds = [true]} : vector<2xf32>, memref<4x2xf32>
    }
  }
  return
}

// -----

func.func @walk(%begin: index, %end: index) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      // expected-error @+1 {{'gnn_tile.walk' op cannot be distributed over threads}}
      gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 {
      ^bb0(%p: index):
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

func.func @mask(%x: memref<64xf32>, %n: index, %k: index) {
  gnn_tile.blocks to [%n] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %z = arith.constant dense<0.0> : vector<64xf32>
      %m = vector.create_mask %k : vector<64xi1>
      %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
      // expected-error @+1 {{'arith.select' op expected a mask to be used by what reads or writes only}}
      %s = arith.select %m, %v, %z : vector<64xi1>, vector<64xf32>
      vector.transfer_write %s, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    }
  }
  return
}

// -----

func.func @outside(%x: memref<64xf32>, %n: index, %o: vector<64xf32>, %z: vector<64xf32>) {
  gnn_tile.blocks to [%n] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %i = arith.constant dense<0.0> : vector<64xf32>
      %s = scf.for %k = %c0 to %n step %c1 iter_args(%a = %i) -> (vector<64xf32>) {
        // expected-error @+1 {{'scf.yield' op expected vectors of its gnn_tile.teams, got one from outside}}
        scf.yield %o : vector<64xf32>
      }
      vector.transfer_write %s, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    }
  }
  return
}

// -----

func.func @out_of_bounds(%x: memref<?x63xf32>, %n: index) {
  gnn_tile.blocks to [%n] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 32], teams = 1, elements = 1> {
      %c1 = arith.constant 1 : index
      %p = arith.constant 0.0 : f32
      // expected-error @+1 {{'vector.transfer_read' op expected dimensions in bounds, got [false]}}
      %v = vector.transfer_read %x[%b, %c1], %p {in_bounds = [false]} : memref<?x63xf32>, vector<64xf32>
      vector.transfer_write %v, %x[%b, %c1] {in_bounds = [false]} : vector<64xf32>, memref<?x63xf32>
    }
  }
  return
}

// -----

func.func @partial_mask(%x: memref<?x64xf32>, %n: index) {
  gnn_tile.blocks to [%n] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %m = vector.create_mask %n : vector<64xi1>
      // expected-error @+1 {{'vector.transfer_read' op expected a mask of a number of features that is known but for whole vectors of 4}}
      %v = vector.transfer_read %x[%b, %c0], %p, %m {in_bounds = [true]} : memref<?x64xf32>, vector<64xf32>
    }
  }
  return
}

// -----

func.func @unknown_mask(%x: memref<?x64xf32>, %n: index, %m: vector<64xi1>) {
  gnn_tile.blocks to [%n] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %one = arith.constant dense<true> : vector<64xi1>
      // expected-error @+1 {{'vector.transfer_read' op expected a mask made by vector.create_mask}}
      %v = vector.transfer_read %x[%b, %c0], %p, %one {in_bounds = [true]} : memref<?x64xf32>, vector<64xf32>
    }
  }
  return
}

// -----

func.func @features_apart(%x: memref<64x4xf32>, %n: index) {
  gnn_tile.blocks to [%n] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      // expected-error @+1 {{'vector.transfer_read' op expected features side by side in memory for vectors of 4}}
      %v = vector.transfer_read %x[%c0, %b], %p {in_bounds = [true], permutation_map = affine_map<(d, e) -> (d)>} : memref<64x4xf32>, vector<64xf32>
    }
  }
  return
}

// -----

func.func @atomic(%m: memref<64xf32>, %n: index) {
  gnn_tile.blocks to [%n] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 8, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 1.0 : f32
      // expected-error @+1 {{'memref.atomic_rmw' op cannot be done by every thread of a block: expected no effects but those of a load}}
      %r = memref.atomic_rmw addf %p, %m[%c0] : (f32, memref<64xf32>) -> f32
    }
  }
  return
}

// -----

func.func @extract(%x: memref<4x64xf32>, %to: memref<4xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
      // expected-error @+1 {{'vector.extract' op expected to extract the only entry, or that of an element, got 'vector<64xf32>'}}
      %s = vector.extract %v[3] : f32 from vector<64xf32>
      memref.store %s, %to[%b] : memref<4xf32>
    }
  }
  return
}

// -----

// The origin of a vector of one entry says what it varies by.

func.func @operands(%x: memref<4x1xf32>, %n: index) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %spread = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true]} : memref<4x1xf32>, vector<1xf32>
      %one = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true, true]} : memref<4x1xf32>, vector<1x1xf32>
      %same = vector.shape_cast %one : vector<1x1xf32> to vector<1xf32>
      // expected-error @+1 {{'arith.addf' op expected values that vary alike}}
      %sum = arith.addf %spread, %same : vector<1xf32>
    }
  }
  return
}

// -----

func.func @carried(%x: memref<4x1xf32>, %n: index) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %p = arith.constant 0.0 : f32
      %spread = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true]} : memref<4x1xf32>, vector<1xf32>
      %one = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true, true]} : memref<4x1xf32>, vector<1x1xf32>
      %same = vector.shape_cast %one : vector<1x1xf32> to vector<1xf32>
      // expected-error @+1 {{'scf.for' op expected values that vary alike}}
      %last = scf.for %i = %c0 to %n step %c1 iter_args(%v = %spread) -> (vector<1xf32>) {
        scf.yield %same : vector<1xf32>
      }
    }
  }
  return
}

// -----

func.func @branches(%x: memref<4x1xf32>, %is: i1) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %spread = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true]} : memref<4x1xf32>, vector<1xf32>
      %one = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true, true]} : memref<4x1xf32>, vector<1x1xf32>
      %same = vector.shape_cast %one : vector<1x1xf32> to vector<1xf32>
      // expected-error @+1 {{'scf.if' op expected values that vary alike}}
      %either = scf.if %is -> (vector<1xf32>) {
        scf.yield %spread : vector<1xf32>
      } else {
        scf.yield %same : vector<1xf32>
      }
    }
  }
  return
}

// -----

func.func @reshape(%x: memref<4x64xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true]} : memref<4x64xf32>, vector<64xf32>
      // expected-error @+1 {{'vector.shape_cast' op expected to add or drop dimensions of size 1}}
      %w = vector.shape_cast %v : vector<64xf32> to vector<8x8xf32>
    }
  }
  return
}

// -----

func.func @repeated(%x: memref<4x64xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      // expected-error @+1 {{'vector.transfer_read' op expected a dimension of the buffer for each dimension of the vector that is spread}}
      %v = vector.transfer_read %x[%b, %c0], %p {in_bounds = [true], permutation_map = affine_map<(d, e) -> (0)>} : memref<4x64xf32>, vector<64xf32>
    }
  }
  return
}

// -----

// Each lane has the entry of its own head.
func.func @one_head(%x: memref<4x1xf32>, %y: memref<4xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [4, 1], teams = 8, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x1xf32>, vector<4x1xf32>
      // expected-error @+1 {{'vector.extract' op expected to extract the only entry, or that of an element, got 'vector<4x1xf32>'}}
      %s = vector.extract %v[3, 0] : f32 from vector<4x1xf32>
      memref.store %s, %y[%b] : memref<4xf32>
    }
  }
  return
}

// -----

func.func @no_dimension(%x: memref<4xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      %v = memref.load %x[%b] : memref<4xf32>
      // expected-error @+1 {{'vector.broadcast' op cannot be distributed over threads: expected vectors of one or two dimensions, of which a lane holds up to 65536 parts, got 'vector<f32>'}}
      %w = vector.broadcast %v : f32 to vector<f32>
    }
  }
  return
}

// -----

func.func @long(%x: memref<4x2147483648xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      // expected-error @+1 {{expected vectors of one or two dimensions, of which a lane holds up to 65536 parts, got 'vector<2147483648xf32>'}}
      %v = vector.transfer_read %x[%b, %c0], %zero {in_bounds = [true]} : memref<4x2147483648xf32>, vector<2147483648xf32>
    }
  }
  return
}

// -----

module attributes {gnn.target = #gnn.target<kind = "cuda", name = "small", chip = "sm_90", limits = {lanes = 32, threads = 128, shared_bytes = 49152, registers = 65536}, abilities = [], figures = {memory_bandwidth = 1.0, l2_bytes = 1.0, l2_gather = 1.0, memory_gather = 1.0, l2_row_bytes = 1.0, memory_row_bytes = 1.0, fp32_flops = 1.0, processors = 1.0, launch_seconds = 1.0, product_flops = 1.0, row_seconds = 1.0, warp_seconds = 1.0, edge_seconds = 1.0, walk_gather = 1.0, round_seconds = 1.0, wait_seconds = 1.0, memory_wait_seconds = 1.0}>} {
  func.func @target() {
    // expected-error @+1 {{'gnn_tile.blocks' op cannot be distributed over threads: expected at most 128 of a block on the target, got 256}}
    gnn_tile.blocks to [4] step [1] {
    ^bb0(%b: index):
      gnn_tile.teams <each = [1, 4], lanes = [1, 32], teams = 8, elements = 1> {
      }
    }
    return
  }
}

// -----

func.func @slice(%x: memref<4x64xf32>, %to: memref<4x1xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [4, 8], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x64xf32>, vector<4x64xf32>
      // expected-error @+1 {{'vector.extract_strided_slice' op expected the column of an element, got 'vector<4x1xf32>' of 'vector<4x64xf32>'}}
      %s = vector.extract_strided_slice %v {offsets = [0, 3], sizes = [4, 1], strides = [1, 1]} : vector<4x64xf32> to vector<4x1xf32>
      vector.transfer_write %s, %to[%c0, %c0] {in_bounds = [true, true]} : vector<4x1xf32>, memref<4x1xf32>
    }
  }
  return
}

// -----

func.func @three_elements(%x: memref<8xf32>, %y: memref<8xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 4], teams = 8, elements = 1> {
      %c0 = arith.constant 0 : index
      %a = memref.load %x[%c0] : memref<8xf32>
      // expected-error @+1 {{'vector.from_elements' op expected a power of two of elements, got 'vector<3xf32>'}}
      %d = vector.from_elements %a, %a, %a : vector<3xf32>
      %s = vector.extract %d[1] : f32 from vector<3xf32>
      memref.store %s, %y[%c0] : memref<8xf32>
    }
  }
  return
}

// -----

func.func @numbers_of_numbers(%x: memref<8xf32>, %y: memref<8xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 4], teams = 8, elements = 1> {
      %c0 = arith.constant 0 : index
      %a = memref.load %x[%c0] : memref<8xf32>
      %d = vector.from_elements %a, %a : vector<2xf32>
      // expected-error @+1 {{'gnn_tile.reduce_each' op expected vectors that vary alike, by features or by nothing in the dimension that is reduced}}
      %e = gnn_tile.reduce_each sum %d, %d : vector<2xf32> -> vector<2xf32>
      %s = vector.extract %e[1] : f32 from vector<2xf32>
      memref.store %s, %y[%c0] : memref<8xf32>
    }
  }
  return
}

// -----

func.func @scattered_features(%x: memref<64xf32>, %y: memref<64xf32>) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 4], lanes = [1, 16], teams = 2, elements = 1> {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %all = arith.constant dense<true> : vector<64xi1>
      %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
      %s = vector.step : vector<64xindex>
      // expected-error @+1 {{'vector.scatter' op expected indices and numbers of elements, one a lane, got 'vector<64xf32>' at 'vector<64xindex>'}}
      vector.scatter %y[%c0] [%s], %all, %v : memref<64xf32>, vector<64xindex>, vector<64xi1>, vector<64xf32>
    }
  }
  return
}

// -----

func.func @load_numbers_multiple(%x: memref<?xf32>, %i: index) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 32, elements = 1> {
      gnn_tile.parallel 32 over team {
      ^bb0(%t: index):
        %j = arith.muli %i, %i : index
        // expected-error @+1 {{'gnn_tile.load_numbers' op expected 'first' to be a multiple of 4}}
        %v:4 = gnn_tile.load_numbers %x[%j] team %t share 64 : memref<?xf32> -> f32, f32, f32, f32
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

func.func @load_numbers_of_team(%x: memref<?xf32>, %i: index) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 32, elements = 1> {
      gnn_tile.parallel 32 over team {
      ^bb0(%t: index):
        %c8 = arith.constant 8 : index
        %j = arith.muli %t, %c8 : index
        // expected-error @+1 {{'gnn_tile.load_numbers' op expected 'first' to be the same for all teams}}
        %v:4 = gnn_tile.load_numbers %x[%j] team %t share 64 : memref<?xf32> -> f32, f32, f32, f32
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

func.func @load_numbers_branch(%x: memref<?xf32>, %i: index) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 32, elements = 1> {
      gnn_tile.parallel 32 over team {
      ^bb0(%t: index):
        %c8 = arith.constant 8 : index
        %j = arith.muli %i, %c8 : index
        %some = arith.cmpi slt, %t, %c8 : index
        scf.if %some {
          // expected-error @+1 {{'gnn_tile.load_numbers' op expected control flow that is the same for all lanes of a warp around an exchange between them, got 'scf.if' that differs by team, where a team is no whole warp}}
          %v:8 = gnn_tile.load_numbers %x[%j] team %t share 64 : memref<?xf32> -> f32, f32, f32, f32, f32, f32, f32, f32
        }
        gnn_tile.yield
      }
    }
  }
  return
}

// -----

func.func @load_numbers_written(%x: memref<?xf32>, %i: index) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 1], teams = 32, elements = 1> {
      gnn_tile.parallel 32 over team {
      ^bb0(%t: index):
        %c0 = arith.constant 0 : index
        // expected-error @+1 {{'gnn_tile.load_numbers' op expected a buffer that nothing in the loop over blocks writes}}
        %v:4 = gnn_tile.load_numbers %x[%c0] : memref<?xf32> -> f32, f32, f32, f32
        memref.store %v#0, %x[%t] : memref<?xf32>
        gnn_tile.yield
      }
    }
  }
  return
}
