//===- WalkPasses.td - Passes on how traversals are walked -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_TILE_WALKPASSES_TD
#define GNN_TRANSFORMS_TILE_WALKPASSES_TD

include "mlir/Pass/PassBase.td"

def GroupEdges : Pass<"gnn-tile-group-edges", "::mlir::func::FuncOp"> {
  let summary = "Walk the dots of edges by destination";
  let description = [{
    A traversal with a row for each edge that reduces features of rows at both ends, such
    as the score of an edge, becomes one of destinations and their edges, which is walked
    by edges. The row at the destination is then read once for all of its edges and stays
    in registers. `edges` has the values of `gnn-tile-schedule-edge-walks`: -1 if the cost
    model gives less time, 0 nowhere, 1 wherever possible. `gnn-tile-gather-copies`
    decides later how results get into the user's order.

    ```mlir
    gnn_tile.traverse @g <edge, features = 64> ins(%x, %z : ...)
        at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group -> dst : feature>]
        outs(%init : tensor<?xf32>) at [#gnn_tile.at<group>] ...
    // becomes
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x, %z : ...)
        at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<group : feature>]
        outs(%init : tensor<?xf32>) at [#gnn_tile.at<element -> edge>]
        schedule <row_walk = by_edges> ...
    ```

    Needs: traversals on tensors; statistics of the graph for -1. Keeps: all bits of the
    result unless a later pass takes its features in tiles, which add them up in another
    order. Never: takes templates with a schedule, or rows of features as a result.
  }];
  let options = [
    Option<"edges", "edges", "int64_t", /*default=*/"-1",
           "Walks by edges: -1 by statistics, 0 none, 1 all that can">,
  ];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def GatherCopies : Pass<"gnn-tile-gather-copies", "::mlir::func::FuncOp"> {
  let summary = "Choose between walks that write another order and copies that gather";
  let description = [{
    Rows may be needed in another order than that of their computation, such as
    edges in the user's order. Either the traversal writes each row to its
    place, or it writes them in its own order, and a copy walks the rows of the
    other order and gathers. A scattered number fetches its sector and writes it
    back, and a gathered number only fetches it; but a copy needs a launch and a
    workspace.

    `gather` is -1 for a copy if rows have less than a sector, 32 bytes, and by
    statistics take more than two thirds of the L2, 0 for none, and 1 for a copy
    wherever possible. With -1, results for another walk, in an order that is
    not the natural one, are always written directly, because copies for them
    were not measured. If no copy is chosen, an existing copy that is the only
    reader of a traversal's result, also after reshapes, becomes part of the
    traversal. With -1 nothing changes on the cores of a CPU: dots of 8 features
    that write to another order themselves took 1.3 times as long there, and
    those of 64 as long as before.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x, %z : ...) ...
        outs(%to : tensor<?xf32>) at [#gnn_tile.at<element -> edge>] ...
    // becomes, or comes from, if `%s` has no other reader
    %s = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x, %z : ...) ...
        outs(%own : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element>] ...
    gnn_tile.traverse @g <edge> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
        at [#gnn_tile.at<group -> edge.in_rows>] outs(%to : tensor<?xf32>) at [#gnn_tile.at<group>] ...
    ```

    Needs: traversals on tensors; statistics of the graph for -1. Keeps: all bits. Never:
    changes the inputs or the computation of a traversal; takes parts of rows, results
    that continue earlier contents, or a schedule that sets more than `row_walk =
    by_edges`; gathers between equal orders, such as those of edges that are sorted by
    destination.
  }];
  let options = [
    Option<"gather", "gather", "int64_t", /*default=*/"-1",
           "Copies that gather: -1 by statistics, 0 none, 1 all that can">,
  ];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::tensor::TensorDialect"];
}

def OnlineSoftmax : Pass<"gnn-tile-online-softmax", "::mlir::func::FuncOp"> {
  let summary = "Compute a softmax's maximum and weighted sums in one walk";
  let description = [{
    Softmax over the elements of a group walks them twice: for the highest score, then for
    the powers and the sums that they weigh. If only sums of powers, or of products with
    powers, depend on the highest score of an element, a `gnn_tile.softmax_sum` computes
    them in one walk: elements are read once, and long rows may be walked in pieces or by
    edges.

    ```mlir
    %m = gnn_tile.reduce max [element] %score : f32
    %d = arith.subf %score, %m : f32
    %p = math.exp %d : f32
    %z = gnn_tile.reduce sum [element] %p : f32
    %t = arith.mulf %p, %v : f32
    %y = gnn_tile.reduce sum [element] %t : f32
    // becomes
    %m, %z0, %y0 = gnn_tile.softmax_sum %score, %one, %v : f32
    %nan = arith.subf %m, %m : f32 // NaN if %m is infinite, as before
    %z = arith.addf %z0, %nan : f32
    %y = arith.addf %y0, %nan : f32
    ```

    With `setting=-1` a CPU keeps both walks: one lane has a row of its own, its
    second read comes from the cache, and the powers take most of the time.

    Needs: traversals on tensors. Keeps: the value of every result up to the order and
    scale of sums, and NaN if a score causes it, unless a partial sum exceeds the range of
    a float. Never: takes templates with a schedule, powers that are a result for each
    edge, or a body that walks its elements twice in any case.
  }];
  let options = [
    Option<"setting", "setting", "int64_t", /*default=*/"-1",
           "One walk: -1 if lanes share a row, 0 nowhere, 1 wherever possible">,
  ];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::arith::ArithDialect"];
}

def SeparateGroupSums
    : Pass<"gnn-tile-separate-group-sums", "::mlir::func::FuncOp"> {
  let summary = "Add up features of groups before their elements are walked by edges";
  let description = [{
    A walk may add up features of the current group, such as the destination's
    half of a score in GAT. Teams that take equal shares of the elements of all
    groups cannot do so, because the elements of one group may belong to many
    teams. A separate traversal of the groups computes these sums, one number a
    group and head, and the walk reads them. `edges` has the values of
    `gnn-tile-schedule-edge-walks`: -1 if the cost model gives less time for
    both, 0 nowhere, 1 wherever possible.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x, %a, %s : ...)
        at [#gnn_tile.at<group : feature>, #gnn_tile.at<all : feature>, #gnn_tile.at<element -> src>] ...
      %p = arith.mulf %x, %a : f32
      %d = gnn_tile.reduce sum [feature] %p : f32
      %score = arith.addf %s, %d : f32
    // becomes
    %d = gnn_tile.traverse @g <dst, features = 64> ins(%x, %a : ...) ... -> tensor<?xf32>
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%s, %d : ...)
        at [#gnn_tile.at<element -> src>, #gnn_tile.at<group>] ...
      %score = arith.addf %s, %d : f32
    ```

    Needs: traversals on tensors; statistics of the graph for -1. Keeps: all bits of every
    sum over features; the value of others up to their order. Never: takes templates with
    a schedule, or sums over features that need the elements first.
  }];
  let options = [
    Option<"longRows", "long-rows", "bool", /*default=*/"true",
           "Whether long rows become pieces where that pays">,
    Option<"edges", "edges", "int64_t", /*default=*/"-1",
           "Walks by edges: -1 by statistics, 0 none, 1 all that can">,
  ];
  let dependentDialects = ["::gnn::tile::TileDialect", "::mlir::tensor::TensorDialect"];
}

def ShardSources : Pass<"gnn-tile-shard-sources", "::mlir::ModuleOp"> {
  let summary = "Walk ranges of the nodes that edges gather, one after another";
  let description = [{
    Edges gather rows of nodes in any order. If the L2 does not hold these rows,
    and columns cannot be walked in tiles because elements are reduced over
    them, most rows come from memory. The pass cuts the sources into ranges that
    the L2 holds. It declares a graph whose edge types are these ranges. A first
    traversal reduces over the edges of each pair of a node and a range, range
    by range, and a second one computes each node's row from its pairs, in
    order. If groups are sources, their destinations are cut.

    ```mlir
    %m, %z, %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x, %q) ...
    // becomes
    gnn.graph @g_shards square of @g shards 4 of src {node_types = 1, edge_types = 4}
    %parts:3 = gnn_tile.traverse @g_shards <dst_pair, edge.dst_pairs, features = 64>
        ins(%x, %q) ...
    %m, %z, %y = gnn_tile.traverse @g_shards <dst, dst_pair.by_node, features = 64>
        ins(%parts#0, %parts#1, %parts#2) ...
    ```

    With `shards=-1` the number of ranges is a power of two up to 32, such that a range fits
    the L2 beside the streams. The cost model chooses the number with the least time for both
    steps, if this is less than before: if sources are near their destinations, rows are in
    the L2 without ranges.

    Needs: templates on tensors; statistics of the graph for -1. Keeps: the value of every
    result up to the order of sums; all bits of other reductions. Never: takes templates
    that have a schedule, walk elements again, write a row for each element, or read rows
    of pairs or of edge types.
  }];
  let options = [
    Option<"shards", "shards", "int64_t", /*default=*/"-1",
           "Ranges of nodes: -1 by statistics, 0 none, 2 or more: their number">,
    Option<"longRows", "long-rows", "bool", /*default=*/"true",
           "Whether long rows become pieces where that pays">,
    Option<"edgeWalks", "edge-walks", "int64_t", /*default=*/"-1",
           "Walks by edges, as of gnn-tile-schedule-edge-walks">,
  ];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // GNN_TRANSFORMS_TILE_WALKPASSES_TD
