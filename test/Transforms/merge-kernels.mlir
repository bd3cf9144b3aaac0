// RUN: gnn-opt %s --gnn-merge-kernels --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter='gnn-merge-kernels' --remark-format=emitRemark \
// RUN:   | FileCheck %s

// Two layers of the same shape: their kernels differ in name and location.

// CHECK-LABEL: gpu.module @kernels
// CHECK:         gpu.func @first
// CHECK-NOT:     gpu.func
// CHECK-LABEL: func.func @two
// CHECK:         gpu.launch_func @kernels::@first blocks
// CHECK-NOT:     gnn.name
// CHECK:         gpu.launch_func @kernels::@first {{.*}} {gnn.name = "second"}
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @first(%x: memref<64xf32> {llvm.noalias}) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      memref.store %c, %x[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @second(%x: memref<64xf32> {llvm.noalias}) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      memref.store %c, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @two(%x: memref<64xf32>, %y: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@first blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    // expected-remark @+1 {{runs 'first', which does the same as 'second'}}
    gpu.launch_func @kernels::@second blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xf32>)
    return
  }
}

// -----

// A kernel is its ops with their attributes, its own attributes and those of
// its arguments: none of these are the same as another.

// CHECK-LABEL: gpu.module @others
// CHECK:         gpu.func @plain
// CHECK:         gpu.func @constant
// CHECK:         gpu.func @block
// CHECK:         gpu.func @argument
// CHECK:         gpu.func @operand
module attributes {gpu.container_module} {
  gpu.module @others {
    gpu.func @plain(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      memref.store %c, %x[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @constant(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c = arith.constant 2.0 : f32
      %i = gpu.thread_id x
      memref.store %c, %x[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @block(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      memref.store %c, %x[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @argument(%x: memref<64xf32> {llvm.noalias}, %y: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      memref.store %c, %x[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @operand(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      memref.store %c, %y[%i] : memref<64xf32>
      gpu.return
    }
  }
}

// -----

// Something else than a launch names the second one.

// CHECK-LABEL: gpu.module @named
// CHECK:         gpu.func @first
// CHECK:         gpu.func @second
// CHECK:       gpu.launch_func @named::@second
module attributes {gpu.container_module} {
  gpu.module @named {
    gpu.func @first() kernel {
      gpu.return
    }
    // expected-remark @+1 {{kept beside 'first', which does the same: not only launches name it}}
    gpu.func @second() kernel {
      gpu.return
    }
  }
  func.func @launch() attributes {prefers = @named::@second} {
    %c1 = arith.constant 1 : index
    gpu.launch_func @named::@second blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}
