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
    The dialect has three structured templates over a graph, with accesses and a
    schedule: `gnn_tile.gemm`, a matrix product with a gather list, type
    segments and an epilogue; `gnn_tile.outer`, a sum of outer products; and
    `gnn_tile.traverse`, a walk over the groups and elements of a graph with a
    body of scalars. They work on tensors, where passes fuse them, and on
    memrefs, from which they are lowered to GPU kernels. Kernels find rows
    through *structures* of the graph (`gnn_tile.structure`), which the runtime
    builds when a graph is bound.

    A *domain* names a row space and the order in which it is walked:
    `edge.in_rows` is the edges sorted by destination. Docs: docs/Structures.md.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

#endif // GNN_DIALECT_TILE_IR_TILEBASE_TD
