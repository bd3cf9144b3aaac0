// RUN: gnn-translate %s --gnn-to-ptx --features=+ptx80 | FileCheck %s

// Joint work of the threads of a block.

// CHECK: .version 8.0
// CHECK: .target sm_90

gpu.module @kernels {
  // CHECK-LABEL: .entry block_sum(
  // CHECK:       shfl.sync.bfly.b32
  // CHECK:       st.shared
  // CHECK:       bar{{(rier)?}}.sync
  // CHECK:       ld.shared
  gpu.func @block_sum(%x: memref<64xf32> {llvm.noalias})
      workgroup(%parts: memref<2xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %warp = arith.constant 32 : index
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<64xf32>
    %other, %valid = gpu.shuffle xor %v, %c1, %c32 : f32
    %sum = arith.addf %v, %other : f32
    %w = arith.divui %i, %warp : index
    memref.store %sum, %parts[%w] : memref<2xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %c0 = arith.constant 0 : index
    %first = memref.load %parts[%c0] : memref<2xf32, #gpu.address_space<workgroup>>
    memref.store %first, %x[%i] : memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry tensor_core(
  // CHECK:       cp.async.cg.shared.global
  // CHECK:       cp.async.commit_group
  // CHECK:       cp.async.wait_group
  // CHECK:       ldmatrix.sync.aligned.m8n8.x4.shared.b16
  // CHECK:       mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
  gpu.func @tensor_core(%x: memref<16x8xf32> {llvm.noalias},
                        %w: memref<2x32xf32> {llvm.noalias, llvm.readonly},
                        %y: memref<32x4xf32> {llvm.noalias})
      workgroup(%tile: memref<16x8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %lane = gpu.thread_id x
    %row = arith.divui %lane, %c2 : index
    %half = arith.remui %lane, %c2 : index
    %column = arith.muli %half, %c4 : index
    %token = nvgpu.device_async_copy %x[%row, %column], %tile[%row, %column], 4 {bypassL1} : memref<16x8xf32> to memref<16x8xf32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %token
    nvgpu.device_async_wait %group {numGroups = 0 : i32}
    gpu.barrier
    %a = nvgpu.ldmatrix %tile[%row, %column] {numTiles = 4 : i32, transpose = false} : memref<16x8xf32, #gpu.address_space<workgroup>> -> vector<4x1xf32>
    %zero = arith.constant dense<0.0> : vector<2x2xf32>
    %c1 = arith.constant 1 : index
    %b0 = memref.load %w[%c0, %lane] : memref<2x32xf32>
    %b1 = memref.load %w[%c1, %lane] : memref<2x32xf32>
    %b = vector.from_elements %b0, %b1 : vector<2x1xf32>
    %d = nvgpu.mma.sync (%a, %b, %zero) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
    %flat = vector.shape_cast %d : vector<2x2xf32> to vector<4xf32>
    vector.store %flat, %y[%lane, %c0] {alignment = 16 : i64} : memref<32x4xf32>, vector<4xf32>
    gpu.return
  }
}
