//===- LongSums.h - Sums whose rounding errors are kept ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum of many values is one of runs: values of a run are added plainly, and
// runs with compensation, which carries what each addition has rounded away.
// The error is then that of one run, however many there are.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_UTILS_LONGSUMS_H
#define GNN_LIB_TRANSFORMS_UTILS_LONGSUMS_H

#include "IndexBuilder.h"

namespace gnn::tile {

/// A sum of floats, or of vectors of them, in two parts.
struct LongSum {
  mlir::Value sum, error; ///< what it has, and what was rounded away
};

/// `before` with a run more; of what is there, a multiple by `factor` (null:
/// itself). The part that is rounded away of the new sum is found by two
/// operations (Dekker), exactly where the run is not larger than the sum
/// before: else up to one rounding of the run is lost, and all such together
/// are as one rounding of the sum of magnitudes. The error of an infinite sum
/// is NaN or infinite.
LongSum addRun(IndexBuilder &b, LongSum before, mlir::Value factor,
               mlir::Value run);

/// Both parts as one number: the sum alone where the error is no number, which
/// it is from the first infinite or NaN sum on.
mlir::Value joinParts(IndexBuilder &b, LongSum sum);

/// A constant 0 of a float, or of a vector of them.
mlir::Value zeroOf(IndexBuilder &b, mlir::Type type);

/// States that a region combines (Combine.h), of which those that it adds are
/// in two parts: what it gives is a sum of what the second state has and of the
/// first one, as it is or times a factor.
class LongStates {
public:
  explicit LongStates(mlir::Block &combine);

  using Values = llvm::SmallVector<mlir::Value>;
  /// Whether no state is in two parts.
  bool areShort() const { return sums.empty(); }
  /// These states, and behind them the second parts, of which nothing is known.
  Values start(IndexBuilder &b, mlir::ValueRange states);
  /// Such states with those of a run more.
  Values add(IndexBuilder &b, mlir::ValueRange before, mlir::ValueRange run);
  /// The states of both parts.
  Values join(IndexBuilder &b, mlir::ValueRange parts);

private:
  struct Sum {
    unsigned number; ///< of the state
    mlir::arith::AddFOp op;
    unsigned own;       ///< the operand that is of the first state
    mlir::Value factor; ///< of that state; null: none
  };
  static std::optional<Sum> findSum(mlir::Block &combine, unsigned number);

  mlir::Block &combine;
  llvm::SmallVector<Sum> sums;
};

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_UTILS_LONGSUMS_H
