// RUN: gnn-opt %s --verify-diagnostics --split-input-file

func.func @walk_c1(%begin: index, %end: index) {
  // expected-error @+1 {{'gnn_tile.walk' op expected a body of one index argument, got 0 arguments}}
  gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 {
    gnn_tile.yield
  }
  return
}

// -----

func.func @walk_c1_types(%begin: index, %end: index, %a: f32, %b: i32) {
  // expected-error @+1 {{'gnn_tile.walk' op expected a body that yields 'f32', got 'i32'}}
  %s = gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 identity(%a : f32) {
  ^bb0(%p: index):
    gnn_tile.yield %b : i32
  } combine {
  ^bb0(%x: f32, %y: f32):
    gnn_tile.yield %x : f32
  }
  return
}

// -----

func.func @walk_c2(%begin: index, %end: index, %a: f32) {
  // expected-error @+1 {{'gnn_tile.walk' op expected a 'combine' of 1 results}}
  %s = gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 identity(%a : f32) {
  ^bb0(%p: index):
    gnn_tile.yield %a : f32
  }
  return
}

// -----

func.func @walk_c2_none(%begin: index, %end: index, %a: f32) {
  // expected-error @+1 {{'gnn_tile.walk' op expected no 'combine' without results}}
  gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 {
  ^bb0(%p: index):
    gnn_tile.yield
  } combine {
    gnn_tile.yield
  }
  return
}

// -----

func.func @walk_c3(%begin: index, %end: index) {
  // expected-error @+1 {{'gnn_tile.walk' op expected a walk over 'element' or 'block', got 'team'}}
  gnn_tile.walk from %begin to %end over team slots 1 in_flight 1 {
  ^bb0(%p: index):
    gnn_tile.yield
  }
  return
}

// -----

func.func @walk_c3_in_flight(%begin: index, %end: index) {
  // expected-error @+1 {{'gnn_tile.walk' op expected 1 to 1024 slots and 1 to 32 elements in flight, got 2 and 0}}
  gnn_tile.walk from %begin to %end over element slots 2 in_flight 0 {
  ^bb0(%p: index):
    gnn_tile.yield
  }
  return
}

// -----

func.func @walk_c3_negative_in_flight(%begin: index, %end: index) {
  // expected-error @+1 {{'gnn_tile.walk' op expected 1 to 1024 slots and 1 to 32 elements in flight, got 1 and -4}}
  gnn_tile.walk from %begin to %end over element slots 1 in_flight -4 {
  ^bb0(%p: index):
    gnn_tile.yield
  }
  return
}

// -----

func.func @walk_c3_slots(%begin: index, %end: index) {
  // expected-error @+1 {{'gnn_tile.walk' op expected 1 to 1024 slots and 1 to 32 elements in flight, got -1 and 1}}
  gnn_tile.walk from %begin to %end over element slots -1 in_flight 1 {
  ^bb0(%p: index):
    gnn_tile.yield
  }
  return
}

// -----

func.func @walk_c3_many_slots(%begin: index, %end: index) {
  // expected-error @+1 {{'gnn_tile.walk' op expected 1 to 1024 slots and 1 to 32 elements in flight, got 2048 and 1}}
  gnn_tile.walk from %begin to %end over element slots 2048 in_flight 1 {
  ^bb0(%p: index):
    gnn_tile.yield
  }
  return
}

// -----

func.func @walk_c3_many_in_flight(%begin: index, %end: index) {
  // expected-error @+1 {{'gnn_tile.walk' op expected 1 to 1024 slots and 1 to 32 elements in flight, got 1 and 4294967296}}
  gnn_tile.walk from %begin to %end over element slots 1 in_flight 4294967296 {
  ^bb0(%p: index):
    gnn_tile.yield
  }
  return
}

// -----

func.func @parallel_c1() {
  // expected-error @+1 {{'gnn_tile.parallel' op expected a body of one index argument, got 0 arguments}}
  gnn_tile.parallel 4 over element {
    gnn_tile.yield
  }
  return
}

// -----

func.func @parallel_c2(%a: i32) {
  // expected-error @+1 {{'gnn_tile.parallel' op expected a result of type 'i32', or a vector of it whose size divides 8, got 'vector<3xi32>'}}
  %s = gnn_tile.parallel 8 over team -> vector<3xi32> {
  ^bb0(%t: index):
    gnn_tile.yield %a : i32
  } combine {
  ^bb0(%x: i32, %y: i32):
    gnn_tile.yield %x : i32
  }
  return
}

// -----

