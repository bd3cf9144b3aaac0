//===- Properties.h - Answers of op interfaces ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_PROPERTIES_H
#define GNN_DIALECT_GNN_IR_PROPERTIES_H

#include "GNN/Dialect/GNN/IR/RowSpaces.h"

#include "llvm/ADT/BitVector.h"

#include <array>
#include <vector>

namespace gnn {

class StatsAttr;

/// The action of a linear op on an operand, seen as a matrix of rows and
/// features.
enum class LinearAction {
  /// On rows, for all features alike: gather, aggregate, a scale of rows. A
  /// matrix from the left.
  Rows,
  /// On features, for all rows alike: linear, slice. A matrix from the right.
  Features,
  /// On features, for all rows of one type alike: typed_linear.
  FeaturesByType,
  /// On the features of each row separately: dot with rows, dropout.
  FeaturesByRow,
  /// On both at once: sddmm, outer.
  RowsAndFeatures,
  /// On a weight, which has no rows to commute with.
  Weight,
};

/// The operands of a product of rows with weights, by number.
struct ProductOperands {
  unsigned rows;
  /// `[(types,) (heads,) in, out]`, or `[(types,) (heads,) in]` for a vector.
  unsigned weight;
  std::optional<unsigned> bias;
  bool isVector = false;
  /// The end that leads to the type of a weight for node types, if there are
  /// two.
  std::optional<EndPoint> via = std::nullopt;
};

/// A number that grows linearly with row counts: a constant, and a factor for
/// each row of a space.
class RowCount {
public:
  RowCount() = default;
  explicit RowCount(double constant) : constant(constant) {}

  /// The rows of a space that are known only with a bound graph.
  static RowCount rows(RowSpace space);

  /// The rows of a tensor; 1 without a row space.
  static RowCount rows(mlir::RankedTensorType type);

  /// The elements of a tensor.
  static RowCount elements(mlir::RankedTensorType type);

  /// The bytes of a tensor.
  static RowCount bytes(mlir::RankedTensorType type);

  RowCount &operator+=(const RowCount &other);
  RowCount operator+(const RowCount &other) const;
  RowCount operator*(double factor) const;

  /// The factor of the rows of `space`; 0 if their number is a constant.
  double getFactor(RowSpace space) const {
    return factors[static_cast<unsigned>(space)];
  }
  double getConstant() const { return constant; }

  /// The number for a graph with these statistics. Its `node` rows are the
  /// `src` rows; a square graph has the same number of `dst` rows.
  double evaluate(StatsAttr stats) const;

private:
  static constexpr unsigned numSpaces = 9;
  std::array<double, numSpaces> factors = {};
  double constant = 0;
};

/// Rows of one tensor that a kernel reads.
struct ReadCount {
  mlir::Value value; ///< null where another kernel of the op has written it
  RowCount rows;     ///< that it is read for
  double rowBytes = 0;
  RowCount tableRows; ///< rows that there are
  bool inOrder = true;
  /// The number of consecutive walks that read them: the bytes are those of the
  /// first.
  int64_t times = 1;
};

/// The walk of a kernel over the edges of rows.
struct WalkCount {
  RowPath path;      ///< from an edge to the row that it is reduced into
  int64_t walks = 1; ///< one after another
  llvm::SmallVector<int64_t> features; ///< that each edge has in them
  bool sumsFeatures = false;           ///< of each edge, while walking
};

/// The counts of one of the kernels of an op. The bytes that it reads are those
/// of its reads, and of weights and ids.
struct KernelCounts {
  RowCount flops, readBytes, writtenBytes;
  llvm::SmallVector<ReadCount> reads;
  WalkCount walk;
};

namespace detail {

/// The default answer of an op: integers have no gradient.
llvm::StringRef integerHasNoGradient(mlir::Operation *op, unsigned operand);

/// The gradient of an op that is linear in all requested operands: the
/// transpose in each of them, applied to the gradient of the first result.
/// Otherwise an error at the op.
llvm::LogicalResult
transposeInOperands(mlir::Operation *op, mlir::OpBuilder &builder,
                    llvm::ArrayRef<mlir::Value> gradients,
                    const llvm::BitVector &asked,
                    llvm::MutableArrayRef<mlir::Value> ofOperands);

/// The bytes of all tensor operands of `op`, each once.
RowCount bytesOfOperands(mlir::Operation *op);

/// The bytes of all results of `op`.
RowCount bytesOfResults(mlir::Operation *op);

/// The path of an operand in the row space of the result; none for one without
/// rows.
std::optional<RowPath> pathToOwnRows(mlir::Operation *op, unsigned operand);

} // namespace detail

/// Whether each row of the result of `op` depends on one row of each operand:
/// ops with `RowWiseOpInterface`, and elementwise ops of other dialects.
bool isRowWise(mlir::Operation *op);

/// The path from a row of the result of a row-wise op to that of an operand;
/// none for an operand without rows.
std::optional<RowPath> getOperandPath(mlir::OpOperand &operand);

} // namespace gnn

#endif // GNN_DIALECT_GNN_IR_PROPERTIES_H
