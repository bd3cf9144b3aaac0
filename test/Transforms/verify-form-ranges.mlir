// RUN: gnn-opt %s --gnn-verify-form=form=blocked --verify-diagnostics --split-input-file

gnn.graph @g square {node_types = 1, edge_types = 1}

// A pass has changed the schedule on the blocked form: rows between 16 and 64 of each
// block would be written by nobody.
func.func @form_c8_rows(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n] step [64] schedule #gnn_tile.traverse_schedule<columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 16, row_order = natural, row_walk = team> {
  ^bb0(%b: index):
    // expected-error @+1 {{'gnn_tile.traverse' op expected 64 rows a block, where the next block begins, got 16}}
    gnn_tile.traverse @g <edge, features = 64> rows[%b to %n] columns[%c0]
        ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
        outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
        schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 16, row_order = natural, row_walk = team> {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// A block that walks its row together takes one.
func.func @form_c8_block_walk(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %rows: memref<?xi32>, %map: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n] step [8] schedule #gnn_tile.traverse_schedule<columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = block> {
  ^bb0(%b: index):
    // expected-error @+1 {{'gnn_tile.traverse' op expected 8 rows a block, where the next block begins, got 1}}
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> rows[%b to %n] columns[%c0]
        ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
        outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
        index_arrays(%rows, %map : memref<?xi32>, memref<?xi32>)
        schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 8, row_order = natural, row_walk = block> {
    ^bb0(%v: f32):
      %s = gnn_tile.reduce sum [element] %v : f32
      gnn_tile.yield %s : f32
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c8_tiles_of_columns(%x: memref<?x320xf32>, %y: memref<?x320xf32>, %n: index) {
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n, 320] step [16, 256] schedule #gnn_tile.traverse_schedule<columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 16, row_order = natural, row_walk = team> {
  ^bb0(%b: index, %c: index):
    // expected-error @+1 {{'gnn_tile.traverse' op expected 256 columns a block, where the next block begins, got 64}}
    gnn_tile.traverse @g <edge, features = 320> rows[%b to %n] columns[%c]
        ins(%x : memref<?x320xf32>) at [#gnn_tile.at<group : feature>]
        outs(%y : memref<?x320xf32>) at [#gnn_tile.at<group : feature>]
        schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 16, row_order = natural, row_walk = team> {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c8_all_columns(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n] step [16] schedule #gnn_tile.traverse_schedule<columns_per_block = 32, vector = 4, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 16, row_order = natural, row_walk = team> {
  ^bb0(%b: index):
    // expected-error @+1 {{'gnn_tile.traverse' op expected all 64 columns in a block, got 32}}
    gnn_tile.traverse @g <edge, features = 64> rows[%b to %n] columns[%c0]
        ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
        outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
        schedule <columns_per_block = 32, vector = 4, lanes = 8, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 16, row_order = natural, row_walk = team> {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c8_gemm_columns(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>, %n: index) {
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n, 64, 1] step [64, 64, 1] schedule #gnn_tile.gemm_schedule<n = 16, kind = ffma> {
  ^bb0(%b: index, %c: index, %h: index):
    %left = arith.subi %n, %b : index
    // expected-error @+1 {{'gnn_tile.gemm' op expected 64 columns a block, where the next block begins, got 16}}
    gnn_tile.gemm @g rows edge rows[%b, %left] columns[%c]
        ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>) at <group : feature> extras at []
        outs(%y : memref<?x64xf32>) at <group : feature> schedule <n = 16, kind = ffma> {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// A product takes 64 rows, whatever its schedule says.
func.func @form_c8_gemm_rows(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>, %n: index) {
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n, 64, 1] step [128, 64, 1] schedule #gnn_tile.gemm_schedule<n = 64, kind = ffma> {
  ^bb0(%b: index, %c: index, %h: index):
    %left = arith.subi %n, %b : index
    // expected-error @+1 {{'gnn_tile.gemm' op expected 128 rows a block, where the next block begins, got 64}}
    gnn_tile.gemm @g rows edge rows[%b, %left] columns[%c]
        ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>) at <group : feature> extras at []
        outs(%y : memref<?x64xf32>) at <group : feature> schedule <n = 64, kind = ffma> {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// Tiles of a matrix are numbered by one dimension of the grid.
func.func @form_c8_outer_columns(%x: memref<?x32xf32>, %y: memref<?x80xf32>, %z: memref<32x80xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [1, 2, 1] step [1, 1, 1] schedule #gnn_tile.gemm_schedule<n = 16, kind = ffma> {
  ^bb0(%b: index, %t: index, %h: index):
    %tile:2 = affine.delinearize_index %t into (2) : index, index
    %c64 = arith.constant 64 : index
    %left = arith.muli %tile#0, %c64 : index
    %right = arith.muli %tile#1, %c64 : index
    // expected-error @+1 {{'gnn_tile.outer' op expected 64 columns of 'right' a block, where the next block begins, got 16}}
    gnn_tile.outer @g rows dst rows[%c0, %n] left[%left] right[%right]
        ins(%x, %y : memref<?x32xf32>, memref<?x80xf32>) at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
        outs(%z : memref<32x80xf32>) schedule <n = 16, kind = ffma>
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @form_c8_outer_rows(%x: memref<?x128xf32>, %y: memref<?x16xf32>, %z: memref<128x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [1, 4, 1] step [1, 1, 1] schedule #gnn_tile.gemm_schedule<n = 16, kind = ffma> {
  ^bb0(%b: index, %t: index, %h: index):
    %c32 = arith.constant 32 : index
    %left = arith.muli %t, %c32 : index
    // expected-error @+1 {{'gnn_tile.outer' op expected 32 columns of 'left' a block, where the next block begins, got 64}}
    gnn_tile.outer @g rows dst rows[%c0, %n] left[%left] right[%c0]
        ins(%x, %y : memref<?x128xf32>, memref<?x16xf32>) at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
        outs(%z : memref<128x16xf32>) schedule <n = 16, kind = ffma>
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// Products of what a block has summed share the columns of a step: the second one is not
// behind the first. The sum itself has all rows of its range.
func.func @form_c8_shared(%x: memref<?x64xf32>, %w: memref<64x96xf32>, %y: memref<?x96xf32>, %rows: memref<?xi32>, %map: memref<?xi32>, %n: index) {
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n, 96, 1] step [64, 96, 1] schedule [#gnn_tile.traverse_schedule<columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 4, row_order = natural, row_walk = team>, #gnn_tile.gemm_schedule<n = 32, kind = ffma>] {
  ^bb0(%b: index, %c: index, %h: index):
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %left = arith.subi %n, %b : index
    %end = arith.addi %b, %left : index
    %second = arith.addi %c, %c64 : index
    %sums = gnn_tile.array : memref<64x64xf32, #gpu.address_space<workgroup>>
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> rows[%b to %end] columns[%c0]
        ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
        outs(%sums : memref<64x64xf32, #gpu.address_space<workgroup>>) at [#gnn_tile.at<group : feature>]
        index_arrays(%rows, %map : memref<?xi32>, memref<?xi32>)
        schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 2, in_flight = 4, rows_per_block = 4, row_order = natural, row_walk = team> {
    ^bb0(%v: f32):
      %s = gnn_tile.reduce sum [element] %v : f32
      gnn_tile.yield %s : f32
    }
    // expected-error @+1 {{'gnn_tile.gemm' op expected 96 columns a block, where the next block begins, got 32}}
    gnn_tile.gemm @g rows dst rows[%b, %left] columns[%c]
        ins(%sums, %w : memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x96xf32>) at <group : feature> extras at []
        outs(%y : memref<?x96xf32>) at <group : feature> schedule <n = 32, kind = ffma> {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
    gnn_tile.gemm @g rows dst rows[%b, %left] columns[%second]
        ins(%sums, %w : memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x96xf32>) at <group : feature> extras at []
        outs(%y : memref<?x96xf32>) at <group : feature> schedule <n = 32, kind = ffma> {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// Two blocks would write behind the columns.
func.func @form_c8_too_many(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) {
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n, 96] step [64, 16] schedule #gnn_tile.traverse_schedule<columns_per_block = 16, vector = 4, lanes = 4, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 64, row_order = natural, row_walk = team> {
  ^bb0(%b: index, %c: index):
    // expected-error @+1 {{'gnn_tile.traverse' op expected 4 blocks of 16 of its 64 columns, got 6}}
    gnn_tile.traverse @g <edge, features = 64> rows[%b to %n] columns[%c]
        ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
        outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
        schedule <columns_per_block = 16, vector = 4, lanes = 4, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 64, row_order = natural, row_walk = team> {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// The last 32 columns would be written by nobody.
func.func @form_c8_too_few(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %n: index) {
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n, 32] step [64, 16] schedule #gnn_tile.traverse_schedule<columns_per_block = 16, vector = 4, lanes = 4, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 64, row_order = natural, row_walk = team> {
  ^bb0(%b: index, %c: index):
    // expected-error @+1 {{'gnn_tile.traverse' op expected 4 blocks of 16 of its 64 columns, got 2}}
    gnn_tile.traverse @g <edge, features = 64> rows[%b to %n] columns[%c]
        ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
        outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
        schedule <columns_per_block = 16, vector = 4, lanes = 4, head_lanes = 1, element_lanes = 1, in_flight = 1, rows_per_block = 64, row_order = natural, row_walk = team> {
    ^bb0(%v: f32):
      gnn_tile.yield %v : f32
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// The row pointer of sources in place of that of destinations.
func.func @form_c2_index_array(%x: memref<?x1xf32>, %y: memref<?x1xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %rows = gnn_tile.structure @g rows src edge.out_rows : memref<?xi32>
  gnn_tile.cost %n, %n, %n
  gnn_tile.blocks to [%n] step [64] schedule #gnn_tile.traverse_schedule<columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 4, in_flight = 4, rows_per_block = 64, row_order = natural, row_walk = team> {
  ^bb0(%b: index):
    // expected-error @+1 {{'gnn_tile.traverse' op expected the index array '@g rows dst edge.in_rows', got '@g rows src edge.out_rows'}}
    gnn_tile.traverse @g <dst, edge.in_rows> rows[%b to %n] columns[%c0]
        ins(%x : memref<?x1xf32>) at [#gnn_tile.at<element : feature>]
        outs(%y : memref<?x1xf32>) at [#gnn_tile.at<group : feature>]
        index_arrays(%rows : memref<?xi32>)
        schedule <columns_per_block = 1, vector = 1, lanes = 1, head_lanes = 1, element_lanes = 4, in_flight = 4, rows_per_block = 64, row_order = natural, row_walk = team> {
    ^bb0(%v: f32):
      %s = gnn_tile.reduce sum [element] %v : f32
      gnn_tile.yield %s : f32
    }
  }
  return
}
