// RUN: gnn-opt %s --gnn-verify-form=form=blocked --gnn-tile-fuse-sums-into-products --split-input-file \
// RUN:   --remarks-filter='gnn-tile-fuse-sums-into-products' --remark-policy=all --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Loops over blocks that other passes have made.

gnn.graph @g square {node_types = 1, edge_types = 3}

// The view is of the block that sums.
//
// CHECK-LABEL: func.func @own_view
// CHECK-NOT:     gnn_tile.array
func.func @own_view(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst : index
  %c0 = arith.constant 0 : index
  %s = memref.alloc(%n) : memref<?x16xf32>
  %rows = gnn_tile.structure @g rows dst edge.in_rows : memref<?xi32>
  %sources = gnn_tile.structure @g map edge.in_rows src : memref<?xi32>
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n] step [8] schedule #gnn_tile.traverse_schedule<columns_per_block = 16, vector = 4, lanes = 4, head_lanes = 1, element_lanes = 8, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = by_length, split_rows = 1024> {
  ^bb0(%r: index):
    %own = memref.cast %x : memref<?x16xf32> to memref<?x16xf32>
    gnn_tile.traverse @g <dst, edge.in_rows, features = 16> rows[%r to %n] columns[%c0] ins(%own : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>] outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] index_arrays(%rows, %sources : memref<?xi32>, memref<?xi32>) schedule <columns_per_block = 16, vector = 4, lanes = 4, head_lanes = 1, element_lanes = 8, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = by_length, split_rows = 1024> {
    ^bb0(%v: f32):
      %sum = gnn_tile.reduce sum [element] %v : f32
      gnn_tile.yield %sum : f32
    }
  }
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n, 16, 1] step [64, 16, 1] schedule #gnn_tile.gemm_schedule<n = 16, kind = ffma, copies = registers> {
  ^bb0(%r: index, %c: index, %h: index):
    %c64 = arith.constant 64 : index
    %left = arith.subi %n, %r : index
    %count = arith.minsi %c64, %left : index
    // expected-remark @+1 {{stays a kernel: it reads what its own block has made}}
    gnn_tile.gemm @g rows dst rows[%r, %count] columns[%c] ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>) at <group : feature> extras at [] outs(%y : memref<?x16xf32>) at <group : feature> schedule <n = 16, kind = ffma, copies = registers> {
    ^bb0(%acc: f32):
      gnn_tile.yield %acc : f32
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 3}

// Blocks of rows alone.
//
// CHECK-LABEL: func.func @one_dimension
// CHECK-NOT:     gnn_tile.array
func.func @one_dimension(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %y: memref<?x16xf32>) {
  %n = gnn_tile.count @g count dst : index
  %c0 = arith.constant 0 : index
  %s = memref.alloc(%n) : memref<?x16xf32>
  %rows = gnn_tile.structure @g rows dst edge.in_rows : memref<?xi32>
  %sources = gnn_tile.structure @g map edge.in_rows src : memref<?xi32>
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n] step [8] schedule #gnn_tile.traverse_schedule<columns_per_block = 16, vector = 4, lanes = 4, head_lanes = 1, element_lanes = 8, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = by_length, split_rows = 1024> {
  ^bb0(%r: index):
    gnn_tile.traverse @g <dst, edge.in_rows, features = 16> rows[%r to %n] columns[%c0] ins(%x : memref<?x16xf32>) at [#gnn_tile.at<element -> src : feature>] outs(%s : memref<?x16xf32>) at [#gnn_tile.at<group : feature>] index_arrays(%rows, %sources : memref<?xi32>, memref<?xi32>) schedule <columns_per_block = 16, vector = 4, lanes = 4, head_lanes = 1, element_lanes = 8, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = by_length, split_rows = 1024> {
    ^bb0(%v: f32):
      %sum = gnn_tile.reduce sum [element] %v : f32
      gnn_tile.yield %sum : f32
    }
  }
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n] step [64] schedule #gnn_tile.gemm_schedule<n = 16, kind = ffma, copies = registers> {
  ^bb0(%r: index):
    %c64 = arith.constant 64 : index
    %left = arith.subi %n, %r : index
    %count = arith.minsi %c64, %left : index
    // expected-remark @+1 {{stays a kernel: the second dimension of the product's blocks is not its columns}}
    gnn_tile.gemm @g rows dst rows[%r, %count] columns[%c0] ins(%s, %w : memref<?x16xf32>, memref<16x16xf32>) at <group : feature> extras at [] outs(%y : memref<?x16xf32>) at <group : feature> schedule <n = 16, kind = ffma, copies = registers> {
    ^bb0(%acc: f32):
      gnn_tile.yield %acc : f32
    }
  }
  return
}