func.func @parallel_c3(%a: i32) {
  // expected-error @+1 {{'gnn_tile.parallel' op expected a 'combine' of the arguments 'i32', 'i32', got 'f32', 'f32'}}
  %s = gnn_tile.parallel 8 over team -> i32 {
  ^bb0(%t: index):
    gnn_tile.yield %a : i32
  } combine {
  ^bb0(%x: f32, %y: f32):
    gnn_tile.yield %x : f32
  }
  return
}

// -----

func.func @parallel_c4() {
  // expected-error @+1 {{'gnn_tile.parallel' op expected a count of 1 to 1024, got 0}}
  gnn_tile.parallel 0 over team {
  ^bb0(%t: index):
    gnn_tile.yield
  }
  return
}

// -----

func.func @parallel_c4_negative() {
  // expected-error @+1 {{'gnn_tile.parallel' op expected a count of 1 to 1024, got -1}}
  gnn_tile.parallel -1 over team {
  ^bb0(%t: index):
    gnn_tile.yield
  }
  return
}

// -----

func.func @parallel_c4_many() {
  // expected-error @+1 {{'gnn_tile.parallel' op expected a count of 1 to 1024, got 2048}}
  gnn_tile.parallel 2048 over team {
  ^bb0(%t: index):
    gnn_tile.yield
  }
  return
}

// -----

// expected-error @+1 {{expected two dimensions, 'teams' and a power of two of 'elements', got 2, 8 and 3}}
func.func private @spread_c2() attributes {at = #gnn_tile.spread<each = [1, 4], lanes = [1, 16], teams = 8, elements = 3>}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c11(%x: memref<?xf32>, %y: memref<?xf32>, %first: index, %end: index, %column: index) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected as many 'index_arrays' as it reads: 1, got 0}}
  gnn_tile.traverse @g <edge> rows[%first to %end] columns[%column]
      ins(%x : memref<?xf32>) at [#gnn_tile.at<group -> src>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>]
      schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 256, row_order = natural, row_walk = team> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c11_tensors(%x: tensor<?xf32>, %y: tensor<?xf32>, %first: index, %end: index, %column: index) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected memrefs on a range, got 'tensor<?xf32>'}}
  %z = gnn_tile.traverse @g <edge> rows[%first to %end] columns[%column]
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<group>]
      outs(%y : tensor<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?xf32>
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c11_schedule(%x: memref<?xf32>, %y: memref<?xf32>, %first: index, %end: index, %column: index) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected a complete schedule, got none of 'columns_per_block'}}
  gnn_tile.traverse @g <edge> rows[%first to %end] columns[%column]
      ins(%x : memref<?xf32>) at [#gnn_tile.at<group>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @traverse_c11_parts(%x: memref<?xf32>, %y: memref<?xf32>, %first: index) {
  // expected-error @+1 {{'gnn_tile.traverse' op expected 'rows' on its range}}
  "gnn_tile.traverse"(%x, %y, %first) <{domain = #gnn_tile.domain<edge>, graph = @g, inputs_at = [#gnn_tile.at<group>], outputs_at = [#gnn_tile.at<group>], operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0>}> ({
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }) : (memref<?xf32>, memref<?xf32>, index) -> ()
  return
}

// -----

