//===- GNNRowOps.td - Graphs and the paths between rows ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNROWOPS_TD
#define GNN_DIALECT_GNN_IR_GNNROWOPS_TD

include "GNN/Dialect/GNN/IR/GNNOpBase.td"

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

def GNN_GraphOp : GNN_Op<"graph", [
    Symbol, HasParent<"::mlir::ModuleOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Declare a typed, directed graph";
  let description = [{
    Declares a graph, which is bound before a function runs. The graph may have
    parallel edges, self loops, isolated nodes and empty types; any count may be
    zero. Rows name the graph in their encoding, so rows of two graphs cannot be
    confused.

    A `square` graph has one set of nodes at both ends (`node` rows). In a
    `bipartite` graph sources and destinations are two sets (`src` and `dst`
    rows): a sampled block, or users and items; their node types share one
    numbering.

    `schema` gives for each edge type its source and destination node type, or -1
    if an edge type has several. `self_loops` declares exactly one self loop for
    each node. `dst_sorted` declares that the edges are sorted by destination, as
    in compressed sparse rows of destinations: their natural order is then
    `in_rows`. Binding a graph verifies all three. Passes may use `stats` for
    costs, never for meaning.

    A graph `of` another one is *derived* from this parent. With a list `types`,
    it has the same nodes, and the edges of the parent whose types are in the
    list, in the parent's order. The number of an edge type is its place in the
    list. It is created when its parent is bound; callers do not pass it.
    `gnn.restrict_rows` converts rows of edges, pairs and edge types to the
    derived graph, and `gnn.rebind_rows` converts rows of nodes both ways.

    With `loops`, a square graph has the parent's nodes and edge types, but
    other self loops. `remove` keeps the parent's edges that are no self loops,
    in the parent's order. `add` keeps all edges, followed by one self loop for
    each node, in the order of the nodes. `replace` is `remove` and then `add`.
    `remaining` is like `replace`, but a node that had self loops keeps the last
    of these, an edge of the parent. The other loops are new, and have the edge
    type `type`: one of the parent's, or one more. `gnn.extend_edges` makes rows
    of edges of such a graph from rows of the parent's edges and, for new loops,
    of its nodes.

    `shards K of src` cuts the sources into K ranges of ids, whose lengths
    differ by at most one node. The edges are the parent's, or those that
    `types` or `loops` before it derive. The type of an edge is the range of its
    source v of n, floor(v K / n). So a destination pair of such a graph is the
    part of a node's edges whose sources are in one range. Its edges have the
    same numbers as without shards. `of dst` cuts the destinations.

    Constraints:
    * (C1) `node_types` and `edge_types` are between 0 and 65535.
    * (C2) `schema` has one pair of node types for each edge type.
    * (C3) A node type in `schema` is -1 or less than `node_types`.
    * (C4) `stats` has as many edge types as the graph.
    * (C5) `stats` of a square graph has as many source as destination nodes.
    * (C6) A derived graph has a parent and a list, loops or shards, not both of the
      first two; others have none.
    * (C7) The list ascends and has an entry for each edge type, unless there are
      shards.
    * (C8) The parent is declared and not derived itself.
    * (C9) The list names edge types of the parent.
    * (C10) The parent is of the same kind and has the same number of node types.
    * (C11) If both have a schema, the schemas agree.
    * (C12) If both have stats, these agree on the nodes, and with a list on the
      edges and pairs of each type.
    * (C13) A graph with `self_loops` is square and not derived.
    * (C14) A graph derived by loops is square. New loops have a type, from 0 to the
      number of the parent's edge types; there are as many edge types as in the
      parent, or one more for that number, unless there are shards.
    * (C15) A graph has at least 2 shards, each with an edge type, and then no schema.
    * (C16) A graph with `dst_sorted` is not derived.

    Example:

    ```mlir
    gnn.graph @g square {node_types = 2, edge_types = 3, schema = [[0, 1], [1, 1], [-1, -1]]}
    gnn.graph @part square of @g types [0, 2] {node_types = 2, edge_types = 2}
    gnn.graph @looped square of @g loops replace type 3 {node_types = 2, edge_types = 4}
    gnn.graph @cut square of @g loops remove shards 4 of src {node_types = 2, edge_types = 4}
    gnn.graph @loops square {node_types = 1, edge_types = 1, self_loops}
    gnn.graph @rows square {node_types = 1, edge_types = 1, dst_sorted}
    gnn.graph @block bipartite {node_types = 1, edge_types = 1}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, GNN_GraphKindAttr:$kind,
                       OptionalAttr<FlatSymbolRefAttr>:$parent_graph,
                       OptionalAttr<DenseI64ArrayAttr>:$parent_types,
                       OptionalAttr<GNN_LoopsKindAttr>:$loops,
                       OptionalAttr<I64Attr>:$loop_type,
                       OptionalAttr<I64Attr>:$shards,
                       OptionalAttr<GNN_EndPointAttr>:$shard_end,
                       I64Attr:$node_types, I64Attr:$edge_types,
                       OptionalAttr<DenseI64ArrayAttr>:$schema,
                       UnitAttr:$self_loops,
                       UnitAttr:$dst_sorted,
                       OptionalAttr<GNN_StatsAttr>:$stats);
  let assemblyFormat = [{
    $sym_name `` $kind
    (` ` `of` $parent_graph^ custom<Derivation>($parent_types, $loops, $loop_type, $shards,
                                               $shard_end))? ` `
    `{` custom<GraphBody>($node_types, $edge_types, $schema, $self_loops,
                          $dst_sorted, $stats) `}`
    attr-dict-with-keyword
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The node type at this end of every edge of type `edgeType`; -1 without a
    /// schema, or if the type has several.
    int64_t getNodeTypeOf(int64_t edgeType, ::gnn::EndPoint end);
    /// Whether the schema gives one node type at this end for every edge type.
    bool hasNodeTypesAt(::gnn::EndPoint end);
    /// Whether the graph is derived from another one.
    bool isDerived() { return getParentGraph().has_value(); }
    /// Whether it has self loops that its parent lacks.
    bool addsLoops() { return getLoopType().has_value(); }
    /// The parent's edge types, by the edge types of a derived graph; none if
    /// these are shards.
    ::llvm::SmallVector<int64_t> getTypesOfParent();
    /// The statistics that follow from the parent's; with loops they are estimates,
    /// because the parent's do not count its loops.
    ::gnn::StatsAttr deriveStats(::gnn::StatsAttr ofParent);
    /// The name of the graph to which the nodes belong: the parent's, or its own.
    ::llvm::StringRef getNodesOf() {
      return getParentGraph().value_or(getSymName());
    }
    /// The graph of the edges of these types, with the schema and the stats that
    /// follow: an existing one of the module, or a new one after this op. `types`
    /// ascends; this graph is not derived itself.
    GraphOp derive(::llvm::ArrayRef<int64_t> types);
    /// The graph of these edges whose types are `count` ranges of the nodes at
    /// `end`: an existing one of the module, or a new one. Its parent is this graph,
    /// or this graph's parent.
    GraphOp shard(::gnn::EndPoint end, int64_t count);
  }];
}

def GNN_RebindRowsOp : GNN_Op<"rebind_rows", [
    Pure, GNN_UsesGraph, GNN_DifferentiableOpInterface, GNN_Linear, GNN_NoCost,
    SameOperandsAndResultElementType]> {
  let summary = "Read node rows of one graph as node rows of another";
  let description = [{
    `result[i, :] = input[i, :]`: joins the destination rows of one sampled block
    to the source rows of the next, or those of a graph to those of a derived one,
    either way. It has no cost. The two graphs have the same number of such nodes,
    which binding them checks.

    Gradient: the gradient of `result`, rebound to the rows of `input`.

    Constraints:
    * (C1) `input` and `result` are `src`, `dst` or `node` rows.
    * (C2) Their graphs differ.
    * (C3) Their features are the same.

    Example:

    ```mlir
    %y = gnn.rebind_rows %x : tensor<?x64xf32, #gnn.rows<@block1, dst>> -> tensor<?x64xf32, #gnn.rows<@block2, src>>
    ```
  }];
  let arguments = (ins GNN_Rows:$input);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def GNN_RestrictRowsOp : GNN_Op<"restrict_rows", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    GNN_DifferentiableOpInterface, GNN_Linear, GNN_CostAndReads,
    SameOperandsAndResultElementType]> {
  let summary = "Take the rows that belong to a derived graph";
  let description = [{
    `result[i, :] = input[o(i), :]`, where row `i` of the derived graph is row
    `o(i)` of its parent: the rows of the edge types in its list, in order. Both
    have the same node rows, for which there is `gnn.rebind_rows`. A kernel that
    reads the result row by row reads `input` instead, without a copy.

    Gradient: `gnn.expand_rows` of the gradient of `result`.

    Constraints:
    * (C1) `input` and `result` are both `edge`, `edge_type`, `src_pair` or
      `dst_pair` rows.
    * (C2) Their features are the same.
    * (C3) The graph of `result` is derived from that of `input`.
    * (C4) It has no new self loops, because the parent has no rows for them.

    Example:

    ```mlir
    gnn.graph @g square {node_types = 1, edge_types = 3}
    gnn.graph @part square of @g types [0, 2] {node_types = 1, edge_types = 2}
    %w = gnn.restrict_rows %all : tensor<3x64x8xf32, #gnn.rows<@g, edge_type>> -> tensor<2x64x8xf32, #gnn.rows<@part, edge_type>>
    ```
  }];
  let arguments = (ins GNN_AnyRows:$input);
  let results = (outs GNN_AnyRows:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def GNN_ExpandRowsOp : GNN_Op<"expand_rows", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>, GNN_Gradient,
    GNN_Linear, GNN_CostAndReads, SameOperandsAndResultElementType]> {
  let summary = "Put rows of derived graphs into rows of their parent";
  let description = [{
    `result[o(i), :] = input[i, :]` for each of the inputs, where row `i` of its
    derived graph is row `o(i)` of the parent; rows of the parent that are in no
    derived graph are 0. The sum of such rows of several graphs without a common
    edge type is one op. With one input it is the transpose of
    `gnn.restrict_rows`. Rows of new self loops are left out.

    Gradient: `gnn.restrict_rows` of the gradient of `result`.

    Constraints:
    * (C1) Each of `inputs` and `result` are both `edge`, `edge_type`, `src_pair`
      or `dst_pair` rows.
    * (C2) Their features are the same.
    * (C3) The graph of each input is derived from that of `result`.
    * (C4) No edge type is in the graphs of two inputs.
    * (C5) A graph with new self loops has only `edge` rows here.

    Example:

    ```mlir
    gnn.graph @g square {node_types = 1, edge_types = 3}
    gnn.graph @part square of @g types [0, 2] {node_types = 1, edge_types = 2}
    gnn.graph @other square of @g types [1] {node_types = 1, edge_types = 1}
    %y = gnn.expand_rows %x : tensor<?x8xf32, #gnn.rows<@part, edge>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
    %z = gnn.expand_rows %x, %u : tensor<?x8xf32, #gnn.rows<@part, edge>>, tensor<?x8xf32, #gnn.rows<@other, edge>> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
    ```
  }];
  let arguments = (ins Variadic<GNN_Rows>:$inputs);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs) `->` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def GNN_ExtendEdgesOp : GNN_Op<"extend_edges", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>, GNN_Gradient,
    GNN_CostAndReads, SameOperandsAndResultElementType]> {
  let summary = "Rows of edges, followed by those of new self loops";
  let description = [{
    The rows of the edges of a graph with new self loops: `result[i, :] =
    edges[o(i), :]` if edge `i` is edge `o(i)` of the parent, and `result[i, :] =
    nodes[v, :]` if it is the new loop of node `v`.

    The rows of both operands are concatenated to one array, unless a kernel can
    write the rows of edges directly to their place in it. Edges read this array
    by the number of their row in it.

    Gradient: of `edges`, `gnn.expand_rows` of the gradient of `result`; of
    `nodes`, `gnn.loop_rows` of it.

    Constraints:
    * (C1) `edges` and `result` are `edge` rows, `nodes` are `node` rows.
    * (C2) Their features are the same.
    * (C3) The graph of `result` is derived from that of `edges` and `nodes`, with new
      self loops.

    Example:

    ```mlir
    gnn.graph @g square {node_types = 1, edge_types = 1}
    gnn.graph @looped square of @g loops replace type 0 {node_types = 1, edge_types = 1}
    %y = gnn.extend_edges %e, %x : tensor<?x8xf32, #gnn.rows<@g, edge>>, tensor<?x8xf32, #gnn.rows<@g, node>> -> tensor<?x8xf32, #gnn.rows<@looped, edge>>
    ```
  }];
  let arguments = (ins GNN_Rows:$edges, GNN_Rows:$nodes);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    $edges `,` $nodes attr-dict `:` type($edges) `,` type($nodes) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def GNN_LoopRowsOp : GNN_Op<"loop_rows", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    GNN_DifferentiableOpInterface, GNN_Linear, GNN_CostAndReads,
    SameOperandsAndResultElementType]> {
  let summary = "The rows of new self loops, as rows of their nodes";
  let description = [{
    `result[v, :] = input[i, :]` if edge `i` is the new loop of node `v`, and 0 if
    `v` has none: in graphs with `remaining` loops, if it had one before.

    Gradient: `gnn.extend_edges` of zeros and the gradient of `result`.

    Constraints:
    * (C1) `input` is `edge` rows, `result` is `node` rows.
    * (C2) Their features are the same.
    * (C3) The graph of `input` is derived from that of `result`, with new self loops.

    Example:

    ```mlir
    gnn.graph @g square {node_types = 1, edge_types = 1}
    gnn.graph @looped square of @g loops replace type 0 {node_types = 1, edge_types = 1}
    %y = gnn.loop_rows %e : tensor<?x8xf32, #gnn.rows<@looped, edge>> -> tensor<?x8xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_Rows:$input);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def GNN_PrefixRowsOp : GNN_RowOp<"prefix_rows", [
    GNN_Linear, GNN_CostAndReads, SameOperandsAndResultElementType]> {
  let summary = "Take the first source rows as destination rows";
  let description = [{
    `result[i, :] = input[i, :]` for each destination `i`. In a sampled block the
    destinations are the first sources; this op gives their features. The graph
    has no more destinations than sources, which binding it checks. Unlike
    `gnn.rebind_rows` it stays on one graph and may shorten.

    Gradient: `gnn.extend_rows` of the gradient of `result`.

    Constraints:
    * (C1) `input` are `src` rows and `result` `dst` rows.
    * (C2) Their features are the same.

    Example:

    ```mlir
    %y = gnn.prefix_rows %x : tensor<?x64xf32, #gnn.rows<@block, src>> -> tensor<?x64xf32, #gnn.rows<@block, dst>>
    ```
  }];
  let arguments = (ins GNN_Rows:$input);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def GNN_ExtendRowsOp : GNN_RowOp<"extend_rows", [
    GNN_Linear, GNN_CostAndReads, SameOperandsAndResultElementType]> {
  let summary = "Put destination rows in front of zeros as source rows";
  let description = [{
    `result[i, :] = input[i, :]` for each destination `i`, and 0 for the remaining
    sources. The graph has no more destinations than sources, which binding it
    checks. It is the transpose of `gnn.prefix_rows`.

    Gradient: `gnn.prefix_rows` of the gradient of `result`.

    Constraints:
    * (C1) `input` are `dst` rows and `result` `src` rows.
    * (C2) Their features are the same.

    Example:

    ```mlir
    %y = gnn.extend_rows %x : tensor<?x64xf32, #gnn.rows<@block, dst>> -> tensor<?x64xf32, #gnn.rows<@block, src>>
    ```
  }];
  let arguments = (ins GNN_Rows:$input);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Down and up the lattice
//===----------------------------------------------------------------------===//

def GNN_GatherOp : GNN_RowOp<"gather", [
    GNN_RowWisePaths, GNN_Linear, GNN_CostAndReads, GNN_Path,
    SameOperandsAndResultElementType]> {
  let summary = "Copy to every row the features of the row it leads to";
  let description = [{
    `result[i, :] = input[p(i), :]`, where `p` is the path from a row of the
    result to the one row of `input` it leads to: an edge to its source node, a
    pair to its edge type, an edge type to its node type by the schema, and so
    on. It copies rows down the lattice; `gnn.aggregate sum` along the same path
    is its transpose.

    Gradient: `gnn.aggregate sum` of the gradient of `result` along the path.

    Constraints:
    * (C1) A row of `result` leads to one row of `input`.
    * (C2) `via` is given exactly where there are two paths: between edges or
      edge types and nodes of a square graph or node types.
    * (C3) Features of `input` and `result` are the same.

    Example:

    ```mlir
    %m = gnn.gather %x via src : tensor<?x64xf32, #gnn.rows<@g, node>> -> tensor<?x64xf32, #gnn.rows<@g, edge>>
    %w = gnn.gather %n : tensor<3xf32, #gnn.rows<@g, edge_type>> -> tensor<?xf32, #gnn.rows<@g, edge>>
    ```
  }];
  let arguments = (ins GNN_AnyRows:$input, OptionalAttr<GNN_EndPointAttr>:$via);
  let results = (outs GNN_AnyRows:$result);
  let assemblyFormat = [{
    $input (`via` `` $via^)? attr-dict `:` type($input) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input,
                   "::std::optional<::gnn::EndPoint>":$via)>,
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def GNN_AggregateOp : GNN_RowOp<"aggregate", [
    GNN_Linear, GNN_CostAndReads, GNN_Path], GNN_GradientWithNeeds> {
  let summary = "Reduce all rows that lead to a row";
  let description = [{
    `result[g, :] = reduce(input[i, :] for all i with p(i) = g)`, where `p` is
    the path from a row of `input` to a row of the result: edges to their
    destination, pairs to their edge type, nodes to the graph, and so on. `sum`
    is the transpose of `gnn.gather`.

    A group without rows gives 0. `max` and `min` can also give the argument:
    `argument[g, :]` is the row of `input` with the extreme, the lowest among
    equals, and -1 for an empty group. A NaN in a group is its maximum and
    minimum.

    Gradient: `sum`: `gnn.gather` of the gradient along the path; `mean`: that,
    divided by the degree; `max`, `min`: `gnn.pick` of the gradient at the
    argument.

    Constraints:
    * (C1) A row of `input` leads to one row of `result`.
    * (C2) `via` is given exactly where there are two paths: between edges or
      edge types and nodes of a square graph or node types.
    * (C3) `input` and `result` have the same features and element type.
    * (C4) Only `max` and `min` have an `argument`.
    * (C5) `argument` has the row space and features of `result`.

    Example:

    ```mlir
    %y = gnn.aggregate mean %m via dst : tensor<?x64xf32, #gnn.rows<@g, edge>> -> tensor<?x64xf32, #gnn.rows<@g, node>>
    %z, %i = gnn.aggregate max %m via dst : tensor<?x64xf32, #gnn.rows<@g, edge>> -> tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<?x64xi32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_ReduceKindAttr:$kind, GNN_Rows:$input,
                       OptionalAttr<GNN_EndPointAttr>:$via);
  let results = (outs GNN_Rows:$result, Optional<GNN_IndexRows>:$argument);
  let assemblyFormat = [{
    `` $kind $input (`via` `` $via^)? attr-dict `:`
    type($input) `->` type($result) (`,` type($argument)^)?
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::gnn::ReduceKind":$kind,
                   "::mlir::Value":$input,
                   "::std::optional<::gnn::EndPoint>":$via)>,
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def GNN_PickOp : GNN_RowOp<"pick", [
    GNN_Linear, GNN_CostAndReads, GNN_Path]> {
  let summary = "Copy the features of a row to the rows from which they came";
  let description = [{
    `result[i, f] = input[p(i), f]` if `argument[p(i), f] = i`, else 0, where
    `p` is the path from a row of the result to the one row of `input` to which
    it leads. `argument` has numbers of rows of the result, in the user's order,
    like the argument of `gnn.aggregate max`; -1 stands for no row. `gnn.gather`
    copies to all rows instead.

    Gradient: of `input`, `gnn.aggregate sum` along the path of the gradient of
    `result` times the `gnn.pick` of ones. None of `argument`: integers.

    Constraints:
    * (C1) A row of `result` leads to one row of `input`.
    * (C2) `via` is given exactly where there are two paths: between edges or
      edge types and nodes of a square graph or node types.
    * (C3) `input` and `result` have the same features and element type.
    * (C4) `argument` has the row space and features of `input`.

    Example:

    ```mlir
    %y, %a = gnn.aggregate max %m via dst : tensor<?x64xf32, #gnn.rows<@g, edge>> -> tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<?x64xi32, #gnn.rows<@g, node>>
    %dm = gnn.pick %dy at %a via dst : tensor<?x64xf32, #gnn.rows<@g, node>>, tensor<?x64xi32, #gnn.rows<@g, node>> -> tensor<?x64xf32, #gnn.rows<@g, edge>>
    ```
  }];
  let arguments = (ins GNN_Rows:$input, GNN_IndexRows:$argument,
                       OptionalAttr<GNN_EndPointAttr>:$via);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = [{
    $input `at` $argument (`via` `` $via^)? attr-dict `:`
    type($input) `,` type($argument) `->` type($result)
  }];
  let hasVerifier = 1;
}

def GNN_DegreeOp : GNN_RowOp<"degree", [
    GNN_CostAndReads, GNN_Path]> {
  let summary = "Count the rows that lead to a row";
  let description = [{
    `result[g] = |{i : p(i) = g}|` for all rows `i` of the space `of`, as a
    floating point number: `gnn.aggregate sum` of ones.

    Gradient: none is needed, because the op has no operands.

    Constraints:
    * (C1) A row of `of` leads to one row of `result`.
    * (C2) `via` is given exactly where there are two paths: between edges or
      edge types and nodes of a square graph or node types.
    * (C3) `result` has no feature dimensions.

    Example:

    ```mlir
    %d = gnn.degree edge via dst : tensor<?xf32, #gnn.rows<@g, node>>
    ```
  }];
  let arguments = (ins GNN_RowSpaceAttr:$of, OptionalAttr<GNN_EndPointAttr>:$via);
  let results = (outs GNN_Rows:$result);
  let assemblyFormat = "`` $of (`via` `` $via^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // GNN_DIALECT_GNN_IR_GNNROWOPS_TD
