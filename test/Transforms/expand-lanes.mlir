// RUN: gnn-opt %s --pass-pipeline='builtin.module(gpu.module(gnn-expand-lanes,canonicalize))' | FileCheck %s

gpu.module @kernels {
  // Lanes 4 and 8 apart, the near ones first: the order of a sum is fixed, and
  // every lane adds the same numbers.
  //
  // CHECK-LABEL: func.func @sum
  // CHECK-SAME:    %[[X:.+]]: f32
  // CHECK-DAG:     %[[C4:.+]] = arith.constant 4 : i32
  // CHECK-DAG:     %[[C8:.+]] = arith.constant 8 : i32
  // CHECK-DAG:     %[[C32:.+]] = arith.constant 32 : i32
  // CHECK:         %[[O:.+]], %{{.+}} = gpu.shuffle xor %[[X]], %[[C4]], %[[C32]] : f32
  // CHECK:         %[[S:.+]] = arith.addf %[[X]], %[[O]] : f32
  // CHECK:         %[[P:.+]], %{{.+}} = gpu.shuffle xor %[[S]], %[[C8]], %[[C32]] : f32
  // CHECK:         %[[T:.+]] = arith.addf %[[S]], %[[P]] : f32
  // CHECK-NOT:     gpu.s
  // CHECK:         return %[[T]]
  func.func @sum(%x: f32) -> f32 {
    %s = gpu.subgroup_reduce add %x cluster(size = 4, stride = 4) : (f32) -> f32
    return %s : f32
  }

  // NaN is kept.
  //
  // CHECK-LABEL: func.func @extremes
  // CHECK-COUNT-5: arith.maximumf
  // CHECK:         arith.minsi
  // CHECK-NOT:     arith.m
  // CHECK:         return
  func.func @extremes(%x: f32, %n: i32) -> (f32, i32) {
    %m = gpu.subgroup_reduce maximumf %x : (f32) -> f32
    %l = gpu.subgroup_reduce minsi %n cluster(size = 2) : (i32) -> i32
    return %m, %l : f32, i32
  }

  // CHECK-LABEL: func.func @place
  // CHECK-NOT:     affine
  // CHECK-DAG:     arith.floordivsi %{{.+}}, %c32
  // CHECK-DAG:     arith.remsi %{{.+}}, %c32
  // CHECK-NOT:     affine
  // CHECK:         return
  func.func @place(%thread: index) -> (index, index, index) {
    %p:3 = affine.delinearize_index %thread into (2, 16) : index, index, index
    return %p#0, %p#1, %p#2 : index, index, index
  }

  // Needs shared memory.
  //
  // CHECK-LABEL: gpu.func @block
  // CHECK:         gpu.all_reduce
  gpu.func @block(%x: f32) {
    %s = gpu.all_reduce add %x {} : (f32) -> f32
    gpu.return
  }
}
