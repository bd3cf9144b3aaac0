// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// Every field has its values.

// expected-error @+1 {{expected 'rows_per_block' from 1 to 1024, got -1}}
#schedule = #gnn_tile.traverse_schedule<rows_per_block = -1>

// -----

// expected-error @+1 {{expected 'columns_per_block' from 1 to 1073741824, got -1}}
#schedule = #gnn_tile.traverse_schedule<columns_per_block = -1>

// -----

// expected-error @+1 {{expected 'in_flight' from 1 to 32, got -1}}
#schedule = #gnn_tile.traverse_schedule<in_flight = -1>

// -----

// expected-error @+1 {{expected 'split_rows' from 1 to 2147483648, got -1}}
#schedule = #gnn_tile.traverse_schedule<split_rows = -1>

// -----

// expected-error @+1 {{expected 'rows_per_block' from 1 to 1024, got 4611686018427387904}}
#schedule = #gnn_tile.traverse_schedule<rows_per_block = 4611686018427387904>

// -----

// expected-error @+1 {{expected 'split_rows' from 1 to 2147483648, got 2147483649}}
#schedule = #gnn_tile.traverse_schedule<split_rows = 2147483649>

// -----

// expected-error @+1 {{expected 'lanes' in {1, 2, 4, 8, 16, 32}, got 3}}
#schedule = #gnn_tile.traverse_schedule<lanes = 3>

// -----

// expected-error @+1 {{expected 'element_lanes' in {1, 2, 4, 8, 16, 32}, got 64}}
#schedule = #gnn_tile.traverse_schedule<element_lanes = 64>

// -----

// expected-error @+1 {{expected 'vector' in {1, 2, 4}, got 3}}
#schedule = #gnn_tile.traverse_schedule<vector = 3>

// -----

// expected-error @+1 {{expected 'vector' in {1, 2, 4}, got 8}}
#schedule = #gnn_tile.traverse_schedule<vector = 8>

// -----

// expected-error @+1 {{expected 'lanes' times 'head_lanes' times 'element_lanes' within a warp of 32, got 64}}
#schedule = #gnn_tile.traverse_schedule<lanes = 16, element_lanes = 4>

// -----

// expected-error @+1 {{expected 'row_order' in {natural, by_degree, degree_windows}, got random}}
#schedule = #gnn_tile.traverse_schedule<row_order = random>

// -----

// expected-error @+1 {{expected 'head_lanes' in {1, 2, 4, 8, 16, 32}, got 5}}
#schedule = #gnn_tile.traverse_schedule<head_lanes = 5>

// -----

// expected-error @+1 {{expected 'row_walk' by_length with 'split_rows', got team}}
#schedule = #gnn_tile.traverse_schedule<row_walk = team, split_rows = 64>

// -----

// expected-error @+1 {{expected 'n' in {16, 32, 64}, got 8}}
#schedule = #gnn_tile.gemm_schedule<n = 8>

// -----

// expected-error @+1 {{expected 'in_flight' from 1 to 32, got 33}}
#schedule = #gnn_tile.traverse_schedule<in_flight = 33>

// -----

// expected-error @+1 {{expected 'vector' in {1, 2, 4, 8, 16}, got 32}}
#schedule = #gnn_tile.core_schedule<vector = 32>
module attributes {test.schedule = #schedule} {}

// -----

// expected-error @+1 {{expected 'rows_per_block' from 1 to 1024, got 1025}}
#schedule = #gnn_tile.core_schedule<rows_per_block = 1025>
module attributes {test.schedule = #schedule} {}

// -----

// expected-error @+1 {{expected 'vector' in {1, 2, 4, 8, 16}, got wide}}
#schedule = #gnn_tile.core_schedule<vector = wide>

// -----

// expected-error @+1 {{expected 'row_walk' in {team, block, by_length, by_edges}, got 1}}
#schedule = #gnn_tile.traverse_schedule<row_walk = 1>

// -----

// A field that is open is left out.
//
// expected-error @+1 {{expected 'n' in {16, 32, 64}, got 0}}
#schedule = #gnn_tile.gemm_schedule<n = 0>

// -----

// expected-error @+1 {{expected 'n' once, got it twice}}
#schedule = #gnn_tile.gemm_schedule<n = 16, kind = ffma, n = 16>

// -----

// A block is one lane.
//
// expected-error @+1 {{expected a field of #gnn_tile.core_schedule (columns_per_block, vector, rows_per_block, row_order, rows_per_team, runs), got 'lanes', which the cores of a CPU do not have: is it a schedule for a GPU?}}
#schedule = #gnn_tile.core_schedule<lanes = 4>
module attributes {test.schedule = #schedule} {}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @other(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  gnn_tile.traverse @g <dst, features = 8>
      ins(%x : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x8xf32>) at [#gnn_tile.at<group : feature>]
      // expected-error @+1 {{expected the schedule of a traversal, got #gnn_tile.gemm_schedule<n = 32>}}
      schedule #gnn_tile.gemm_schedule<n = 32> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}
