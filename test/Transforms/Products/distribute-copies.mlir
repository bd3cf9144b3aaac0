// RUN: gnn-opt %s --gnn-schedule-pipeline='tensor-cores=false sum-runs=0' --gnn-tile-block-products --gnn-tile-lower-products --gnn-tile-copy-async --gnn-tile-load-ahead --gnn-tile-distribute --canonicalize --cse --split-input-file \
// RUN:   | FileCheck %s

gnn.graph @g square {node_types = 2, edge_types = 3}

// A thread copies 16 bytes of each of its rows, or zeros where there is no such row or
// column. It loads which rows they are in front of the wait for the step before. One
// barrier a step is enough: it stands behind the wait, so that all see what any has
// copied, and in front of the copies, so that none writes what another still reads. The
// sums read a line of what is staged.
//
// CHECK-LABEL: func.func @sums
// CHECK:         gnn_tile.blocks {{.+}} schedule #gnn_tile.gemm_schedule<n = 16, kind = ffma, copies = async>
// CHECK:         scf.if
// CHECK-COUNT-4:   memref.load %{{.+}} : memref<?xi32>
// CHECK-COUNT-4:   nvgpu.device_async_copy %{{.+}}, 4, %{{.+}} {bypassL1} : memref<?x100xf32> to memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK:           nvgpu.device_async_copy %{{.+}}, 4, %{{.+}} {bypassL1} : memref<?x8xf32> to memref<64x16xf32, #gpu.address_space<workgroup>>
// CHECK:           scf.for {{.+}} step %c32 iter_args({{.+}}) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, index) {
// CHECK-COUNT-4:     memref.load %{{.+}} : memref<?xi32>
// CHECK-NOT:         gpu.barrier
// CHECK:             nvgpu.device_async_wait
// CHECK:             gpu.barrier
// CHECK:             %[[COUNT:.+]] = arith.select %{{.+}}, %c4, %c0 : index
// CHECK:             nvgpu.device_async_copy %{{.+}}, 4, %[[COUNT]] {bypassL1} : memref<?x100xf32>
// CHECK:             nvgpu.device_async_copy %{{.+}} : memref<?x8xf32>
// CHECK-NOT:         gpu.barrier
// CHECK:             math.fma
// CHECK-NOT:         gpu.barrier
// CHECK:             vector.load %{{.+}} : memref<64x16xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK:             arith.addf %{{.+}} : vector<4xf32>
// CHECK:             scf.yield
// CHECK:           nvgpu.device_async_wait
// CHECK-NEXT:      gpu.barrier
// CHECK-NOT:       nvgpu
// CHECK:           math.fma
func.func @sums(%x: memref<?x100xf32>, %dy: memref<?x8xf32>, %dw: memref<3x100x8xf32>, %db: memref<3x8xf32>) {
  gnn_tile.outer @g rows src_pair types edge_type
      ins(%x, %dy : memref<?x100xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<3x100x8xf32>) sums(%db : memref<3x8xf32>)
  return
}

// -----

gnn.graph @g square {node_types = 2, edge_types = 3}

// The weight of a gemm is copied while its input is loaded.
//
// CHECK-LABEL: func.func @weight
// CHECK-COUNT-8:   vector.load %{{.+}} : memref<?x64xf32>, vector<4xf32>
// CHECK-COUNT-8:   nvgpu.device_async_copy %{{.+}}, 4 {bypassL1} : memref<3x64x64xf32> to memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK:           memref.store %{{.+}} : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK:           nvgpu.device_async_wait
// CHECK-NEXT:      gpu.barrier
// CHECK-NOT:       gpu.barrier
// CHECK:           math.fma
func.func @weight(%x: memref<?x64xf32>, %w: memref<3x64x64xf32>, %y: memref<?x64xf32>) {
  gnn_tile.gemm @g rows edge.dst_pairs types edge_type
      ins(%x, %w : memref<?x64xf32>, memref<3x64x64xf32>)
      at <group -> src : feature> extras at []
      outs(%y : memref<?x64xf32>) at <group -> edge.in_rows : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  return
}

// -----

gnn.graph @g square {node_types = 1, edge_types = 1}

// Rows that are not aligned to 16 bytes are loaded, and so is a transposed weight.
//
// CHECK-LABEL: func.func @loaded
// CHECK-NOT:     nvgpu
// CHECK:         copies = registers
// CHECK-NOT:     nvgpu
// CHECK:         copies = registers
func.func @loaded(%x: memref<?x6xf32>, %w: memref<8x6xf32>, %y: memref<?x8xf32>, %dw: memref<6x8xf32>) {
  gnn_tile.gemm @g rows node transposed ins(%x, %w : memref<?x6xf32>, memref<8x6xf32>)
      at <group : feature> extras at [] outs(%y : memref<?x8xf32>) at <group : feature> {
  ^bb0(%acc: f32):
    gnn_tile.yield %acc : f32
  }
  gnn_tile.outer @g rows node ins(%x, %y : memref<?x6xf32>, memref<?x8xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>]
      outs(%dw : memref<6x8xf32>)
  return
}
