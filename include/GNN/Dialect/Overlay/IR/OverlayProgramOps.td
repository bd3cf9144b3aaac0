//===- OverlayProgramOps.td - Programs of the overlay ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_OVERLAY_IR_OVERLAYPROGRAMOPS_TD
#define GNN_DIALECT_OVERLAY_IR_OVERLAYPROGRAMOPS_TD

include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "GNN/Dialect/Overlay/IR/OverlayAttributes.td"

//===----------------------------------------------------------------------===//
// Programs and regions
//===----------------------------------------------------------------------===//

def Overlay_ProgramOp : Overlay_Op<"program", [
    Symbol, SymbolTable, IsolatedFromAbove, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    ParentOneOf<["::mlir::ModuleOp", "::gnn::overlay::ProgramOp"]>]> {
  let summary = "A program for the overlay";
  let description = [{
    Regions of the memory, and their uses: layers on tensors that `gnn_overlay.read` and
    `gnn_overlay.place` connect to regions, or, after `gnn-overlay-map-kernels`, one
    `gnn_overlay.layer_block` a layer. Layers run one after the other (algorithm 9).
    `graph` is the graph whose edges they walk; a disassembled program does not know it.

    A program for a graph that does not fit the memory holds parts instead
    (`gnn-overlay-super-partition`): programs that run one after the other. Its own
    regions are then the host's. A region of a part is a window of the region of that
    name. Inputs of a part are copied from the host before it runs, unless the previous
    part has the same window at the same address; outputs are copied back after it.

    Constraints:
    * (C1) It holds regions, then reads, layers and places, or layer blocks, or parts,
      which hold layer blocks.
    * (C2) Regions of a part lie within the memory, and so do those of a program without
      parts that is written to a file. Regions with disjoint lifetimes may share memory:
      no edges, and at most one input and one output.
    * (C3) `n2` is `feature_columns`, and `n1` is a multiple of `psys` up to
      `feature_rows`.
    * (C4) Features have a row for each vertex, edges a column for each edge; in a part
      they are windows of the program's region of that name and kind, with whole blocks
      and fibers. If the partition has `shard_edges`, edges have its entries, and their
      windows have whole shards.
    * (C5) A part is for the graph, the target and the partition of its program.
    * (C6) `graph` names a square `gnn.graph` of the module.

    Example:

    ```mlir
    gnn_overlay.program @gcn target #gnn_overlay.target<pes = 8> partition #gnn_overlay.partition<vertices = 2708, edges = 5429, n1 = 96, n2 = 16> {
      gnn_overlay.region @x features [2708, 1433] input at 0
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<FlatSymbolRefAttr>:$graph,
                       Overlay_OverlayTargetAttr:$target,
                       Overlay_PartitionAttr:$partition);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`graph` $graph^)? `target` $target `partition` $partition attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Overlay_RegionOp : Overlay_Op<"region", [
    Symbol, HasParent<"::gnn::overlay::ProgramOp">]> {
  let summary = "A named part of the memory";
  let description = [{
    A region of `gnn_overlay.program` with the layout `kind` (docs/Overlay.md): of
    `features` the shape is vertices and features, of `weights` rows and columns, of a
    `row` and of `affine` 1 and columns, of `edges` entries and edges.

    An `input` is filled before the program runs: features and edges from the argument
    `argument` (edges without one have the weight 1), and weights, rows and scales from
    `pieces`. These are blocks of arguments, each [argument or number, transposed, row and
    column in it, its pitch, row and column in the region, rows, columns].

    In a part, `from` is the first row (of edges: entry) and column of the window.

    Constraints:
    * (C1) The address is a multiple of 64 and not negative.
    * (C2) The shape has two extents, which are not negative; there are fewer than 2^31
      columns, and at most 2^44 rows and numbers of features and weights.
    * (C3) Only inputs of weights, rows and scales have pieces, of nine fields each: a name
      or number, a flag, and seven numbers that are not negative.
    * (C4) A region of a part has the two numbers of `from`, which are not negative, and
      no argument; others have none.

    Example:

    ```mlir
    gnn_overlay.region @b row [1, 65] input at 64 pieces [["bias", false, 0, 0, 64, 0, 0, 1, 64], [1.0 : f32, false, 0, 0, 0, 0, 64, 1, 1]]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Overlay_RegionKindAttr:$kind,
                       DenseI64ArrayAttr:$extents, Overlay_RegionRoleAttr:$role,
                       I64Attr:$address, OptionalAttr<DenseI64ArrayAttr>:$from,
                       OptionalAttr<StrAttr>:$argument,
                       OptionalAttr<ArrayAttr>:$pieces);
  let assemblyFormat = [{
    $sym_name `` $kind $extents `` $role `at` $address (`from` $from^)? (`of` $argument^)?
    (`pieces` $pieces^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The bytes of the region.
    uint64_t getBytes();
  }];
}

def Overlay_ReadOp : Overlay_Op<"read", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The tensor in a region";
  let description = [{
    The rows, weights or weights of edges that a region holds before the program runs.

    Constraints:
    * (C1) The region is an input.
    * (C2) The type matches the contents of the region: rows of nodes of the program's
      graph with its columns, numbers of edges, or weights of its extents.
  }];
  let arguments = (ins FlatSymbolRefAttr:$region);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$region attr-dict `:` type($result)";
}

def Overlay_PlaceOp : Overlay_Op<"place", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Make a layer write its result to a region";
  let description = [{
    Constraints:
    * (C1) The region is an output or temporary.
    * (C2) The value is the result of a layer, which is placed once.
    * (C3) The type matches the contents of the region, as for `gnn_overlay.read`.
  }];
  let arguments = (ins AnyRankedTensor:$value, FlatSymbolRefAttr:$region);
  let assemblyFormat = "$value `in` $region attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

def Overlay_LayerBlockOp : Overlay_Op<"layer_block", [
    HasParent<"::gnn::overlay::ProgramOp">, SingleBlock, NoTerminator]> {
  let summary = "The instructions of a layer";
  let description = [{
    The head of a layer (csi), which the scheduler reads, and its tiles, which run in any
    order (section 6.6). The name of a layer is its kind and number, unless it is `named`.

    Constraints:
    * (C1) It holds tiling blocks.
    * (C2) Products and sums in its tiles are those of its type: `gemm` for linear,
      `spdmm` for aggregate with its aggregation, `sddmm` for vector_inner, `vadd` for
      vector_add.
    * (C3) `layer` is from 1 to 255.
  }];
  let arguments = (ins Overlay_LayerTypeAttr:$type, I64Attr:$layer, I64Attr:$in,
                       I64Attr:$out, OptionalAttr<Overlay_AggregationAttr>:$aggregation,
                       OptionalAttr<Overlay_ActivationKindAttr>:$activation,
                       UnitAttr:$normalized, OptionalAttr<StrAttr>:$name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `` $type `layer` $layer (`named` $name^)? `in` $in `out` $out (`aggregation` `` $aggregation^)?
    (`activation` `` $activation^)? (`normalized` $normalized^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Overlay_TilingBlockOp : Overlay_Op<"tiling_block", [
    HasParent<"::gnn::overlay::LayerBlockOp">, SingleBlock, NoTerminator]> {
  let summary = "The instructions of a tile, which one processing element runs";
  let description = [{
    Constraints:
    * (C1) It holds instructions, and at most one loop, with an instruction before it.
    * (C2) Its last instruction is not in the loop.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Overlay_LoopOp : Overlay_Op<"loop", [
    HasParent<"::gnn::overlay::TilingBlockOp">, SingleBlock, NoTerminator]> {
  let summary = "Instructions that a tile repeats";
  let description = [{
    The `init` before it states the number of iterations; an iteration adds strides and
    takes the next descriptor, and exchanges the buffers.

    Constraints:
    * (C1) It holds instructions.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

// An instruction, as Instructions.def defines it. Omitted fields are zero.
class Overlay_Instruction<string mnemonic, list<Trait> traits = []>
    : Overlay_Op<mnemonic, !listconcat(
        [ParentOneOf<["::gnn::overlay::TilingBlockOp", "::gnn::overlay::LoopOp"]>],
        traits)>;

// An instruction that names a region.
class Overlay_RegionInstruction<string mnemonic>
    : Overlay_Instruction<mnemonic,
        [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasVerifier = 1;
}

def Overlay_Number : DefaultValuedAttr<I64Attr, "0">;

def Overlay_LoadOp : Overlay_RegionInstruction<"load"> {
  let summary = "Read a region into a buffer";
  let description = [{
    Reads bytes from `offset` of the region on into a buffer of its kind. By descriptor,
    `edge` takes the edges of the descriptor at `offset`, and `feature` the subfiber of
    the sources of the edges in the buffer, where subfibers are `stride` bytes apart.
    `weight` may take the tiles of several fibers of the output, which are `fiber_stride`
    bytes apart.

    Constraints:
    * (C1) The region has the kind of the load.
    * (C2) `offset` and `stride` are multiples of 64; for edges of 16.
    * (C3) `fiber_stride` is for weights, and a multiple of 64.
    * (C4) Each iteration begins within the region; by descriptor, within its entries.

    Example:

    ```mlir
    gnn_overlay.load feature @x at 0 stride 178176 rows 96 width 16 lock
    gnn_overlay.load weight @w at 0 stride 1024 rows 32 width 16 fiber_stride 92160 lock
    ```
  }];
  let arguments = (ins Overlay_SpaceAttr:$space, FlatSymbolRefAttr:$region,
                       I64Attr:$offset, Overlay_Number:$stride, Overlay_Number:$rows,
                       Overlay_Number:$width, Overlay_Number:$fiber_stride,
                       Overlay_Number:$buffer, UnitAttr:$by_descriptor, UnitAttr:$lock,
                       OptionalAttr<Overlay_BuffersAttr>:$unlock);
  let assemblyFormat = [{
    `` $space $region `at` $offset (`stride` $stride^)? (`rows` $rows^)?
    (`width` $width^)? (`fiber_stride` $fiber_stride^)? (`buffer` $buffer^)?
    (`by_descriptor` $by_descriptor^)?
    (`lock` $lock^)? (`unlock` $unlock^)? attr-dict
  }];
}

def Overlay_StoreOp : Overlay_RegionInstruction<"store"> {
  let summary = "Write the output to a region";
  let description = [{
    A store of features takes rows of the output from N1 times `fiber` on.

    Constraints:
    * (C1) The region has the kind of the store, and is no input.
    * (C2) `offset` is a multiple of 64; for edges of 16.
    * (C3) `fiber` is for features.
    * (C4) `offset` is within the region; by descriptor, within its entries.

    Example:

    ```mlir
    gnn_overlay.store feature @h at 0 rows 96 width 16 unlock [output]
    ```
  }];
  let arguments = (ins Overlay_SpaceAttr:$space, FlatSymbolRefAttr:$region,
                       I64Attr:$offset, Overlay_Number:$fiber, Overlay_Number:$rows,
                       Overlay_Number:$width, UnitAttr:$by_descriptor,
                       OptionalAttr<Overlay_BuffersAttr>:$unlock);
  let assemblyFormat = [{
    `` $space $region `at` $offset (`fiber` $fiber^)? (`rows` $rows^)?
    (`width` $width^)? (`by_descriptor` $by_descriptor^)? (`unlock` $unlock^)? attr-dict
  }];
}

def Overlay_InitOp : Overlay_RegionInstruction<"init"> {
  let summary = "Set the output and the trips of the loop";
  let description = [{
    A `bias` is the row at `offset` for the first N1 rows, and the following one for the
    next N1 rows.

    Constraints:
    * (C1) `bias` has a region of kind `row`, the others have none.
    * (C2) `offset` is a multiple of 64.
    * (C3) `offset` is within the region.
    * (C4) `trips` is not negative.

    Example:

    ```mlir
    gnn_overlay.init bias @b at 64 rows 96 width 16 trips 90
    ```
  }];
  let arguments = (ins Overlay_InitValueAttr:$value,
                       OptionalAttr<FlatSymbolRefAttr>:$region, Overlay_Number:$offset,
                       Overlay_Number:$rows, Overlay_Number:$width,
                       Overlay_Number:$trips, UnitAttr:$on_edges, UnitAttr:$lock);
  let assemblyFormat = [{
    `` $value ($region^)? (`at` $offset^)? (`rows` $rows^)? (`width` $width^)?
    (`trips` $trips^)? (`on_edges` $on_edges^)? (`lock` $lock^)? attr-dict
  }];
}

def Overlay_GemmOp : Overlay_Instruction<"gemm"> {
  let summary = "Multiply a block of features by a block of weights";
  let description = [{
    `S_B` x `Len` by `Len` x `G_B` (algorithm 1); the last iteration of a loop sums over
    the remaining features. The weights are tile `fiber` of their buffer, the output
    begins at row N1 times `fiber`.

    Example:

    ```mlir
    gnn_overlay.gemm rows 96 len 16 cols 16 accumulate
    gnn_overlay.gemm rows 96 len 16 cols 16 fiber 1 accumulate unlock [weight, feature]
    ```
  }];
  let arguments = (ins I64Attr:$rows, I64Attr:$length, I64Attr:$columns,
                       Overlay_Number:$fiber, Overlay_Number:$buffer,
                       UnitAttr:$accumulate, OptionalAttr<Overlay_BuffersAttr>:$unlock);
  let assemblyFormat = [{
    `rows` $rows `len` $length `cols` $columns (`fiber` $fiber^)? (`buffer` $buffer^)?
    (`accumulate` $accumulate^)? (`unlock` $unlock^)? attr-dict
  }];
}

def Overlay_SpdmmOp : Overlay_Instruction<"spdmm"> {
  let summary = "Reduce weighted features along edges";
  let description = [{
    The edges are those in the buffer (algorithm 2), or their first `edges`.

    Example:

    ```mlir
    gnn_overlay.spdmm sum width 16 unlock [edge, feature]
    ```
  }];
  let arguments = (ins Overlay_AggregationAttr:$aggregation, Overlay_Number:$edges,
                       I64Attr:$width, Overlay_Number:$buffer,
                       OptionalAttr<Overlay_BuffersAttr>:$unlock);
  let assemblyFormat = [{
    `` $aggregation (`edges` $edges^)? `width` $width (`buffer` $buffer^)?
    (`unlock` $unlock^)? attr-dict
  }];
}

def Overlay_SddmmOp : Overlay_Instruction<"sddmm"> {
  let summary = "Multiply and sum features of both ends of edges";
  let description = [{
    The edges are those in the buffer (algorithm 3). Rows of destinations are in feature
    buffer `buffer`, those of sources in the other.

    Example:

    ```mlir
    gnn_overlay.sddmm width 16 accumulate unlock [feature]
    ```
  }];
  let arguments = (ins Overlay_Number:$edges, I64Attr:$width, Overlay_Number:$buffer,
                       UnitAttr:$accumulate,
                       OptionalAttr<Overlay_BuffersAttr>:$unlock);
  let assemblyFormat = [{
    (`edges` $edges^)? `width` $width (`buffer` $buffer^)?
    (`accumulate` $accumulate^)? (`unlock` $unlock^)? attr-dict
  }];
}

def Overlay_VaddOp : Overlay_Instruction<"vadd"> {
  let summary = "Add both feature buffers";
  let description = [{
    Example:

    ```mlir
    gnn_overlay.vadd rows 96 width 16 lock unlock [feature]
    ```
  }];
  let arguments = (ins I64Attr:$rows, I64Attr:$width, Overlay_Number:$buffer,
                       UnitAttr:$lock, OptionalAttr<Overlay_BuffersAttr>:$unlock);
  let assemblyFormat = [{
    `rows` $rows `width` $width (`buffer` $buffer^)? (`lock` $lock^)?
    (`unlock` $unlock^)? attr-dict
  }];
}

def Overlay_ActOp : Overlay_RegionInstruction<"act"> {
  let summary = "Apply a function to a buffer";
  let description = [{
    Writes the output, from feature buffer or edge buffer `buffer`, or from the output
    itself (2). `affine` reads scales and shifts at an address.

    Constraints:
    * (C1) `affine` has a region of that kind, the others have none.
    * (C2) `offset` is a multiple of 64.
    * (C3) `offset` is within the region.

    Example:

    ```mlir
    gnn_overlay.act <prelu, 0.2> count 96 buffer 2
    gnn_overlay.act <affine> @s at 128 count 96 buffer 2
    ```
  }];
  let arguments = (ins Overlay_ActAttr:$function,
                       OptionalAttr<FlatSymbolRefAttr>:$region, Overlay_Number:$offset,
                       Overlay_Number:$count, UnitAttr:$on_edges, Overlay_Number:$buffer,
                       UnitAttr:$lock, OptionalAttr<Overlay_BuffersAttr>:$unlock);
  let assemblyFormat = [{
    $function ($region^)? (`at` $offset^)? (`count` $count^)?
    (`on_edges` $on_edges^)? (`buffer` $buffer^)? (`lock` $lock^)?
    (`unlock` $unlock^)? attr-dict
  }];
}

#endif // GNN_DIALECT_OVERLAY_IR_OVERLAYPROGRAMOPS_TD
