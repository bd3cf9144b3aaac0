//===- Passes.td - Contracts of all levels -----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_STAGES_PASSES_TD
#define GNN_TRANSFORMS_STAGES_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyForm : Pass<"gnn-verify-form", "::mlir::ModuleOp"> {
  let summary = "Check that a module has the form that a stage needs";
  let description = [{
    Each stage of the compiler begins with this pass, so a module of an earlier or later
    form is an error and not silently unchanged. The form of a module is the earliest of
    the forms of its ops:

    * `tensors`: ops on tensors, of `gnn`, `gnn_tile` and others;
    * `buffers`: templates on memrefs;
    * `blocked`: templates on ranges, in loops over blocks;
    * `loops`: loops over blocks of loops and vectors;
    * `lanes`: loops over blocks of the code of one thread;
    * `kernels`: `gpu.module`;
    * `binaries`: `gpu.binary`.

    A module without such ops has every form. Some of the loops over blocks may be in a
    later form than the module: a stage does not change them.

    Each loop over blocks, a `gnn_tile.blocks`, keeps the contract of its form:

    * (C1) A template is in a `func.func`; a template on a range is in a loop over blocks,
      and so are the ops for the threads of a block.
    * (C2) Blocked: the loop's body has one template, which computes a range; its own
      verifier requires a complete schedule and index arrays, which are those of its
      structures if a `gnn_tile.structure` gives them. A loop has several templates only
      if each reads or writes an array in workgroup memory.
    * (C3) Blocked: the schedule is of the kind of the module's target. The loop has the
      schedule (of several templates an array of those that differ from the previous one)
      and no `threads`; a `gnn_tile.cost` is in front of it.
    * (C4) Loops: no op of the `gpu` and `nvvm` dialects: no thread ids, barriers,
      shuffles.
    * (C5) Loops: a `gnn_tile.teams` states over which lanes its vectors are spread;
      outside of one, `gnn_tile.stage`, `gnn_tile.contract` and `gnn_tile.store_rows`
      state which part of a tile a thread holds, and no upstream op takes their place.
      `gnn_tile.walk` and `gnn_tile.parallel` need teams. Lanes exchange values where a
      vector is reduced or results of workers are combined: loops and branches around such
      ops are the same for all lanes of a warp. They depend on the team only if a team has
      32 lanes, and not on the elements of a lane. `gnn_tile.load_numbers` of shares is
      such an exchange, too; its `first` is a multiple of 4, with a share the same for all
      teams, and nothing in the loop over blocks writes its buffer.
    * (C6) Lanes: no op of `gnn_tile` is left in the body.
    * (C7) Lanes: vectors have up to 16 elements, and no transfer, contraction or
      reduction of vectors of many lanes is left.
    * (C8) Blocked: if a range begins at an index of the loop, or at a multiple of one,
      the rows and columns of its template end where the next range begins; if all blocks
      begin at the same column, they have all columns. The blocks reach all columns if
      both are known. Templates that write one buffer may share the columns of a step.
    * (C9) Loops: an array is a `gnn_tile.array`, in workgroup or private memory, and used
      by ops that read or write it, not by views, calls or control flow: barriers follow
      from the effects of ops on it. Lanes of a `gnn_tile.teams`, which does not both read
      and write one, have no barriers between them. A permuted array is staged and read as
      a tile, outside of teams, from a row on that is divisible by 4 times `permuted`.
      Each team reads from a private array what it has written itself, in teams after
      those that write it.
    From the blocked form to the lanes form, canonicalization and CSE may run before,
    between and after the passes of a stage: all facts of a form are in its ops, and sums
    stay in their order. A `gnn_tile.contract` starts from the values carried by the loop
    even if something is added to its result; patterns of `vector.contract` would add it
    first, and so round in another order. For the same reason no pass may reassociate
    sums, take ops out of a `gnn_tile.blocks` (the host would run them), or break down
    transfers and reductions of vectors, which lanes share. The stages themselves run no
    such patterns: no later pass needs them.

    In the form `tensors`, only templates change the order of rows (`#gnn_tile.order`): no
    `tensor.cast`, reshape or other op on tensors changes or drops the order of its rows.

    With `has-math=false`, kernels may have no operation that `gnn-expand-lanes` or
    `gnn-expand-device-math` expands.

    Needs: nothing. Keeps: everything. Never changes the IR.
  }];
  let options = [
    Option<"form", "form", "::gnn::Form", /*default=*/"::gnn::Form::Tensors",
           "The form: tensors, buffers, blocked, loops, lanes, kernels or "
           "binaries">,
    Option<"hasMath", "has-math", "bool", /*default=*/"true",
           "Kernels may have operations that a GPU lacks">,
  ];
}

