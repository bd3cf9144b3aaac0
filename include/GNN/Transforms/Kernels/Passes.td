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
  let summary = "Let launches that do the same share one kernel";
  let description = [{
    Layers of one shape become kernels that differ in nothing but their names.
    The first of such kernels of a `gpu.module` stays. A launch of another one
    keeps that one's name as `gnn.name`, by which reports tell launches apart.

    ```mlir
    gpu.launch_func @kernels::@f_1_gemm ...
    gpu.launch_func @kernels::@f_3_gemm ...
    // becomes, where the kernels are equal
    gpu.launch_func @kernels::@f_1_gemm ...
    gpu.launch_func @kernels::@f_1_gemm ... {gnn.name = "f_3_gemm"}
    ```

    Ops of the kernel that stays have the locations of all of them, its own first.

    Needs: nothing. Keeps: what each launch computes; locations. Never: merges a
    kernel that something other than a launch names.
  }];
}

def ContractProducts : Pass<"gnn-contract-products"> {
  let summary = "Add products without rounding them first";
  let description = [{
    A product of f32 that only sums need is rounded with them, by `math.fma`: one
    instruction in place of two, and an error less. Compilers that come after contract
    nothing, so that a GPU and the emulator give the same bits.

    ```mlir
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %sum, %p : f32
    // becomes
    %s = math.fma %x, %w, %sum : f32
    ```

    Needs: kernels, with functions as they are: `gnn-expand-device-math` depends on
    what is rounded when. Keeps: the value within the error of the product. Never:
    touches a product that something else reads, or other types.
  }];
  let dependentDialects = [
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def UseFastPowers : Pass<"gnn-use-fast-powers"> {
  let summary = "Compute powers that may be approximate by an instruction";
  let description = [{
    `math.exp` with the flag `afn` becomes a power of two with that flag, which is one
    instruction of a GPU; arithmetic for a power within 2 ulp is some twenty. The weights of a
    softmax are such powers, of scores less the highest one: with an argument of -t, the
    product with log2(e) adds an error of t roundings to a weight of e^-t.

    ```mlir
    %y = math.exp %x fastmath<afn> : f32
    // becomes
    %t = arith.mulf %x, %log2e : f32
    %y = math.exp2 %t fastmath<afn> : f32
    ```

    `gnn-expand-device-math` leaves such a power, and `gnn-lower-device-math` makes it
    `ex2.approx.ftz`. The emulator takes that of the C library, and so may give other last
    bits than a GPU.

    Needs: a target with the ability `fast_powers`; without it nothing is done. Keeps: the
    value within 2 ulp and the rounding of the product. Never: touches a power without the
    flag, or other types than f32.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ExpandDeviceMath : Pass<"gnn-expand-device-math"> {
  let summary = "Write mathematical functions as additions and products";
  let description = [{
    A GPU has no `exp`: upstream lowers it to a function of CUDA's libdevice,
    which the machine that compiles need not have. This pass replaces such ops
    by arithmetic that every target has and rounds alike, so that a kernel gives
    the same bits on a GPU and in the emulator.

    Replaced: `exp`, `exp2`, `expm1`, `log`, `log2`, `log10`, `log1p`, `tanh`,
    `erf`, `sin`, `cos`, `sincos`, `atan`, `atan2`, `powf`, `rsqrt`, `clampf`,
    `isnan`, `isinf`, `isfinite`; on scalars and vectors of f32, and of f16 and bf16 by
    way of f32. On tensors they stay: their kernels are not made yet.
    Results are within 2 ulp of the real value, over all of f32: denormals, signed
    zeros, infinities, NaN and large arguments included. Left, because every target has them: `absf`,
    `ceil`, `copysign`, `floor`, `fma`, `round`, `roundeven`, `sqrt`, `trunc`
    and the functions of integers; and `exp2` with the flag `afn` where the target has
    `fast_powers`.

    ```mlir
    %y = math.rsqrt %x : f32
    // becomes
    %s = math.sqrt %x : f32
    %y = arith.divf %one, %s : f32
    ```

    Needs: nothing. Keeps: the value within 2 ulp. Never: uses a table in
    memory, a branch or an op of one target; touches f64 (`powf`,
    `atan2` and the reduction of `sin` and `cos` use it inside).
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ExpandLanes : Pass<"gnn-expand-lanes"> {
  let summary = "Write reductions over lanes as shuffles";
  let description = [{
    Kernels say what lanes compute together (`gpu.subgroup_reduce`) and which
    part of a row a thread has (`affine.delinearize_index`). This pass writes
    both as the shuffles, additions and divisions that a GPU and the emulator
    run, by upstream's patterns: in a fixed order, so that sums have the same
    bits on every run.

    ```mlir
    %sum = gpu.subgroup_reduce add %x cluster(size = 2) : (f32) -> f32
    // becomes
    %other, %valid = gpu.shuffle xor %x, %c1, %c32 : f32
    %sum = arith.addf %x, %other : f32
    ```

    Needs: warps of 32 lanes, all of whose lanes run a reduction together.
    Keeps: what every lane computes. Never: touches `gpu.all_reduce`, which
    needs shared memory.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::vector::VectorDialect"];
}

def LowerDeviceMath : Pass<"gnn-lower-device-math"> {
  let summary = "Make intrinsics of the functions that a GPU has";
  let description = [{
    Upstream's lowering to NVVM makes calls of libdevice even of `sqrt`, `fma`
    and `floor`, which are instructions or a few. This pass makes them calls of
    LLVM's intrinsics first, which upstream leaves alone.

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

    Needs: nothing. Keeps: every bit of what has no flag. Never: touches a function that
    `gnn-expand-device-math` expands.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def UseCachePolicies
    : Pass<"gnn-use-cache-policies", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Have the L2 evict first what a kernel reads once";
  let description = [{
    A `nontemporal` load of 16 bytes, such as those of `gnn_tile.load_numbers`, gets an
    eviction priority (`evict_first`): the L2 evicts its lines before others. So numbers of edges do
    not evict rows that other edges read again. The L1 keeps them as any: the other half of a
    sector of 32 bytes may be another load's. LLVM's NVPTX backend has no such loads, so the pass
    emits inline assembly.

    ```mlir
    %v = llvm.load %p {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<4xf32>
    // becomes
    %policy = llvm.inline_asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", ...
    %v = llvm.inline_asm "ld.global.nc.L2::cache_hint.v4.b32 ...", ... %p, %policy
    ```

    Without `.nc` are loads of memory that is no argument of the kernel with `llvm.readonly` and
    `llvm.noalias`.

    Needs: kernels of the LLVM dialect, whose nontemporal loads are of global memory; a target with
    the ability `cache_policies`, and no older PTX than 7.4 that `features` ask for. Without these
    nothing is done, with a remark. The version of kernels with policies is 7.4 at least.
    Keeps: the value of every load. Never: touches other loads, such as those of other sizes or of
    less alignment, or stores.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VerifyDeviceForm : Pass<"gnn-verify-device-form"> {
  let summary = "Check that lowered kernels call nothing that is not there";
  let description = [{
    A call of a function without a body would be an undefined symbol when the
    driver loads the kernels, and the compiler that makes them says no more
    than its name. This contract pass names the operation that the function
    stands for, at the place that asked for it. Nor does LLVM say more than a
    warning about a chip or PTX version that it does not know. It makes such
    calls for floats of over 64 bits, and it crashes where such integers become
    floats or come from them.

    Needs: kernels in the `llvm` and `nvvm` dialects. Keeps: everything.
    Never: changes anything.
  }];
}

def PickLines : Pass<"gnn-pick-lines", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give each op of a kernel one line of the model";
  let description = [{
    A fused op comes from several lines, which a line table has no place for.
    This pass leaves the first one of each location.

    ```mlir
    nvvm.barrier0 loc(fused["gnn.aggregate"("layer.mlir":8:3), "layer.mlir":9:3])
    // becomes
    nvvm.barrier0 loc("layer.mlir":8:3)
    ```

    Needs: nothing. Keeps: all but locations. Never touches a location that is in
    no file.
  }];
}

def DropCompileTimes : Pass<"gnn-drop-compile-times", "::mlir::ModuleOp"> {
  let summary = "Drop from binaries how long it took to make them";
  let description = [{
    Serialization writes down the milliseconds that it took, so that the same
    module would come out as another text each time. This pass takes these
    properties (`LLVMIRToISATimeInMs`, `ISAToBinaryTimeInMs`) from the objects.

    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target, properties = {LLVMIRToISATimeInMs = 7 : i64}, assembly = "">]
    // becomes
    gpu.binary @kernels [#gpu.object<#nvvm.target, assembly = "">]
    ```

    Needs: nothing. Keeps: code, kernels and all other properties. Never touches
    anything but `gpu.binary`.
  }];
}

#endif // GNN_TRANSFORMS_KERNELS_PASSES_TD
