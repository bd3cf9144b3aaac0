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

// -----

// Not the casts around it.
gpu.module @product_of_all {
  gpu.func @k(%x: memref<32xf32>, %y: memref<32xf32>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<32xf32>
    // expected-error @+1 {{'memref.atomic_rmw' has no form for the device: expected only ops of llvm and nvvm in lowered kernels}}
    %r = memref.atomic_rmw mulf %v, %y[%i] : (f32, memref<32xf32>) -> f32
    gpu.return
  }
}

// -----

// LLVM crashes on such a conversion.
gpu.module @wide_integer {
  gpu.func @k(%x: memref<32xf32>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<32xf32>
    // expected-error @+1 {{'llvm.fptosi' has no form for the device: expected numbers of at most 64 bits, got 'i128'}}
    %wide = arith.fptosi %v : f32 to i128
    %half = arith.trunci %wide : i128 to i32
    %y = arith.bitcast %half : i32 to f32
    memref.store %y, %x[%i] : memref<32xf32>
    gpu.return
  }
}

// -----

gpu.module @wide_float {
  gpu.func @k(%x: memref<32xf32>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<32xf32>
    // expected-error @+1 {{'llvm.fpext' has no form for the device: expected numbers of at most 64 bits, got 'f128'}}
    %wide = arith.extf %v : f32 to f128
    %square = arith.mulf %wide, %wide : f128
    %y = arith.truncf %square : f128 to f32
    memref.store %y, %x[%i] : memref<32xf32>
    gpu.return
  }
}
