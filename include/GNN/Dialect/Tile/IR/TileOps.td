//===- TileOps.td - Ops of gnn_tile ------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph structures, the templates, and the ops of their bodies.
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
  let summary = "Get the size of a row space or structure of a graph";
  let description = [{
    A host scalar, known once a graph is bound.

    Constraints:
    * (C1) `graph` is a `gnn.graph` with these rows: derived graphs have those of
      their parent, square graphs have `node` rows.

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
  let summary = "Get an index array of a graph";
  let description = [{
    An int32 array that the runtime builds when the graph is bound, for example
    the row pointer of the edges sorted by destination. docs/Structures.md
    defines all kinds.

    Constraints:
    * (C1) The result is a tensor or memref of `?xi32`.
    * (C2) See C1 of `gnn_tile.count`.

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

// The launch plan beside its launches. Ops write this resource, and no buffer, so
// they are not removed.
def Tile_PlanResource : Resource<"::gnn::tile::PlanResource">;
class Tile_PlanOp<string mnemonic>
    : Tile_Op<mnemonic, [MemoryEffects<[MemWrite<Tile_PlanResource>]>]>;

def Tile_WorkspaceSizeOp : Tile_PlanOp<"workspace_size"> {
  let summary = "State the bytes of workspace of the function";
  let description = [{
    Created by `gnn-tile-plan-memory`, read by the launch plan. A function has at
    most one. Its effect is on the plan, not on buffers.

    Example:

    ```mlir
    gnn_tile.workspace_size %bytes
    ```
  }];
  let arguments = (ins Index:$bytes);
  let assemblyFormat = "$bytes attr-dict";
}

def Tile_RequireOp : Tile_PlanOp<"require"> {
  let summary = "State a condition on the sizes of the bound graphs";
  let description = [{
    The two counts are equal, or with `at_most` the first is not above the second.
    Otherwise binding the graphs fails, with `expected` in its error.

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
    no caches: each gather of a row counts. Reports show these numbers. The
    effect of the op is on the plan, not on buffers. A pass that lowers a
    template to a loop over blocks gets the numbers from the template
    (`TileOpInterface`).

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
    A group is a row for which a result is computed: a node, a pair, a type, or
    an edge. Its elements are the rows that are reduced for it, such as the
    edges into a node. For every group, element, head and feature, the body
    computes scalars. A block argument is the value of its input at the current
    point; the yielded values are stored to the outputs.

    The *level* of a value in the body is the set of dimensions on which it
    depends: element, head, feature, or only the group. Levels follow from the
    accesses. A statement is computed once for each point of its level, which is
    Hector's loop hoisting (section 3.4.1). `gnn_tile.reduce` removes a
    dimension. If a value depends on a reduction over elements and is itself
    needed for each element, the traversal walks the elements again.

    Empty groups reduce to 0. Rows and columns of an output that are not written
    keep their values. Groups may be the tiles into which other groups are cut,
    and elements may be the tiles of a group.

    `parts(...) of long_tiles<dst, edge.in_rows, 256>` gives partial results of
    groups with more than 256 elements: a row for each of their tiles, with the
    results of the body's reductions over the tile's elements, in the order of the
    body; for a mean, the sum over elements, of the value left by other
    dimensions. Such a group combines its parts and does not walk its elements: an
    output at elements keeps their values, which the traversal of the tiles has
    written. Everything else is the same: the size of the group is that of its
    elements.

    With a schedule whose `row_walk` is `by_edges`, the elements of all groups
    are walked one after the other, 64 by each team of a block.
    `gnn-tile-split-edge-walks` splits such a walk into two steps. The first
    step stores each group whose elements are in one block. If the elements of a
    group are in several blocks, each block leaves a piece of the group in
    `parts(...) of pieces<dst, edge.in_rows, 1024>`: its states, as for the
    tiles above. The second step, with the same parts and another `row_walk`,
    stores the groups that have pieces, each combined in order, and those
    without elements.

    In the blocked form the op is on a *range*, `rows[%first to %end]
    columns[%column]`: the groups at the positions from `first` to before `end`,
    at most the schedule's `rows_per_block`, and the features from `column` on, at
    most `columns_per_block`. The positions of a walk by edges are those of
    elements; those of the step that joins pieces are those of `cut_rows`. The
    index arrays are operands on a range. An output may then be an array in
    workgroup memory, whose row 0 is that of the group at `first`: all groups of
    the range are walked, `rows_per_block` of them side by side.

    Constraints:
    * (C1) `inputs_at` and `outputs_at` have one access an operand.
    * (C2) An operand has a leading dimension of rows, unless it is at `all`, and
      the trailing dimensions that its access names, all of a static size: the
      domain's heads (in a buffer at least these after their offset), and at least
      the domain's features after the offset. A map leads to its rows. For an
      input at `column` the groups are a number of rows, divisible by its columns.
    * (C3) The body has one argument an input, of its element type.
    * (C4) The yielded values have the element types of the outputs, and their
      levels are within those of the outputs.
    * (C5) Element accesses, reductions over elements, sizes and indices of
      elements need a domain with elements; an index leads to its row.
    * (C6) No two points write the same row: an output is at `group`, at
      `element`, or at rows to which no two of these lead: another order of the
      space, rows of the parent, or the first `src` rows, which are `dst` rows.
    * (C7) The body holds `arith`, `math` and `gnn_tile` body ops only.
    * (C8) `graph` is a `gnn.graph` with the named rows; see `gnn_tile.count`.
    * (C9) A tensor has its rows in the order of its access (`#gnn_tile.order`),
      or in the natural one if its type states none.
    * (C10) A buffer is at most one output, and also an input only if no row is
      read after it has been written: both are at the same rows, with all heads
      and features of the domain, no output is at elements, and no other input is
      that buffer. Or both are the same numbers of points, which no other output
      needs: no output has features, and nothing is reduced over elements.
    * (C11) On a range, the operands are memrefs, the schedule is complete, and
      `index_arrays` are those that the op reads (`getStructures`), in order.
    * (C12) `parts` are of `long_tiles`, or in buffers of `pieces`, of the
      domain's groups and elements, which are walked once: no value of an element
      needs a complete reduction first. Pieces are those of the schedule's blocks,
      and not of a mean over elements.
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
    /// The inputs whose values the body uses; the kernel reads only these.
    ::llvm::SmallVector<::mlir::OpOperand *> getReadInputs();
    /// The access of output `i`.
    AtAttr getOutputAt(unsigned i) { return ::llvm::cast<AtAttr>(getOutputsAt()[i]); }
    /// Whether the elements of all groups are walked one after the other.
    bool isByEdges();
    /// Whether it combines the pieces of groups that such a walk has left.
    bool joinsPieces();
    /// The domain of the positions of a range: the groups; for a walk by edges the
    /// elements, and for the step that joins pieces the groups with pieces or
    /// without elements.
    RowDomain getPositions();
    /// Whether it needs the begin and end of groups: they have a result, or their
    /// elements are counted.
    bool needsGroups();
    /// Whether it goes by edges, and its teams take turns.
    bool isCyclic();
    /// Whether it goes by edges, and a stream states where an element leads and
    /// whether its group ends: teams do not take turns, and blocks have whole shares.
    bool readsStreams();
    /// The rows to which elements of a walk by edges lead by a map; if teams take
    /// turns also the groups, if any of their values are read.
    ::llvm::SmallVector<RowDomain> getMapTargets();
    /// The rows whose numbers are in its streams, if it reads some: those of maps, or
    /// the elements themselves without maps.
    ::llvm::SmallVector<RowDomain> getStreamTargets();
    /// The results of reductions over elements, in the order of the body.
    ::llvm::SmallVector<::mlir::Value> getReduced();
    /// The access of the part of a reduction's result: its dimensions in a row of
    /// a tile.
    static AtAttr getPartAt(::mlir::Value reduced);
    /// Elements above which a group is combined from its parts; 0: none is.
    int64_t getLongLength();
    /// The walked elements: without those of long groups if there are parts, and
    /// only those of long groups if groups are tiles of long groups.
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
    `types` to which the row belongs; in the order of `rows`, rows of one type are
    adjacent, so one launch computes all types (Hector 3.3.1). Without `types`
    there is one weight. With `weights`, a space to which each type leads, T is
    the row there: `types edge_type weights parent_edge_type` reads the parent's
    weights on a derived graph. An input without heads is used by all heads of the
    weight, a weight without heads for all heads of the input. Rows of weights are
    a fixed number, `rows 192 types 64`: 64 rows a type.

    The body is the epilogue: its first argument is the product, the others are
    the values of `extras` at the current row and column, such as a bias, a scalar
    of the row, or a summand.

    In the blocked form the op is on a *range*, `rows[%first, %count] type[%t]
    weight[%w] columns[%column] head[%h]`: `count` rows of one type from the
    position `first` on, at most 64, the columns from `column` on, at most `n` of
    its schedule, and one head. `t` and `w` are the rows of `types` and `weights`.
    The index arrays are operands on a range. The input may then be an array in
    workgroup memory, whose row 0 is that of the position `first`.

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
    * (C6) `rows` is a row space in one of its orders, in which the rows of each
      type are adjacent; `types` are no tiles.
    * (C7) A map leads from `types` to `weights`.
    * (C8) See C8 of `gnn_tile.traverse`.
    * (C9) See C9 of `gnn_tile.traverse`; a weight has no order.
    * (C10) See C10 of `gnn_tile.traverse`; an input that is also the output has
      at most 64 columns, which one block computes.
    * (C11) A range has rows, columns, and the type, the weight and the head if
      these exist; on a range, operands are memrefs, the schedule is complete, and
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
    /// Heads of the product; 1 if the output has no head dimension.
    int64_t getHeads();
    /// True if each head has its own weight.
    bool weightHasHeads();
    /// On a range, the matrix of the weight; null if there is only one.
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

    over the rows `i` of `rows` in their order: the gradient of a typed linear by
    its weight. Without `types` all rows are one type. An output without heads
    sums over them too. The order of the sum is fixed, without atomics. Types may
    be tiles, `types tiles<edge_type, src_pair, 1024>`: a matrix for each.

    With `sums`, the rows of one side are also added up, the gradient by a bias:

    `sums[t, b] = sum_{i of type t} right[R(i), b]`

    or, with `sums left`, `sums[t, a] = sum_{i of type t} left[L(i), a]`.

    In the blocked form the op is on a *range*, `rows[%first, %count] type[%t]
    left[%a] right[%b] head[%h]`: all rows of one type, `count` from the position
    `first` on, the columns of `left` from `a` on, at most 64, those of `right`
    from `b` on, at most `n` of its schedule, and one head, unless heads are
    summed. `sums` is computed on the first columns of the other side. The index
    arrays are operands on a range.

    Constraints:
    * (C1) `left` has shape `[rows, (heads,) a]`, `right` `[rows, (heads,) b]`,
      the output `[(types,) (heads,) a, b]`, all of one float type. All sizes but
      those of rows and of tiles are static.
    * (C2) `rows` is a row space in one of its orders, in which the rows of each
      type are adjacent.
    * (C3) `inputs_at` has an access for each of `left` and `right`, at the group
      and with features.
    * (C4) See C8 of `gnn_tile.traverse`.
    * (C5) See C9 of `gnn_tile.traverse`; the output has no order.
    * (C6) `sums` has shape `[(types,) b]`, `[(types,) a]` with `left`, of the
      output's type, and there are no heads. Without `sums` there is no `left`.
    * (C7) No buffer is an input and an output, or two outputs.
    * (C8) A range has rows, columns of both sides, and the type and the head if
      these exist; on a range, operands are memrefs, the schedule is complete, and
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
    /// Heads of the product; 0 if neither operand has a head dimension.
    int64_t getHeads();
    /// True if there are heads but the output has none.
    bool sumsHeads();
  }];
}

include "GNN/Dialect/Tile/IR/TileBodyOps.td"

#endif // GNN_DIALECT_TILE_IR_TILEOPS_TD
