// Products of the cores of a CPU have no bounds for registers.
//
// RUN: gnn-opt %s --split-input-file --gnn-attach-target=kind=cpu --gnn-verify-schedules --verify-diagnostics

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @registers(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'max_registers': expected a GPU, got the core of a CPU}}
  gnn_tile.gemm @g rows dst ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x64xf32>) at <group : feature>
      schedule <n = 64, kind = ffma, copies = registers, max_registers = 64> {
  ^bb0(%p: f32):
    gnn_tile.yield %p : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

func.func @blocks(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'processor_blocks': expected a GPU, got the core of a CPU}}
  gnn_tile.gemm @g rows dst ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x64xf32>) at <group : feature>
      schedule <n = 64, kind = ffma, copies = registers, processor_blocks = 1> {
  ^bb0(%p: f32):
    gnn_tile.yield %p : f32
  }
  return
}
