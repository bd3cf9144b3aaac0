// RUN: gnn-opt %s --gnn-verify-schedules --split-input-file --verify-diagnostics

// Operands that a schedule has copied must lie in rows of whole 16 bytes.

gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @rows(%x: memref<?x6xf32>, %dy: memref<?x8xf32>, %dw: memref<6x8xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'copies': expected rows of f32 aligned to 16 bytes for async, got memref<?x6xf32>}}
  gnn_tile.outer @g rows node ins(%x, %dy : memref<?x6xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<6x8xf32>) schedule <n = 16, kind = ffma, copies = async>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @element(%x: memref<?x8xbf16>, %dy: memref<?x8xbf16>, %dw: memref<8x8xbf16>) {
  // expected-error @+1 {{cannot honour the schedule's 'copies': expected rows of f32 aligned to 16 bytes for async, got memref<?x8xbf16>}}
  gnn_tile.outer @g rows node ins(%x, %dy : memref<?x8xbf16>, memref<?x8xbf16>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<8x8xbf16>) schedule <n = 16, kind = ffma, copies = async>
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @transposed(%x: memref<?x64xf32>, %w: memref<8x64xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{cannot honour the schedule's 'copies': expected a weight of f32 with rows aligned to 16 bytes for async, got a transposed one of memref<8x64xf32>}}
  gnn_tile.gemm @g rows node transposed ins(%x, %w : memref<?x64xf32>, memref<8x64xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x8xf32>) at <group : feature>
      schedule <n = 16, kind = ffma, copies = async> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @columns(%x: memref<?x64xf32>, %w: memref<64x7xf32>, %y: memref<?x7xf32>) {
  // expected-error @+1 {{expected a weight of f32 with rows aligned to 16 bytes for async, got memref<64x7xf32>}}
  gnn_tile.gemm @g rows node ins(%x, %w : memref<?x64xf32>, memref<64x7xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x7xf32>) at <group : feature>
      schedule <n = 16, kind = ffma, copies = async> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
