//===- CountSum.h - Costs of templates by counts of a graph -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of counts of a graph: known once a graph is bound, estimated from its
// statistics before.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_COUNTSUM_H
#define GNN_DIALECT_TILE_IR_COUNTSUM_H

#include "GNN/Dialect/Tile/IR/RowDomain.h"

#include "mlir/IR/Builders.h"

#include <map>

namespace gnn::tile {

/// `64 * count dst + 4 * tile_count edge_type edge.in_rows 64 + 12`.
class CountSum {
public:
  CountSum() = default;
  CountSum(int64_t constant) : constant(constant) {}
  CountSum(const CountKey &count) { factors[count] = 1; }

  /// The number of rows of a domain; 0 of none.
  static CountSum rows(RowDomain domain);
  /// The number of entries of an index array of the graph.
  static CountSum entries(const StructureKey &key);

  CountSum &operator+=(const CountSum &other);
  CountSum operator+(const CountSum &other) const;
  CountSum operator*(int64_t factor) const;

  /// The sum as a scalar of type index, of counts that `valueOf` gives: those
  /// of the host, or arguments of a kernel.
  mlir::Value
  materialize(mlir::OpBuilder &builder, mlir::Location loc,
              llvm::function_ref<mlir::Value(const CountKey &)> valueOf) const;
  /// The sum as a number, of counts that `valueOf` gives.
  double evaluate(llvm::function_ref<double(const CountKey &)> valueOf) const;
  std::string str() const;

private:
  std::map<CountKey, int64_t> factors;
  int64_t constant = 0;
};

/// Bytes and floating-point operations of one launch, as if there were no
/// caches: a row that is gathered counts each time.
struct TileCost {
  CountSum readBytes, writtenBytes, flops;
};

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_COUNTSUM_H
