//===- Passes.td - Passes on programs of the overlay -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contracts, then passes in the order of the pipeline, behind
// convert-gnn-to-gnn-overlay.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_OVERLAY_PASSES_TD
#define GNN_TRANSFORMS_OVERLAY_PASSES_TD

include "mlir/Pass/PassBase.td"

def OverlayVerifyForm : Pass<"gnn-overlay-verify-form", "::mlir::ModuleOp"> {
  let summary = "Check that functions and programs have a form of the overlay";
  let description = [{
    Each of the passes below checks the form that it needs in the same way, and
    gnn-overlay-pipeline ends with this pass, so another form is one error and not silently
    unchanged:

    * `layers`: functions of layers on tensors;
    * `prepared`: the same, without computations before a program;
    * `partitioned`: programs of regions and layers;
    * `mapped`: programs of regions and instructions;
    * `annotated`: the same, with the mutexes of buffers;
    * `resident`: the same, whose regions or parts fit the memory.

    Functions without layers, such as `@f.prepare`, have every form. Each form has a
    contract:

    * (C1) Layers: a function with layers has one block, which returns.
    * (C2) Prepared: rows of nodes and numbers of edges that a layer reads are an argument,
      the result of a layer, or a view of one of these. Results of the function are those of
      layers, or views of them.
    * (C3) Partitioned: no function has layers. Regions hold the operands of a layer, and its
      result is placed in one.
    * (C4) Partitioned: an `aggregate` has weights, the program of a `vector_inner` a region of
      edges, and a scale and a shift lie in one region.
    * (C5) Mapped: programs have no layers.
    * (C6) Annotated: an instruction that fills a buffer in a tile has `lock`, and the tile
      unlocks each kind of buffer that it fills; in parts too.
    * (C7) Resident: regions of a program without parts lie within the memory.
    * (C8) Layers: the layers of a function are of one graph. Views that they read are of
      rows of the same nodes: those of its parent, or of another graph of that parent.

    Needs: nothing. Keeps: everything. Never changes the IR.
  }];
  let options = [
    Option<"form", "form", "::gnn::OverlayForm",
           /*default=*/"::gnn::OverlayForm::Layers",
           "The form: layers, prepared, partitioned, mapped, annotated or resident">,
  ];
}

def OverlayFuseActivations : Pass<"gnn-overlay-fuse-activations", "::mlir::func::FuncOp"> {
  let summary = "Apply functions in the layer that computes their input";
  let description = [{
    An `activation` joins a layer if it is the only reader of its result (GraphAGILE 6.4),
    which saves a layer that reads and writes the memory. A `batch_norm` joins an
    `activation` of which it is the only reader; such an activation remains after a division
    of a sum.

    ```mlir
    %h = gnn_overlay.linear %x, %w : ...
    %y = gnn_overlay.activation %h activations [#gnn_overlay.act<relu>] : ...
    // becomes
    %y = gnn_overlay.linear %x, %w activations [#gnn_overlay.act<relu>] : ...
    ```

    Refused, with a remark: a result with other readers, an argument, a producer that is a
    `batch_norm`, a third function of a `vector_inner`, a division.

    Needs: the form `layers`. Keeps: every value, bit by bit.
  }];
  let dependentDialects = ["::gnn::overlay::OverlayDialect"];
}

