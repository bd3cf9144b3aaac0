//===- TileBase.td - The gnn_tile dialect ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect itself and the base class of its ops.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TILEBASE_TD
#define GNN_DIALECT_TILE_IR_TILEBASE_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "gnn_tile";
  let cppNamespace = "::gnn::tile";
  let summary = "How the layers of a graph neural network are computed";
  let description = [{
    Three structured templates over a graph, with accesses and a schedule:
    `gnn_tile.gemm`, a matrix product with a gather list, type segments and an
    epilogue; `gnn_tile.outer`, a sum of outer products; and `gnn_tile.traverse`,
    a walk over the groups and elements of a graph with a body of scalars. They
    work on tensors, where passes fuse, and on memrefs, from where they become
    GPU kernels. Rows are found through *structures* of the graph
    (`gnn_tile.structure`), which the runtime builds when a graph is bound.

    A *domain* names a row space and the order in which it is walked:
    `edge.in_rows` is the edges sorted by destination. Docs: docs/Structures.md.

    Discardable attributes on ops of upstream dialects say what the forms of a
    kernel need beside them. Others are not checked.

    Constraints:
    * (A1) `gnn_tile.spread`, `#gnn_tile.spread` without teams, is at a `vector.transfer_write` or
      a `vector.contract`.
    * (A2) `gnn_tile.kind`, `#gnn_tile.product_kind`, is at a `vector.contract`.
    * (A3) `gnn_tile.load_ahead`, which has no value, is at an `scf.for`;
      `gnn_tile.copy_async` and `gnn_tile.async`, which have none either, are at a
      `vector.transfer_write`.
    * (A4) `gnn_tile.permuted`, an i64 that is 1, 2 or 4, is at a `memref.alloca` of
      workgroup memory with two or more dimensions, and 8 times it divides the last
      one.
  }];
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

#endif // GNN_DIALECT_TILE_IR_TILEBASE_TD
