//===- Properties.h - What the op interfaces answer with --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_PROPERTIES_H
#define GNN_DIALECT_GNN_IR_PROPERTIES_H

#include "GNN/Dialect/GNN/IR/RowSpaces.h"

#include <array>

namespace gnn {

class StatsAttr;

/// How a linear op acts on an operand, seen as a matrix of rows and features.
enum class LinearAction {
  /// On rows, for all features alike: gather, aggregate. A matrix from the
  /// left.
  Rows,
  /// On features, for all rows alike: linear, slice. A matrix from the right.
  Features,
  /// On features, for all rows of one type alike: typed_linear.
  FeaturesByType,
  /// On features, differently for each row: dot with rows. A scale by a factor
  /// for each row and feature counts too.
  FeaturesByRow,
  /// On both at once: spmm, outer.
  RowsAndFeatures,
};

/// A number that grows linearly with row counts: `constant + sum over spaces of
/// perRow * rows(space)`. Counts, not bounds, so it is exact where statistics
/// are.
class RowCount {
public:
  RowCount() = default;
  explicit RowCount(double constant) : constant(constant) {}

  /// `factor` for each row of `space`.
  static RowCount perRow(RowSpace space, double factor);

  /// The number of elements of a tensor, whose leading dimension is its row
  /// count where it has a row space.
  static RowCount elements(mlir::RankedTensorType type);

  RowCount &operator+=(const RowCount &other);
  RowCount operator+(const RowCount &other) const;
  RowCount operator*(double factor) const;

  /// The factor of the rows of `space`.
  double getPerRow(RowSpace space) const {
    return perRowFactor[static_cast<unsigned>(space)];
  }
  double getConstant() const { return constant; }

  /// The number for a graph with these statistics. `node` rows are counted as
  /// `src` rows, which are the same on a square graph.
  double evaluate(StatsAttr stats) const;

private:
  static constexpr unsigned numSpaces = 9;
  std::array<double, numSpaces> perRowFactor = {};
  double constant = 0;
};

} // namespace gnn

#endif // GNN_DIALECT_GNN_IR_PROPERTIES_H
