// RUN: gnn-opt %s --gnn-ptx-pipeline --verify-diagnostics --split-input-file

// An op of the math dialect without an expansion is named, not the function
// that stands for it.
gpu.module @no_expansion {
  gpu.func @k(%x: memref<32xf32>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<32xf32>
    // expected-error @+1 {{'math.asin' has no form for the device: expected an op that gnn-expand-device-math expands, got a call of libdevice's '__nv_asinf'}}
    %y = math.asin %v : f32
    memref.store %y, %x[%i] : memref<32xf32>
    gpu.return
  }
}

// -----

gpu.module @f64 {
  gpu.func @k(%x: memref<32xf64>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<32xf64>
    // expected-error @+1 {{'math.exp' has no form for the device: expected an op that gnn-expand-device-math expands, got a call of libdevice's '__nv_exp'}}
    %y = math.exp %v : f64
    memref.store %y, %x[%i] : memref<32xf64>
    gpu.return
  }
}

// -----

gpu.module @remainder {
  gpu.func @k(%x: memref<32xf32>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<32xf32>
    // expected-error @+1 {{'arith.remf' has no form for the device}}
    %y = arith.remf %v, %v : f32
    memref.store %y, %x[%i] : memref<32xf32>
    gpu.return
  }
}

// -----

gpu.module @call {
  llvm.func @elsewhere()
  llvm.func @k() {
    // expected-error @+1 {{expected kernels to call functions with a body, got a call of 'elsewhere'}}
    llvm.call @elsewhere() : () -> ()
    llvm.return
  }
}

// -----

gpu.module @not_lowered {
  gpu.func @k(%x: memref<32xi32>, %n: i32) kernel {
    %i = gpu.thread_id x
    // expected-error @+1 {{'math.ipowi' has no form for the device: expected only ops of llvm and nvvm in lowered kernels}}
    %y = math.ipowi %n, %n : i32
    memref.store %y, %x[%i] : memref<32xi32>
    gpu.return
  }
}
