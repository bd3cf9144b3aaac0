// RUN: gnn-opt %s --verify-roundtrip | FileCheck %s

// Every field parses and prints; those left out stay out.
//
// CHECK-LABEL: module
// CHECK-SAME:    test.core = #gnn_tile.core_schedule<columns_per_block = 128, vector = 16, rows_per_block = 64, row_order = natural>
// CHECK-SAME:    test.gemm = #gnn_tile.gemm_schedule<n = 32>
// CHECK-SAME:    test.none = #gnn_tile.traverse_schedule<>
// CHECK-SAME:    test.one = #gnn_tile.traverse_schedule<in_flight = 8>
// CHECK-SAME:    test.traverse = #gnn_tile.traverse_schedule<columns_per_block = 128, vector = 4, lanes = 8, head_lanes = 2, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = by_degree, row_walk = by_length, split_rows = 1024>
module attributes {
  test.core = #gnn_tile.core_schedule<columns_per_block = 128, vector = 16,
    rows_per_block = 64, row_order = natural>,
  test.gemm = #gnn_tile.gemm_schedule<n = 32>,
  test.none = #gnn_tile.traverse_schedule<>,
  test.one = #gnn_tile.traverse_schedule<in_flight = 8>,
  test.traverse = #gnn_tile.traverse_schedule<columns_per_block = 128, vector = 4,
    lanes = 8, head_lanes = 2, element_lanes = 2, in_flight = 4,
    rows_per_block = 8, row_order = by_degree, row_walk = by_length,
    split_rows = 1024>
} {}
