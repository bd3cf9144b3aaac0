// RUN: gnn-opt %s --gnn-verify-launch-form --verify-diagnostics --split-input-file

// Straight lines of launches pass.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<8xf32>) kernel {
      gpu.return
    }
  }
  func.func @launches(%x: memref<8xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<8xf32>)
    return
  }
}

// -----

func.func @copies(%x: memref<8xf32>, %y: memref<8xf32>) {
  // expected-error @+1 {{has no place in a launch plan: expected host scalars, structures, constants, views of the workspace and launches, got 'memref.copy'}}
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  return
}
