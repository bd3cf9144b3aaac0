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
    The dialect has three *templates*, ops that become one kernel each.
    `gnn_tile.gemm` is a matrix product of gathered rows with the weights of
    their types, followed by an epilogue. `gnn_tile.outer` is a sum of outer
    products. `gnn_tile.traverse` is a walk over groups of a graph, such as
    nodes, and their elements, such as edges, with a body of scalars. A template
    has an access for each operand, and a schedule. Templates work on tensors,
    where passes fuse them, and on memrefs, from which they are lowered to GPU
    kernels. Kernels find rows through *structures* of the graph
    (`gnn_tile.structure`), index arrays which the runtime builds when a graph
    is bound.

    A *domain* names a row space and the order in which it is walked:
    `edge.in_rows` is the edges sorted by destination. docs/Tile.md has
    examples, and docs/Structures.md lists domains and structures.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

#endif // GNN_DIALECT_TILE_IR_TILEBASE_TD
