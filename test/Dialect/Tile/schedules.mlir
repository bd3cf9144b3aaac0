// RUN: gnn-opt %s --verify-roundtrip | FileCheck %s

// Every field parses and prints; those left out stay out.
//
// CHECK-LABEL: module
// CHECK-SAME:    test.gemm = #gnn_tile.gemm_schedule<m = 64, n = 128, k = 32, warps = 8, stages = 3, mma = "tf32x3", coarsening = 4, blocks_per_sm = 2, pinned = true>
// CHECK-SAME:    test.none = #gnn_tile.traverse_schedule<>
// CHECK-SAME:    test.one = #gnn_tile.traverse_schedule<in_flight = 8>
// CHECK-SAME:    test.traverse = #gnn_tile.traverse_schedule<rows_per_block = 8, columns_per_block = 128, window = 32, register_tile = 2, lanes = 16, element_lanes = 2, vector = 4, in_flight = 4, row_order = "by_degree", split_rows = 1024, stage_indices = true, stage_values = true, tile_rows = 4, tile_columns = 64, pinned = true>
module attributes {
  test.gemm = #gnn_tile.gemm_schedule<m = 64, n = 128, k = 32, warps = 8, stages = 3,
    mma = "tf32x3", coarsening = 4, blocks_per_sm = 2, pinned = true>,
  test.none = #gnn_tile.traverse_schedule<>,
  test.one = #gnn_tile.traverse_schedule<in_flight = 8>,
  test.traverse = #gnn_tile.traverse_schedule<rows_per_block = 8,
    columns_per_block = 128, window = 32, register_tile = 2, lanes = 16,
    element_lanes = 2, vector = 4, in_flight = 4, row_order = "by_degree",
    split_rows = 1024, stage_indices = true, stage_values = true,
    tile_rows = 4, tile_columns = 64, pinned = true>
} {}
