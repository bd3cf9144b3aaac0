// RUN: gnn-opt %s --gnn-drop-compile-times | FileCheck %s

// CHECK:      gpu.binary @both [
// CHECK-SAME: #gpu.object<#nvvm.target<O = 3>, assembly = "a">,
// CHECK-SAME: #gpu.object<#nvvm.target<O = 3>, properties = {FooTimeInMs = 1 : i64, O = 2 : i32}, bin = "b">]
gpu.binary @both [
  #gpu.object<#nvvm.target<O = 3>, properties = {LLVMIRToISATimeInMs = 7 : i64}, assembly = "a">,
  #gpu.object<#nvvm.target<O = 3>, properties = {FooTimeInMs = 1 : i64, ISAToBinaryTimeInMs = 8 : i64, LLVMIRToISATimeInMs = 7 : i64, O = 2 : i32}, bin = "b">]

// CHECK: gpu.binary @plain [#gpu.object<#nvvm.target, "c">]
gpu.binary @plain [#gpu.object<#nvvm.target, "c">]
