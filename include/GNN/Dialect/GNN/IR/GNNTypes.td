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
    `!gnn.row<@g, edge>` is the current edge of a loop. It is not a number:
    `gnn.follow` gives the rows to which it leads, and `gnn.read` gives its
    features.
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
