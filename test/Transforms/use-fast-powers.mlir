// RUN: gnn-opt %s --pass-pipeline='builtin.module(gpu.module(gnn-use-fast-powers))' --split-input-file \
// RUN:   --remarks-filter=gnn-use-fast-powers --remark-format=emitRemark --verify-diagnostics | FileCheck %s
// RUN: gnn-opt %s --gnn-math-pipeline --split-input-file | FileCheck %s --check-prefix=MATH

module attributes {gnn.target = #gnn.target<kind = "cuda", name = "some", chip = "sm_90", limits = {lanes = 32, threads = 1024, shared_bytes = 49152, registers = 65536}, abilities = [fast_powers], figures = {}>} {
  gpu.module @kernels {
    // A power that may be approximate is an instruction, and no other one.
    //
    // CHECK-LABEL: gpu.func @powers
    // CHECK:         %[[LOG2E:.+]] = arith.constant 1.442695
    // CHECK:         %[[T:.+]] = arith.mulf %arg0, %[[LOG2E]] : f32
    // CHECK:         math.exp2 %[[T]] fastmath<afn> : f32
    // CHECK:         math.exp %arg0 : f32
    // MATH-LABEL:  gpu.func @powers
    // MATH:          math.exp2 %{{.+}} fastmath<afn> : f32
    // MATH-NOT:      math.exp
    // expected-remark @+1 {{1 power by an instruction}}
    gpu.func @powers(%x: f32, %to: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %y = math.exp %x fastmath<afn> : f32
      %z = math.exp %x : f32
      memref.store %y, %to[%c0] : memref<?xf32>
      memref.store %z, %to[%c1] : memref<?xf32>
      gpu.return
    }
  }
}

// -----

module attributes {gnn.target = #gnn.target<kind = "cuda", name = "some", chip = "sm_90", limits = {lanes = 32, threads = 1024, shared_bytes = 49152, registers = 65536}, abilities = [], figures = {}>} {
  gpu.module @kernels {
    // Negative: a target without the instruction.
    //
    // CHECK-LABEL: gpu.func @expanded
    // CHECK:         math.exp %arg0 fastmath<afn> : f32
    // MATH-LABEL:  gpu.func @expanded
    // MATH-NOT:      math.exp
    gpu.func @expanded(%x: f32, %to: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %y = math.exp %x fastmath<afn> : f32
      memref.store %y, %to[%c0] : memref<?xf32>
      gpu.return
    }
  }
}
