//===- Passes.td - Passes that keep their level ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In pipeline order, one banner a level.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_PASSES
#define GNN_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// gpu -> gpu
//===----------------------------------------------------------------------===//

def ExpandDeviceMath : Pass<"gnn-expand-device-math"> {
  let summary = "Write mathematical functions as additions and products";
  let description = [{
    A GPU has no `exp`: upstream lowers it to a function of CUDA's libdevice,
    which the machine that compiles need not have. This pass replaces such ops
    by arithmetic that every target has and rounds alike, so that a kernel gives
    the same bits on a GPU and in the emulator.

    Replaced: `exp`, `exp2`, `expm1`, `log`, `log2`, `log10`, `log1p`, `tanh`,
    `erf`, `sin`, `cos`, `sincos`, `powf`, `rsqrt`, `clampf`, `isnan`, `isinf`,
    `isfinite`; on scalars and vectors of f32, and of f16 and bf16 by way of f32. Results are within 2 ulp
    of the real value, over all of f32: denormals, signed zeros, infinities, NaN
    and large arguments included. Left, because every target has them: `absf`,
    `ceil`, `copysign`, `floor`, `fma`, `round`, `roundeven`, `sqrt`, `trunc`
    and the functions of integers.

    ```mlir
    %y = math.rsqrt %x : f32
    // becomes
    %s = math.sqrt %x : f32
    %y = arith.divf %one, %s : f32
    ```

    Needs: nothing. Keeps: the value within 2 ulp. Never: uses a table in
    memory, a branch or an op of one target; touches f64 (`powf` and the
    reduction of `sin` and `cos` use it inside).
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def LowerDeviceMath : Pass<"gnn-lower-device-math"> {
  let summary = "Make intrinsics of the functions that a GPU has";
  let description = [{
    Upstream's lowering to NVVM makes calls of libdevice even of `sqrt`, `fma`
    and `floor`, which are instructions or a few. This pass makes them calls of
    LLVM's intrinsics first, which upstream leaves alone.

    Lowered: `absf`, `ceil`, `copysign`, `floor`, `fma`, `round`, `roundeven`,
    `sqrt`, `trunc`, and `arith.maxnumf`, `arith.minnumf`, on scalars and vectors
    of one dimension.

    ```mlir
    %y = math.sqrt %x : f32
    // becomes
    %y = llvm.call_intrinsic "llvm.sqrt"(%x) : (f32) -> f32
    ```

    Needs: nothing. Keeps: every bit. Never: touches a function that
    `gnn-expand-device-math` expands.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VerifyDeviceForm : Pass<"gnn-verify-device-form"> {
  let summary = "Check that lowered kernels call nothing that is not there";
  let description = [{
    A call of a function without a body would be an undefined symbol when the
    driver loads the kernels, and the compiler that makes them says no more
    than its name. This contract pass names the operation that the function
    stands for, at the place that asked for it.

    Needs: kernels in the `llvm` and `nvvm` dialects. Keeps: everything.
    Never: changes anything.
  }];
}

#endif // GNN_TRANSFORMS_PASSES
