//===- GNNDenseOps.cpp - Products with weights ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"

#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::detail;

//===----------------------------------------------------------------------===//
// Shapes of products
//===----------------------------------------------------------------------===//

/// Verifies `[rows, in]` or `[rows, heads, in]`.
static LogicalResult verifyProductInput(EmitError emitError,
                                        RankedTensorType input) {
  size_t rank = getFeatures(input).size();
  if (rank == 1 || rank == 2)
    return success();
  return emitError() << "expected features [in] or [heads, in] of input, got "
                     << formatShape(getFeatures(input));
}

/// Verifies that one row of weights is `[in, out]` or `[heads, in, out]` and
/// fits the features of `input`.
static LogicalResult verifyProductWeight(EmitError emitError,
                                         RankedTensorType input,
                                         RankedTensorType weight,
                                         StringRef what) {
  ArrayRef<int64_t> x = getFeatures(input), w = getFeatures(weight);
  if (w.size() != 2 && w.size() != 3)
    return emitError() << "expected [in, out] or [heads, in, out] of " << what
                       << ", got " << formatShape(w);
  int64_t in = w[w.size() - 2];
  if (in != x.back())
    return emitError() << what << " takes as many features as input has: "
                       << "expected " << x.back() << ", got " << in;
  if (w.size() == 3 && x.size() == 2 && w.front() != x.front())
    return emitError() << what << " has the heads of input: expected "
                       << x.front() << ", got " << w.front();
  return success();
}

/// The features of the product of rows and weights: `[out]`, or `[heads, out]`
/// if one of them has heads.
static SmallVector<int64_t> productFeatures(RankedTensorType input,
                                            RankedTensorType weight) {
  ArrayRef<int64_t> x = getFeatures(input), w = getFeatures(weight);
  if (w.size() == 3)
    return {w.front(), w.back()};
  if (x.size() == 2)
    return {x.front(), w.back()};
  return {w.back()};
}

/// Verifies that one row of `bias` is a non-empty end of the result's features.
static LogicalResult verifyBias(EmitError emitError, RankedTensorType bias,
                                ArrayRef<int64_t> features) {
  if (isSuffix(getFeatures(bias), features))
    return success();
  auto diag = emitError() << "expected ";
  if (features.size() > 1)
    diag << formatShape(features.take_back()) << " or ";
  return diag << formatShape(features) << " of bias, got "
              << formatShape(getFeatures(bias));
}

//===----------------------------------------------------------------------===//
// linear, typed_linear
//===----------------------------------------------------------------------===//

LogicalResult LinearOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto weight = cast<RankedTensorType>(adaptor.getWeight().getType());
  return checkOperands(
      location, getOperationName(), [&](EmitError emitError) -> LogicalResult {
        if (failed(verifyProductInput(emitError, input))) // C1
          return failure();
        if (failed(
                verifyProductWeight(emitError, input, weight, "weight"))) // C2
          return failure();
        SmallVector<int64_t> features = productFeatures(input, weight);
        if (Value bias = adaptor.getBias()) // C3
          if (failed(verifyBias(
                  emitError, cast<RankedTensorType>(bias.getType()), features)))
            return failure();
        inferred.push_back(withFeatures(input, features));
        return success();
      });
}

bool LinearOp::isCompatibleReturnTypes(TypeRange, TypeRange) { return true; }

LogicalResult LinearOp::verify() {
  return verifyInferredResult(*this); // C4
}

SmallVector<RowPath> TypedLinearOp::getRowPaths() {
  return {{*getRowSpace(getInput().getType()),
           *getRowSpace(getWeight().getType()), getVia()}};
}

LogicalResult TypedLinearOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto weight = cast<RankedTensorType>(adaptor.getWeight().getType());
  RowPath path = {*getRowSpace(input), *getRowSpace(weight), adaptor.getVia()};
  return checkOperands(
      location, getOperationName(), [&](EmitError emitError) -> LogicalResult {
        if (failed(verifyPathExists(emitError, path, "weight"))) // C1
          return failure();
        if (failed(verifyVia(emitError, path, "weight"))) // C2
          return failure();
        if (failed(verifyProductInput(emitError, input))) // C3
          return failure();
        if (failed(
                verifyProductWeight(emitError, input, weight, "weight"))) // C4
          return failure();
        SmallVector<int64_t> features = productFeatures(input, weight);
        if (Value value = adaptor.getBias()) { // C5
          auto bias = cast<RankedTensorType>(value.getType());
          if (failed(verifySameRows(emitError, weight, bias, "bias")) ||
              failed(verifyBias(emitError, bias, features)))
            return failure();
        }
        inferred.push_back(withFeatures(input, features));
        return success();
      });
}

bool TypedLinearOp::isCompatibleReturnTypes(TypeRange, TypeRange) {
  return true;
}

LogicalResult TypedLinearOp::verify() {
  return verifyInferredResult(*this); // C6
}

