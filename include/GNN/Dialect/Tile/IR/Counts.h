//===- Counts.h - Counts of a graph in front of a kernel --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_COUNTS_H
#define GNN_DIALECT_TILE_IR_COUNTS_H

#include "GNN/Dialect/Tile/IR/CountSum.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace gnn::tile {

/// Builds counts of one graph, each once.
class Counts {
public:
  Counts(mlir::OpBuilder &builder, mlir::Location loc,
         mlir::FlatSymbolRefAttr graph)
      : builder(builder), loc(loc), graph(graph) {}
  Counts(const Counts &) = delete;

  mlir::Value get(const CountKey &key);
  /// The number of rows of a domain.
  mlir::Value rows(RowDomain domain);
  /// States the cost of the next launch.
  void stateCost(const TileCost &cost);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::FlatSymbolRefAttr graph;
  std::map<CountKey, mlir::Value> counts;
};

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_COUNTS_H
