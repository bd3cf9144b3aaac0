//===- GNNTypes.td - Positions of a loop over rows ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_GNNTYPES_TD
#define GNN_DIALECT_GNN_IR_GNNTYPES_TD

include "GNN/Dialect/GNN/IR/GNNAttributes.td"

def GNN_RowType : TypeDef<GNN_Dialect, "Row"> {
  let mnemonic = "row";
  let summary = "One row of a graph: one edge, one node";
  let description = [{
    `!gnn.row<@g, edge>` is the edge that a loop is at. It is no number: what it
    leads to is asked for with `gnn.follow`, what belongs to it with `gnn.read`.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$graph,
                        GNN_RowSpace:$space);
  let assemblyFormat = "`<` $graph `,` $space `>`";
  let extraClassDeclaration = [{
    /// The row space as tensors have it.
    ::gnn::RowsAttr getRows() const;
  }];
}

#endif // GNN_DIALECT_GNN_IR_GNNTYPES_TD