// expected-error @+1 {{expected at most 32 lanes in a team, got 64}}
func.func private @spread_c3_team() attributes {at = #gnn_tile.spread<each = [1, 4], lanes = [1, 16], teams = 1, elements = 4>}

// -----

// expected-error @+1 {{expected one lane, or whole warps of 32 up to 1024 lanes, got 16}}
func.func private @spread_c3_warp() attributes {at = #gnn_tile.spread<each = [1, 1], lanes = [1, 4], teams = 1, elements = 4>}

// -----

// expected-error @+1 {{expected one lane, or whole warps of 32 up to 1024 lanes, got 2048}}
func.func private @spread_c3_threads() attributes {at = #gnn_tile.spread<each = [1, 1], lanes = [1, 16], teams = 64, elements = 2>}

// -----

// expected-error @+1 {{expected one lane, or whole warps of 32 up to 1024 lanes, got 8192}}
func.func private @spread_c3_overflow() attributes {at = #gnn_tile.spread<each = [1, 1], lanes = [1, 1], teams = 4611686018427387904, elements = 4>}

// -----

func.func @parallel_c5_block() {
  gnn_tile.parallel 8 over team {
  ^bb0(%t: index):
    // expected-error @+1 {{'gnn_tile.parallel' op expected workers of 'block' outside of those of another gnn_tile.parallel, got it in one over 'team'}}
    gnn_tile.parallel 8 over block {
    ^bb0(%slot: index):
      gnn_tile.yield
    }
    gnn_tile.yield
  }
  return
}

// -----

func.func @parallel_c5_same(%c: i1) {
  gnn_tile.parallel 8 over element {
  ^bb0(%t: index):
    scf.if %c {
      // expected-error @+1 {{'gnn_tile.parallel' op expected workers of 'element' outside of those of another gnn_tile.parallel, got it in one over 'element'}}
      gnn_tile.parallel 8 over element {
      ^bb0(%slot: index):
        gnn_tile.yield
      }
    }
    gnn_tile.yield
  }
  return
}

// -----

func.func @walk_c4_length(%n: index, %x: f32) {
  // expected-error @+1 {{'gnn_tile.walk' op expected a run of 1 to 2147483648 elements, got 0}}
  %s = gnn_tile.walk from %n to %n over element slots 1 in_flight 1 run 0 identity(%x : f32) {
  ^bb0(%p: index):
    gnn_tile.yield %x : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    gnn_tile.yield %a : f32
  }
  return
}

// -----

func.func @walk_c4_negative_length(%n: index, %x: f32) {
  // expected-error @+1 {{'gnn_tile.walk' op expected a run of 1 to 2147483648 elements, got -256}}
  %s = gnn_tile.walk from %n to %n over element slots 1 in_flight 1 run -256 identity(%x : f32) {
  ^bb0(%p: index):
    gnn_tile.yield %x : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    gnn_tile.yield %a : f32
  }
  return
}

// -----

func.func @walk_c4_results(%n: index) {
  // expected-error @+1 {{'gnn_tile.walk' op expected 'run' of a walk with results, got none}}
  gnn_tile.walk from %n to %n over element slots 2 in_flight 1 run 256 {
  ^bb0(%p: index):
    gnn_tile.yield
  }
  return
}

// -----

func.func @teams_c1() {
  // expected-error @+1 {{'gnn_tile.teams' op expected a spread with teams, got #gnn_tile.spread<each = [1, 4], lanes = [1, 32]>}}
  gnn_tile.teams <each = [1, 4], lanes = [1, 32]> {
  }
  return
}

// -----

func.func @teams_c2(%is: i1) {
  gnn_tile.teams <each = [1, 4], lanes = [1, 32], teams = 1, elements = 1> {
    scf.if %is {
      // expected-error @+1 {{'gnn_tile.teams' op expected no other gnn_tile.teams around it}}
      gnn_tile.teams <each = [1, 4], lanes = [1, 32], teams = 1, elements = 1> {
      }
    }
  }
  return
}

// -----

func.func @blocks_c1_dimensions() {
  // expected-error @+1 {{'gnn_tile.blocks' op expected 1 to 3 dimensions, got 4}}
  gnn_tile.blocks to [4, 4, 4, 4] step [1, 1, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
  }
  return
}

// -----

func.func @blocks_c1_steps() {
  // expected-error @+1 {{'gnn_tile.blocks' op expected steps of at least 1, got 0}}
  gnn_tile.blocks to [4] step [0] {
  ^bb0(%b: index):
  }
  return
}

// -----

func.func @blocks_c1_ends(%n: index) {
  // expected-error @+1 {{'gnn_tile.blocks' op expected an end for each of 1 dimensions, got 2}}
  gnn_tile.blocks to [%n, 4] step [1] {
  ^bb0(%b: index):
  }
  return
}

// -----

func.func @blocks_c1_arguments() {
  // expected-error @+1 {{'gnn_tile.blocks' op expected a body with an index for each of 2 dimensions, got 'index'}}
  gnn_tile.blocks to [4, 4] step [1, 1] {
  ^bb0(%b: index):
  }
  return
}

// -----

func.func @blocks_c2() {
  // expected-error @+1 {{'gnn_tile.blocks' op expected 1 to 1024 threads, got 1025}}
  gnn_tile.blocks to [4] step [1] threads 1025 {
  ^bb0(%b: index):
  }
  return
}

// -----

func.func @blocks_c3() {
  // expected-error @+1 {{'gnn_tile.blocks' op expected the schedule of a template, or its text, got 4 : i64}}
  gnn_tile.blocks to [4] step [1] schedule 4 : i64 {
  ^bb0(%b: index):
  }
  return
}

// -----

func.func @blocks_c4() {
  gnn_tile.blocks to [4] step [1] {
  ^bb0(%b: index):
    // expected-error @+1 {{'gnn_tile.blocks' op expected no other gnn_tile.blocks around it}}
    gnn_tile.blocks to [4] step [1] {
    ^bb0(%i: index):
    }
  }
  return
}

// -----

func.func @walk_c5(%begin: index, %end: index) {
  gnn_tile.parallel 4 over team {
  ^bb0(%t: index):
    // expected-error @+1 {{'gnn_tile.walk' op expected workers of 'block' outside of those of another gnn_tile.parallel, got it in one over 'team'}}
    gnn_tile.walk from %begin to %end over block slots 4 in_flight 1 {
    ^bb0(%p: index):
      gnn_tile.yield
    }
    gnn_tile.yield
  }
  return
}

// -----

func.func @walk_c5_same(%begin: index, %end: index) {
  gnn_tile.parallel 4 over element {
  ^bb0(%e: index):
    // expected-error @+1 {{'gnn_tile.walk' op expected workers of 'element' outside of those of another gnn_tile.parallel, got it in one over 'element'}}
    gnn_tile.walk from %begin to %end over element slots 4 in_flight 1 {
    ^bb0(%p: index):
      gnn_tile.yield
    }
    gnn_tile.yield
  }
  return
}

// -----

func.func @blocks_c1_negative() {
  // expected-error @+1 {{'gnn_tile.blocks' op expected ends of at least 0, got -4}}
  gnn_tile.blocks to [-4] step [1] {
  ^bb0(%b: index):
  }
  return
}

// -----

func.func @blocks_c1_no_end() {
  // expected-error @+1 {{'gnn_tile.blocks' op expected an end for each of 1 dimensions, got 0}}
  gnn_tile.blocks to [-9223372036854775808] step [1] {
  ^bb0(%b: index):
  }
  return
}

// -----

func.func @any_team_c1(%c: i1) {
  gnn_tile.teams <each = [1, 1], lanes = [1, 16], teams = 16, elements = 1> {
    // expected-error @+1 {{expected to be in a gnn_tile.parallel over team}}
    %some = gnn_tile.any_team %c : i1
  }
  return
}

// -----

func.func @most_of_teams_c1(%n: index) {
  // expected-error @+1 {{'gnn_tile.most_of_teams' op expected to be in a gnn_tile.parallel over team}}
  %most = gnn_tile.most_of_teams %n : index
  return
}

// -----

func.func @walk_c7(%begin: index, %end: index) {
  // expected-error @+1 {{'gnn_tile.walk' op expected a walk 'in_step' over 'element', in a gnn_tile.parallel over team}}
  gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 in_step {
  ^bb0(%p: index):
    gnn_tile.yield
  }
  return
}

// -----

func.func @walk_c6(%begin: index, %end: index, %a: f32) {
  // expected-error @+1 {{'gnn_tile.walk' op expected a 'together' of the arguments 'f32', 'f32', 'f32', got 'f32', 'f32'}}
  %s = gnn_tile.walk from %begin to %end over element slots 1 in_flight 2 identity(%a : f32) {
  ^bb0(%p: index):
    gnn_tile.yield %a : f32
  } combine {
  ^bb0(%x: f32, %y: f32):
    gnn_tile.yield %x : f32
  } together {
  ^bb0(%x: f32, %y: f32):
    gnn_tile.yield %x : f32
  }
  return
}

// -----

func.func @walk_c6_yields(%begin: index, %end: index, %a: f32) {
  // expected-error @+1 {{'gnn_tile.walk' op expected a 'together' that yields 'f32', got}}
  %s = gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 identity(%a : f32) {
  ^bb0(%p: index):
    gnn_tile.yield %a : f32
  } combine {
  ^bb0(%x: f32, %y: f32):
    gnn_tile.yield %x : f32
  } together {
  ^bb0(%x: f32, %y: f32):
    gnn_tile.yield
  }
  return
}

// -----

func.func private @effect()
func.func @walk_c6_effects(%begin: index, %end: index, %a: f32) {
  %s = gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 identity(%a : f32) {
  ^bb0(%p: index):
    gnn_tile.yield %a : f32
  } combine {
  ^bb0(%x: f32, %y: f32):
    gnn_tile.yield %x : f32
  } together {
  ^bb0(%x: f32, %y: f32):
    // expected-error @+1 {{expected a 'together' that computes only}}
    func.call @effect() : () -> ()
    gnn_tile.yield %x : f32
  }
  return
}

// -----

func.func @walk_c6_none(%begin: index, %end: index) {
  // expected-error @+1 {{'gnn_tile.walk' op expected no 'together' without results}}
  gnn_tile.walk from %begin to %end over element slots 1 in_flight 1 {
  ^bb0(%p: index):
    gnn_tile.yield
  } together {
    gnn_tile.yield
  }
  return
}
