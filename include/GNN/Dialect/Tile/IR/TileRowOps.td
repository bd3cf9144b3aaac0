//===- TileRowOps.td - Tiles of rows -----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes of products in the loops form: some columns of rows at
// arbitrary positions.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TILEROWOPS_TD
#define GNN_DIALECT_TILE_IR_TILEROWOPS_TD

include "GNN/Dialect/Tile/IR/TileAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_RowIndex : AnyTypeOf<[Index, VectorOfRankAndType<[1], [Index]>]>;
def Tile_RowMask : VectorOfRankAndType<[1], [I1]>;

def Tile_LoadRowsOp : Tile_Op<"load_rows", [AttrSizedOperandSegments]> {
  let summary = "Read a tile of rows at arbitrary positions";
  let description = [{
    One of the indices may be a vector: row `i` of the result is read at its entry
    `i`. The columns of the result are adjacent from the last index on, unless the
    rows are scalars:

    `%t[i, j] = source[.., rows[i], .., column + j]`

    Masked rows, `where(%inside)`, are 0, and so are columns of the source that
    are not `below` a number. Masked rows are read nevertheless, so the vector
    has to give them valid positions, such as that of the last row. Columns past
    the end are not read. `aligned` is a divisor of the first column, of the
    number at `below`, and of the number of columns of the source. So columns
    can be read in aligned groups of this size.

    Upstream's `vector.gather` takes an index for each element, and does not know that
    columns are adjacent.

    Constraints:
    * (C1) `source` has one index a dimension, and at most one is a vector.
    * (C2) The result has a dimension of rows, as many as the entries of that vector,
      and one of columns, or one of the two; its elements are those of `source`. The
      index of columns is no vector.
    * (C3) `where` masks as many rows as the vector has entries; `below` needs a
      dimension of columns and is positive.
    * (C4) `aligned` is a power of two that divides the last dimension of `source`,
      the columns, and `below`; if it is above 1, `source` has no layout. It has to
      divide the index of columns too, which is not checked.

    Example: 16 columns of 64 rows, with a mask of the existing ones.

    ```mlir
    %t = gnn_tile.load_rows %x[%rows, %c] where(%inside : vector<64xi1>) aligned 4 : memref<?x64xf32>, vector<64xindex>, index -> vector<64x16xf32>
    ```
  }];
  let arguments = (ins
    Arg<AnyMemRef, "the buffer that is read", [MemRead]>:$source,
    Variadic<Tile_RowIndex>:$indices, Optional<Tile_RowMask>:$inside,
    OptionalAttr<I64Attr>:$below, DefaultValuedAttr<I64Attr, "1">:$aligned);
  let results = (outs VectorOfRankAndType<[1, 2], [AnyFloat, AnySignlessInteger]>:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` (`where` `(` $inside^ `:` type($inside) `)`)? (`below` $below^)?
    (`aligned` $aligned^)? attr-dict
    `:` type($source) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The vector of rows; null without one.
    ::mlir::Value getRowVector();
    /// Whether the result has a dimension of columns.
    bool hasColumns();
  }];
}

def Tile_StoreRowsOp : Tile_Op<"store_rows", [AttrSizedOperandSegments]> {
  let summary = "Write a tile to rows at arbitrary positions";
  let description = [{
    The counterpart of `gnn_tile.load_rows`: masked rows, and columns that are not
    `below` the number, are not written. No two of the other rows are the same.

    `spread` states which part of the tile a thread of a block writes.

    Constraints:
    * (C1) See C1 of `gnn_tile.load_rows`.
    * (C2) See C2 of `gnn_tile.load_rows`.
    * (C3) See C3 of `gnn_tile.load_rows`.
    * (C4) See C4 of `gnn_tile.load_rows`.
    * (C5) `spread` has as many dimensions as the value.

    Example:

    ```mlir
    gnn_tile.store_rows %t, %y[%rows, %c] where(%inside : vector<64xi1>) aligned 4 spread <each = [4, 4], lanes = [16, 4]> : vector<64x16xf32>, memref<?x64xf32>, vector<64xindex>, index
    ```
  }];
  let arguments = (ins
    VectorOfRankAndType<[1, 2], [AnyFloat, AnySignlessInteger]>:$value,
    Arg<AnyMemRef, "the buffer that is written", [MemWrite]>:$target,
    Variadic<Tile_RowIndex>:$indices, Optional<Tile_RowMask>:$inside,
    OptionalAttr<I64Attr>:$below, DefaultValuedAttr<I64Attr, "1">:$aligned,
    Tile_SpreadAttr:$spread);
  let assemblyFormat = [{
    $value `,` $target `[` $indices `]` (`where` `(` $inside^ `:` type($inside) `)`)? (`below` $below^)?
    (`aligned` $aligned^)? `spread` $spread
    attr-dict `:` type($value) `,` type($target) `,` type($indices)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The vector of rows; null without one.
    ::mlir::Value getRowVector();
    /// Whether the value has a dimension of columns.
    bool hasColumns();
  }];
}

#endif // GNN_DIALECT_TILE_IR_TILEROWOPS_TD
