//===- TileProductOps.td - Tiles and sums of products ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of the loops form take their operands from workgroup memory. Each op
// states which part of its vectors each thread of a block holds.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TILEPRODUCTOPS_TD
#define GNN_DIALECT_TILE_IR_TILEPRODUCTOPS_TD

include "GNN/Dialect/Tile/IR/TileAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Types of whole bytes, of which a thread stores one or several adjacent ones.
def Tile_Staged : AnyTypeOf<[F16, BF16, F32, F64, I8, I16, I32, I64]>;

def Tile_ArrayOp : Tile_Op<"array"> {
  let summary = "Allocate an array for a block, or for each of its teams";
  let description = [{
    All threads of the block share an array of workgroup memory. A product
    stages operands in it, or teams write rows to it for a product. An array of
    private memory has an entry for each team, which only that team writes and
    reads, so its lanes keep it in registers from one `gnn_tile.teams` to the
    next. With `permuted` P, element (k, m) lies at column `m xor 8 * (k / 4 mod
    P)`, so threads that write one column each, of several k, write to different
    banks. Ops that stage in it, or read a tile of it, follow the permutation:
    from a row that is divisible by 4 P, and with up to 8 adjacent columns in a
    thread, or 4 depths of a transposed tile.

    Constraints:
    * (C1) The array is one of workgroup or private memory, of static shape with a dimension
      or more, and without a layout.
    * (C2) `permuted` is 1, 2 or 4, and above 1 there are two dimensions, and a number
      of columns that is a multiple of 8 times that: a thread takes 4 of 16 depths side
      by side, so there are at most 4 exchanges.
    * (C3) A private array is not permuted. One op writes it, in the body of a
      `gnn_tile.parallel` over `team` and in no loop or branch of it. Others read it in
      `gnn_tile.teams` of the same spread after those. Each reads or writes the whole
      entry at the number of its team, without a mask.

    Example:

    ```mlir
    %a = gnn_tile.array permuted 4 : memref<16x64xf32, #gpu.address_space<workgroup>>
    %own = gnn_tile.array : memref<8x64xf32, #gpu.address_space<private>>
    ```
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "1">:$permuted);
  let results = (outs Res<MemRefOf<[Tile_Staged]>, "",
      [MemAlloc<AutomaticAllocationScopeResource, 0, FullEffect>]>:$array);
  let assemblyFormat = "(`permuted` $permuted^)? attr-dict `:` type($array)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Depths of a column, and columns of a depth, that a permutation keeps together.
    static constexpr int64_t depthsTogether = 4, columnsTogether = 8;
  }];
}

def Tile_StageOp : Tile_Op<"stage"> {
  let summary = "Write a tile to workgroup memory";
  let description = [{
    The rows of the tile become the rows of the array from `row` on, with all columns;
    with `transposed`, its columns become these rows. `spread` states which part of the
    tile a thread holds.

    `by` states how the data is copied:

    * `registers`: threads load the operands of the tile, and store it;
    * `async`: the data is copied without registers of threads if possible;
      `gnn-tile-copy-async` makes this change;
    * `in_flight`: threads copy it, and need not wait for it before an
      `nvgpu.device_async_wait`.

    `ahead`, in the body of an `scf.for`, requests the copy during the sum of
    the previous step: `gnn-tile-copy-async` or `gnn-tile-load-ahead` create
    such a loop, if possible. It has no effect in other places, such as after a
    pattern has removed a loop of one step.

    Constraints:
    * (C1) `array` is one of workgroup memory, of two dimensions and the tile's elements.
    * (C2) It has as many columns as the tile, or as the transposed tile, and at least
      as many rows.
    * (C3) `spread` is one of two dimensions without teams.
    * (C4) `ahead` goes with `registers` or `async`.

    Example: the depth of 64 rows becomes the rows of the array.

    ```mlir
    gnn_tile.stage %x, %a[%c0] transposed by registers spread <each = [1, 4], lanes = [32, 4]> : vector<64x16xf32>, memref<16x64xf32, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[2], [Tile_Staged]>:$tile,
    Arg<AnyMemRef, "where it is staged", [MemWrite]>:$array, Index:$row,
    UnitAttr:$transposed, UnitAttr:$ahead, Tile_StagingAttr:$by,
    Tile_SpreadAttr:$spread);
  let assemblyFormat = [{
    $tile `,` $array `[` $row `]` (`transposed` $transposed^)? (`ahead` $ahead^)?
    `by` `` $by `spread` $spread attr-dict `:` type($tile) `,` type($array)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows of the array that it writes.
    int64_t getNumRows() {
      return getTile().getType().getDimSize(getTransposed() ? 1 : 0);
    }
    /// The rows that it stages if a thread can copy them: from global memory, in
    /// order, 16 bytes of one at a time. Null if it stages anything else.
    LoadRowsOp getCopiedRows();
  }];
}

def Tile_ContractOp : Tile_Op<"contract", [
    Pure, AllTypesMatch<["sums", "result"]>]> {
  let summary = "Add the products of two staged tiles";
  let description = [{
    `result[m, n] = sums[m, n] + sum_k left[k, m] * right[k, n]`, in the order of k.
    Both tiles are read where they are staged in workgroup memory. `spread` states which
    sums a thread holds, and `kind` which cores multiply.

    Upstream's `vector.contract` allows any dimensions in any order, but threads
    can multiply only in the layout in which they hold their values.

    Constraints:
    * (C1) The tiles have the shapes `[k, m]`, `[k, n]` and `[m, n]`, and one type of
      elements.
    * (C2) `spread` is one of two dimensions without teams.
    * (C3) With `kind` `tf32x3`, sums have 64 rows and a multiple of 16 columns of f32,
      over a depth that is a multiple of 16.
    * (C4) The depth is at most 16, or a multiple of it.

    Example:

    ```mlir
    %p = gnn_tile.contract %x, %y, %sums spread <each = [8, 4], lanes = [8, 16]> : vector<16x64xf32>, vector<16x64xf32> into vector<64x64xf32>
    ```
  }];
  let arguments = (ins
    VectorOfRankAndType<[2], [AnyFloat]>:$left,
    VectorOfRankAndType<[2], [AnyFloat]>:$right,
    VectorOfRankAndType<[2], [AnyFloat]>:$sums,
    DefaultValuedAttr<Tile_ProductKindAttr, "ProductKind::FFMA">:$kind,
    Tile_SpreadAttr:$spread);
  let results = (outs VectorOfRankAndType<[2], [AnyFloat]>:$result);
  let assemblyFormat = [{
    $left `,` $right `,` $sums (`kind` `` $kind^)? `spread` $spread attr-dict
    `:` type($left) `,` type($right) `into` type($sums)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Steps of the depth that a thread multiplies by straight-line code.
    static constexpr int64_t depthAtOnce = 16;
    int64_t getDepth() { return getLeft().getType().getDimSize(0); }
    bool isOnTensorCores() { return getKind() != ProductKind::FFMA; }
  }];
}

#endif // GNN_DIALECT_TILE_IR_TILEPRODUCTOPS_TD
