//===- RowCounts.h - Numbers of rows, compared ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_ROWCOUNTS_H
#define GNN_TRANSFORMS_ROWCOUNTS_H

#include "GNN/Dialect/GNN/IR/GNN.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn {

/// True if rows of two spaces of a graph are known to be as many: a square
/// graph has as many sources as destinations.
inline bool areEqualCounts(GraphOp graph, Space a, Space b) {
  auto isNode = [](Space space) {
    return space == Space::Src || space == Space::Dst || space == Space::Node;
  };
  return a == b || (graph && graph.getKind() == GraphKind::Square &&
                    isNode(a) && isNode(b));
}

/// True if two scalars of the host are known to be equal numbers of rows.
inline bool areEqualCounts(mlir::Value a, mlir::Value b) {
  if (a == b)
    return true;
  auto first = a.getDefiningOp<tile::CountOp>();
  auto second = b.getDefiningOp<tile::CountOp>();
  if (!first || !second || first.getGraphAttr() != second.getGraphAttr())
    return false;
  CountKey x = first.getOf(), y = second.getOf();
  return x == y ||
         (x.kind == CountKey::Kind::Count && y.kind == CountKey::Kind::Count &&
          areEqualCounts(mlir::SymbolTable::lookupNearestSymbolFrom<GraphOp>(
                             first, first.getGraphAttr()),
                         x.space, y.space));
}

} // namespace gnn

#endif // GNN_TRANSFORMS_ROWCOUNTS_H
