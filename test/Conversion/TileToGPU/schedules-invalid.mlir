// RUN: gnn-opt %s --gnn-schedule-pipeline --convert-gnn-tile-to-gpu --verify-diagnostics --split-input-file

// A field that is set and cannot be honoured is named.

func.func @window(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'window': the traversal template reads rows straight from global memory}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <window = 32> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @split_rows(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'split_rows': expected reductions over elements, several rows a block and results of at most 40 KiB a block}}
  gnn_tile.traverse @g <dst, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <split_rows = 64> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  }
  return
}

// -----

func.func @stage_indices(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'stage_indices': the traversal template reads rows straight from global memory}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <stage_indices = true> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @stage_values(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'stage_values': the traversal template reads rows straight from global memory}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <stage_values = true> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @tile_rows(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'tile_rows': the traversal template reads rows straight from global memory}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <tile_rows = 4> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @tile_columns(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'tile_columns': the traversal template reads rows straight from global memory}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <tile_columns = 4> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @vector(%x: memref<?x6xf32>, %y: memref<?x6xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'vector': rows are aligned to 2 features, not to 4}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 6>
      ins(%x : memref<?x6xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x6xf32>) at [#gnn_tile.at<group : feature>]
      schedule <vector = 4> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @element_lanes(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'element_lanes': expected 2, got 8}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <element_lanes = 8> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @element_lanes_of_a_row(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'element_lanes': expected 1, got 2}}
  gnn_tile.traverse @g <dst, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <element_lanes = 2> {
  ^bb0(%v: f32):
    %s = math.exp %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @element_lanes_of_a_warp(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'element_lanes': expected 2, got 1}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <element_lanes = 1> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    %p = arith.mulf %v, %d : f32
    %s = gnn_tile.reduce sum [element] %p : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @columns_per_block(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'columns_per_block': expected a multiple of 64, got 48}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 48> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @columns_of_a_dot(%x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'columns_per_block': a reduction over features needs all 2 vectors of a row in one block}}
  gnn_tile.traverse @g <dst, features = 256>
      ins(%x : memref<?x256xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x256xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 128> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    %s = arith.mulf %v, %d : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @register_tile(%x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'register_tile': a reduction over features needs all 2 vectors of a row in one block}}
  gnn_tile.traverse @g <dst, features = 256>
      ins(%x : memref<?x256xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x256xf32>) at [#gnn_tile.at<group : feature>]
      schedule <register_tile = 1> {
  ^bb0(%v: f32):
    %d = gnn_tile.reduce sum [feature] %v : f32
    %s = arith.mulf %v, %d : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @rows_per_block(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'rows_per_block': expected whole warps and at most 1024 threads, got 2048 threads}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <rows_per_block = 64> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @half_a_warp(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'rows_per_block': expected whole warps and at most 1024 threads, got 16 threads}}
  gnn_tile.traverse @g <dst, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <rows_per_block = 1> {
  ^bb0(%v: f32):
    %s = math.exp %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @row_order(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'row_order': expected groups of nodes, got 'edge'}}
  gnn_tile.traverse @g <edge, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_order = "by_degree"> {
  ^bb0(%v: f32):
    %s = math.exp %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

// Products.

func.func @m(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op cannot honour the schedule's 'm': }}
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <m = 128> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

func.func @n(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op cannot honour the schedule's 'n': }}
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <n = 64> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

func.func @k(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op cannot honour the schedule's 'k': }}
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <k = 32> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

func.func @warps(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op cannot honour the schedule's 'warps': }}
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <warps = 4> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

func.func @stages(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op cannot honour the schedule's 'stages': }}
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <stages = 2> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

func.func @mma(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op cannot honour the schedule's 'mma': }}
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <mma = "tf32x3"> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

func.func @coarsening(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op cannot honour the schedule's 'coarsening': }}
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <coarsening = 8> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

func.func @blocks_per_sm(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op cannot honour the schedule's 'blocks_per_sm': }}
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <blocks_per_sm = 2> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

func.func @outer(%x: memref<?x64xf32>, %y: memref<?x8xf32>, %w: memref<64x8xf32>) {
  // expected-error @+1 {{'gnn_tile.outer' op cannot honour the schedule's 'mma': }}
  gnn_tile.outer @g rows src ins(%x, %y : memref<?x64xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%w : memref<64x8xf32>) schedule <mma = "bf16">
  return
}

// -----

func.func @too_wide(%x: memref<?x40000xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op reduces rows of 1 x 40000 features, of which a lane would hold 313 vectors, expected at most 256}}
  gnn_tile.traverse @g <dst, features = 40000>
      ins(%x : memref<?x40000xf32>) at [#gnn_tile.at<group : feature>]
      outs(%y : memref<?xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [feature] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}
