//===- TileOps.td - Ops of gnn_tile ------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph structures, the two templates, and the ops of their bodies.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TILEOPS_TD
#define GNN_DIALECT_TILE_IR_TILEOPS_TD

include "GNN/Dialect/Tile/IR/TileAttributes.td"
include "GNN/Dialect/Tile/IR/TileInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_AtArrayAttr : TypedArrayAttrBase<Tile_AtAttr, "accesses">;
def Tile_Buffer : AnyTypeOf<[AnyRankedTensor, AnyMemRef]>;
def Tile_Scalar : AnyTypeOf<[AnyFloat, AnySignlessInteger, Index]>;

//===----------------------------------------------------------------------===//
// Values of the bound graph
//===----------------------------------------------------------------------===//

def Tile_CountOp : Tile_Op<"count", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Give the size of a row space or structure of a graph";
  let description = [{
    A host scalar, known once a graph is bound.

    Constraints:
    * (C1) `graph` is a `gnn.graph` that has these rows: those of a parent are
      known of derived graphs, `node` of square ones.

    Example:

    ```mlir
    %n = gnn_tile.count @g count dst : index
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$graph, Tile_CountKeyAttr:$of);
  let results = (outs Index:$result);
  let assemblyFormat = "$graph `` $of attr-dict `:` type($result)";
}

def Tile_StructureOp : Tile_Op<"structure", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Give an index array of a graph";
  let description = [{
    An int32 array that the runtime builds when the graph is bound, for example
    the row pointer of the edges sorted by destination. docs/Structures.md
    defines all kinds.

    Constraints:
    * (C1) The result is a tensor or memref of `?xi32`.
    * (C2) As C1 of `gnn_tile.count`.

    Example:

    ```mlir
    %p = gnn_tile.structure @g rows dst edge.in_rows : memref<?xi32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$graph, Tile_StructureKeyAttr:$key);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = "$graph `` $key attr-dict `:` type($result)";
  let hasVerifier = 1;
}

// The launch plan beside its launches. Ops write this resource, so that they
// stay, and no buffer.
def Tile_PlanResource : Resource<"::gnn::tile::PlanResource">;
class Tile_PlanOp<string mnemonic>
    : Tile_Op<mnemonic, [MemoryEffects<[MemWrite<Tile_PlanResource>]>]>;

def Tile_WorkspaceSizeOp : Tile_PlanOp<"workspace_size"> {
  let summary = "State how many bytes of workspace the function needs";
  let description = [{
    Made by `gnn-tile-plan-memory`, read by the launch plan. At most one a
    function. Its effect is on the plan, not on buffers.

    Example:

    ```mlir
    gnn_tile.workspace_size %bytes
    ```
  }];
  let arguments = (ins Index:$bytes);
  let assemblyFormat = "$bytes attr-dict";
}

def Tile_RequireOp : Tile_PlanOp<"require"> {
  let summary = "State what must hold of the graphs together";
  let description = [{
    The two counts are equal, or with `at_most` the first is not above the
    second. Binding the graphs fails otherwise, with `expected` in its error.

    Example:

    ```mlir
    gnn_tile.require %dst, %src "as many dst rows of @block1 as src rows of @block2"
    ```
  }];
  let arguments = (ins Index:$lhs, Index:$rhs, StrAttr:$expected,
                       UnitAttr:$at_most);
  let assemblyFormat = "(`at_most` $at_most^)? $lhs `,` $rhs $expected attr-dict";
}

def Tile_CostOp : Tile_PlanOp<"cost"> {
  let summary = "State the bytes and flops of the launch that follows";
  let description = [{
    Bytes read, bytes written, and floating-point operations, as if there were
    no caches: a row that is gathered counts each time. For reports: its effect
    is on the plan, not on buffers. A pass that makes a loop over blocks of a
    template asks the template for them (`TileOpInterface`).

    Example:

    ```mlir
    gnn_tile.cost %reads, %writes, %flops
    ```
  }];
  let arguments = (ins Index:$reads, Index:$writes, Index:$flops);
  let assemblyFormat = "$reads `,` $writes `,` $flops attr-dict";
}

//===----------------------------------------------------------------------===//
// Templates
//===----------------------------------------------------------------------===//

