//===- Finiteness.h - Whether values and derivatives are finite -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that nothing reads have a gradient of 0. It stays 0 through an op whose
// derivative is finite; times one that is not it is NaN. So an op may move to
// rows that may be unread, and have gradients, only if its derivative is finite
// there.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_FINITENESS_H
#define GNN_ANALYSIS_FINITENESS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace gnn {

/// Finds the values of a function that are finite if its arguments are finite
/// and nothing overflows.
class Finiteness {
public:
  /// Learns all ops within `root`, in their order.
  explicit Finiteness(mlir::Operation *root);

  /// Whether all elements are finite.
  bool isFinite(mlir::Value value) const { return get(value).isFinite; }
  /// Whether all elements are above 0.
  bool isPositive(mlir::Value value) const { return get(value).isPositive; }
  /// Whether the derivatives of an op with respect to all operands are finite.
  bool hasFiniteDerivatives(mlir::Operation *op) const;

  /// An op was added, or is about to be erased.
  void learn(mlir::Operation *op);
  void forget(mlir::Operation *op);

private:
  struct Facts {
    bool isFinite = true, isPositive = false, isNonNegative = false;
  };
  Facts get(mlir::Value value) const;
  Facts compute(mlir::Value value) const;
  bool isPositive(mlir::Operation *op) const;
  bool isNonNegative(mlir::Operation *op) const;
  bool isFinite(mlir::Operation *op) const;

  llvm::DenseMap<mlir::Value, Facts> known;
};

} // namespace gnn

#endif // GNN_ANALYSIS_FINITENESS_H
