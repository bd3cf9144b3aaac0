// Bounds for registers that no kernel can have are errors that name the field.
//
// RUN: gnn-opt %s --split-input-file --gnn-attach-target=chip=h200 --gnn-verify-schedules --verify-diagnostics

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @few(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      // expected-error @+1 {{expected 'max_registers' from 24 to 255, got 23}}
      schedule <max_registers = 23> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @many(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      // expected-error @+1 {{expected 'max_registers' from 24 to 255, got 256}}
      schedule <max_registers = 256> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @of_a_block(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'max_registers': a multiprocessor has at most 65536 registers, 64 for each of the 1024 threads of a block, got 65}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 4, rows_per_block = 64, row_order = natural, row_walk = team, max_registers = 65> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @of_blocks(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'max_registers': a multiprocessor has at most 65536 registers, 32 for each of the 2048 threads of 8 blocks, got 33}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <columns_per_block = 64, vector = 4, lanes = 16, head_lanes = 1, element_lanes = 1, in_flight = 4, processor_blocks = 8, rows_per_block = 16, row_order = natural, row_walk = team, max_registers = 33> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @product_threads(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'processor_blocks': a multiprocessor has at most 2048 threads at work, got 17 blocks of 128}}
  gnn_tile.gemm @g rows dst ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x64xf32>) at <group : feature>
      schedule <n = 64, kind = ffma, copies = registers, processor_blocks = 17> {
  ^bb0(%p: f32):
    gnn_tile.yield %p : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @product_registers(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'max_registers': a multiprocessor has at most 65536 registers, 64 for each of the 1024 threads of 8 blocks, got 72}}
  gnn_tile.gemm @g rows dst ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x64xf32>) at <group : feature>
      schedule <n = 64, kind = ffma, copies = registers, processor_blocks = 8, max_registers = 72> {
  ^bb0(%p: f32):
    gnn_tile.yield %p : f32
  }
  return
}
