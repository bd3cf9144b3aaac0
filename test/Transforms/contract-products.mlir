// RUN: gnn-opt %s --pass-pipeline='builtin.module(gpu.module(gnn-contract-products))' \
// RUN:   --remarks-filter=gnn-contract-products --remark-format=emitRemark --verify-diagnostics | FileCheck %s

gpu.module @kernels {
  // A product of two sums is one of each; entries of vectors by themselves, but the first
  // one of a sum.
  //
  // CHECK-LABEL: gpu.func @sums
  // CHECK-NOT:     arith.addf
  // CHECK:         %[[A:.+]] = math.fma %arg0, %arg1, %arg2
  // CHECK:         %[[B:.+]] = math.fma %arg0, %arg1, %[[A]]
  // CHECK:         %[[P:.+]] = arith.mulf %arg3, %arg3 : vector<2xf32>
  // CHECK:         %[[FIRST:.+]] = vector.extract %[[P]][0]
  // CHECK:         %[[X:.+]] = vector.extract %arg3[1]
  // CHECK:         math.fma %[[X]], %{{.+}}, %[[FIRST]]
  // CHECK:         math.fma %arg3, %arg3, %arg3 : vector<2xf32>
  // expected-remark @+1 {{4 products with the sums that add them}}
  gpu.func @sums(%x: f32, %y: f32, %s: f32, %v: vector<2xf32>, %to: memref<?xf32>, %vs: memref<?xvector<2xf32>>) kernel {
    %c0 = arith.constant 0 : index
    %p = arith.mulf %x, %y : f32
    %a = arith.addf %s, %p : f32
    %b = arith.addf %p, %a : f32
    %q = arith.mulf %v, %v : vector<2xf32>
    %q0 = vector.extract %q[0] : f32 from vector<2xf32>
    %q1 = vector.extract %q[1] : f32 from vector<2xf32>
    %c = arith.addf %q0, %q1 : f32
    %r = arith.mulf %v, %v : vector<2xf32>
    %d = arith.addf %r, %v : vector<2xf32>
    %e = arith.maximumf %b, %c : f32
    memref.store %e, %to[%c0] : memref<?xf32>
    memref.store %d, %vs[%c0] : memref<?xvector<2xf32>>
    gpu.return
  }

  // All entries of a product that one sum adds but the first.
  //
  // CHECK-LABEL: gpu.func @entries
  // CHECK-COUNT-3: math.fma
  // CHECK-NOT:     arith.addf
  // expected-remark @+1 {{3 products with the sums that add them}}
  gpu.func @entries(%v: vector<4xf32>, %to: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %q = arith.mulf %v, %v : vector<4xf32>
    %q0 = vector.extract %q[0] : f32 from vector<4xf32>
    %q1 = vector.extract %q[1] : f32 from vector<4xf32>
    %a = arith.addf %q0, %q1 : f32
    %q2 = vector.extract %q[2] : f32 from vector<4xf32>
    %b = arith.addf %a, %q2 : f32
    %q3 = vector.extract %q[3] : f32 from vector<4xf32>
    %c = arith.addf %b, %q3 : f32
    memref.store %c, %to[%c0] : memref<?xf32>
    gpu.return
  }

  // A stored value is rounded; a difference is no sum, and f64 is exact enough.
  //
  // CHECK-LABEL: gpu.func @kept
  // CHECK-NOT:     math.fma
  gpu.func @kept(%x: f32, %y: f32, %z: f64, %v: vector<2xf32>, %to: memref<?xf32>, %wide: memref<?xf64>, %vs: memref<?xvector<2xf32>>) kernel {
    %c0 = arith.constant 0 : index
    %p = arith.mulf %x, %y : f32
    %a = arith.addf %p, %y : f32
    memref.store %p, %to[%c0] : memref<?xf32>
    %q = arith.mulf %a, %y : f32
    %b = arith.subf %q, %y : f32
    memref.store %b, %to[%c0] : memref<?xf32>
    %w = arith.mulf %v, %v : vector<2xf32>
    %w0 = vector.extract %w[0] : f32 from vector<2xf32>
    %d = arith.addf %w0, %y : f32
    memref.store %d, %to[%c0] : memref<?xf32>
    memref.store %w, %vs[%c0] : memref<?xvector<2xf32>>
    %r = arith.mulf %z, %z : f64
    %c = arith.addf %r, %z : f64
    memref.store %c, %wide[%c0] : memref<?xf64>
    gpu.return
  }
}
