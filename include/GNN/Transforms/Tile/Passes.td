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
  let summary = "Fuse two traversals that share a loop nest";
  let description = [{
    If only one other traversal reads the result of a traversal, at the point of the walk
    where it is computed, it is computed in this reader and never stored.

    ```mlir
    %m = gnn_tile.traverse @g <edge.in_rows, features = 64> ...
    %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%m) at [#gnn_tile.at<element : feature>] ...
    // becomes one traversal of <dst, edge.in_rows, features = 64>
    ```

    Rows of features of edges that several traversals read, each at the point of their
    computation, are computed in each of them: storing them takes more time than
    recomputation. Rows that are only copied are read from their source, and so are features
    that a traversal copies within each row, a part of them or one number for all, if only
    traversals read them.

    Work on each row of the sums of a walk joins the walk, such as the sum of two of its
    results, and its other results stay results. So does work with few numbers on each
    element of a walk that reads the sums of its group: the elements are walked once more,
    as for a softmax.

    Rows that are computed independently are computed in the order in which the consumer
    walks them, and at the consumer's end of a square graph. A traversal of rows of nodes is
    the same on a derived graph: there it joins one that walks edges.

    Needs: templates on tensors. Keeps: the value of every result. Never fuses into or out
    of a template with a schedule. Never fuses across a reduction that is read at another
    point than its end, unless it gives few numbers. Never computes rows more than once,
    except rows of features of edges.
  }];
  let options = [Option<"refusals", "refusals", "bool", /*default=*/"true",
                        "Say why traversals stay; a run that another one follows need not">];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def JoinTraversals : Pass<"gnn-tile-join-traversals", "::mlir::func::FuncOp"> {
  let summary = "Join two traversals over the same rows into one";
  let description = [{
    Two traversals over the same rows in the same order become one with the results of both:
    traversals of single edges, where the second may read the result of the first for the
    same edge, and traversals of edges or pairs of the same nodes or pairs. One launch is
    saved, and common inputs are read once.

    ```mlir
    %a = gnn_tile.traverse @g <edge.in_rows> ...
    %b = gnn_tile.traverse @g <edge.in_rows, features = 64> ins(%a, ...) ...
    // becomes, if %a has other readers too
    %a, %b = gnn_tile.traverse @g <edge.in_rows, features = 64> ...
    ```

    Results without users are dropped.

    Needs: templates on tensors. Keeps: the value of every result. Never joins templates
    with a schedule, more than six results, or sums over types or the graph.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def ComputeInWalks : Pass<"gnn-tile-compute-in-walks", "::mlir::ModuleOp"> {
  let summary = "Compute numbers of edges where their rows are read";
  let description = [{
    A value that is computed for each edge separately, such as products of the rows at its
    ends, joins the walk over the edges of each row that reads it. Values of the row are
    then read once a row and not once an edge, and common values of an edge once:

    ```mlir
    %a = gnn_tile.traverse @g <edge.in_rows, features = 64> ins(%q, %k) at [<group -> dst : feature>, <group -> src : feature>] ...
    %b = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%a, %k) at [<element>, <element -> src : feature>] ...
    // becomes, if %a has other readers too
    %a, %b = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
        ins(%q, %k) at [<group : feature>, <element -> src : feature>]
        outs(...) at [<element>, <group : feature>] ...
    ```

    Alternatively, each walk that reads the value computes it, for the edges into a row or
    out of one, and nothing is stored for an edge:

    ```mlir
    %b = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
        ins(%q, %k) at [<group : feature>, <element -> src : feature>] ...
    %c = gnn_tile.traverse @g <src, edge.out_rows, features = 64>
        ins(%q, %k) at [<element -> dst : feature>, <group : feature>] ...
    ```

    The walk that stores the value may be of either end. By statistics the pass
    takes the place with the least time. It compares repeated gathers of rows
    and more registers with numbers that are written, and read in another order.
    If the computation in each walk takes about the same time as storing the
    value in one walk, nothing is stored. For more values than the L2 holds,
    storing has to save 8% of that time for each number of an edge. A separate
    kernel stays unless it takes more time by a margin. In a walk, short rows
    leave lanes idle that hold many registers, and all rows wait for a long one,
    unless `gnn-tile-split-long-rows` will cut it or it is walked by edges. The
    costs of walks include the shards that `gnn-tile-shard-sources` will make of
    their sources.

    `setting` is -1 for this choice, 0 for a separate kernel, 1 for the best walk that
    stores the value, and 2 for each walk.

    Needs: templates on tensors; statistics of the graph for -1. Keeps: the value of every
    result. Never: takes templates with a schedule, makes a kernel of more than six results,
    or computes an edge more than once in one walk.
  }];
  let options = [
    Option<"setting", "setting", "int64_t", /*default=*/"-1",
           "-1 by statistics, 0 separate, 1 in one walk, 2 in each walk">,
    Option<"longRows", "long-rows", "bool", /*default=*/"true",
           "Whether long rows become pieces where that pays">,
    Option<"groupEdges", "group-edges", "bool", /*default=*/"true",
           "Whether gnn-tile-group-edges runs later">,
    Option<"edgeWalks", "edge-walks", "int64_t", /*default=*/"-1",
           "Walks by edges: -1 by statistics, 0 none, 1 all that can">,
    Option<"sourceShards", "source-shards", "int64_t", /*default=*/"-1",
           "Ranges of sources: -1 by statistics, 0 none, otherwise their number">,
  ];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def SumRowsFirst : Pass<"gnn-tile-sum-rows-first", "::mlir::func::FuncOp"> {
  let summary = "Compute sums over all edges from row sums of a walk";
  let description = [{
    A sum over all edges, such as the gradient of the weight of a score, becomes a sum for
    each row of a walk over the same edges, and then a sum of these rows. The walk reads the
    same rows of features, and `gnn-tile-join-traversals` combines both into one kernel.

    ```mlir
    %w = gnn_tile.traverse @g <graph, edge.in_rows, features = 64> ins(%x) at [<element -> src : feature>] ... // reduce sum [element]
    // becomes
    %r = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x) at [<element -> src : feature>] ...
    %w = gnn_tile.traverse @g <graph, dst, features = 64> ins(%r) at [<element : feature>] ...
    ```

    The pass does so if, by statistics, writing and reading rows takes less time than
    another walk over edges.

    Needs: templates on tensors; statistics of the graph. Keeps: the value of every result
    up to the order of sums. Never: takes sums over types, templates with a schedule,
    extremes, to which a row without elements would contribute, or rows that no walk visits.
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
  let summary = "Replace two added sums over elements by one";
  let description = [{
    Two sums over the elements of a row that are only added to one another become the sum of
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

    Needs: templates on tensors. Keeps: the value of every result up to the order of sums.
    Never: merges sums with other users, or sums that vary by different dimensions.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::arith::ArithDialect"];
}

def HoistFactors : Pass<"gnn-tile-hoist-factors", "::mlir::func::FuncOp"> {
  let summary = "Multiply by the factors that vary less first, and divide by them once";
  let description = [{
    A choice between two products with common factors of an element becomes the product of
    these factors with a choice between the weights, which lanes keep in registers. The
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

    A sum over the features of an element of a leaky activation `select(x > 0, x, k x)`
    times weights, without other users, becomes a sum of `x + t |x|`, with `t = (1 - k) / (1 +
    k)`, times `(1 + k) / 2`. An infinite feature, or one above 1.7e38, half of the largest
    f32, then makes it NaN, where it would be infinite or finite, and hence also all weights
    of a softmax of this score.

    A quotient with the flag `arcp`, or of a power with the flag `afn`, whose divisor varies
    by fewer dimensions becomes a product with the reciprocal: one for each row, or for each
    head of a row. Other such quotients may become approximate too.

    Needs: templates. Keeps: the value of every result up to the rounding of products and
    reciprocals. Never: changes other quotients, or products without a factor of an element.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def FuseProducts : Pass<"gnn-tile-fuse-products", "::mlir::func::FuncOp"> {
  let summary = "Fuse gathers into products, and elementwise work after them";
  let description = [{
    A traversal that only copies rows into the input of a `gnn_tile.gemm`, or into either
    side of a `gnn_tile.outer`, becomes the product's gather list. A row-wise traversal that
    is the only reader of the product of a `gnn_tile.gemm` becomes its epilogue. A traversal
    that, for each type, adds up the rows on one side of a `gnn_tile.outer` of these types
    becomes its second result: the gradient of a bias beside that of a weight.

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

    Needs: templates on tensors. Keeps: the value of every result. Never fuses another
    reduction, into or out of a template with a schedule, or readers of rows that no map
    reaches from the product's.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SplitSums : Pass<"gnn-tile-split-sums", "::mlir::func::FuncOp"> {
  let summary = "Sum over types or the graph in two steps";
  let description = [{
    One block walks all rows of an edge type, a node type or the graph, one after another,
    and there are few of these. If they have many rows, a first template sums over tiles of
    them and a second one over the tiles of each, in order: as many blocks as the GPU has
    room for, and the same bits on every run.

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

    The pass also splits traversals with such groups that reduce over their elements once: a
    reduction of any kind becomes the same one over tiles and then over groups, and a mean
    becomes a sum divided by the number of all elements. Ops after the reductions stay after
    the second one.

    With statistics of the graph, tiles have as few rows as give 4 blocks a multiprocessor
    of the target. Outer products, which are bound by computation, get 8 blocks as long as
    tiles have 1024 rows, so few blocks end last. A core of a CPU, which runs one block at a
    time, gets 32 blocks of sums, and 8 or 16 of outer products. The number of tiles is
    bounded, and so is the memory of their results. A tile has at least 64 rows of an outer
    product, and 256 of a traversal. Groups stay whole if the longest has at most two tiles,
    or 256 rows. Without statistics, a tile has 1024 rows.

    Needs: templates on tensors. Keeps: the value of every result up to the order of sums;
    all bits of other reductions. Never splits sums over types, over fixed rows, or of a
    template with a schedule, nor templates that walk elements again or write rows of them.
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
    One block walks a row of nodes or pairs, for any length: a row with 26,000
    edges takes 0.4 ms, and all other rows together take less. A first traversal
    reduces over the pieces of long rows, one block each, and the given
    traversal computes these rows from its results, in the order of the pieces,
    so the bits are the same on every run. Other rows are walked as before.

    ```mlir
    %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x) ...
    // becomes
    %n = gnn_tile.count @g long_tile_count dst edge.in_rows 256 : index
    %parts = gnn_tile.traverse @g <long_tiles<dst, edge.in_rows, 256>, edge.in_rows,
        features = 64> ins(%x) ... -> tensor<?x64xf32>
    %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x) ...
        parts(%parts : tensor<?x64xf32>) of long_tiles<dst, edge.in_rows, 256> ...
    ```

    If the op also writes rows of its elements, the first traversal writes those of long
    rows, and the second one continues with its result.

    Rows of more than `length` elements are long, and a piece has this number of
    elements. By the statistics of the graph, `length` is 64 or 128, whichever
    takes less time by the cost model. Rows are cut only if both kernels
    together, with one more launch, take less time than the original by a
    margin. On a graph without long rows the first kernel is not launched.

    Needs: templates on tensors; without statistics of the graph, a `length`. Keeps: the
    value of every result up to the order of sums; all bits of other reductions. Never
    splits templates that walk elements again or have a schedule, nor readers of rows of a
    group to which no map leads from a piece.
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
  let summary = "Check that templates write everything that is read";
  let description = [{
    Templates may write parts of one tensor, each continuing with the result of the previous
    one (as in a concatenation). If another op reads the last result, the parts must cover
    all of it, or the tensor must have had an initial value.

    On buffers, the parts are those written until an op reads the buffer, or until the
    function ends and returns it to its caller: an argument with `bufferize.result`, a
    `memref.alloc`, or a place in the workspace, where views of one offset are one buffer. A
    copy has the written parts of its source. The pass does not check a buffer that is
    written in parts of several shapes, or used by an op that is no template, nor a function
    with `gnn.excerpt`.

    In a workspace, less is known, so gaps are best found in front of
    `gnn-tile-plan-memory`, as in `gnn-tile-pipeline`. A template that takes over a written
    place, with columns of its own, is assumed to continue with its contents. A gap in one
    place is no error once another place of the workspace is written, which may be the same
    or overlap it.

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
    A caller gives a buffer for each result. If two results are one tensor, or reshaped forms
    of one, the template that computes it runs once for each.

    ```mlir
    return %y, %y : tensor<?x8xf32>, tensor<?x8xf32>
    // becomes
    %z = gnn_tile.traverse ... // as %y
    return %y, %z : tensor<?x8xf32>, tensor<?x8xf32>
    ```

    The same holds for templates that continue with one tensor, or with a tensor that others
    read later: two concatenations of rows with a common beginning both start with a copy of
    it, each in its own tensor. If a traversal has several results, only the needed one is
    computed again.

    Needs: templates on tensors. Keeps: the value of every result. Never changes results
    that no template computes. Later passes must not merge equal templates again.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def WriteInPlace : Pass<"gnn-tile-write-in-place", "::mlir::func::FuncOp"> {
  let summary = "Overwrite inputs that nothing reads later, and compute results in "
                "the shape in which they are returned";
  let description = [{
    The pass looks for a template whose output is a new tensor, and that reads each row of
    an input before it writes the same row of the output (`mayOverwrite` of the template).
    The template then continues with the tensor of that input: a product of rows of the same
    width, or the term to which a sum or product is added. The buffer is the same, and for a
    result of the function it is the caller's.

    ```mlir
    %e = tensor.empty(%n) : tensor<?x64xf32>
    %y = gnn_tile.gemm @g rows src_pair ... ins(%x, %w : ...) outs(%e : tensor<?x64xf32>)
    // becomes
    %y = gnn_tile.gemm @g rows src_pair ... ins(%x, %w : ...) outs(%x : tensor<?x64xf32>)
    ```

    At most 32 templates continue with one tensor, because bufferization compares each with
    all others; the next one makes a new tensor.

    A template moves after others that read the input, such as the product of a gradient and
    a weight after the sum of its outer products, if nothing reads its results before and no
    other tensor lives longer because of it.

    A result that is returned in another shape is computed in a tensor of that shape, which
    the caller allocates.

    Needs: templates on tensors, each result in a tensor of its own
    (`gnn-tile-separate-results`). Keeps: all values. Never overwrites an argument or a
    result, a tensor with which several templates continue, or a tensor that is not known to
    have the same number of rows: that of sources, of which the destinations are the first.
    Rows of two graphs have the same number if `gnn_tile.require` says so.
  }];
  let options = [Option<"overwrite", "overwrite", "bool", "true",
                        "Overwrite inputs; without it, results are only computed in the "
                        "shape in which they are returned">];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::bufferization::BufferizationDialect"];
}

def PadRows : Pass<"gnn-tile-pad-rows", "::mlir::func::FuncOp"> {
  let summary = "Pad gathered rows of odd widths to whole vectors";
  let description = [{
    A row of 41 features is no multiple of a vector, and a walk gathers it one feature a
    lane. The pass gives a buffer of the function columns after the features, its *pad*, so
    each row is aligned to vectors and the last vector ends within the row. Templates
    continue with their features: their accesses state which columns they read and write,
    and nothing uses the other columns. Then `gnn-tile-schedule-columns` gives walks
    vectors.

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

    If walks gather the rows of an argument, they are copied into such a buffer once for all
    walks. On a GPU, rows of three columns and more are multiples of four (a lane loads two
    at once): rows of 16 more bytes touch as many sectors as rows of whole sectors. On the
    cores of a CPU, they are multiples of a register, or of half or a quarter of it if that
    takes no more vectors.

    With `pad=-1` buffers are padded if, by the cost model, the gathers gain more by vectors
    than all templates lose by the bytes of the pad and the copies; 0 pads none, 1 all
    possible ones.

    Needs: templates on buffers that are allocated in the function; statistics of the graph
    for -1. Keeps: all values: no result contains the pad, whatever its values. Never:
    changes an argument or a result of the function, or a buffer that is reshaped, consists
    of parts or is read transposed.
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
    If a graph is declared `dst_sorted`, its edges by destination are in the user's order: a
    walk over the rows of destinations reads and writes its edges at its own positions. So
    it needs no array with the user's number of each edge, and the numbers of edges in
    flight are adjacent.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
        ins(%w, %x : ...) at [#gnn_tile.at<element -> edge>, ...] ...
    // becomes
    gnn_tile.traverse @g <dst, edge.in_rows, features = 8>
        ins(%w, %x : ...) at [#gnn_tile.at<element>, ...] ...
    ```

    Needs: templates on buffers, whose types do not state the order of their rows. Keeps:
    the row of each access. Never: changes a graph that is derived, or not declared so, or
    accesses of other walks by a map.
  }];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def PlanMemory : Pass<"gnn-tile-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Place all buffers of a function in one workspace";
  let description = [{
    Every `memref.alloc` becomes a view of one workspace argument. Buffers with
    disjoint lifetimes, from their first op to their last, share a slot. They
    are placed in order of size by the statistics of the graphs, the largest
    first, in the first of these places that is free:

    * the place of a result of the function of the same type and number of rows;
    * a slot that adds no wait between ops;
    * any slot.

    Slots of the same rows are preferred, then the smallest. A slot is as large
    as the largest buffer in it. Offsets are multiples of 256 bytes. They are
    known once a graph is bound, so the peak is known before the first launch
    (`gnn_tile.workspace_size`).

    With `sums-in-products`, the inputs of a traversal live until the product that reads its
    rows, because `gnn-tile-fuse-sums-into-products` may move the traversal there.

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
           "Keep the inputs of sums for the products that may compute them">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::gnn::tile::TileDialect"];
}

#endif // GNN_TRANSFORMS_TILE_PASSES_TD
