// RUN: gnn-opt %s --gnn-verify-form=form=blocked --verify-diagnostics --split-input-file

// What each form of loops over blocks promises; a loop is checked by its own form.

func.func @form_c2_mapping(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{'scf.forall' op expected a loop over blocks, each dimension mapped to one of #gpu.block<x>, <y> and <z>, got no mapping}}
  scf.forall (%b) = (0) to (%n) step (8) {
    memref.store %z, %x[%b, %b] : memref<8x8xf32>
  } {gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @form_c2_step(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{'scf.forall' op expected constant lower bounds and steps}}
  scf.forall (%b) = (0) to (%n) step (%n) {
    memref.store %z, %x[%b, %b] : memref<8x8xf32>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

func.func @form_c2_nested(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  scf.forall (%b) = (0) to (%n) step (8) {
    // expected-error @+1 {{'scf.forall' op expected one loop over blocks, got one in another}}
    scf.forall (%i) in (8) {
      memref.store %z, %x[%b, %i] : memref<8x8xf32>
    } {mapping = [#gpu.block<x>]}
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 1 : i64}
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c3(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  scf.forall (%b) = (0) to (%n) step (8) {
    // expected-error @+1 {{'gnn_tile.traverse' op expected a template on a range in a loop over blocks, got one on all rows}}
    gnn_tile.traverse @g <dst, features = 8>
    ins(%x : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
    outs(%y : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
    schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team> {
    ^bb0(%v: f32):
    gnn_tile.yield %v : f32
    }
  } {mapping = [#gpu.block<x>], gnn_tile.schedule = #gnn_tile.traverse_schedule<vector = 1>}
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c3_nested(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  scf.forall (%b) = (0) to (%n) step (8) {
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
  } {mapping = [#gpu.block<x>], gnn_tile.schedule = #gnn_tile.traverse_schedule<vector = 1>}
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c4_schedule(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  // expected-error @+1 {{'scf.forall' op expected 'gnn_tile.schedule', the schedule of its template}}
  scf.forall (%b) = (0) to (%n) step (8) {
    gnn_tile.traverse @g <dst, features = 8> rows[%b to %n] columns[%c0]
          ins(%x : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          outs(%y : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team> {
      ^bb0(%v: f32):
        gnn_tile.yield %v : f32
      }
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c4_threads(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  // expected-error @+1 {{'scf.forall' op expected no 'gnn_tile.threads' where templates are left}}
  scf.forall (%b) = (0) to (%n) step (8) {
    gnn_tile.traverse @g <dst, features = 8> rows[%b to %n] columns[%c0]
          ins(%x : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          outs(%y : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team> {
      ^bb0(%v: f32):
        gnn_tile.yield %v : f32
      }
  } {mapping = [#gpu.block<x>], gnn_tile.schedule = #gnn_tile.traverse_schedule<vector = 1>, gnn_tile.threads = 32 : i64}
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c4_cost(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  scf.forall (%b) = (0) to (%n) step (8) {
    gnn_tile.traverse @g <dst, features = 8> rows[%b to %n] columns[%c0]
          ins(%x : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          outs(%y : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team> {
      ^bb0(%v: f32):
        gnn_tile.yield %v : f32
      }
  } {mapping = [#gpu.block<x>], gnn_tile.schedule = #gnn_tile.traverse_schedule<vector = 1>}
  // expected-error @+1 {{'scf.forall' op expected a gnn_tile.cost in front of it: behind this form there is no template to ask}}
  scf.forall (%b) = (0) to (%n) step (8) {
    gnn_tile.traverse @g <dst, features = 8> rows[%b to %n] columns[%c0]
          ins(%x : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          outs(%y : memref<8x8xf32>) at [#gnn_tile.at<group : feature>]
          schedule <columns_per_block = 8, vector = 1, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 8, row_order = natural, row_walk = team> {
      ^bb0(%v: f32):
        gnn_tile.yield %v : f32
      }
  } {mapping = [#gpu.block<x>], gnn_tile.schedule = #gnn_tile.traverse_schedule<vector = 1>}
  return
}

// -----

func.func @form_c5(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%b) = (0) to (%n) step (8) {
    // expected-error @+1 {{'gpu.thread_id' op expected no op of threads before lanes are given their parts, by gnn-lanes-pipeline}}
    %t = gpu.thread_id x
  } {mapping = [#gpu.block<x>], gnn_tile.lanes = #gnn_tile.lanes<teams = 1, elements = 4, heads = 1, features = 8, vector = 1>}
  return
}

// -----

func.func @form_c6_none(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{'scf.forall' op expected 'gnn_tile.lanes', tiles with 'gnn_tile.spread', or the lanes form with 'gnn_tile.threads', got none of them}}
  scf.forall (%b) = (0) to (%n) step (8) {
    memref.store %z, %x[%b, %b] : memref<8x8xf32>
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @form_c6_lanes(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{'scf.forall' op expected 'gnn_tile.lanes' to be #gnn_tile.lanes, got 8 : i64}}
  scf.forall (%b) = (0) to (%n) step (8) {
    memref.store %z, %x[%b, %b] : memref<8x8xf32>
  } {mapping = [#gpu.block<x>], gnn_tile.lanes = 8 : i64}
  return
}

// -----

func.func @form_c6_workers(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%b) = (0) to (%n) step (8) {
    // expected-error @+1 {{'gnn_tile.parallel' op expected 'gnn_tile.lanes' on the loop over blocks around it}}
    gnn_tile.parallel 4 over team {
    ^bb0(%t: index):
      gnn_tile.yield
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @form_c6_spread(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%b) = (0) to (%n) step (8) {
    %v = arith.constant dense<0.0> : vector<8xf32>
    // expected-error @+1 {{'gnn_tile.store_rows' op expected 'gnn_tile.spread', which says what each thread has of it}}
    gnn_tile.store_rows %v, %x[%b, %c0] : vector<8xf32>, memref<8x8xf32>, index, index
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @form_c7_threads(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{'scf.forall' op expected gnn_tile.threads of 1 to 1024, got 2048 : i64}}
  scf.forall (%b) = (0) to (%n) step (8) {
    memref.store %z, %x[%b, %b] : memref<8x8xf32>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 2048 : i64}
  return
}

// -----

func.func @form_c7_left(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%b) = (0) to (%n) step (8) {
    // expected-error @+1 {{'gnn_tile.parallel' op has no form for a thread: expected it to be lowered before its loop over blocks becomes a kernel}}
    gnn_tile.parallel 4 over team {
    ^bb0(%t: index):
      gnn_tile.yield
    }
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 32 : i64}
  return
}

// -----

func.func @form_c8_transfer(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%b) = (0) to (%n) step (8) {
    %z = arith.constant 0.0 : f32
    // expected-error @+1 {{'vector.transfer_read' op expected what one lane does, got an op on vectors that lanes share}}
    %v = vector.transfer_read %x[%b, %c0], %z {in_bounds = [true]} : memref<8x8xf32>, vector<8xf32>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 32 : i64}
  return
}

// -----

func.func @form_c8_size(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%b) = (0) to (%n) step (8) {
    // expected-error @+1 {{'vector.broadcast' op expected vectors of up to 16 elements, which one lane holds, got 'vector<64xindex>'}}
    %v = vector.broadcast %b : index to vector<64xindex>
  } {mapping = [#gpu.block<x>], gnn_tile.threads = 32 : i64}
  return
}
