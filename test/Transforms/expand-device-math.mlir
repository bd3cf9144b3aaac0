// RUN: gnn-opt %s --gnn-expand-device-math | FileCheck %s

// The numbers are checked by unittests/Transforms; here: what is expanded, and
// into what.

// CHECK-LABEL: func.func @rsqrt
// CHECK-SAME:    %[[X:.+]]: f32
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG:     %[[S:.+]] = math.sqrt %[[X]] : f32
// CHECK:         %[[Y:.+]] = arith.divf %[[ONE]], %[[S]] : f32
// CHECK:         return %[[Y]]
func.func @rsqrt(%x: f32) -> f32 {
  %y = math.rsqrt %x : f32
  return %y : f32
}

// Only ops that every target has are left, on vectors too.
//
// CHECK-LABEL: func.func @vectors
// CHECK-NOT:     math.{{(exp|log|tanh|erf|sin|cos|powf|atan)}}
// CHECK-NOT:     : f32
// CHECK:         return
func.func @vectors(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.exp %x : vector<4xf32>
  %1 = math.log1p %0 : vector<4xf32>
  %2 = math.tanh %1 : vector<4xf32>
  %3 = math.erf %2 : vector<4xf32>
  %4, %5 = math.sincos %3 : vector<4xf32>
  %6 = math.powf %4, %5 : vector<4xf32>
  %7 = math.atan2 %6, %4 : vector<4xf32>
  %8 = math.atan %7 : vector<4xf32>
  return %8 : vector<4xf32>
}

// Half precision is computed in f32 and rounded once.
//
// CHECK-LABEL: func.func @half
// CHECK-SAME:    %[[X:.+]]: bf16
// CHECK:         arith.extf %[[X]] : bf16 to f32
// CHECK-NOT:     bf16
// CHECK:         %[[Y:.+]] = arith.truncf %{{.+}} : f32 to bf16
// CHECK:         return %[[Y]]
func.func @half(%x: bf16) -> bf16 {
  %y = math.exp2 %x : bf16
  return %y : bf16
}

// Negative: there is no expansion for f64, and none is needed for what every
// target has.
//
// CHECK-LABEL: func.func @left
// CHECK:         math.exp %{{.+}} : f64
// CHECK:         math.fma
// CHECK:         math.floor
// CHECK:         math.sqrt
func.func @left(%x: f64, %y: f32) -> (f64, f32) {
  %0 = math.exp %x : f64
  %1 = math.fma %y, %y, %y : f32
  %2 = math.floor %1 : f32
  %3 = math.sqrt %2 : f32
  return %0, %3 : f64, f32
}

// Nor is a tensor expanded: it has no kernel yet, and constants of dynamic rows would not
// parse.
//
// CHECK-LABEL: func.func @tensors
// CHECK:         math.tanh %{{.+}} : tensor<?x8xf32>
// CHECK:         math.exp %{{.+}} : tensor<8xf32>
func.func @tensors(%x: tensor<?x8xf32>, %y: tensor<8xf32>) -> (tensor<?x8xf32>, tensor<8xf32>) {
  %0 = math.tanh %x : tensor<?x8xf32>
  %1 = math.exp %y : tensor<8xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<8xf32>
}
