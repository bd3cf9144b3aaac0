// RUN: gnn-opt %s --gnn-merge-kernels --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// The kernel that stays has the locations of all, its own first.
//
// CHECK-LABEL: gpu.func @first
// CHECK:         gpu.thread_id {{.*}}loc(fused["m":1:2, "m":5:6, "m":9:3])
// CHECK:         gpu.return loc(fused["m":2:2, "m":6:6, "m":9:4])
// CHECK-NEXT:  } loc(fused["m":3:2, "m":7:6, "m":9:5])
// CHECK-NOT:   gpu.func
gpu.module @kernels {
  gpu.func @first() kernel {
    %i = gpu.thread_id x loc("m":1:2)
    gpu.return loc("m":2:2)
  } loc("m":3:2)
  gpu.func @second() kernel {
    %i = gpu.thread_id x loc("m":5:6)
    gpu.return loc("m":6:6)
  } loc("m":7:6)
  gpu.func @third() kernel {
    %i = gpu.thread_id x loc("m":9:3)
    gpu.return loc("m":9:4)
  } loc("m":9:5)
}
