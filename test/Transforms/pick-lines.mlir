// RUN: gnn-opt %s --gnn-pick-lines --mlir-print-debuginfo | FileCheck %s

// A fused location becomes the first of its lines; one in no file stays as it
// is.
//
// CHECK:      gpu.barrier loc([[LINE:#loc[0-9]*]])
// CHECK:      gpu.barrier loc([[NAMED:#loc[0-9]*]])
// CHECK-DAG:  [[LINE]] = loc("layer.mlir":8:3)
// CHECK-DAG:  [[NAMED]] = loc("gnn.aggregate")
gpu.module @kernels {
  gpu.func @f() kernel {
    gpu.barrier loc(fused["gnn.aggregate"("layer.mlir":8:3), "layer.mlir":9:3])
    gpu.barrier loc("gnn.aggregate")
    gpu.return
  }
}
