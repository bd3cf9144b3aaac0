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
    by edges: the row at the destination is read once for all of its edges and stays in
    registers. `edges` is as of `gnn-tile-schedule-edge-walks`: -1 where the cost model
    gives less time, 0 nowhere, 1 wherever it can be. Who puts results in
    the user's order is left to `gnn-tile-gather-copies`.

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
    result where no later pass takes its features in tiles, which add them up in another
    order. Never: takes what has a schedule, or rows of features as a result.
  }];
  let options = [
    Option<"edges", "edges", "int64_t", /*default=*/"-1",
           "Walks by edges: -1 by statistics, 0 none, 1 all that can">,
  ];
  let dependentDialects = ["::gnn::tile::TileDialect"];
}

def GatherCopies : Pass<"gnn-tile-gather-copies", "::mlir::func::FuncOp"> {
  let summary = "Have walks write rows of another order, or copies gather them";
  let description = [{
    Rows may be needed in another order than that in which they are made, as those of
    edges in the user's. Either the traversal writes each row where it belongs, or it
    writes them in its own order, and a copy goes through the rows of the other one and
    gathers. A number that is scattered fetches its sector and writes it back, one that
    is gathered fetches it alone; but a copy is a launch, and a workspace.

    `gather` is -1 for a copy where rows have less than a sector, 32 bytes, and by
    statistics take more than two thirds of the L2, 0 for none, and 1 for one wherever it
    can be.
    With -1 a traversal goes on writing for another walk, in an order that is not the
    natural one: that was not measured.
    Where there is none, a copy that alone reads what a traversal gives, behind reshapes
    too, becomes part of it. With -1 all stays as it is on the cores of a CPU: dots
    of 8 features that write to another order themselves took 1.3 times as long there, and
    those of 64 as long as before.

    ```mlir
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x, %z : ...) ...
        outs(%to : tensor<?xf32>) at [#gnn_tile.at<element -> edge>] ...
    // becomes, or is made of, where `%s` has no other reader
    %s = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x, %z : ...) ...
        outs(%own : tensor<?xf32, #gnn_tile.order<edge.in_rows>>) at [#gnn_tile.at<element>] ...
    gnn_tile.traverse @g <edge> ins(%s : tensor<?xf32, #gnn_tile.order<edge.in_rows>>)
        at [#gnn_tile.at<group -> edge.in_rows>] outs(%to : tensor<?xf32>) at [#gnn_tile.at<group>] ...
    ```

    Needs: traversals on tensors; statistics of the graph for -1. Keeps: all bits. Never:
    changes what a traversal reads or computes; takes parts of rows, results that go on
    with what was there, or a schedule that says more than `row_walk = by_edges`; gathers
    between orders that are one, as those of edges that are sorted by destination.
  }];
  let options = [
    Option<"gather", "gather", "int64_t", /*default=*/"-1",
           "Copies that gather: -1 by statistics, 0 none, 1 all that can">,
  ];
  let dependentDialects = [
    "::gnn::tile::TileDialect", "::mlir::tensor::TensorDialect"];
}

def OnlineSoftmax : Pass<"gnn-tile-online-softmax", "::mlir::func::FuncOp"> {
  let summary = "Weigh and add up rows in the walk that finds their maximum";
  let description = [{
    Softmax over the elements of a group walks them twice: for the highest score, then
    for the powers and what they weigh. Where sums of powers, or of products with
    powers, are all that depends on the highest score of an element, a
    `gnn_tile.softmax_sum` finds them in one walk: elements are read once, and long
    rows may be walked in pieces or by edges.

    ```mlir
    %m = gnn_tile.reduce max [element] %score : f32
    %d = arith.subf %score, %m : f32
    %p = math.exp %d : f32
    %z = gnn_tile.reduce sum [element] %p : f32
    %t = arith.mulf %p, %v : f32
    %y = gnn_tile.reduce sum [element] %t : f32
    // becomes
    %m, %z0, %y0 = gnn_tile.softmax_sum %score, %one, %v : f32
    %nan = arith.subf %m, %m : f32 // where %m is infinite, as before
    %z = arith.addf %z0, %nan : f32
    %y = arith.addf %y0, %nan : f32
    ```

    With `setting=-1` the walks of a CPU stay two: one lane has a row of its own, what it
    reads again is in its cache, and powers take the time.

    Needs: traversals on tensors. Keeps: the value of every result up to the order and
    scale of sums, NaN where a score makes it so, where no sum so far is beyond what a
    float can be. Never: takes what has a schedule, powers that an
    edge gets as a result, or a body that walks its elements twice in any case.
  }];
  let options = [
    Option<"setting", "setting", "int64_t", /*default=*/"-1",
           "One walk: -1 where lanes share a row, 0 nowhere, 1 wherever it can be">,
  ];
  let dependentDialects = ["::gnn::tile::TileDialect",
                           "::mlir::arith::ArithDialect"];
}

def SeparateGroupSums
    : Pass<"gnn-tile-separate-group-sums", "::mlir::func::FuncOp"> {
  let summary = "Add up features of groups before their elements are walked by edges";
  let description = [{
    A walk may add up features of the group that it is at, such as the half of a score
    that a destination has in GAT. Teams that take equal shares of the elements of all
    groups cannot: many of them meet a group. A traversal of the groups alone gives these
    sums, one number a group and head, and the walk reads them. `edges` is as of
    `gnn-tile-schedule-edge-walks`: -1 where the cost model gives less time for both, 0
    nowhere, 1 wherever it can be.

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

    Needs: traversals on tensors; statistics of the graph for -1. Keeps: all bits of
    every sum over features; the value of others up to their order. Never: takes what has
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
    Edges gather rows of nodes in any order. Where these are more than the L2 holds and
    columns cannot be walked in tiles, because elements are reduced over them, most come
    from memory. Here the sources are cut into ranges that the L2 holds. A graph is
    declared whose edge types are these ranges, a first traversal reduces over the edges
    of each pair of a node and a range, range by range, and a second one makes each node's
    row of its pairs, in their order. Where groups are sources, their destinations are
    cut.

    ```mlir
    %m, %z, %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64> ins(%x, %q) ...
    // becomes
    gnn.graph @g_shards square of @g shards 4 of src {node_types = 1, edge_types = 4}
    %parts:3 = gnn_tile.traverse @g_shards <dst_pair, edge.dst_pairs, features = 64>
        ins(%x, %q) ...
    %m, %z, %y = gnn_tile.traverse @g_shards <dst, dst_pair.by_node, features = 64>
        ins(%parts#0, %parts#1, %parts#2) ...
    ```

    With `shards=-1` there are that power of two up to 32, of those whose ranges fit the
    L2 beside what streams through, for which the cost model gives the least time for both
    steps, if that is less than before: where sources are near
    their destinations, rows are in the L2 without.

    Needs: templates on tensors; statistics of the graph for -1. Keeps: the value of every
    result up to the order of sums; all bits of it where it is no sum. Never: takes what
    has a schedule, walks elements again, writes a row for each element, or reads rows of
    pairs or of edge types.
  }];
  let options = [
    Option<"shards", "shards", "int64_t", /*default=*/"-1",
           "Ranges of nodes: -1 by statistics, 0 none, from 2 as many wherever it can be">,
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
