// RUN: gnn-opt %s --gnn-tile-schedule-products | FileCheck %s
// RUN: gnn-opt %s --gnn-tile-schedule-products=registers=false | FileCheck %s --check-prefix=OFF
// RUN: gnn-opt %s --gnn-tile-schedule-products=tensor-cores=false | FileCheck %s --check-prefix=OFF

// A product on tensor cores of rows in order, whose depth is staged at once, states the registers of its threads.
// OFF-LABEL: @wide
// OFF-NOT: max_registers
// OFF-LABEL: @given

gnn.graph @g square {node_types = 2, edge_types = 3}

// CHECK-LABEL: @wide
// CHECK: gnn_tile.gemm {{.*}} schedule <n = 64, kind = tf32x3, copies = async, max_registers = 128>
func.func @wide(%x: memref<?x48xf32>, %w: memref<48x128xf32>, %y: memref<?x128xf32>) {
  gnn_tile.gemm @g rows node ins(%x, %w : memref<?x48xf32>, memref<48x128xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x128xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// CHECK-LABEL: @narrow
// CHECK: gnn_tile.gemm {{.*}} schedule <n = 32, kind = tf32x3, copies = async, max_registers = 96>
func.func @narrow(%x: memref<?x64xf32>, %w: memref<64x32xf32>, %y: memref<?x32xf32>) {
  gnn_tile.gemm @g rows node ins(%x, %w : memref<?x64xf32>, memref<64x32xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x32xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// Tiles of 16 columns, depths of several steps, little depth, gathered rows and weights of types keep what ptxas takes.
// CHECK-LABEL: @narrowest
// CHECK: gnn_tile.gemm {{.*}} schedule <n = 16, kind = tf32x3, copies = async>
func.func @narrowest(%x: memref<?x64xf32>, %w: memref<64x16xf32>, %y: memref<?x16xf32>) {
  gnn_tile.gemm @g rows node ins(%x, %w : memref<?x64xf32>, memref<64x16xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x16xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// CHECK-LABEL: @deep
// CHECK: gnn_tile.gemm {{.*}} schedule <n = 64, kind = tf32x3, copies = async>
func.func @deep(%x: memref<?x65xf32>, %w: memref<65x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.gemm @g rows node ins(%x, %w : memref<?x65xf32>, memref<65x64xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x64xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// CHECK-LABEL: @shallow
// CHECK: gnn_tile.gemm {{.*}} schedule <n = 64, kind = tf32x3, copies = async>
func.func @shallow(%x: memref<?x32xf32>, %w: memref<32x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.gemm @g rows node ins(%x, %w : memref<?x32xf32>, memref<32x64xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x64xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// CHECK-LABEL: @gathered
// CHECK: gnn_tile.gemm {{.*}} schedule <n = 64, kind = tf32x3, copies = async>
func.func @gathered(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.gemm @g rows src_pair ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>)
      at <group -> src : feature> extras at [] outs(%y : memref<?x64xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// CHECK-LABEL: @typed
// CHECK: gnn_tile.gemm {{.*}} schedule <n = 64, kind = tf32x3, copies = async>
func.func @typed(%x: memref<?x64xf32>, %w: memref<3x64x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.gemm @g rows src_pair types edge_type ins(%x, %w : memref<?x64xf32>, memref<3x64x64xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x64xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// Registers that are stated otherwise are kept.
// CHECK-LABEL: @given
// CHECK: gnn_tile.gemm {{.*}} schedule <n = 64, kind = tf32x3, copies = async, processor_blocks = 5>
// CHECK: gnn_tile.gemm {{.*}} schedule <n = 64, kind = tf32x3, copies = async, max_registers = 80>
func.func @given(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.gemm @g rows node ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x64xf32>) at <group : feature>
      schedule <processor_blocks = 5> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  gnn_tile.gemm @g rows node ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x64xf32>) at <group : feature>
      schedule <max_registers = 80> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}
