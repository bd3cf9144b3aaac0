// RUN: gnn-opt %s --gnn-tile-lower-core-products --split-input-file --verify-diagnostics

// A core of a CPU has neither what multiplies so nor memory to copy to.

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @kind(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [%n] step [64] {
  ^bb0(%i: index):
    // expected-error @+1 {{cannot honour the schedule's 'kind': expected ffma on the cores of a CPU, got tf32x3}}
    gnn_tile.gemm @g rows src rows[%i, %n] columns[%c0]
        ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>) at <group : feature> extras at []
        outs(%y : memref<?x64xf32>) at <group : feature> schedule <n = 64, kind = tf32x3> {
    ^bb0(%acc: f32):
      gnn_tile.yield %acc : f32
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @copies(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  gnn_tile.blocks to [%n] step [64] {
  ^bb0(%i: index):
    // expected-error @+1 {{cannot honour the schedule's 'copies': expected registers on the cores of a CPU, got async}}
    gnn_tile.gemm @g rows src rows[%i, %n] columns[%c0]
        ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>) at <group : feature> extras at []
        outs(%y : memref<?x64xf32>) at <group : feature> schedule <n = 64, copies = async> {
    ^bb0(%acc: f32):
      gnn_tile.yield %acc : f32
    }
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @whole(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a product on a range, got one on all rows (gnn-tile-block-products makes blocks)}}
  gnn_tile.gemm @g rows src
      ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>) at <group : feature> extras at []
      outs(%y : memref<?x64xf32>) at <group : feature> schedule <n = 64> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

func.func @no_blocks(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>, %i: index, %n: index) {
  // expected-error @+1 {{'gnn_tile.gemm' op expected a product in a loop over blocks, got 'func.func'}}
  gnn_tile.gemm @g rows src rows[%i, %n] columns[%i]
      ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>) at <group : feature> extras at []
      outs(%y : memref<?x64xf32>) at <group : feature> schedule <n = 64> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