def AttachTarget : Pass<"gnn-attach-target", "::mlir::ModuleOp"> {
  let summary = "Set the target of a module";
  let description = [{
    Sets `gnn.target` to the limits, abilities and figures of a target that is known by
    its name, by its chip, or by its driver's description. Later passes base their choices
    on it.

    ```mlir
    module {
    // becomes, for chip=h100
    #target = #gnn.target<kind = "cuda", name = "h100", chip = "sm_90", ...>
    module attributes {gnn.target = #target} {
    ```

    The cores of a CPU have the vector registers of `vector` and `vector-registers`. An
    architecture without a known GPU has the figures of the first one of Targets.def; an
    unknown GPU that a driver describes has figures that Targets.def and Kernels.def
    derive from its numbers. A remark states which.

    Needs: a module without a target, or with this one. Keeps: everything else. Never
    replaces a target.
  }];
  let dependentDialects = ["::gnn::GNNDialect"];
  let options = [
    Option<"kind", "kind", "std::string", /*default=*/"",
           "The kind of target: cuda (a GPU), emulator, or cpu (its cores); empty: "
           "cuda, or without `chip` the module's own kind">,
    Option<"chip", "chip", "std::string", /*default=*/"",
           "A GPU by its name, such as h100, its chip, such as sm_90, or its driver's "
           "description: {sm_89, NVIDIA L40S: processors=142 clock=2.52e9 "
           "l2_bytes=1e8 memory_bandwidth=8.64e11}; empty: the first known one. For a "
           "CPU LLVM's name of the processor">,
    Option<"vector", "vector", "int64_t", /*default=*/"0",
           "Elements of a vector register of a CPU: 1, 2, 4, 8 or 16; 0: 16">,
    Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"0",
           "Vector registers of a CPU, 8 to 1024; 0: 32">,
  ];
}

def AttachChip : Pass<"gnn-attach-chip", "::mlir::ModuleOp"> {
  let summary = "Set the chip of kernels";
  let description = [{
    The chip is that of the module's `gnn.target`.

    ```mlir
    module attributes {gnn.target = #gnn.target<kind = "cuda", chip = "sm_90", ...>} {
      gpu.module @kernels {
    // becomes
      gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90">] {
    ```

    Needs: nothing. Keeps: existing targets of kernels. Never changes the code of kernels.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
  let options = [
    Option<"features", "features", "std::string", /*default=*/"",
           "PTX version as a target feature, such as +ptx80; empty: the oldest that "
           "the chip accepts">,
    Option<"optLevel", "opt-level", "unsigned", /*default=*/"3",
           "LLVM optimization level, 0 to 3">,
  ];
}

def OnTarget : Pass<"gnn-on-target", "::mlir::func::FuncOp"> {
  let summary = "Run passes on modules for one kind of target";
  let description = [{
    A stage is the same list of passes for all targets. Passes for only one kind of target
    run inside this one, on functions of modules whose `gnn.target` is of that kind.

    ```sh
    gnn-opt --pass-pipeline='builtin.module(gnn-attach-target{kind=cpu},func.func(gnn-on-target{kind=cpu passes=gnn-tile-schedule-cores}))'
    ```

    Needs: whatever the passes need. Keeps: modules for other targets. Never runs a pass
    that is not on a function.
  }];
  let options = [
    Option<"kind", "kind", "std::string", /*default=*/"", "The kind of target">,
    Option<"passes", "passes", "std::string", /*default=*/"",
           "The passes, as in func.func(...)">,
  ];
}

#endif // GNN_TRANSFORMS_STAGES_PASSES_TD
