// RUN: gnn-opt %s --pass-pipeline='builtin.module(gpu.module(gnn-use-cache-policies))' --split-input-file \
// RUN:   --remarks-filter=gnn-use-cache-policies --remark-format=emitRemark --verify-diagnostics | FileCheck %s

module attributes {gnn.target = #gnn.target<kind = "cuda", name = "some", chip = "sm_90", limits = {lanes = 32, threads = 1024, shared_bytes = 49152, registers = 65536}, abilities = [cache_policies], figures = {}>} {
  gpu.module @kernels {
    // Loads of a kernel share a policy. Memory that the kernel may write is not read past writes
    // (.nc).
    //
    // CHECK-LABEL: llvm.func @loads
    // CHECK:         %[[POLICY:.+]] = llvm.inline_asm {{.*}}"createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l"
    // CHECK:         %[[P:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr to !llvm.ptr<1>
    // CHECK:         llvm.inline_asm has_side_effects {{.*}}"ld.global.nc.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;", "=r,=r,=r,=r,l,l" %[[P]], %[[POLICY]]
    // CHECK:         llvm.bitcast %{{.+}} : vector<4xi32> to vector<4xf32>
    // CHECK:         llvm.inline_asm has_side_effects {{.*}}"ld.global.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;"
    // expected-remark @+1 {{the L2 first evicts the data of 2 loads}}
    llvm.func @loads(%x: !llvm.ptr {llvm.readonly, llvm.noalias}, %y: !llvm.ptr {llvm.readonly}, %to: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %p = llvm.getelementptr %x[4] : (!llvm.ptr) -> !llvm.ptr, f32
      %a = llvm.load %p {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<4xf32>
      %b = llvm.load %y {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<4xi32>
      llvm.store %a, %to : vector<4xf32>, !llvm.ptr
      llvm.store %b, %to : vector<4xi32>, !llvm.ptr
      llvm.return
    }

    // Left alone are loads that may be needed again, of other sizes, of less alignment, of other
    // memory, and volatile ones.
    //
    // CHECK-LABEL: llvm.func @others
    // CHECK-NOT:     llvm.inline_asm
    // CHECK:         llvm.return
    llvm.func @others(%x: !llvm.ptr, %s: !llvm.ptr<3>, %to: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %a = llvm.load %x {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
      %b = llvm.load %x {nontemporal} : !llvm.ptr -> i32
      %c = llvm.load %x {alignment = 8 : i64, nontemporal} : !llvm.ptr -> vector<4xf32>
      %d = llvm.load %s {alignment = 16 : i64, nontemporal} : !llvm.ptr<3> -> vector<4xf32>
      %e = llvm.load volatile %x {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<4xf32>
      %f = llvm.load %x {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<8xf32>
      %g = llvm.load %x {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<4xf16>
      llvm.store %a, %to : vector<4xf32>, !llvm.ptr
      llvm.store %b, %to : i32, !llvm.ptr
      llvm.store %c, %to : vector<4xf32>, !llvm.ptr
      llvm.store %d, %to : vector<4xf32>, !llvm.ptr
      llvm.store %e, %to : vector<4xf32>, !llvm.ptr
      llvm.store %f, %to : vector<8xf32>, !llvm.ptr
      llvm.store %g, %to : vector<4xf16>, !llvm.ptr
      llvm.return
    }
  }
}

// -----

// CHECK-LABEL: llvm.func @of_older_chips
// CHECK-NOT:     llvm.inline_asm
module attributes {gnn.target = #gnn.target<kind = "cuda", name = "some", chip = "sm_75", limits = {lanes = 32, threads = 1024, shared_bytes = 49152, registers = 65536}, abilities = [], figures = {}>} {
  gpu.module @kernels {
    // expected-remark @+1 {{no cache policies for 1 load: the target has none}}
    llvm.func @of_older_chips(%x: !llvm.ptr, %to: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %a = llvm.load %x {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<4xf32>
      llvm.store %a, %to : vector<4xf32>, !llvm.ptr
      llvm.return
    }
  }
}

// -----

// CHECK-LABEL: llvm.func @of_older_ptx
// CHECK-NOT:     llvm.inline_asm
module attributes {gnn.target = #gnn.target<kind = "cuda", name = "some", chip = "sm_80", limits = {lanes = 32, threads = 1024, shared_bytes = 49152, registers = 65536}, abilities = [cache_policies], figures = {}>} {
  gpu.module @kernels [#nvvm.target<chip = "sm_80", features = "+ptx73">] {
    // expected-remark @+1 {{no cache policies for 1 load: PTX 7.3 has none}}
    llvm.func @of_older_ptx(%x: !llvm.ptr, %to: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %a = llvm.load %x {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<4xf32>
      llvm.store %a, %to : vector<4xf32>, !llvm.ptr
      llvm.return
    }
  }
}