//===----------------------------------------------------------------------===//
// outer, typed_outer
//===----------------------------------------------------------------------===//

/// Verifies that `grad` has the features of the product of `input` and weights
/// of the shape of `result`.
static LogicalResult verifyProductGrad(EmitError emitError,
                                       RankedTensorType input,
                                       RankedTensorType grad,
                                       RankedTensorType result) {
  SmallVector<int64_t> expected = productFeatures(input, result);
  if (getFeatures(grad) == ArrayRef(expected))
    return success();
  return emitError() << "expected features " << formatShape(expected)
                     << " of grad, got " << formatShape(getFeatures(grad));
}

LogicalResult OuterOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto input = getInput().getType(), grad = getGrad().getType();
  if (failed(verifySameRows(emitError, input, grad, "grad"))) // C1
    return failure();
  if (failed(verifyProductInput(emitError, input))) // C2
    return failure();
  if (failed(verifyProductWeight(emitError, input, getType(), "result"))) // C3
    return failure();
  return verifyProductGrad(emitError, input, grad, getType()); // C4
}

SmallVector<RowPath> TypedOuterOp::getRowPaths() {
  return {
      {*getRowSpace(getInput().getType()), *getRowSpace(getType()), getVia()}};
}

LogicalResult TypedOuterOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto input = getInput().getType(), grad = getGrad().getType();
  RowPath path = getRowPaths().front();
  if (failed(verifySameRows(emitError, input, grad, "grad"))) // C1
    return failure();
  if (failed(verifyPathExists(emitError, path, "result"))) // C2
    return failure();
  if (failed(verifyVia(emitError, path, "result"))) // C3
    return failure();
  if (failed(verifyProductInput(emitError, input))) // C4
    return failure();
  if (failed(verifyProductWeight(emitError, input, getType(), "result"))) // C5
    return failure();
  return verifyProductGrad(emitError, input, grad, getType()); // C6
}

//===----------------------------------------------------------------------===//
// weight_product, weight_outer, weight_combine, weight_transpose
//===----------------------------------------------------------------------===//

/// The features of the product of a matrix with those of its columns' heads, or
/// a failure.
static FailureOr<SmallVector<int64_t>>
featuresByHeads(EmitError emitError, ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() == 2 && (b.size() == 2 || b.size() == 3) &&
      a.back() == b[0] * b[1])
    return SmallVector<int64_t>{a.front(),
                                b.front() * (b.size() == 3 ? b.back() : 1)};
  LogicalResult failure = emitError()
                          << "expected [a, heads * b] of lhs and [heads, b, c] "
                             "or [heads, b] of rhs, got "
                          << formatShape(a) << " and " << formatShape(b);
  return failure;
}

LogicalResult WeightProductOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  return checkOperands(
      location, getOperationName(), [&](EmitError emitError) -> LogicalResult {
        if (getRows(lhs) && getRows(rhs) &&
            failed(verifySameRows(emitError, lhs, rhs, "rhs"))) // C1
          return failure();
        RankedTensorType typed = getRows(lhs) ? lhs : rhs;
        auto infer = [&](ArrayRef<int64_t> features) {
          inferred.push_back(
              getRows(typed)
                  ? withFeatures(typed, features)
                  : RankedTensorType::get(features, lhs.getElementType()));
          return success();
        };
        ArrayRef<int64_t> a = getFeatures(lhs), b = getFeatures(rhs);
        if (adaptor.getByHeads()) { // C5
          auto features = featuresByHeads(emitError, a, b);
          return failed(features) ? failure() : infer(*features);
        }
        if (a.size() != 2 && a.size() != 3) // C2
          return emitError() << "expected [a, b] or [heads, a, b] of lhs, got "
                             << formatShape(a);
        bool isVector = b.size() + 1 == a.size();
        ArrayRef<int64_t> heads = a.drop_back(2);
        SmallVector<int64_t> expected(heads);
        expected.push_back(a.back());
        if (!isPrefix(expected, b) || b.size() > a.size()) // C3
          return emitError()
                 << "rhs multiplies lhs " << formatShape(a) << ": expected "
                 << formatShape(expected) << " or a matrix that begins so, got "
                 << formatShape(b);
        SmallVector<int64_t> features(a.drop_back());
        if (!isVector)
          features.push_back(b.back());
        return infer(features);
      });
}

bool WeightProductOp::isCompatibleReturnTypes(TypeRange, TypeRange) {
  return true;
}

LogicalResult WeightProductOp::verify() {
  return verifyInferredResult(*this); // C4, C5
}

