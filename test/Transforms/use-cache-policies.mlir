// RUN: gnn-opt %s --pass-pipeline='builtin.module(gpu.module(gnn-use-cache-policies))' --split-input-file \
// RUN:   --remarks-filter=gnn-use-cache-policies --remark-format=emitRemark --verify-diagnostics | FileCheck %s

module attributes {gnn.target = #gnn.target<kind = "cuda", name = "some", chip = "sm_90", limits = {lanes = 32, threads = 1024, shared_bytes = 49152, registers = 65536}, abilities = [cache_policies], figures = {}>} {
  gpu.module @kernels {
    // Loads of a kernel share a policy. A load that may be needed again stays, and so does one of
    // fewer numbers.
    //
    // CHECK-LABEL: llvm.func @loads
    // CHECK:         %[[POLICY:.+]] = llvm.inline_asm {{.*}}"createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l"
    // CHECK:         %[[P:.+]] = llvm.addrspacecast %arg0 : !llvm.ptr to !llvm.ptr<1>
    // CHECK:         llvm.inline_asm {{.*}}"ld.global.nc.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;", "=r,=r,=r,=r,l,l" %[[P]], %[[POLICY]]
    // CHECK:         llvm.bitcast %{{.+}} : vector<4xi32> to vector<4xf32>
    // CHECK:         llvm.inline_asm {{.*}}"ld.global.nc.L2::cache_hint.v4.b32
    // CHECK-NOT:     llvm.inline_asm
    // CHECK:         llvm.load %arg0 : !llvm.ptr -> vector<4xf32>
    // CHECK:         llvm.load %arg1 {{.*}}nontemporal{{.*}} : !llvm.ptr -> i32
    // expected-remark @+1 {{2 loads are dropped first}}
    llvm.func @loads(%x: !llvm.ptr, %y: !llvm.ptr, %to: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %a = llvm.load %x {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<4xf32>
      %b = llvm.load %y {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<4xi32>
      %c = llvm.load %x : !llvm.ptr -> vector<4xf32>
      %d = llvm.load %y {nontemporal} : !llvm.ptr -> i32
      llvm.store %a, %to : vector<4xf32>, !llvm.ptr
      llvm.store %b, %to : vector<4xi32>, !llvm.ptr
      llvm.store %c, %to : vector<4xf32>, !llvm.ptr
      llvm.store %d, %to : i32, !llvm.ptr
      llvm.return
    }
  }
}

// -----

// A target that has no policies gets none.
//
// CHECK-LABEL: llvm.func @older
// CHECK-NOT:     llvm.inline_asm
module attributes {gnn.target = #gnn.target<kind = "cuda", name = "some", chip = "sm_75", limits = {lanes = 32, threads = 1024, shared_bytes = 49152, registers = 65536}, abilities = [], figures = {}>} {
  gpu.module @kernels {
    llvm.func @older(%x: !llvm.ptr, %to: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %a = llvm.load %x {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<4xf32>
      llvm.store %a, %to : vector<4xf32>, !llvm.ptr
      llvm.return
    }
  }
}
