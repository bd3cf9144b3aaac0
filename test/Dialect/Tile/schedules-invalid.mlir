// RUN: gnn-opt %s --verify-diagnostics --split-input-file

// Every field has its values.

// expected-error @+1 {{expected 'rows_per_block' to be positive, got -1}}
#schedule = #gnn_tile.traverse_schedule<rows_per_block = -1>

// -----

// expected-error @+1 {{expected 'columns_per_block' to be positive, got -1}}
#schedule = #gnn_tile.traverse_schedule<columns_per_block = -1>

// -----

// expected-error @+1 {{expected 'window' to be positive, got -1}}
#schedule = #gnn_tile.traverse_schedule<window = -1>

// -----

// expected-error @+1 {{expected 'register_tile' to be positive, got -1}}
#schedule = #gnn_tile.traverse_schedule<register_tile = -1>

// -----

// expected-error @+1 {{expected 'in_flight' to be positive, got -1}}
#schedule = #gnn_tile.traverse_schedule<in_flight = -1>

// -----

// expected-error @+1 {{expected 'split_rows' to be positive, got -1}}
#schedule = #gnn_tile.traverse_schedule<split_rows = -1>

// -----

// expected-error @+1 {{expected 'tile_rows' to be positive, got -1}}
#schedule = #gnn_tile.traverse_schedule<tile_rows = -1>

// -----

// expected-error @+1 {{expected 'tile_columns' to be positive, got -1}}
#schedule = #gnn_tile.traverse_schedule<tile_columns = -1>

// -----

// expected-error @+1 {{expected 'lanes' in {1, 2, 4, 8, 16, 32}, got 3}}
#schedule = #gnn_tile.traverse_schedule<lanes = 3>

// -----

// expected-error @+1 {{expected 'element_lanes' in {1, 2, 4, 8, 16, 32}, got 64}}
#schedule = #gnn_tile.traverse_schedule<element_lanes = 64>

// -----

// expected-error @+1 {{expected 'vector' in {1, 2, 4}, got 8}}
#schedule = #gnn_tile.traverse_schedule<vector = 8>

// -----

// expected-error @+1 {{expected 'lanes' times 'element_lanes' within a warp of 32, got 64}}
#schedule = #gnn_tile.traverse_schedule<lanes = 16, element_lanes = 4>

// -----

// expected-error @+1 {{expected 'row_order' to be "natural" or "by_degree", got "random"}}
#schedule = #gnn_tile.traverse_schedule<row_order = "random">

// -----

// expected-error @+1 {{expected 'm' in {16, 32, 64, 128}, got 48}}
#schedule = #gnn_tile.gemm_schedule<m = 48>

// -----

// expected-error @+1 {{expected 'n' in {16, 32, 64, 128}, got 8}}
#schedule = #gnn_tile.gemm_schedule<n = 8>

// -----

// expected-error @+1 {{expected 'k' in {4, 8, 16, 32}, got 2}}
#schedule = #gnn_tile.gemm_schedule<k = 2>

// -----

// expected-error @+1 {{expected 'warps' in {1, 2, 4, 8, 16}, got 3}}
#schedule = #gnn_tile.gemm_schedule<warps = 3>

// -----

// expected-error @+1 {{expected 'mma' in {"ffma", "tf32", "tf32x3", "bf16"}, got "fp8"}}
#schedule = #gnn_tile.gemm_schedule<mma = "fp8">

// -----

// expected-error @+1 {{expected 'stages' to be positive, got -1}}
#schedule = #gnn_tile.gemm_schedule<stages = -1>

// -----

// expected-error @+1 {{expected 'coarsening' to be positive, got -1}}
#schedule = #gnn_tile.gemm_schedule<coarsening = -1>

// -----

// expected-error @+1 {{expected 'blocks_per_sm' to be positive, got -1}}
#schedule = #gnn_tile.gemm_schedule<blocks_per_sm = -1>

// -----

// expected-error @+1 {{expected 'in_flight' of at most 32, got 33}}
#schedule = #gnn_tile.traverse_schedule<in_flight = 33>
