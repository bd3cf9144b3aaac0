//===- Passes.td - Passes on kernels -----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the gpu dialect, up to PTX, in pipeline order.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_KERNELS_PASSES_TD
#define GNN_TRANSFORMS_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def MergeKernels : Pass<"gnn-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Let equal kernels share one kernel";
  let description = [{
    Layers of one shape become kernels that differ only in their names. The first of such
    kernels of a `gpu.module` stays. A launch of another one keeps that one's name as
    `gnn.name`, which distinguishes launches in reports.

    ```mlir
    gpu.launch_func @kernels::@f_1_gemm ...
    gpu.launch_func @kernels::@f_3_gemm ...
    // becomes, if the kernels are equal
    gpu.launch_func @kernels::@f_1_gemm ...
    gpu.launch_func @kernels::@f_1_gemm ... {gnn.name = "f_3_gemm"}
    ```

    Ops of the remaining kernel have the locations of all of them, its own first.

    Needs: nothing. Keeps: the results of each launch; locations. Never: merges a kernel
    with uses other than launches.
  }];
}

def ContractProducts : Pass<"gnn-contract-products"> {
  let summary = "Contract products and sums to fused multiply-adds";
  let description = [{
    A product of f32 whose users are all sums is rounded together with them, by
    `math.fma`: one instruction instead of two, and one rounding error less.
    Later compilers do not contract operations, so a GPU and the emulator give
    the same bits.

    ```mlir
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %sum, %p : f32
    // becomes
    %s = math.fma %x, %w, %sum : f32
    ```

    Needs: kernels with unexpanded functions: `gnn-expand-device-math` depends on the
    points of rounding. Keeps: the value within the error of the product. Never: changes a
    product with other users, or other types.
  }];
  let dependentDialects = [
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def UseFastPowers : Pass<"gnn-use-fast-powers"> {
  let summary = "Compute powers that may be approximate by one instruction";
  let description = [{
    `math.exp` with the flag `afn` becomes a power of two with that flag, which
    is one instruction of a GPU. Arithmetic for a power within 2 ulp needs about
    twenty instructions. The weights of a softmax are such powers, of scores
    minus the highest score. With an argument of -t, the product with log2(e)
    adds an error of t roundings to a weight of e^-t.

    ```mlir
    %y = math.exp %x fastmath<afn> : f32
    // becomes
    %t = arith.mulf %x, %log2e : f32
    %y = math.exp2 %t fastmath<afn> : f32
    ```

    `gnn-expand-device-math` keeps such a power, and `gnn-lower-device-math` lowers it to
    `ex2.approx.ftz`. The emulator uses that of the C library, and so may give other last
    bits than a GPU.

    Needs: a target with the ability `fast_powers`; without it the pass does nothing.
    Keeps: the value within 2 ulp and the rounding of the product. Never: changes a power
    without the flag, or other types than f32.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ExpandDeviceMath : Pass<"gnn-expand-device-math"> {
  let summary = "Expand mathematical functions to additions and products";
  let description = [{
    A GPU has no `exp`: upstream lowers it to a function of CUDA's libdevice, which the
    compiling machine need not have. This pass replaces such ops by arithmetic that every
    target supports and rounds alike, so a kernel gives the same bits on a GPU and in the
    emulator.

    Replaced: `exp`, `exp2`, `expm1`, `log`, `log2`, `log10`, `log1p`, `tanh`, `erf`,
    `sin`, `cos`, `sincos`, `atan`, `atan2`, `powf`, `rsqrt`, `clampf`, `isnan`, `isinf`,
    `isfinite`; on scalars and vectors of f32, and of f16 and bf16 by way of f32. On
    tensors they stay, before their kernels exist. Results are within 2 ulp of the real
    value, over all of f32: denormals, signed zeros, infinities, NaN and large arguments
    included. Not replaced, because every target has them: `absf`, `ceil`, `copysign`,
    `floor`, `fma`, `round`, `roundeven`, `sqrt`, `trunc` and the functions of integers;
    and `exp2` with the flag `afn` if the target has `fast_powers`.

    ```mlir
    %y = math.rsqrt %x : f32
    // becomes
    %s = math.sqrt %x : f32
    %y = arith.divf %one, %s : f32
    ```

    Needs: nothing. Keeps: the value within 2 ulp. Never: uses a table in memory, a branch
    or an op of one target; changes f64 (`powf`, `atan2` and the reduction of `sin` and
    `cos` use it internally).
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ExpandLanes : Pass<"gnn-expand-lanes"> {
  let summary = "Expand reductions over lanes to shuffles";
  let description = [{
    Kernels state which values lanes reduce together (`gpu.subgroup_reduce`) and which
    part of a row a thread has (`affine.delinearize_index`). This pass expands both to the
    shuffles, additions and divisions that a GPU and the emulator run, by upstream's
    patterns: in a fixed order, so sums have the same bits on every run.

    ```mlir
    %sum = gpu.subgroup_reduce add %x cluster(size = 2) : (f32) -> f32
    // becomes
    %other, %valid = gpu.shuffle xor %x, %c1, %c32 : f32
    %sum = arith.addf %x, %other : f32
    ```

    Needs: warps of 32 lanes, all of whose lanes run a reduction together. Keeps: the
    values of every lane. Never: changes `gpu.all_reduce`, which needs shared memory.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::vector::VectorDialect"];
}

def LowerDeviceMath : Pass<"gnn-lower-device-math"> {
  let summary = "Lower functions that a GPU has to intrinsics";
  let description = [{
    Upstream's lowering to NVVM creates calls of libdevice even for `sqrt`, `fma` and
    `floor`, which are one instruction or a few. This pass first lowers them to calls of
    LLVM's intrinsics, which upstream does not change.

    Lowered: `absf`, `ceil`, `copysign`, `floor`, `fma`, `round`, `roundeven`,
    `sqrt`, `trunc`, `arith.maxnumf`, `arith.minnumf`, and of integers `absi`,
    `ctlz`, `ctpop`, `cttz`, on scalars and vectors of one dimension; and, with the flag
    `afn`, scalars of `exp2` and of `1 / x`, of which `rcp.approx.ftz` has an error of 1 ulp
    (and an infinite one of an `x` below 2^-126: sizes of rows are at least 1).

    ```mlir
    %y = math.sqrt %x : f32
    // becomes
    %y = llvm.call_intrinsic "llvm.sqrt"(%x) : (f32) -> f32
    ```

    Needs: nothing. Keeps: every bit of ops without the flag. Never: changes a function
    that `gnn-expand-device-math` expands.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def UseCachePolicies
    : Pass<"gnn-use-cache-policies", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Make data that a kernel reads once leave the L2 first";
  let description = [{
    A `nontemporal` load of 16 bytes, such as those of `gnn_tile.load_numbers`, gets an
    eviction priority (`evict_first`): the L2 evicts its lines before others. So numbers
    of edges do not evict rows that other edges read again. In the L1 they have no
    priority: another load may need the other half of a sector of 32 bytes. LLVM's NVPTX
    backend has no such loads, so the pass emits inline assembly.

    ```mlir
    %v = llvm.load %p {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<4xf32>
    // becomes
    %policy = llvm.inline_asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", ...
    %v = llvm.inline_asm "ld.global.nc.L2::cache_hint.v4.b32 ...", ... %p, %policy
    ```

    Loads have no `.nc` unless their memory is an argument of the kernel with
    `llvm.readonly` and `llvm.noalias`.

    Needs: kernels of the LLVM dialect, whose nontemporal loads are of global memory; a
    target with the ability `cache_policies`, and `features` that request no older PTX
    than 7.4. Without these the pass does nothing, with a remark. The version of kernels
    with policies is at least 7.4. Keeps: the value of every load. Never: changes other
    loads, such as those of other sizes or of less alignment, or stores.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VerifyDeviceForm : Pass<"gnn-verify-device-form"> {
  let summary = "Check that lowered kernels call no missing function";
  let description = [{
    A call of a function without a body would be an undefined symbol when the driver loads
    the kernels, and LLVM reports only its name. This contract pass names the operation of
    the function, at its location. For an unknown chip or PTX version, LLVM only warns.
    For floats of more than 64 bits it creates such calls, and it crashes at conversions
    between such integers and floats.

    Needs: kernels in the `llvm` and `nvvm` dialects. Keeps: everything. Never: changes
    anything.
  }];
}

def PickLines : Pass<"gnn-pick-lines", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give each op of a kernel one line of the model";
  let description = [{
    A fused op comes from several lines, but a line table has only one line for
    each instruction. This pass keeps the first line of each location.

    ```mlir
    nvvm.barrier0 loc(fused["gnn.aggregate"("layer.mlir":8:3), "layer.mlir":9:3])
    // becomes
    nvvm.barrier0 loc("layer.mlir":8:3)
    ```

    Needs: nothing. Keeps: everything except locations. Never changes a location that is
    in no file.
  }];
}

def DropCompileTimes : Pass<"gnn-drop-compile-times", "::mlir::ModuleOp"> {
  let summary = "Drop the times of compilation from binaries";
  let description = [{
    Serialization records the milliseconds that it took, so the same module would give
    another text each time. This pass removes these properties (`LLVMIRToISATimeInMs`,
    `ISAToBinaryTimeInMs`) from the objects.

    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target, properties = {LLVMIRToISATimeInMs = 7 : i64}, assembly = "">]
    // becomes
    gpu.binary @kernels [#gpu.object<#nvvm.target, assembly = "">]
    ```

    Needs: nothing. Keeps: code, kernels and all other properties. Never changes anything
    but `gpu.binary`.
  }];
}

#endif // GNN_TRANSFORMS_KERNELS_PASSES_TD