class Tile_TemplateOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat(traits, [
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<SymbolUserOpInterface>,
        DeclareOpInterfaceMethods<Tile_TileOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])>;

def Tile_TraverseOp : Tile_TemplateOp<"traverse", [
    AttrSizedOperandSegments, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Walk groups of a graph and, for each, its elements";
  let description = [{
    For every group (a destination row, a pair, a type, or simply a row), for
    every element of it (an edge, a pair), for every head and feature, the body
    computes scalars. A block argument stands for the value that its input has
    at the current point; the yielded values are stored to the outputs.

    A value of the body lives at the level of what it depends on: it varies by
    element, by head, by feature, or only by group. The levels follow from the
    accesses; a statement is computed once for each point of its level, which
    is Hector's loop hoisting (section 3.4.1). `gnn_tile.reduce` takes a
    dimension away. A value that depends on a reduction over elements and is
    itself needed for each element makes the traversal walk the elements again.

    Empty groups reduce to 0. Rows and columns of an output that no point writes
    keep what they had. Groups may be the tiles that other groups are cut into, and
    elements the tiles of a group.

    `parts(...) of long_tiles<dst, edge.in_rows, 256>` gives what is reduced of
    groups with more than 256 elements: a row for each of their tiles, with the
    results of the body's reductions over the tile's elements, in the order of the
    body; of a mean, the sum over elements of what is left of other dimensions.
    Such a group combines its parts in place of its elements, which are not walked:
    an output at elements keeps what it had of theirs, which the traversal of the
    tiles has written. All else is as without: the size of the group is that of its
    elements.

    With a schedule whose `row_walk` is `by_edges` the elements of all groups are
    walked one after the other, in blocks of 64 for each of its teams.
    `gnn-tile-split-edge-walks` makes two steps of it. The first one stores a group
    whose elements are in one block. Where a group lies in several blocks, each
    leaves a piece of it in `parts(...) of pieces<dst, edge.in_rows, 1024>`: its
    states, as of the tiles above. The second one, with the same parts and another
    `row_walk`, stores the groups that have pieces, each combined in order, and
    those without elements.

    In the blocked form it is on a *range*, `rows[%first to %end] columns[%column]`:
    the groups at the positions from `first` to before `end`, at most the schedule's
    `rows_per_block`, and the features from `column` on, at most
    `columns_per_block`. The positions of a walk by edges are those of elements, and where pieces
    are joined those of `cut_rows`. The index arrays it reads are operands then. An output may be an
    array in workgroup memory there, whose row 0 is that of the group at `first`: all groups of the
    range are walked then, `rows_per_block` of them side by side.

    Constraints:
    * (C1) `inputs_at` and `outputs_at` have one access an operand.
    * (C2) An operand has a leading dimension of rows, unless it is at `all`, and
      the trailing dimensions that its access names: the domain's heads, in a buffer
      at least these behind their offset, and at least the domain's features behind
      the offset, all of a static size. A map leads to its rows. An input at `column` has as many columns as the groups are
      a number of rows.
    * (C3) The body has one argument an input, of its element type.
    * (C4) The yielded values have the element types of the outputs, and their
      levels are within those of the outputs.
    * (C5) Element accesses, reductions over elements, sizes and indices of
      elements need a domain with elements; an index leads to its row.
    * (C6) No two points write the same row: an output is at `group`, at
      `element`, or at rows to which no two of these lead: another order of the
      space, rows of the parent, or `src` rows of which `dst` rows are the first.
    * (C7) The body holds `arith`, `math` and `gnn_tile` body ops only.
    * (C8) `graph` is a `gnn.graph` that has the rows named; see `gnn_tile.count`.
    * (C9) A tensor keeps its rows in the order that its access says
      (`#gnn_tile.order`), the natural one where its type says none.
    * (C10) A buffer is one output, and an input beside that only where no row is
      read after it has been written: both are at the same rows, with all heads
      and features of the domain, no output is at elements, and no other input is
      that buffer. Or both are the same numbers of points, which no other output
      needs: no output has features, and nothing is reduced over elements.
    * (C11) On a range, the operands are memrefs, the schedule is complete, and
      `index_arrays` are those that the op reads (`getStructures`), in order.
    * (C12) `parts` are of `long_tiles`, or in buffers of `pieces`, of the domain's
      groups and elements, which are walked once: nothing of an element needs a
      reduction over all first. Pieces are those of the schedule's blocks, and of no
      mean over elements.
    * (C13) `parts` has one operand for each result of a reduction over elements,
      `[?, heads, features]` as far as the result varies by them, of its type.
    * (C14) On a range, a single output may be in workgroup memory, at `group` without
      another space and of 64 rows or more. No other operand is.

    Example: the weighted sum over neighbours.

    ```mlir
    %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
        ins(%x, %w : tensor<?x64xf32>, tensor<?xf32>)
        at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
        outs(%init : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] {
    ^bb0(%xv: f32, %wv: f32):
      %m = arith.mulf %xv, %wv : f32
      %s = gnn_tile.reduce sum [element] %m : f32
      gnn_tile.yield %s : f32
    } -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$graph, Tile_DomainAttr:$domain,
    Variadic<Tile_Buffer>:$inputs, Variadic<Tile_Buffer>:$outputs,
    Variadic<Tile_Buffer>:$parts,
    Optional<Index>:$first_row, Optional<Index>:$end_row,
    Optional<Index>:$first_column,
    Variadic<MemRefRankOf<[I32], [1]>>:$index_arrays,
    Tile_AtArrayAttr:$inputs_at, Tile_AtArrayAttr:$outputs_at,
    OptionalAttr<Tile_RowDomainAttr>:$parts_of,
    OptionalAttr<Tile_TraversalScheduleInterface>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results,
      "::mlir::FlatSymbolRefAttr":$graph, "DomainAttr":$domain,
      "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$outputs,
      "::mlir::ArrayAttr":$inputs_at, "::mlir::ArrayAttr":$outputs_at,
      "TraversalScheduleInterface":$schedule), [{
    build($_builder, $_state, results, graph, domain, inputs, outputs, {},
          nullptr, nullptr, nullptr, {}, inputs_at, outputs_at, nullptr,
          schedule);
  }]>];
  let assemblyFormat = [{
    $graph $domain
    (`rows` `[` $first_row^ `to` $end_row `]` `columns` `[` $first_column `]`)?
    (`ins` `(` $inputs^ `:` type($inputs) `)`)? `at` $inputs_at
    `outs` `(` $outputs `:` type($outputs) `)` `at` $outputs_at
    (`parts` `(` $parts `:` type($parts) `)` `of` `` $parts_of^)?
    (`index_arrays` `(` $index_arrays^ `:` type($index_arrays) `)`)?
    (`schedule` custom<TraversalSchedule>($schedule)^)? attr-dict-with-keyword $body
    (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
    /// Whether it is on a range of rows and columns.
    bool isOnRange() { return static_cast<bool>(getFirstRow()); }
    /// The access of input `i`.
    AtAttr getInputAt(unsigned i) { return ::llvm::cast<AtAttr>(getInputsAt()[i]); }
    /// The inputs whose values the body uses: the kernel has no others.
    ::llvm::SmallVector<::mlir::OpOperand *> getReadInputs();
    /// The access of output `i`.
    AtAttr getOutputAt(unsigned i) { return ::llvm::cast<AtAttr>(getOutputsAt()[i]); }
    /// Whether the elements of all groups are walked one after the other.
    bool isByEdges();
    /// Whether it combines what such a walk has left of groups in pieces.
    bool joinsPieces();
    /// The domain that a range counts: the groups; of a walk by edges the
    /// elements, and where pieces are joined the groups that have some or no
    /// elements.
    RowDomain getPositions();
    /// Whether it has to know where groups begin and end: they have a result, or
    /// elements are counted.
    bool needsGroups();
    /// Whether it goes by edges, and its teams take turns.
    bool isCyclic();
    /// Whether it goes by edges, and a stream says where an element leads and whether
    /// its group ends: teams do not take turns, and blocks have whole shares.
    bool readsStreams();
    /// The rows that elements of a walk by edges lead to by a map; where teams take
    /// turns the groups too, if anything is read of them.
    ::llvm::SmallVector<RowDomain> getMapTargets();
    /// The rows that its streams have the numbers of, if it reads some: those of maps, or
    /// the elements themselves where there are none.
    ::llvm::SmallVector<RowDomain> getStreamTargets();
    /// The results of reductions over elements, in the order of the body.
    ::llvm::SmallVector<::mlir::Value> getReduced();
    /// The access of the part of a reduction's result: its dimensions of a
    /// tile's row.
    static AtAttr getPartAt(::mlir::Value reduced);
    /// Elements above which a group is made of its parts; 0: none is.
    int64_t getLongLength();
    /// The elements that are walked: those of long groups are not where there
    /// are parts, and where groups are tiles of long groups, no others are.
    CountSum countWalked();
  }];
}

def Tile_GemmOp : Tile_TemplateOp<"gemm", [
    AttrSizedOperandSegments, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Multiply rows by the weight of their type";
  let description = [{
    For every row `i` of `rows` (in its order), every head `h` and column `n`,

    `out[S(i), h, n] = epilogue(sum_k input[G(i), h, k] * weight[T(i), h, k, n])`

    G, S are accesses from the row (`input_at`, `output_at`), T the group of
    `types` to which the row belongs; the order of `rows` puts rows of one type
    side by side, so that all types are one launch (Hector 3.3.1). Without
    `types` there is one weight. With `weights`, a space that each type leads to,
    T is the row there: `types edge_type weights parent_edge_type` reads the
    parent's weights on a derived graph. An input without heads is used by all heads of
    the weight, a weight without heads for all heads of the input. Rows of
    weights are a fixed number, `rows 192 types 64`: 64 rows a type.

    The body is the epilogue: its first argument is the product, the others are
    the values of `extras` at the current row and column, such as a bias, a
    scalar of the row, or what is added.

    In the blocked form it is on a *range*, `rows[%first, %count] type[%t] weight[%w]
    columns[%column] head[%h]`: `count` rows of one type from the position `first`
    on, at most 64, the columns from `column` on, at most `n` of its schedule, and
    one head. `t` and `w` are the rows of `types` and `weights`. The index arrays
    it reads are operands then. The input may be an array in workgroup memory there,
    whose row 0 is that of the position `first`.

    Constraints:
    * (C1) `input` has shape `[rows, (heads,) in]`, `weight`
      `[(types,) (heads,) in, out]` (`[(types,) (heads,) out, in]` with
      `transposed`), the output `[rows, (heads,) out]`, all of one float type. All
      sizes but those of rows and types are static.
    * (C2) The output's access is `group` or rows to which no two rows lead; see
      C6 of `gnn_tile.traverse`.
    * (C3) `extras_at` has one access an extra; none is at `element`, and only a
      product with heads has extras with heads.
    * (C4) The body has one argument for the product and one an extra, and
      yields one value, both of the output's element type.
    * (C5) The body holds `arith` and `math` ops only.
    * (C6) `rows` is a row space in one of its orders, in which the rows of one
      of `types` lie side by side; `types` are no tiles.
    * (C7) A map leads from `types` to `weights`.
    * (C8) As C8 of `gnn_tile.traverse`.
    * (C9) As C9 of `gnn_tile.traverse`; a weight has no order.
    * (C10) As C10 of `gnn_tile.traverse`; an input that is the output too has at
      most 64 columns, which one block computes.
    * (C11) A range says rows, columns, and the type, the weight and the head where
      there are such; on one, operands are memrefs, the schedule is complete, and
      `index_arrays` are those of `getStructures`, in order.
    * (C12) On a range, the input may be in workgroup memory, at `group` without
      another space and of 64 rows or more. No other operand is.

    Example: one weight an edge type, for the distinct (source, type) pairs.

    ```mlir
    %y = gnn_tile.gemm @g rows src_pair types edge_type
        ins(%x, %w : tensor<?x64xf32>, tensor<3x64x8xf32>)
        at <group -> src : feature> extras at []
        outs(%init : tensor<?x8xf32>) at <group : feature> {
    ^bb0(%acc: f32):
      gnn_tile.yield %acc : f32
    } -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$graph, Tile_RowDomainAttr:$rows,
    OptionalAttr<Tile_RowDomainAttr>:$types,
    OptionalAttr<Tile_RowDomainAttr>:$weights, Tile_Buffer:$input, Tile_Buffer:$weight,
    Variadic<Tile_Buffer>:$extras, Tile_Buffer:$output,
    Optional<Index>:$first_row, Optional<Index>:$row_count,
    Optional<Index>:$type_row, Optional<Index>:$weight_row,
    Optional<Index>:$first_column, Optional<Index>:$head,
    Variadic<MemRefRankOf<[I32], [1]>>:$index_arrays,
    Tile_AtAttr:$input_at, Tile_AtArrayAttr:$extras_at, Tile_AtAttr:$output_at,
    UnitAttr:$transposed, OptionalAttr<Tile_GemmScheduleAttr>:$schedule);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::mlir::Type":$result,
      "::mlir::FlatSymbolRefAttr":$graph, "RowDomainAttr":$rows,
      "RowDomainAttr":$types, "RowDomainAttr":$weights, "::mlir::Value":$input,
      "::mlir::Value":$weight, "::mlir::ValueRange":$extras,
      "::mlir::Value":$output, "AtAttr":$input_at, "::mlir::ArrayAttr":$extras_at,
      "AtAttr":$output_at, "::mlir::UnitAttr":$transposed,
      "GemmScheduleAttr":$schedule), [{
    build($_builder, $_state, result, graph, rows, types, weights, input, weight,
          extras, output, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
          {}, input_at, extras_at, output_at, transposed, schedule);
  }]>];
  let assemblyFormat = [{
    $graph `rows` `` $rows (`types` `` $types^)? (`weights` `` $weights^)?
    (`transposed` $transposed^)?
    (`rows` `[` $first_row^ `,` $row_count `]`)? (`type` `[` $type_row^ `]`)?
    (`weight` `[` $weight_row^ `]`)? (`columns` `[` $first_column^ `]`)?
    (`head` `[` $head^ `]`)?
    `ins` `(` $input `,` $weight `:` type($input) `,` type($weight) `)`
    `at` $input_at
    `extras` (`(` $extras^ `:` type($extras) `)`)? `at` $extras_at
    `outs` `(` $output `:` type($output) `)` `at` $output_at
    (`index_arrays` `(` $index_arrays^ `:` type($index_arrays) `)`)?
    (`schedule` $schedule^)? attr-dict-with-keyword $body
    (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return {getOperation(), 2 + static_cast<unsigned>(getExtras().size()), 1};
    }
    /// Whether it is on a range of rows and columns.
    bool isOnRange() { return static_cast<bool>(getFirstRow()); }
    /// Heads of the product; 1 where the output has no head dimension.
    int64_t getHeads();
    /// True if each head has its own weight.
    bool weightHasHeads();
    /// On a range, the matrix of the weight; null where there is one alone.
    ::mlir::Value getMatrixRow() {
      return getWeightRow() ? getWeightRow() : getTypeRow();
    }
    /// Depth of the product.
    int64_t getIn();
    /// Columns of the product.
    int64_t getOut();
    /// The access of extra `i`.
    AtAttr getExtraAt(unsigned i) { return ::llvm::cast<AtAttr>(getExtrasAt()[i]); }
  }];
}

