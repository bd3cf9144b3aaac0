//===- TileSpread.td - Tiles over threads ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread holds which values of a tile.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TILESPREAD_TD
#define GNN_DIALECT_TILE_IR_TILESPREAD_TD

include "GNN/Dialect/Tile/IR/TileAttributes.td"

def Tile_SpreadAttr : Tile_Attr<"Spread", "spread"> {
  let summary = "how the values of a vector are spread over the threads of a block";
  let description = [{
    `#gnn_tile.spread<each = [4, 4], lanes = [16, 8]>`: a thread holds 4 rows of 4
    columns that lie side by side; 16 by 8 threads, those of one row of threads one
    after the other, hold 64 rows of 32 columns. A larger vector is held in turns, by
    rows of such pieces; threads beyond the last one hold what the first ones do.

    It says what threads hold where the vector is staged in workgroup memory, summed
    by a `vector.contract`, or stored; what such a vector is computed of is spread
    like it.

    Constraints:
    * (C1) `each` and `lanes` have one entry a dimension, of one or two, all powers
      of two. The product of each is at most 1024.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$each,
                        ArrayRefParameter<"int64_t">:$lanes);
  let assemblyFormat =
      "`<` `each` `=` `[` $each `]` `,` `lanes` `=` `[` $lanes `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The threads that hold different values.
    int64_t getNumThreads() const {
      int64_t threads = 1;
      for (int64_t lanes : getLanes())
        threads *= lanes;
      return threads;
    }
  }];
}

#endif // GNN_DIALECT_TILE_IR_TILESPREAD_TD
