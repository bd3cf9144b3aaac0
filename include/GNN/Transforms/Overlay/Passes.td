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
  let summary = "Check that functions and programs have a form of the overlay's";
  let description = [{
    The passes below check the form that they need as this pass does, and
    gnn-overlay-pipeline ends with it, so that another form is one error and not silently
    left as it is:

    * `layers`: functions of layers on tensors;
    * `prepared`: the same, without what is computed before a program;
    * `partitioned`: programs of regions and layers;
    * `mapped`: programs of regions and instructions;
    * `annotated`: the same, with the mutexes of buffers;
    * `resident`: the same, of regions or parts that the memory holds.

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
    * (C6) Annotated: what fills a buffer in a tile has `lock`, and the tile unlocks each
      kind of buffer that it fills; in parts too.
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
  let summary = "Apply functions in the layer that makes what they read";
  let description = [{
    An `activation` joins the layer whose result it alone reads (GraphAGILE 6.4): no
    layer of its own reads and writes the memory. A `batch_norm` joins an `activation`
    that it alone reads, which is left where a sum is divided.

    ```mlir
    %h = gnn_overlay.linear %x, %w : ...
    %y = gnn_overlay.activation %h activations [#gnn_overlay.act<relu>] : ...
    // becomes
    %y = gnn_overlay.linear %x, %w activations [#gnn_overlay.act<relu>] : ...
    ```

    Refused, with a remark: a result that others read too, an argument, a producer that
    is a `batch_norm`, a third function of a `vector_inner`, a division.

    Needs: the form `layers`. Keeps: every value, bit by bit.
  }];
  let dependentDialects = ["::gnn::overlay::OverlayDialect"];
}

def OverlayOutlinePrepare : Pass<"gnn-overlay-outline-prepare", "::mlir::ModuleOp"> {
  let summary = "Make a function of what is computed before a program";
  let description = [{
    Ops that are no layers read weights, the graph and numbers of its edges alone:
    degrees, norms of edges, folded weights. They move to `@f.prepare`, which today's
    pipelines compile for the CPU and which runs once; its results become arguments of
    `@f` named `prepare.0`, `prepare.1`, ...

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

    Refused, with a remark: a function in which nothing is computed before the program.

    Needs: the form `layers`. Keeps: every value, and the names and order of the
    arguments that there are. Never moves a layer, a view of an argument or a result
    (`gnn.reshape` and `gnn.rebind_rows` of rows of nodes), or `gnn_overlay.assemble`.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def OverlayPartition : Pass<"gnn-overlay-partition", "::mlir::ModuleOp"> {
  let summary = "Cut graph and rows into blocks, and lay out the memory";
  let description = [{
    A function of layers becomes a `gnn_overlay.program` with a Fiber-Shard partition
    (GraphAGILE 6.5) and a region of the memory for each operand. N2 is N_F2. N1 is
    16 ceil(V / 16 n0), where n0 is blocks_per_pe x pes, or ceil(V / N_F1) if that is
    more, unless `n1` says it.

    With `graph`, an .npz file, the program is for that graph: its subshards of more edges
    than a buffer takes become several entries, and with `skip-empty` those without edges
    none. A derived graph is made of the file's by its loops. Without it V and E are those
    of the `stats` of the graph, each subshard has one entry, and the simulator refuses
    graphs that need more.

    Inputs lie in front, outputs behind them, temporary rows and weights of edges behind
    these, at the lowest address that no other value has while they live.

    The module says by `gnn_overlay.target` what it is compiled for; without it that is
    an Alveo U250.

    Refused at the function, with one error: arguments of one name, a graph of which neither
    a file nor statistics are there, two results that are one value, a result that no layer
    makes, an `n1` that is no multiple of p_sys or over N_F1, a file that cannot be read.

    With `shard-edges`, and where regions end above the memory, the partition has the edges
    of each shard of a graph that is given, for gnn-overlay-super-partition.

    Needs: the form `prepared`. Keeps: every value. Never reorders layers.
  }];
  let dependentDialects = ["::gnn::overlay::OverlayDialect"];
  let options = [
    Option<"n1", "n1", "unsigned", /*default=*/"0",
           "Rows of a block; 0: by the rule">,
    Option<"blocksPerPe", "blocks-per-pe", "unsigned", /*default=*/"4",
           "Blocks of rows for each processing element, at least">,
    Option<"graph", "graph", "std::string", /*default=*/"",
           "The file of the graph that programs are for">,
    Option<"addSelfLoops", "add-self-loops", "bool", /*default=*/"false",
           "Give every node of the file's graph one self loop">,
    Option<"skipEmpty", "skip-empty", "bool", /*default=*/"false",
           "Leave out subshards without edges, of a graph that is given">,
    Option<"shardEdges", "shard-edges", "bool", /*default=*/"false",
           "Have the partition of a graph that is given say the edges of its shards">,
  ];
}

def OverlayMapKernels : Pass<"gnn-overlay-map-kernels", "::mlir::ModuleOp"> {
  let summary = "Make instructions of the layers of a program";
  let description = [{
    A layer becomes a `gnn_overlay.layer_block`, a tile of its result a
    `gnn_overlay.tiling_block` (GraphAGILE 6.6): a block of rows of a fiber (algorithms 6
    and 8, and the block product of a linear layer, which sums over fibers of the input
    before it writes), or the edges of a descriptor (algorithm 7). Tiles are in
    fiber-major order. The outer loops are unfolded, the inner loop stays a
    `gnn_overlay.loop`, unless `unroll`. With `linear-group`, a tile of a linear layer
    makes that many fibers of the output, as there are, and reads its rows of the input
    once for all of them.

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
           "Fibers of the output that a tile of a linear layer makes">,
  ];
}

def OverlayAnnotateMutexes : Pass<"gnn-overlay-annotate-mutexes", "::mlir::ModuleOp"> {
  let summary = "Say which instruction fills and which empties a buffer";
  let description = [{
    In each tile, by a scan of what its instructions read and write (GraphAGILE 6.6):
    what fills a buffer (`load`; of the output `init`, `vadd`, an `act` of an input)
    gets `lock` and waits until it is empty; the last that reads it before it is filled
    again gets `unlock`.

    Tiles of parts are annotated too. Flags that are there are replaced.

    Needs: the form `mapped`. Keeps: every value. Never adds, moves or removes an
    instruction.
  }];
  let dependentDialects = ["::gnn::overlay::OverlayDialect"];
}

def OverlaySuperPartition : Pass<"gnn-overlay-super-partition", "::mlir::ModuleOp"> {
  let summary = "Cut programs that do not fit the memory into parts";
  let description = [{
    The tiles of each layer are cut into ranges of fibers and of blocks of destinations
    (GraphAGILE, section 9), each of which becomes a part: a program whose regions are
    windows of those that its tiles read and write, of at most `super-bytes`. The regions
    of the program stay with the host.

    Numbers of fibers of a layer are compared by the bytes that go between host and
    memory; ranges of blocks are as few as fit, with about as many bytes each. Ranges of
    destinations are the outer ones where edges have more bytes than the features that the
    layer reads: edges then stay for all fibers. Otherwise ranges of fibers are, and
    features stay. A window that the next part reads too keeps its address. Others get an
    address that neither the parts beside it nor transfers meanwhile use, so that operands
    of the next part can come while one runs. Where that does not fit the memory, the pass
    takes smaller parts.

    Refused with an error at the program: a partition without the edges of shards, by which
    windows have a size, and a tile that needs more than `super-bytes`. Refused with a
    remark: a program that fits, and one that is cut already.

    Needs: the form `annotated`. Keeps: every value, bit by bit; instructions but for
    their addresses. Never cuts a tile, and never reorders layers.
  }];
  let dependentDialects = ["::gnn::overlay::OverlayDialect"];
  let options = [
    Option<"superBytes", "super-bytes", "uint64_t", /*default=*/"0",
           "Most bytes of a part, up to the memory; 0: half the memory, of programs that do "
           "not fit it">,
  ];
}

#endif // GNN_TRANSFORMS_OVERLAY_PASSES_TD