def Tile_OuterOp : Tile_TemplateOp<"outer", [AttrSizedOperandSegments]> {
  let summary = "Sum the outer products of two rows over each type";
  let description = [{
    For every type `t` and head `h`,

    `out[t, h, a, b] = sum_{i of type t} left[L(i), h, a] * right[R(i), h, b]`

    over the rows `i` of `rows` in their order: the gradient of a typed linear
    by its weight. Without `types` all rows are one type. An output without
    heads sums over them too. Summed in a fixed order, without atomics. Types may
    be tiles, `types tiles<edge_type, src_pair, 1024>`: a matrix for each.

    With `sums`, the same rows of one side are added up too, the gradient by a bias:

    `sums[t, b] = sum_{i of type t} right[R(i), b]`

    or, with `sums left`, `sums[t, a] = sum_{i of type t} left[L(i), a]`.

    In the blocked form it is on a *range*, `rows[%first, %count] type[%t] left[%a]
    right[%b] head[%h]`: all rows of one type, `count` from the position `first` on,
    the columns of `left` from `a` on, at most 64, those of `right` from `b` on, at
    most `n` of its schedule, and one head, unless heads are summed. `sums` is
    computed on the first columns of the other side. The index arrays it reads are
    operands then.

    Constraints:
    * (C1) `left` has shape `[rows, (heads,) a]`, `right` `[rows, (heads,) b]`,
      the output `[(types,) (heads,) a, b]`, all of one float type. All sizes but
      those of rows and of tiles are static.
    * (C2) `rows` is a row space in one of its orders, in which the rows of one
      of `types` lie side by side.
    * (C3) `inputs_at` has an access for each of `left` and `right`, at the group
      and with features.
    * (C4) As C8 of `gnn_tile.traverse`.
    * (C5) As C9 of `gnn_tile.traverse`; the output has no order.
    * (C6) `sums` has shape `[(types,) b]`, `[(types,) a]` with `left`, of the
      output's type, and there are no heads. Without `sums` there is no `left`.
    * (C7) No buffer is an input and an output, or two outputs.
    * (C8) A range says rows, columns of both sides, and the type and the head where
      there are such; on one, operands are memrefs, the schedule is complete, and
      `index_arrays` are those of `getStructures`, in order.
    * (C9) No operand is in workgroup memory.

    Example:

    ```mlir
    %dw = gnn_tile.outer @g rows src_pair types edge_type
        ins(%x, %dy : tensor<?x64xf32>, tensor<?x8xf32>)
        at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
        outs(%init : tensor<3x64x8xf32>) -> tensor<3x64x8xf32>
    %dw2, %db = gnn_tile.outer @g rows src_pair types edge_type
        ins(%x, %dy : tensor<?x64xf32>, tensor<?x8xf32>)
        at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
        outs(%init : tensor<3x64x8xf32>) sums(%first : tensor<3x8xf32>)
        -> tensor<3x64x8xf32>, tensor<3x8xf32>
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$graph, Tile_RowDomainAttr:$rows,
    OptionalAttr<Tile_RowDomainAttr>:$types,
    Tile_Buffer:$left, Tile_Buffer:$right, Tile_Buffer:$output,
    Optional<Tile_Buffer>:$sums,
    Optional<Index>:$first_row, Optional<Index>:$row_count,
    Optional<Index>:$type_row, Optional<Index>:$left_column,
    Optional<Index>:$right_column, Optional<Index>:$head,
    Variadic<MemRefRankOf<[I32], [1]>>:$index_arrays,
    UnitAttr:$sums_left,
    Tile_AtArrayAttr:$inputs_at, OptionalAttr<Tile_GemmScheduleAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results,
      "::mlir::FlatSymbolRefAttr":$graph, "RowDomainAttr":$rows,
      "RowDomainAttr":$types, "::mlir::Value":$left, "::mlir::Value":$right,
      "::mlir::Value":$output, "::mlir::Value":$sums, "bool":$sumsLeft,
      "::mlir::ArrayAttr":$inputs_at, "GemmScheduleAttr":$schedule), [{
    build($_builder, $_state, results, graph, rows, types, left, right, output,
          sums, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, {},
          sumsLeft ? $_builder.getUnitAttr() : ::mlir::UnitAttr(), inputs_at,
          schedule);
  }]>];
  let assemblyFormat = [{
    $graph `rows` `` $rows (`types` `` $types^)?
    (`rows` `[` $first_row^ `,` $row_count `]`)? (`type` `[` $type_row^ `]`)?
    (`left` `[` $left_column^ `]`)? (`right` `[` $right_column^ `]`)?
    (`head` `[` $head^ `]`)?
    `ins` `(` $left `,` $right `:` type($left) `,` type($right) `)` `at` $inputs_at
    `outs` `(` $output `:` type($output) `)`
    (`sums` (`left` $sums_left^)? `(` $sums^ `:` type($sums) `)`)?
    (`index_arrays` `(` $index_arrays^ `:` type($index_arrays) `)`)?
    (`schedule` $schedule^)? attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return {getOperation(), 2, getSums() ? 2u : 1u};
    }
    /// The side whose rows `sums` adds up: 0 for the left one, 1 for the right.
    unsigned getSummedSide() { return getSumsLeft() ? 0 : 1; }
    /// Whether it is on a range of rows and columns.
    bool isOnRange() { return static_cast<bool>(getFirstRow()); }
    /// Columns of the left and of the right side.
    int64_t getIn();
    int64_t getOut();
    /// Heads of the product; 0 where neither operand has a head dimension.
    int64_t getHeads();
    /// True if there are heads but the output has none.
    bool sumsHeads();
  }];
}

include "GNN/Dialect/Tile/IR/TileBodyOps.td"

#endif // GNN_DIALECT_TILE_IR_TILEOPS_TD
