// RUN: gnn-opt %s --gnn-verify-form=form=blocked --verify-diagnostics --split-input-file

// The promises of each form of loops over blocks; a loop is checked by its own
// form.

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c2(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n] step [8] schedule #gnn_tile.traverse_schedule<vector = 1> {
  ^bb0(%b: index):
    // expected-error @+1 {{'gnn_tile.traverse' op expected a template on a range in a loop over blocks, got one on all rows}}
    gnn_tile.traverse @g <dst, features = 8>
    ins(%x : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
    outs(%y : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
    schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team> {
    ^bb0(%v: f32):
    gnn_tile.yield %v : f32
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c2_nested(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n] step [8] schedule #gnn_tile.traverse_schedule<vector = 1> {
  ^bb0(%b: index):
    %one = arith.constant 1 : index
    scf.for %i = %c0 to %one step %one {
      // expected-error @+1 {{'gnn_tile.traverse' op expected a template that stands by itself in its loop over blocks, got one in 'scf.for'}}
      gnn_tile.traverse @g <dst, features = 8> rows[%b to %n] columns[%c0]
            ins(%x : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
            outs(%y : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
            schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team> {
        ^bb0(%v: f32):
          gnn_tile.yield %v : f32
        }
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c3_schedule(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  // expected-error @+1 {{'gnn_tile.blocks' op expected 'schedule', that of its template}}
  gnn_tile.blocks to [%n] step [8] {
  ^bb0(%b: index):
    gnn_tile.traverse @g <dst, features = 8> rows[%b to %n] columns[%c0]
          ins(%x : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          outs(%y : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team> {
      ^bb0(%v: f32):
        gnn_tile.yield %v : f32
      }
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c3_threads(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  // expected-error @+1 {{'gnn_tile.blocks' op expected no 'threads' where templates are left}}
  gnn_tile.blocks to [%n] step [8] schedule #gnn_tile.traverse_schedule<vector = 1> threads 32 {
  ^bb0(%b: index):
    gnn_tile.traverse @g <dst, features = 8> rows[%b to %n] columns[%c0]
          ins(%x : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          outs(%y : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team> {
      ^bb0(%v: f32):
        gnn_tile.yield %v : f32
      }
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c3_cost(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n] step [8] schedule #gnn_tile.traverse_schedule<columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team> {
  ^bb0(%b: index):
    gnn_tile.traverse @g <dst, features = 8> rows[%b to %n] columns[%c0]
          ins(%x : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          outs(%y : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team> {
      ^bb0(%v: f32):
        gnn_tile.yield %v : f32
      }
  }
  // expected-error @+1 {{'gnn_tile.blocks' op expected a gnn_tile.cost in front of it: behind this form there is no template to ask}}
  gnn_tile.blocks to [%n] step [8] schedule #gnn_tile.traverse_schedule<vector = 1> {
  ^bb0(%b: index):
    gnn_tile.traverse @g <dst, features = 8> rows[%b to %n] columns[%c0]
          ins(%x : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          outs(%y : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team> {
      ^bb0(%v: f32):
        gnn_tile.yield %v : f32
      }
  }
  return
}

// -----

func.func @form_c4(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [%n] step [8] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 8], teams = 1, elements = 4> {
      // expected-error @+1 {{'gpu.thread_id' op expected no op of threads before lanes are given their parts, by gnn-lanes-pipeline}}
      %t = gpu.thread_id x
    }
  }
  return
}

// -----

func.func @form_c5_none(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{'gnn_tile.blocks' op expected a gnn_tile.teams, tiles that are staged, summed or stored, or the lanes form with 'threads', got none of them}}
  gnn_tile.blocks to [%n] step [8] {
  ^bb0(%b: index):
    memref.store %z, %x[%b, %b] : memref<8x8xf32>
  }
  return
}

// -----

func.func @form_c5_workers(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [%n] step [8] {
  ^bb0(%b: index):
    // expected-error @+1 {{'gnn_tile.parallel' op expected a gnn_tile.teams around it}}
    gnn_tile.parallel 4 over team {
    ^bb0(%t: index):
      gnn_tile.yield
    }
  }
  return
}

// -----

func.func @form_c5_spread(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [%n] step [8] {
  ^bb0(%b: index):
    %v = arith.constant dense<0.0> : vector<8x8xf32>
    %a = gnn_tile.array : memref<8x8xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{'vector.transfer_write' op expected a gnn_tile.stage, which says what each thread has of it}}
    vector.transfer_write %v, %a[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xf32>, memref<8x8xf32, #gpu.address_space<workgroup>>
  }
  return
}

// -----

func.func @form_c6_left(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [%n] step [8] threads 32 {
  ^bb0(%b: index):
    // expected-error @+1 {{'gnn_tile.parallel' op has no form for a thread: expected it to be lowered before its loop over blocks becomes a kernel}}
    gnn_tile.parallel 4 over team {
    ^bb0(%t: index):
      gnn_tile.yield
    }
  }
  return
}

// -----

func.func @form_c7_transfer(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [%n] step [8] threads 32 {
  ^bb0(%b: index):
    %z = arith.constant 0.0 : f32
    // expected-error @+1 {{'vector.transfer_read' op expected what one lane does, got an op on vectors that lanes share}}
    %v = vector.transfer_read %x[%b, %c0], %z {in_bounds = [true]} : memref<8x8xf32>, vector<8xf32>
  }
  return
}

// -----

func.func @form_c7_size(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [%n] step [8] threads 32 {
  ^bb0(%b: index):
    // expected-error @+1 {{'vector.broadcast' op expected vectors of up to 16 elements, which one lane holds, got 'vector<64xindex>'}}
    %v = vector.broadcast %b : index to vector<64xindex>
  }
  return
}

// -----

func.func @form_c4_nvvm(%x: memref<64xf32>, %n: index) {
  gnn_tile.blocks to [%n] step [1] {
  ^bb0(%b: index):
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      %c0 = arith.constant 0 : index
      // expected-error @+1 {{'nvvm.barrier' op expected no op of threads before lanes are given their parts, by gnn-lanes-pipeline}}
      nvvm.barrier
      %v = memref.load %x[%c0] : memref<64xf32>
      memref.store %v, %x[%c0] : memref<64xf32>
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @form_c2_two(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %c0, %c0, %c0
  // expected-error @+1 {{'gnn_tile.blocks' op expected one template in a loop over blocks, got 2}}
  gnn_tile.blocks to [%n] step [256] schedule #gnn_tile.traverse_schedule<columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 256, row_order = natural, row_walk = team> {
  ^bb0(%i: index):
    gnn_tile.traverse @g <edge> rows[%i to %n] columns[%c0]
        ins(%x : memref<?xf32>) at [#gnn_tile.at<group>]
        outs(%y : memref<?xf32>) at [#gnn_tile.at<group>]
        schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 256, row_order = natural, row_walk = team> {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
    gnn_tile.traverse @g <edge> rows[%i to %n] columns[%c0]
        ins(%y : memref<?xf32>) at [#gnn_tile.at<group>]
        outs(%z : memref<?xf32>) at [#gnn_tile.at<group>]
        schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 256, row_order = natural, row_walk = team> {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @form_c3_schedule(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %c0, %c0, %c0
  // expected-error @+1 {{'gnn_tile.blocks' op expected 'schedule' to be that of its template, #gnn_tile.traverse_schedule<columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 256, row_order = natural, row_walk = team>, got #gnn_tile.traverse_schedule<vector = 1>}}
  gnn_tile.blocks to [%n] step [256] schedule #gnn_tile.traverse_schedule<vector = 1> {
  ^bb0(%i: index):
    gnn_tile.traverse @g <edge> rows[%i to %n] columns[%c0]
        ins(%x : memref<?xf32>) at [#gnn_tile.at<group>]
        outs(%y : memref<?xf32>) at [#gnn_tile.at<group>]
        schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 256, row_order = natural, row_walk = team> {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
  }
  return
}

// -----

!l = memref<16x64xf32, #gpu.address_space<workgroup>>
!v = memref<?x64xf32, #gpu.address_space<workgroup>>
func.func @form_c9_view(%x: memref<16x64xf32>, %n: index) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %z = arith.constant dense<0.0> : vector<16x64xf32>
    %k = vector.step : vector<16xindex>
    %a = gnn_tile.array : !l
    // expected-error @+1 {{'memref.cast' op expected an op that reads or writes the array in workgroup memory itself, such as a transfer, got another use of 'memref<16x64xf32, #gpu.address_space<workgroup>>'}}
    %v = memref.cast %a : !l to !v
    gnn_tile.store_rows %z, %x[%k, %c0] spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

!l = memref<16x64xf32, #gpu.address_space<workgroup>>
func.func @form_c9_permuted(%x: memref<16x64xf32>, %n: index) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %k = vector.step : vector<16xindex>
    %a = gnn_tile.array permuted 4 : !l
    // expected-error @+1 {{'gnn_tile.load_rows' op expected a permuted array to be staged and read as a tile, outside of teams}}
    %t = gnn_tile.load_rows %a[%k, %c0] : !l, vector<16xindex>, index -> vector<16x64xf32>
    gnn_tile.store_rows %t, %x[%k, %c0] spread <each = [1, 4], lanes = [8, 16]> : vector<16x64xf32>, memref<16x64xf32>, vector<16xindex>, index
  }
  return
}

// -----

!l = memref<16x32xf32, #gpu.address_space<workgroup>>
func.func @form_c9_permuted_in_teams(%x: memref<16x32xf32>, %n: index) {
  gnn_tile.blocks to [1] step [1] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %p = arith.constant 0.0 : f32
    %a = gnn_tile.array permuted 4 : !l
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
      // expected-error @+1 {{'vector.transfer_read' op expected a permuted array to be staged and read as a tile, outside of teams}}
      %v = vector.transfer_read %a[%b, %c0], %p {in_bounds = [true]} : !l, vector<32xf32>
      vector.transfer_write %v, %x[%b, %c0] {in_bounds = [true]} : vector<32xf32>, memref<16x32xf32>
    }
  }
  return
}

// -----

#k_m = affine_map<(m, n, k) -> (k, m)>
#k_n = affine_map<(m, n, k) -> (k, n)>
#m_n = affine_map<(m, n, k) -> (m, n)>
func.func @form_c5_contract(%n: index) {
  gnn_tile.blocks to [%n] step [8] {
  ^bb0(%b: index):
    %v = arith.constant dense<0.0> : vector<8x8xf32>
    // expected-error @+1 {{'vector.contract' op expected a gnn_tile.contract, which says what each thread has of it}}
    %s = vector.contract {indexing_maps = [#k_m, #k_n, #m_n], iterator_types = ["parallel", "parallel", "reduction"]} %v, %v, %v : vector<8x8xf32>, vector<8x8xf32> into vector<8x8xf32>
  }
  return
}

// -----

func.func @form_c1_teams() {
  // expected-error @+1 {{'gnn_tile.teams' op expected a gnn_tile.blocks around what its threads do}}
  gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
  }
  return
}

// -----

func.func @form_c9_alloca(%y: memref<4xf32>) {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    // expected-error @+1 {{'memref.alloca' op expected a gnn_tile.array, which says whose memory it is}}
    %a = memref.alloca() : memref<4xf32, #gpu.address_space<workgroup>>
    gnn_tile.teams <each = [1, 1], lanes = [1, 32], teams = 1, elements = 1> {
    }
  }
  return
}