/// Verifies `[a, heads * b]` and `[a, heads * c]` of the operands for the
/// features `[heads, b, c]` or `[heads, b]` of the result.
static LogicalResult verifyOuterByHeads(EmitError emitError,
                                        ArrayRef<int64_t> lhs,
                                        ArrayRef<int64_t> grad,
                                        ArrayRef<int64_t> result) {
  if (result.size() != 2 && result.size() != 3)
    return emitError() << "expected [heads, b, c] or [heads, b] of result, got "
                       << formatShape(result);
  int64_t columns = result[0] * (result.size() == 3 ? result[2] : 1);
  if (lhs.size() == 2 && grad.size() == 2 && lhs[0] == grad[0] &&
      lhs[1] == result[0] * result[1] && grad[1] == columns)
    return success();
  return emitError() << "expected [a, " << result[0] * result[1]
                     << "] of lhs and [a, " << columns
                     << "] of grad for a result " << formatShape(result)
                     << ", got " << formatShape(lhs) << " and "
                     << formatShape(grad);
}

LogicalResult WeightOuterOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto lhs = getLhs().getType(), grad = getGrad().getType();
  if (getRows(lhs) && getRows(grad) &&
      failed(verifySameRows(emitError, lhs, grad, "grad"))) // C1
    return failure();
  if (getRows(getType())) { // C2
    if (!getRows(lhs) && !getRows(grad))
      return emitOpError("expected a result without types, as the operands "
                         "have none, got ")
             << getType();
    if (failed(verifySameRows(emitError, getRows(lhs) ? lhs : grad, getType(),
                              "result")))
      return failure();
  }
  ArrayRef<int64_t> a = getFeatures(lhs), b = getFeatures(grad);
  ArrayRef<int64_t> got = getFeatures(getType());
  if (getByHeads())
    return verifyOuterByHeads(emitError, a, b, got); // C6
  if (a.size() != 2 && a.size() != 3)                // C3
    return emitOpError("expected [a, b] or [heads, a, b] of lhs, got ")
           << formatShape(a);
  ArrayRef<int64_t> shared = a.drop_back();
  if (!isPrefix(shared, b) || b.size() > a.size()) // C4
    return emitOpError("grad meets lhs ")
           << formatShape(a) << ": expected " << formatShape(shared)
           << " or a matrix that begins so, got " << formatShape(b);
  SmallVector<int64_t> expected(a.drop_back(2));
  expected.push_back(a.back());
  if (b.size() == a.size())
    expected.push_back(b.back());
  if (got != ArrayRef(expected)) // C5
    return emitOpError("expected features ")
           << formatShape(expected) << " of result, got " << formatShape(got);
  return success();
}

LogicalResult WeightCombineOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto coefficients =
      cast<RankedTensorType>(adaptor.getCoefficients().getType());
  auto bases = cast<RankedTensorType>(adaptor.getBases().getType());
  return checkOperands(
      location, getOperationName(), [&](EmitError emitError) -> LogicalResult {
        ArrayRef<int64_t> c = getFeatures(coefficients), b = bases.getShape();
        if (c.size() != 1) // C1
          return emitError()
                 << "expected features [bases] of coefficients, got "
                 << formatShape(c);
        if (b.size() != 3 && b.size() != 4) // C2
          return emitError()
                 << "expected [bases, in, out] or [bases, heads, in, "
                    "out] of bases, got "
                 << formatShape(b);
        if (b.front() != c.front()) // C2
          return emitError() << "one basis for each coefficient: expected "
                             << c.front() << " bases, got " << b.front();
        inferred.push_back(withFeatures(coefficients, b.drop_front()));
        return success();
      });
}

bool WeightCombineOp::isCompatibleReturnTypes(TypeRange, TypeRange) {
  return true;
}

LogicalResult WeightCombineOp::verify() {
  return verifyInferredResult(*this); // C3
}

LogicalResult WeightTransposeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  return checkOperands(
      location, getOperationName(), [&](EmitError emitError) -> LogicalResult {
        size_t rank = getFeatures(input).size();
        if (rank != 2 && rank != 3) // C1
          return emitError()
                 << "expected [in, out] or [heads, in, out] of input, got "
                 << formatShape(getFeatures(input));
        SmallVector<int64_t> shape(input.getShape());
        std::swap(shape[shape.size() - 2], shape.back());
        inferred.push_back(RankedTensorType::get(shape, input.getElementType(),
                                                 input.getEncoding()));
        return success();
      });
}

bool WeightTransposeOp::isCompatibleReturnTypes(TypeRange, TypeRange) {
  return true;
}

LogicalResult WeightTransposeOp::verify() {
  return verifyInferredResult(*this);
}

bool WeightTransposeOp::needsCopy() {
  return llvm::any_of((*this)->getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<WeightTransposeOp>(user))
      return false;
    bool multiplies = isa<LinearOp, TypedLinearOp, WeightProductOp>(user);
    return !multiplies || use.getOperandNumber() != 1;
  });
}

#define GET_OP_CLASSES
#include "GNN/Dialect/GNN/IR/GNNDenseOps.cpp.inc"

void GNNDialect::addDenseOps() {
  addOperations<
#define GET_OP_LIST
#include "GNN/Dialect/GNN/IR/GNNDenseOps.cpp.inc"
      >();
}
