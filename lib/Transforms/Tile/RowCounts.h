//===- RowCounts.h - Numbers of rows, compared ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_TILE_ROWCOUNTS_H
#define GNN_LIB_TRANSFORMS_TILE_ROWCOUNTS_H

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
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

/// A number of rows of a graph, by its name.
struct CountOfGraph {
  mlir::FlatSymbolRefAttr graph;
  CountKey of;

  explicit CountOfGraph(tile::CountOp op)
      : graph(op.getGraphAttr()), of(op.getOf()) {}
  CountOfGraph(mlir::FlatSymbolRefAttr graph, CountKey of)
      : graph(graph), of(of) {}
};

/// True if two numbers of rows are equal whatever the graphs are; `from` is an
/// op beside the declarations.
inline bool areEqualInAny(CountOfGraph a, CountOfGraph b,
                          mlir::Operation *from) {
  if (a.graph != b.graph)
    return false;
  return a.of == b.of ||
         (a.of.kind == CountKey::Kind::Count &&
          b.of.kind == CountKey::Kind::Count &&
          areEqualCounts(mlir::SymbolTable::lookupNearestSymbolFrom<GraphOp>(
                             from, a.graph),
                         a.of.space, b.of.space));
}

/// True if two numbers of rows are known to be equal in a block: its
/// `gnn_tile.require` ops say of which graphs it runs on, wherever they stand.
inline bool areEqualCounts(CountOfGraph a, CountOfGraph b, mlir::Block &block) {
  mlir::Operation *from = block.getParentOp();
  if (areEqualInAny(a, b, from))
    return true;
  llvm::SmallVector<std::pair<CountOfGraph, CountOfGraph>> required;
  for (auto op : block.getOps<tile::RequireOp>()) {
    auto lhs = op.getLhs().getDefiningOp<tile::CountOp>();
    auto rhs = op.getRhs().getDefiningOp<tile::CountOp>();
    if (op.getAtMost() || !lhs || !rhs)
      continue;
    required.push_back({CountOfGraph(lhs), CountOfGraph(rhs)});
    required.push_back({CountOfGraph(rhs), CountOfGraph(lhs)});
  }
  llvm::SmallVector<CountOfGraph> equal = {a};
  for (size_t i = 0; i < equal.size(); ++i) // It grows.
    for (const auto &pair : required) {
      const CountOfGraph &other = pair.second;
      if (!areEqualInAny(equal[i], pair.first, from) ||
          llvm::any_of(equal, [&](CountOfGraph known) {
            return areEqualInAny(known, other, from);
          }))
        continue;
      if (areEqualInAny(other, b, from))
        return true;
      equal.push_back(other);
    }
  return false;
}

/// True if two scalars of the host are known to be equal numbers of rows.
inline bool areEqualCounts(mlir::Value a, mlir::Value b) {
  if (a == b)
    return true;
  auto first = a.getDefiningOp<tile::CountOp>();
  auto second = b.getDefiningOp<tile::CountOp>();
  return first && second &&
         areEqualCounts(CountOfGraph(first), CountOfGraph(second),
                        *first->getBlock());
}

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_TILE_ROWCOUNTS_H
