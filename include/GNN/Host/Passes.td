//===- Passes.td - The form of kernels ---------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_HOST_PASSES_TD
#define GNN_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyKernelForm : Pass<"gnn-verify-kernel-form"> {
  let summary = "Check that kernels use only the supported ops";
  let description = [{
    Kernels are compiled to PTX and for the emulator, and both support a closed list
    of ops. This pass names the first violation in each kernel.

    - Arguments: pointers (memrefs of static shape and identity layout), `i32`,
      `i64`, `index`.
    - A pointer is used either in its static shape or through
      `memref.reinterpret_cast`, which gives it its true extents. One that is
      marked `llvm.readonly` is not written.
    - Ops: `gpu.thread_id`, `block_id`, `block_dim`, `grid_dim`, `barrier`,
      `shuffle`, `dynamic_shared_memory`, `return`; `memref.load`, `store`,
      `reinterpret_cast`, `view`, `subview`, `dim`, `alloca`, `atomic_rmw`;
      `vector.load`, `store`, `maskedload`, `maskedstore`, `broadcast`,
      `extract`, `insert`, `from_elements`, `to_elements`, `reduction`, `fma`,
      `bitcast`, `shape_cast`, `create_mask`, `constant_mask`; `arith`, and
      `math` but for `ipowi`, `isinf` and `isnormal`; `scf.for`, `if`, `while`;
      `ub.poison`; `nvgpu.device_async_copy`,
      `device_async_create_group`, `device_async_wait`, `ldmatrix`, `mma.sync`
      (TF32); of whole warps, `nvvm.vote.sync` (`ballot`, `any`), `bar.warp.sync`
      and `shfl.sync idx` in parts of 1, 2, 4, ... lanes.
    - Floats are `f16`, `bf16`, `f32` and `f64`. Integers that become floats, or
      come from them, have at most 64 bits. Vectors that are divided as integers,
      become integers or are operands of `math` have one dimension.
    - At most 48 KiB of workgroup attributions; `memref.alloca` outside of
      loops.

    ```mlir
    // error: 'gpu.printf' op is not one of the ops that kernels are made of
    gpu.func @kernel() kernel {
      gpu.printf "hello"
      gpu.return
    }
    ```

    Needs: kernels after `gnn-expand-lanes`. Keeps: everything. Never changes the
    IR.
  }];
}

#endif // GNN_HOST_PASSES_TD
