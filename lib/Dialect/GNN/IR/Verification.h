//===- Verification.h - Checks that several ops share -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_DIALECT_GNN_IR_VERIFICATION_H
#define GNN_LIB_DIALECT_GNN_IR_VERIFICATION_H

#include "GNN/Dialect/GNN/IR/GNNDialect.h"

namespace gnn::detail {

/// A failure with a message that is reported when it goes out of scope. Unlike
/// an InFlightDiagnostic it is a failure even where nobody listens.
class Failure {
public:
  Failure(mlir::InFlightDiagnostic diagnostic)
      : diagnostic(std::move(diagnostic)) {}

  template <typename T> Failure &operator<<(T &&value) & {
    diagnostic << std::forward<T>(value);
    return *this;
  }
  template <typename T> Failure &&operator<<(T &&value) && {
    diagnostic << std::forward<T>(value);
    return std::move(*this);
  }
  operator mlir::LogicalResult() const { return mlir::failure(); }

private:
  mlir::InFlightDiagnostic diagnostic;
};

/// Begins the error of an op whose checks run with or without the op itself.
using EmitError = llvm::function_ref<Failure()>;

/// Calls `check` with a callback that reports as `emitOpError` of the op called
/// `opName` would, at `location`; reports nothing where there is none.
mlir::LogicalResult
checkOperands(std::optional<mlir::Location> location, llvm::StringRef opName,
              llvm::function_ref<mlir::LogicalResult(EmitError)> check);

/// Verifies that `path` exists. `what` is the user's name of the row led to.
mlir::LogicalResult verifyPathExists(EmitError emitError, RowPath path,
                                     llvm::StringRef what);

/// Verifies that the `via` of `path` is given exactly where there are two ways.
mlir::LogicalResult verifyVia(EmitError emitError, RowPath path,
                              llvm::StringRef what);

/// Verifies that an activation has a slope where its kind takes one, and a
/// weight where its kind takes one.
mlir::LogicalResult verifyAlpha(EmitError emitError, ActivationKind kind,
                                mlir::Attribute alpha);
mlir::LogicalResult verifyWeight(EmitError emitError, ActivationKind kind,
                                 mlir::Value weight);

/// Prints dimensions as a user writes them: `[8, 16]`.
std::string formatShape(llvm::ArrayRef<int64_t> shape);

/// Verifies that `got` has the features of `expected`.
mlir::LogicalResult verifySameFeatures(EmitError emitError,
                                       mlir::RankedTensorType expected,
                                       mlir::RankedTensorType got,
                                       llvm::StringRef what);

/// Verifies that `got` has the row space of `expected`.
mlir::LogicalResult verifySameRows(EmitError emitError,
                                   mlir::RankedTensorType expected,
                                   mlir::RankedTensorType got,
                                   llvm::StringRef what);

/// Whether `shape` is a non-empty end of `features`.
bool isSuffix(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> features);

/// Whether `features` begins with `shape`, which may be empty.
bool isPrefix(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> features);

/// Verifies the operands of `op`, by inferring the type of its one result, and
/// then that type.
template <typename OpT> mlir::LogicalResult verifyInferredResult(OpT op) {
  mlir::SmallVector<mlir::Type> inferred;
  if (mlir::failed(OpT::inferReturnTypes(
          op.getContext(), op.getLoc(), op->getOperands(),
          op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
          op->getRegions(), inferred)))
    return mlir::failure();
  if (op.getType() != inferred.front())
    return op.emitOpError("expected a result of type ")
           << inferred.front() << ", got " << op.getType();
  return mlir::success();
}

} // namespace gnn::detail

#endif // GNN_LIB_DIALECT_GNN_IR_VERIFICATION_H
