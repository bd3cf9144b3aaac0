// RUN: gnn-opt %s --gnn-schedule-pipeline --convert-gnn-tile-to-gpu --verify-diagnostics --split-input-file

func.func @window(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @+1 {{'gnn_tile.traverse' op cannot honour the schedule's 'window': the traversal template reads rows straight from global memory}}
  gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : memref<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>]
      schedule <window = 32> {
  ^bb0(%xv: f32):
    %s = gnn_tile.reduce sum [element] %xv : f32
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
  ^bb0(%xv: f32):
    %s = gnn_tile.reduce sum [element] %xv : f32
    gnn_tile.yield %s : f32
  }
  return
}

// -----

func.func @mma(%x: memref<?x64xf32>, %w: memref<64x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @+1 {{'gnn_tile.gemm' op cannot honour the schedule's 'mma'}}
  gnn_tile.gemm @g rows src ins(%x, %w : memref<?x64xf32>, memref<64x8xf32>)
      at <group : feature> extras at []
      outs(%y : memref<?x8xf32>) at <group : feature> schedule <mma = "tf32"> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
