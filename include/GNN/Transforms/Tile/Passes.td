//===- Passes.td - Passes on templates ---------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On tensors and buffers, in pipeline order.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_TILE_PASSES_TD
#define GNN_TRANSFORMS_TILE_PASSES_TD

include "GNN/Transforms/Tile/WalkPasses.td"

def FuseTraversals : Pass<"gnn-tile-fuse-traversals", "::mlir::func::FuncOp"> {
  let summary = "Walk once where two traversals share a loop nest";
  let description = [{
    A traversal whose result one other traversal alone reads, at the point of
    the walk where it is made, is computed there, and its result is never
    stored.

    ```mlir
    %m = gnn_tile.traverse @g <edge.in_rows, features = 64> ...
    %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%m) at [#gnn_tile.at<element : feature>] ...
    // becomes one traversal of <dst, edge.in_rows, features = 64>
    ```

    Rows of features of edges that several traversals read, each at the point where
    they are made, are computed in each of them: storing them takes more than
    computing them again. Rows that are only copied are read where they come from,
    and so are features that a traversal copies within each row, a part of them or
    one number for all, if only traversals read them.

    Work on each row that a walk sums up joins the walk, such as the sum of two of its results, and
    its other results stay results. So does what is done, with few numbers, for each element of a
    walk by what its group has summed up: the elements are walked once more, as for a softmax.

    Rows that are computed one by one are computed in the order in which the
    consumer walks them, and at the end of a square graph where it does. A traversal
    of rows of nodes is the same on a derived graph: there it joins one that walks
    edges.

    Needs: templates on tensors. Keeps: the value of every result. Never fuses
    into or out of what has a schedule. Never fuses across a reduction that is read
    at another point than where it ends, unless it gives few numbers. Never computes
    rows more than once, except rows of features of edges.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def JoinTraversals : Pass<"gnn-tile-join-traversals", "::mlir::func::FuncOp"> {
  let summary = "Make one traversal of two that lie side by side";
  let description = [{
    Two traversals over the same rows in the same order become one with the results
    of both: of edges one by one, where the second may read what the first gives
    for the same edge, and of edges or pairs that meet in the same nodes or pairs.
    One launch is saved, and what both read is read once.

    ```mlir
    %a = gnn_tile.traverse @g <edge.in_rows> ...
    %b = gnn_tile.traverse @g <edge.in_rows, features = 64> ins(%a, ...) ...
    // becomes, where others read %a too
    %a, %b = gnn_tile.traverse @g <edge.in_rows, features = 64> ...
    ```

    Results that nothing reads are dropped.

    Needs: templates on tensors. Keeps: the value of every result. Never joins what
    has a schedule, more than six results, or sums over types or the graph.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def ComputeInWalks : Pass<"gnn-tile-compute-in-walks", "::mlir::ModuleOp"> {
  let summary = "Compute numbers of edges where their rows are read";
  let description = [{
    A value that is computed for each edge by itself, such as products of the rows
    at its ends, joins the walk over the edges of each row that reads it. Values
    of the row are then read once a row and not once an edge, and values of an
    edge that both read once:

    ```mlir
    %a = gnn_tile.traverse @g <edge.in_rows, features = 64> ins(%q, %k) at [<group -> dst : feature>, <group -> src : feature>] ...
    %b = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%a, %k) at [<element>, <element -> src : feature>] ...
    // becomes, where others read %a too
    %a, %b = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
        ins(%q, %k) at [<group : feature>, <element -> src : feature>]
        outs(...) at [<element>, <group : feature>] ...
    ```

    Or each walk that reads it computes it, of the edges into a row and of those out of
    one, and nothing is stored for an edge:

    ```mlir
    %b = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
        ins(%q, %k) at [<group : feature>, <element -> src : feature>] ...
    %c = gnn_tile.traverse @g <src, edge.out_rows, features = 64>
        ins(%q, %k) at [<element -> dst : feature>, <group : feature>] ...
    ```

    The walk that stores it may be of either end. By statistics it takes the place of the
    least time: rows that are gathered again and more registers against numbers that are
    written, and read in another order. Where each walk computes it in about the same
    time as one does that stores it, nothing is stored; more than the L2 holds is so only
    where each number of an edge saves 8% of that time. A kernel apart stays unless it takes more time
    by a margin: short rows leave lanes idle that hold many registers, and all wait for a
    long one unless `gnn-tile-split-long-rows` will make pieces of it or it is walked by
    edges. Walks are weighed with the shards that `gnn-tile-shard-sources` will make of
    their sources.

    `setting` is -1 for that, 0 for a kernel of their own, 1 for the best walk that stores
    them, and 2 for each walk.

    Needs: templates on tensors; statistics of the graph for -1. Keeps: the value of every
    result. Never: takes what has a schedule, makes a kernel of more than six results,
    or computes edges in what walks them more than once.
  }];
  let options = [
    Option<"setting", "setting", "int64_t", /*default=*/"-1",
           "-1 by statistics, 0 apart, 1 in one walk, 2 in each walk">,
    Option<"longRows", "long-rows", "bool", /*default=*/"true",
           "Whether long rows become pieces where that pays">,
    Option<"groupEdges", "group-edges", "bool", /*default=*/"true",
           "Whether gnn-tile-group-edges runs later">,
    Option<"edgeWalks", "edge-walks", "int64_t", /*default=*/"-1",
           "Walks by edges: -1 by statistics, 0 none, 1 all that can">,
    Option<"sourceShards", "source-shards", "int64_t", /*default=*/"-1",
           "Ranges of sources: -1 by statistics, 0 none, else so many">,
  ];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def SumRowsFirst : Pass<"gnn-tile-sum-rows-first", "::mlir::func::FuncOp"> {
  let summary = "Sum over all edges by way of the rows of a walk";
  let description = [{
    A sum over all edges, such as the gradient by the weight of a score, is one of the
    rows of a walk over the same edges, and then of these rows. The walk reads the same
    rows of features, and `gnn-tile-join-traversals` makes one kernel of both.

    ```mlir
    %w = gnn_tile.traverse @g <graph, edge.in_rows, features = 64> ins(%x) at [<element -> src : feature>] ... // reduce sum [element]
    // becomes
    %r = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x) at [<element -> src : feature>] ...
    %w = gnn_tile.traverse @g <graph, dst, features = 64> ins(%r) at [<element : feature>] ...
    ```

    It does so where by statistics rows that are written and read take less time than
    edges that are walked once more.

    Needs: templates on tensors; statistics of the graph. Keeps: the value of every result
    up to the order of sums. Never: takes sums over types, what has a schedule, extremes,
    which a row without elements would be part of, or rows that no walk goes through.
  }];
  let options = [
    Option<"longRows", "long-rows", "bool", /*default=*/"true",
           "Whether long rows become pieces where that pays">,
    Option<"edgeWalks", "edge-walks", "int64_t", /*default=*/"-1",
           "Walks by edges: -1 by statistics, 0 none, 1 all that can">,
  ];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::tensor::TensorDialect"];
}

def MergeSums : Pass<"gnn-tile-merge-sums", "::mlir::func::FuncOp"> {
  let summary = "Make one sum over elements of two that are added up";
  let description = [{
    Two sums over the elements of a row that are only added to one another are the sum of
    both terms of each element. A lane then holds one sum, and shares and pieces of rows
    have one state.

    ```mlir
    %s = gnn_tile.reduce sum [element] %a : f32
    %t = gnn_tile.reduce sum [element] %b : f32
    %y = arith.addf %s, %t : f32
    // becomes
    %c = arith.addf %a, %b : f32
    %y = gnn_tile.reduce sum [element] %c : f32
    ```

    Needs: templates on tensors. Keeps: the value of every result up to the order of
    sums. Never: merges sums that something else reads, or that vary by other dimensions.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::arith::ArithDialect"];
}

def HoistFactors : Pass<"gnn-tile-hoist-factors", "::mlir::func::FuncOp"> {
  let summary = "Multiply by what varies less first, and divide by it once";
  let description = [{
    A choice between two products that have the factors of an element in common becomes the
    product of these with a choice between the weights, which lanes keep in registers. The
    gradient of a leaky activation is such a choice.

    ```mlir
    %p = arith.mulf %w, %g : f32 // %g of an element, %w and %slope not
    %q = arith.mulf %p, %slope : f32
    %y = arith.select %c, %p, %q : f32
    // becomes
    %v = arith.mulf %w, %slope : f32
    %s = arith.select %c, %w, %v : f32
    %y = arith.mulf %s, %g : f32
    ```

    A sum over the features of an element of a leaky activation `select(x > 0, x, k x)` times
    weights, which nothing else reads, is one of `x + t |x|`, with `t = (1 - k) / (1 + k)`, times
    `(1 + k) / 2`: an infinite feature, or one above 1.7e38, the half of the largest f32, makes it
    NaN, where it would be infinite or finite, and so all weights of a softmax that it is a score of.

    A quotient with the flag `arcp`, or of a power with the flag `afn`, whose divisor varies by
    fewer dimensions becomes a product with the reciprocal: one for each row, or for each head
    of one. Another such quotient may be approximate too.

    Needs: templates. Keeps: the value of every result up to the rounding of products and
    reciprocals. Never: touches other quotients, or products in which an element has no
    factor.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def FuseProducts : Pass<"gnn-tile-fuse-products", "::mlir::func::FuncOp"> {
  let summary = "Let products gather their rows and end with what follows";
  let description = [{
    A traversal that only copies rows into the input of a `gnn_tile.gemm`, or
    into either side of a `gnn_tile.outer`, becomes the product's gather list. A
    row-wise traversal that alone reads the product of a `gnn_tile.gemm` becomes
    its epilogue. A traversal that adds up the rows of each type that a
    `gnn_tile.outer` of these types has on one side becomes a second result of
    that: the gradient by a bias beside that by a weight.

    ```mlir
    %r = gnn_tile.gemm @g rows dst ins(%x, %w) ... // yields %acc
    %y = gnn_tile.traverse @g <dst, features = 8> ins(%r, %b) ... // adds %b
    // becomes
    %y = gnn_tile.gemm @g rows dst ins(%x, %w) ... extras(%b) ... // yields %acc + %b

    %dw = gnn_tile.outer @g rows dst ins(%x, %dy) ... outs(%w) ...
    %db = gnn_tile.traverse @g <graph, dst, features = 8> ins(%dy) ... // sums
    // becomes
    %dw, %db = gnn_tile.outer @g rows dst ins(%x, %dy) ... outs(%w) sums(%b) ...
    ```

    Needs: templates on tensors. Keeps: the value of every result. Never fuses
    another reduction, into or out of what has a schedule, or what reads rows that no
    map reaches from the product's.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SplitSums : Pass<"gnn-tile-split-sums", "::mlir::func::FuncOp"> {
  let summary = "Sum over types or the graph in two steps";
  let description = [{
    A block walks all rows of an edge type, a node type or the graph, one after
    another, while there are few of these. Where they have many rows, a first
    template sums over tiles of them and a second one over the tiles of each, in
    their order: as many blocks as the GPU has room for, and the same bits on every
    run.

    ```mlir
    %dw = gnn_tile.outer @g rows src_pair types edge_type ins(%x, %dy) ... -> tensor<3x64x32xf32>
    // becomes
    %n = gnn_tile.count @g tile_count edge_type src_pair 1024 : index
    %parts = gnn_tile.outer @g rows src_pair types tiles<edge_type, src_pair, 1024>
        ins(%x, %dy) ... -> tensor<?x64x32xf32>
    %flat = tensor.collapse_shape %parts [[0], [1, 2]]
    %sums = gnn_tile.traverse @g <edge_type, tiles<edge_type, src_pair, 1024>, features = 2048>
        ins(%flat) at [#gnn_tile.at<element : feature>] ... // reduce sum [element]
    ```

    So are traversals with such groups that reduce over their elements once: a
    reduction of any kind becomes the same one over tiles and then over groups, a
    mean a sum that is divided by the number of all elements. Ops behind the
    reductions stay behind the second one.

    With statistics of the graph, a tile has so few rows that there are 4 blocks a
    multiprocessor of the target; of outer products, which are computed, 8 as long as
    tiles have 1024 rows, so that the last ones to end are few. A core of a CPU, which
    runs one block at a time, has 32 of sums, and 8 or 16 of outer products. The number of tiles is
    bounded, and so is what they write. A tile has 64 rows of an outer product at
    least, and 256 of a traversal. Groups of which the longest has two tiles at most,
    or 256 rows, stay whole. Without statistics, a tile has 1024 rows.

    Needs: templates on tensors. Keeps: the value of every result up to the order
    of sums; all bits of it where it is no sum. Never splits sums over types, over
    fixed rows, or of what has a schedule, nor what walks elements again or writes
    rows of them.
  }];
  let options = [
    Option<"rows", "rows", "int64_t", /*default=*/"0",
           "Rows of a tile; 0: by statistics">,
  ];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SplitLongRows : Pass<"gnn-tile-split-long-rows", "::mlir::func::FuncOp"> {
  let summary = "Walk the pieces of long rows in many blocks";
  let description = [{
    A block walks a row of nodes or pairs, however long it is: one with 26,000 edges
    takes 0.4 ms, while all others together take less. A first traversal reduces over the
    pieces of long rows, a block each, and the traversal makes these rows of
    what it gives, in the order of the pieces, so that the bits are the same on
    every run. Rows that are not long are walked as before.

    ```mlir
    %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x) ...
    // becomes
    %n = gnn_tile.count @g long_tile_count dst edge.in_rows 256 : index
    %parts = gnn_tile.traverse @g <long_tiles<dst, edge.in_rows, 256>, edge.in_rows,
        features = 64> ins(%x) ... -> tensor<?x64xf32>
    %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x) ...
        parts(%parts : tensor<?x64xf32>) of long_tiles<dst, edge.in_rows, 256> ...
    ```

    Where the op writes rows of its elements too, those of long rows are written by
    the first traversal, and the second one goes on with them.

    Rows of more than `length` elements are long, and so many are in a piece. By the
    statistics of the graph, it is that of 64 and 128 for which
    the cost model gives the least time, if both kernels together take less
    than the one before by a margin: a launch more must pay. On a graph without
    long rows the first one launches nothing.

    Needs: templates on tensors; without statistics of the graph, a `length`. Keeps:
    the value of every result up to the order of sums; all bits of it where it is no
    sum. Never splits what walks elements again or has a schedule, nor what reads
    rows of a group that no map leads to from a piece.
  }];
  let options = [
    Option<"length", "length", "int64_t", /*default=*/"-1",
           "Elements above which a row is long; 0: none is; -1: by statistics">,
    Option<"edgeWalks", "edge-walks", "int64_t", /*default=*/"-1",
           "Walks by edges, whose rows stay whole, as of gnn-tile-schedule-edge-walks">,
  ];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def VerifyWholeResults
    : Pass<"gnn-verify-whole-results", "::mlir::func::FuncOp"> {
  let summary = "Check that templates write all of what is read";
  let description = [{
    Templates may write parts of one tensor, each going on with the result of the
    one before (a concatenation does). Where something else reads the last result,
    the parts must be all of it, or the tensor must have had a value to begin with.

    On buffers, the parts are those that were written until something reads the
    buffer, or until the function ends and gives it to its caller: an argument with
    `bufferize.result`, a `memref.alloc`, or a place in the workspace, where views
    of one offset are one buffer. A copy has the parts that were written of its
    source. Nothing is said of a buffer that is written in parts of several shapes,
    or used by an op that is no template, nor of a function with `gnn.excerpt`.

    In a workspace, less is known, so that gaps are best found in front of
    `gnn-tile-plan-memory`, as `gnn-tile-pipeline` does. Who takes over a place
    that was written, with columns of its own, is taken to go on with what is
    there. A gap in one place is no error once another place of the workspace is
    written, which may be the same or reach into it.

    ```mlir
    // error: leaves columns 32 to 63 without a value
    %y = gnn_tile.traverse @g <dst, features = 32> ... outs(%empty : tensor<?x64xf32>)
    ```

    Needs: templates on tensors or buffers. Keeps: everything. Never changes the IR.
  }];
}

def SeparateResults : Pass<"gnn-tile-separate-results", "::mlir::func::FuncOp"> {
  let summary = "Give each result of a function a tensor of its own";
  let description = [{
    A caller gives a buffer for each result. Where two results are one tensor,
    or reshaped forms of one, the template that makes it runs once for each.

    ```mlir
    return %y, %y : tensor<?x8xf32>, tensor<?x8xf32>
    // becomes
    %z = gnn_tile.traverse ... // as %y
    return %y, %z : tensor<?x8xf32>, tensor<?x8xf32>
    ```

    Nor do two templates go on with one tensor, or one with a tensor that others
    read later: two concatenations of rows that begin alike both start with these,
    each in a tensor of its own. Where a traversal has several results, the one that
    is needed is computed again, without the others.

    Needs: templates on tensors. Keeps: the value of every result. Never
    touches results that no template makes. Later passes must not merge equal
    templates again.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def WriteInPlace : Pass<"gnn-tile-write-in-place", "::mlir::func::FuncOp"> {
  let summary = "Write over inputs that nothing reads later, and where results "
                "are returned";
  let description = [{
    A template whose output is a new tensor, and that reads each row of an input
    before it writes the row of the output (`mayOverwrite` of the template), goes on
    with the tensor of that input: a product of rows of the same width, the term
    that a sum or product is added to. The buffer is the same one, and where it is
    a result of the function, that of the caller.

    ```mlir
    %e = tensor.empty(%n) : tensor<?x64xf32>
    %y = gnn_tile.gemm @g rows src_pair ... ins(%x, %w : ...) outs(%e : tensor<?x64xf32>)
    // becomes
    %y = gnn_tile.gemm @g rows src_pair ... ins(%x, %w : ...) outs(%x : tensor<?x64xf32>)
    ```

    At most 32 templates go on with one tensor, as bufferization compares each with
    all others; the next one makes a new tensor.

    A template moves behind others that read the input, as the product of a
    gradient and a weight behind the sum of its outer products, if nothing reads
    its results before and no other tensor lives longer for it.

    A result that is returned in another shape is made in a tensor of that shape,
    which the caller allocates.

    Needs: templates on tensors, each result in a tensor of its own
    (`gnn-tile-separate-results`). Keeps: all values. Never writes over an argument
    or a result, over what several templates go on with, or over a tensor that is not
    known to have as many rows: that of sources, of which the destinations are the
    first. Rows of two graphs are as many where `gnn_tile.require` says so.
  }];
  let options = [Option<"overwrite", "overwrite", "bool", "true",
                        "Write over inputs; without it, results are only made in the "
                        "shape in which they are returned">];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::bufferization::BufferizationDialect"];
}

def PadRows : Pass<"gnn-tile-pad-rows", "::mlir::func::FuncOp"> {
  let summary = "Give rows of odd widths that walks gather whole vectors";
  let description = [{
    A row of 41 features is no multiple of a vector, and a walk gathers it one feature a
    lane. A buffer of the function gets columns behind the features, its *pad*, so that
    each row begins where vectors do and the last one ends within it. Templates go on
    with the features that they had: their accesses say which columns they read and
    write, and what lies behind is nobody's. Then `gnn-tile-schedule-columns` has walks
    take vectors.

    ```mlir
    %y = memref.alloc(%n) : memref<?x41xf32>
    gnn_tile.gemm ... outs(%y : memref<?x41xf32>) at <group : feature>
    gnn_tile.traverse @g <dst, edge.in_rows, features = 41>
        ins(%y : memref<?x41xf32>) at [#gnn_tile.at<element -> src : feature>] ...
    // becomes
    %y = memref.alloc(%n) : memref<?x44xf32>
    gnn_tile.gemm ... outs(%y : memref<?x44xf32>) at <group : feature>
    gnn_tile.traverse @g <dst, edge.in_rows, features = 41>
        ins(%y : memref<?x44xf32>) at [#gnn_tile.at<element -> src : feature>] ...
    ```

    The rows of an argument are copied into such a buffer where walks gather them, once
    for all walks. On a GPU, rows of three columns and more are multiples of four (a lane
    loads two at once): rows of 16 bytes more meet as many sectors as rows of whole sectors. On the cores of a CPU, they are
    multiples of what a register holds, or of half or a quarter of that where that takes
    no more vectors.

    With `pad=-1` buffers are padded where the cost model says that the gathers gain
    more by vectors than all templates lose by the bytes of the pad and the copies; 0
    pads none, 1 all that can.

    Needs: templates on buffers that are allocated in the function; statistics of the
    graph for -1. Keeps: all values: the pad is in no result, whatever it holds. Never:
    changes an argument or a result of the function, or a buffer that is reshaped, is
    made of parts or is read the other way round.
  }];
  let options = [
    Option<"pad", "pad", "int64_t", /*default=*/"-1",
           "Rows of odd widths: -1 by statistics, 0 none, 1 all that can">,
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect",
                           "::gnn::tile::TileDialect"];
}

def UseEdgeOrder : Pass<"gnn-tile-use-edge-order", "::mlir::func::FuncOp"> {
  let summary = "Read and write edges that are sorted by destination without a map";
  let description = [{
    Where a graph says `dst_sorted`, its edges by destination lie in the order in which
    the user has them: what a walk over the rows of destinations reads and writes of its
    edges is at its own position. So it needs no array with the user's number of each
    edge, and the numbers of edges under way lie side by side.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
        ins(%w, %x : ...) at [#gnn_tile.at<element -> edge>, ...] ...
    // becomes
    gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
        ins(%w, %x : ...) at [#gnn_tile.at<element>, ...] ...
    ```

    Needs: templates on buffers, which do not say the order of their rows. Keeps: what each
    access leads to. Never: touches a graph that is derived, or does not say so, or
    what other walks reach by a map.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def PlanMemory : Pass<"gnn-tile-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Place all buffers of a function in one workspace";
  let description = [{
    Every `memref.alloc` becomes a view of one workspace argument. Buffers
    whose lives, from the first op that touches them to the last, do not overlap
    share a slot. They are placed the largest first, by the statistics of the
    graphs: where a result of the function of the same type and as many rows will be,
    or in a slot by which no op waits for another for which it would not wait
    otherwise, or in any that is free; among these in one of the same rows, else in
    the smallest. A slot is as large as the largest buffer in it. Offsets are
    multiples of 256 bytes and known once a graph is bound, so the peak is
    known before anything runs (`gnn_tile.workspace_size`).

    With `sums-in-products`, what a traversal reads lives until the product that reads
    its rows: `gnn-tile-fuse-sums-into-products` may move it there.

    ```mlir
    %b = memref.alloc(%n) : memref<?x64xf32>
    // becomes
    %b = memref.view %workspace[%offset][%n] : memref<?xi8> to memref<?x64xf32>
    ```

    Needs: a straight-line function whose buffers are allocated with host
    scalars. Keeps: the contents of every buffer while it is used. Never shares
    a slot between a template's operands.
  }];
  let options = [
    Option<"share", "share", "bool", "true",
           "Share slots; without it, each buffer has its own">,
    Option<"sumsInProducts", "sums-in-products", "bool", "false",
           "Keep what sums read for the products that may compute them">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::gnn::tile::TileDialect"];
}

#endif // GNN_TRANSFORMS_TILE_PASSES_TD
