// RUN: gnn-opt %s --gnn-lower-device-math | FileCheck %s

// CHECK-LABEL: func.func @instructions
// CHECK:         llvm.call_intrinsic "llvm.sqrt"(%{{.+}}) : (f32) -> f32
// CHECK:         llvm.call_intrinsic "llvm.fma"(%{{.+}}, %{{.+}}, %{{.+}}) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
// CHECK:         llvm.call_intrinsic "llvm.maxnum"
func.func @instructions(%x: f32, %v: vector<4xf32>) -> (f32, vector<4xf32>) {
  %0 = math.sqrt %x : f32
  %1 = math.fma %v, %v, %v : vector<4xf32>
  %2 = arith.maxnumf %0, %x : f32
  return %2, %1 : f32, vector<4xf32>
}

// CHECK-LABEL: func.func @reciprocals
// CHECK:         llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%arg0) : (f32) -> f32
// CHECK:         arith.divf %{{.+}}, %arg0 : f32
// CHECK:         arith.divf %arg1, %arg0 fastmath<afn> : f32
func.func @reciprocals(%x: f32, %y: f32) -> (f32, f32, f32) {
  %one = arith.constant 1.0 : f32
  %0 = arith.divf %one, %x fastmath<afn> : f32
  %1 = arith.divf %one, %x : f32
  %2 = arith.divf %y, %x fastmath<afn> : f32
  return %0, %1, %2 : f32, f32, f32
}

// CHECK-LABEL: func.func @integers
// CHECK:         "llvm.intr.ctlz"(%{{.+}}) <{is_zero_poison = false}> : (i32) -> i32
// CHECK:         "llvm.intr.abs"(%{{.+}}) <{is_int_min_poison = false}> : (i32) -> i32
// CHECK:         llvm.intr.ctpop(%{{.+}})  : (i32) -> i32
func.func @integers(%n: i32) -> i32 {
  %0 = math.ctlz %n : i32
  %1 = math.absi %0 : i32
  %2 = math.ctpop %1 : i32
  return %2 : i32
}

// Negative: what is no instruction is left, and so are types that LLVM has not.
//
// CHECK-LABEL: func.func @left
// CHECK:         math.exp
// CHECK:         math.sqrt %{{.+}} : vector<2x2xf32>
func.func @left(%x: f32, %v: vector<2x2xf32>) -> (f32, vector<2x2xf32>) {
  %0 = math.exp %x : f32
  %1 = math.sqrt %v : vector<2x2xf32>
  return %0, %1 : f32, vector<2x2xf32>
}