def OverlayOutlinePrepare : Pass<"gnn-overlay-outline-prepare", "::mlir::ModuleOp"> {
  let summary = "Move computations before a program to a function";
  let description = [{
    Ops that are no layers read only weights, the graph and numbers of its edges: degrees,
    norms of edges, folded weights. They move to `@f.prepare`, which the pipelines for cores
    compile for the CPU and which runs once; its results become arguments of `@f` named
    `prepare.0`, `prepare.1`, ...

    ```mlir
    func.func @f(%x: ..., %w: tensor<8x8xf32>, %s: tensor<8x8xf32>) -> ... {
      %p = arith.mulf %w, %s : tensor<8x8xf32>
      %y = gnn_overlay.linear %x, %p : ...
      return %y : ...
    }
    // becomes
    func.func @f.prepare(%w: tensor<8x8xf32>, %s: tensor<8x8xf32>) -> (tensor<8x8xf32> {gnn.name = "prepare.0"})
    func.func @f(%x: ..., %w: ..., %s: ..., %p: tensor<8x8xf32> {gnn.name = "prepare.0"}) -> ...
    ```

    Refused, with a remark: a function without computations before the program.

    Needs: the form `layers`. Keeps: every value, and the names and order of the existing
    arguments. Never moves a layer, a view of an argument or a result (`gnn.reshape` and
    `gnn.rebind_rows` of rows of nodes), or `gnn_overlay.assemble`.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def OverlayPartition : Pass<"gnn-overlay-partition", "::mlir::ModuleOp"> {
  let summary = "Cut graph and rows into blocks, and lay out the memory";
  let description = [{
    A function of layers becomes a `gnn_overlay.program` with a Fiber-Shard partition
    (GraphAGILE 6.5) and a region of the memory for each operand. N2 is N_F2. N1 is `n1`, or
    else 16 ceil(V / 16 n0), where n0 is the maximum of blocks_per_pe x pes and ceil(V /
    N_F1).

    With `graph`, an .npz file, the program is for that graph: subshards with more edges
    than a buffer holds become several entries, and with `skip-empty` those without edges
    become none. A derived graph is made from the file's graph by its loops. Without
    `graph`, V and E are those of the `stats` of the graph, each subshard has one entry, and
    the simulator refuses graphs that need more.

    Inputs come first in memory, then outputs, then temporary rows and weights of edges, at
    the lowest address that is free during their lifetime.

    The attribute `gnn_overlay.target` of the module is its target; without it the target is
    an Alveo U250.

    Refused at the function, with one error: arguments of one name, a graph without a file
    and statistics, two results that are one value, a result that no layer computes, an `n1`
    that is no multiple of p_sys or exceeds N_F1, an unreadable file.

    With `shard-edges`, and if regions end above the memory, the partition has the edges of
    each shard of a given graph, for gnn-overlay-super-partition.

    Needs: the form `prepared`. Keeps: every value. Never reorders layers.
  }];
  let dependentDialects = ["::gnn::overlay::OverlayDialect"];
  let options = [
    Option<"n1", "n1", "unsigned", /*default=*/"0",
           "Rows of a block; 0: by the rule">,
    Option<"blocksPerPe", "blocks-per-pe", "unsigned", /*default=*/"4",
           "Least number of blocks of rows for each processing element">,
    Option<"graph", "graph", "std::string", /*default=*/"",
           "The file of the graph of the programs">,
    Option<"addSelfLoops", "add-self-loops", "bool", /*default=*/"false",
           "Give every node of the file's graph one self loop">,
    Option<"skipEmpty", "skip-empty", "bool", /*default=*/"false",
           "Leave out subshards without edges, of a given graph">,
    Option<"shardEdges", "shard-edges", "bool", /*default=*/"false",
           "Put the edges of each shard of a given graph into the partition">,
  ];
}

def OverlayMapKernels : Pass<"gnn-overlay-map-kernels", "::mlir::ModuleOp"> {
  let summary = "Lower the layers of a program to instructions";
  let description = [{
    A layer becomes a `gnn_overlay.layer_block`, and a tile of its result a
    `gnn_overlay.tiling_block` (GraphAGILE 6.6): a block of rows of a fiber (algorithms 6
    and 8, and the block product of a linear layer, which sums over fibers of the input
    before it writes), or the edges of a descriptor (algorithm 7). Tiles are in fiber-major
    order. The outer loops are unrolled; the inner loop stays a `gnn_overlay.loop`, unless
    `unroll`. With `linear-group`, a tile of a linear layer computes up to that many fibers
    of the output, and reads its input rows once for all of them.

    Refused at the layer: more than 255 layers or 65535 features, a value that is in no
    region. Refused at the program: more fibers of a tile than the buffers hold.

    Needs: the form `partitioned`. Keeps: every value; sums over fibers and blocks ascend.
    Never leaves a layer.
  }];
  let dependentDialects = ["::gnn::overlay::OverlayDialect"];
  let options = [
    Option<"unroll", "unroll", "bool", /*default=*/"false",
           "Unroll inner loops">,
    Option<"linearGroup", "linear-group", "unsigned", /*default=*/"1",
           "Fibers of the output that a tile of a linear layer computes">,
  ];
}

def OverlayAnnotateMutexes : Pass<"gnn-overlay-annotate-mutexes", "::mlir::ModuleOp"> {
  let summary = "Mark the instructions that fill and empty buffers";
  let description = [{
    The pass scans the reads and writes of the instructions of each tile (GraphAGILE 6.6).
    An instruction that fills a buffer (`load`; for the output `init`, `vadd`, an `act` of
    an input) gets `lock` and waits until the buffer is empty; the last one that reads it
    before it is filled again gets `unlock`.

    Tiles of parts are annotated too. Existing flags are replaced.

    Needs: the form `mapped`. Keeps: every value. Never adds, moves or removes an
    instruction.
  }];
  let dependentDialects = ["::gnn::overlay::OverlayDialect"];
}

def OverlaySuperPartition : Pass<"gnn-overlay-super-partition", "::mlir::ModuleOp"> {
  let summary = "Cut programs that do not fit the memory into parts";
  let description = [{
    The tiles of each layer are cut into ranges of fibers and of blocks of destinations
    (GraphAGILE, section 9). Each range becomes a part: a program of at most `super-bytes`,
    whose regions are windows of those that its tiles read and write. The regions of the
    program stay with the host.

    The pass compares numbers of fibers of a layer by the bytes of the transfers between
    host and memory; ranges of blocks are as few as fit, with about equal bytes. If edges
    have more bytes than the features that the layer reads, ranges of destinations are the
    outer ones, and edges stay for all fibers. Otherwise ranges of fibers are the outer
    ones, and features stay. A window that the next part also reads keeps its address.
    Others get an address that neither the adjacent parts nor concurrent transfers use, so
    operands of the next part can arrive while one runs. If that does not fit the memory,
    the pass makes smaller parts.

    Refused with an error at the program: a partition without the edges of shards, which
    determine the sizes of windows, and a tile that needs more than `super-bytes`. Refused
    with a remark: a program that fits, and one that is already cut.

    Needs: the form `annotated`. Keeps: every value, bit by bit; instructions except their
    addresses. Never cuts a tile, and never reorders layers.
  }];
  let dependentDialects = ["::gnn::overlay::OverlayDialect"];
  let options = [
    Option<"superBytes", "super-bytes", "uint64_t", /*default=*/"0",
           "Maximum bytes of a part, up to the memory; 0: half the memory, for programs that do "
           "not fit it">,
  ];
}

#endif // GNN_TRANSFORMS_OVERLAY_PASSES_TD
