//===- GNNFeatureOps.cpp - Ops on the features of each row ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"

#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::detail;

/// Verifies at least one feature dimension.
static LogicalResult verifyHasFeatures(EmitError emitError,
                                       RankedTensorType type, StringRef what) {
  if (!getFeatures(type).empty())
    return success();
  return emitError() << "expected at least one feature dimension of " << what
                     << ", got none";
}

/// Verifies that a weight has the shape of the last features of each row.
static LogicalResult verifyLastFeatures(EmitError emitError,
                                        RankedTensorType weight,
                                        RankedTensorType rows, StringRef what) {
  ArrayRef<int64_t> features = getFeatures(rows);
  if (isSuffix(weight.getShape(), features))
    return success();
  return emitError() << "expected " << what << " of the last features of "
                     << formatShape(features) << ", got "
                     << formatShape(weight.getShape());
}

//===----------------------------------------------------------------------===//
// dot, outer_rows
//===----------------------------------------------------------------------===//

LogicalResult DotOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  return checkOperands(
      location, getOperationName(), [&](EmitError emitError) -> LogicalResult {
        if (failed(verifyHasFeatures(emitError, lhs, "lhs"))) // C1
          return failure();
        if (getRows(rhs) &&
            failed(verifySameRows(emitError, lhs, rhs, "rhs"))) // C2
          return failure();
        if (failed(verifySameFeatures(emitError, lhs, rhs, "rhs"))) // C3
          return failure();
        inferred.push_back(withFeatures(lhs, getFeatures(lhs).drop_back()));
        return success();
      });
}

bool DotOp::isCompatibleReturnTypes(TypeRange, TypeRange) { return true; }

LogicalResult DotOp::verify() {
  return verifyInferredResult(*this); // C4
}

LogicalResult OuterRowsOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  return checkOperands(
      location, getOperationName(), [&](EmitError emitError) -> LogicalResult {
        ArrayRef<int64_t> a = getFeatures(lhs), b = getFeatures(rhs);
        if (failed(verifySameRows(emitError, lhs, rhs, "rhs"))) // C1
          return failure();
        if (a.size() != 1) // C2
          return emitError()
                 << "expected features [a] of lhs, got " << formatShape(a);
        if (b.size() != 1) // C3
          return emitError()
                 << "expected features [b] of rhs, got " << formatShape(b);
        inferred.push_back(withFeatures(lhs, {a[0], b[0]}));
        return success();
      });
}

bool OuterRowsOp::isCompatibleReturnTypes(TypeRange, TypeRange) { return true; }

LogicalResult OuterRowsOp::verify() {
  return verifyInferredResult(*this); // C4
}

//===----------------------------------------------------------------------===//
// activation
//===----------------------------------------------------------------------===//

LogicalResult ActivationOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(verifyAlpha(emitError, getKind(), getAlphaAttr()))) // C1
    return failure();
  if (failed(verifyWeight(emitError, getKind(), getWeight()))) // C2
    return failure();
  if (!getWeight())
    return success();
  auto weight = getWeight().getType();
  if (weight.getShape() == ArrayRef<int64_t>{1}) // C3
    return success();
  return verifyLastFeatures(emitError, weight, getType(),
                            "a weight of shape [1] or"); // C3
}

//===----------------------------------------------------------------------===//
// batch_norm, layer_norm, dropout
//===----------------------------------------------------------------------===//

/// Verifies a finite number above 0.
static LogicalResult verifyPositive(EmitError emitError, const APFloat &eps) {
  if (eps.isFinite() && !eps.isNegative() && !eps.isZero())
    return success();
  return emitError() << "expected a positive eps, got "
                     << eps.convertToDouble();
}

LogicalResult BatchNormOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(verifyLastFeatures(emitError, getMean().getType(), getType(),
                                "statistics"))) // C1
    return failure();
  return verifyPositive(emitError, getEps()); // C2
}

LogicalResult LayerNormOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(verifyHasFeatures(emitError, getType(), "input"))) // C1
    return failure();
  if (static_cast<bool>(getGamma()) != static_cast<bool>(getBeta())) // C2
    return emitOpError("expected both gamma and beta or none, got only ")
           << (getGamma() ? "gamma" : "beta");
  if (getGamma()) { // C3
    if (failed(verifyLastFeatures(emitError, getGamma().getType(), getType(),
                                  "gamma")) ||
        failed(verifyLastFeatures(emitError, getBeta().getType(), getType(),
                                  "beta")))
      return failure();
  }
  return verifyPositive(emitError, getEps()); // C4
}

LogicalResult DropoutOp::verify() {
  double p = getP().convertToDouble();
  if (!(p >= 0.0 && p < 1.0)) // C1
    return emitOpError("expected p of at least 0 and less than 1, got ") << p;
  return success();
}

//===----------------------------------------------------------------------===//
// broadcast, sum_rows
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto input = getInput().getType();
  ArrayRef<int64_t> from = getFeatures(input), to = getFeatures(getType());
  if (getRows(input)) {
    if (failed(verifySameRows(emitError, getType(), input, "input"))) // C1
      return failure();
    if (!isPrefix(from, to)) // C2
      return emitOpError("expected features of result that begin with ")
             << formatShape(from) << ", got " << formatShape(to);
    return success();
  }
  if (!from.empty() && !isSuffix(from, to)) // C3
    return emitOpError("expected features of result that end with ")
           << formatShape(from) << ", got " << formatShape(to);
  return success();
}

LogicalResult SumRowsOp::verify() {
  ArrayRef<int64_t> from = getFeatures(getInput().getType());
  ArrayRef<int64_t> to = getType().getShape();
  if (!to.empty() && !isSuffix(to, from)) // C1
    return emitOpError("expected a result with which the features ")
           << formatShape(from) << " of input end, got " << formatShape(to);
  return success();
}

//===----------------------------------------------------------------------===//
// concat, slice, pad, reshape
//===----------------------------------------------------------------------===//

/// Verifies that the features of input and result differ in the last dimension
/// alone.
static LogicalResult verifyOtherLast(EmitError emitError,
                                     ArrayRef<int64_t> from,
                                     ArrayRef<int64_t> to) {
  if (from.size() == to.size() && from.drop_back() == to.drop_back())
    return success();
  return emitError() << "expected features " << formatShape(from)
                     << " of result but for the last dimension, got "
                     << formatShape(to);
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  return checkOperands(
      location, getOperationName(), [&](EmitError emitError) -> LogicalResult {
        if (adaptor.getInputs().empty()) // C1
          return emitError() << "expected at least one input, got none";
        auto first =
            cast<RankedTensorType>(adaptor.getInputs().front().getType());
        int64_t size = 0;
        for (Value input : adaptor.getInputs()) {
          auto type = cast<RankedTensorType>(input.getType());
          if (failed(
                  verifySameRows(emitError, first, type, "all inputs"))) // C2
            return failure();
          if (failed(verifyHasFeatures(emitError, type, "each input"))) // C3
            return failure();
          ArrayRef<int64_t> a = getFeatures(first), b = getFeatures(type);
          if (a.drop_back() != b.drop_back()) // C3
            return emitError() << "expected features " << formatShape(a)
                               << " of all inputs but for the last dimension, "
                                  "got "
                               << formatShape(b);
          size += b.back();
        }
        SmallVector<int64_t> features(getFeatures(first));
        features.back() = size;
        inferred.push_back(withFeatures(first, features));
        return success();
      });
}

bool ConcatOp::isCompatibleReturnTypes(TypeRange, TypeRange) { return true; }

LogicalResult ConcatOp::verify() {
  return verifyInferredResult(*this); // C4
}

LogicalResult SliceOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto input = getInput().getType();
  if (failed(verifySameRows(emitError, input, getType(), "result"))) // C1
    return failure();
  ArrayRef<int64_t> from = getFeatures(input), to = getFeatures(getType());
  if (failed(verifyHasFeatures(emitError, input, "input"))) // C2
    return failure();
  if (failed(verifyOtherLast(emitError, from, to))) // C2
    return failure();
  int64_t offset = getOffset();
  if (offset < 0 || offset > from.back() - to.back()) // C3
    return emitOpError("expected a part of ")
           << from.back() << " features, got " << to.back() << " at " << offset;
  return success();
}

LogicalResult PadOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto input = getInput().getType();
  if (failed(verifySameRows(emitError, input, getType(), "result"))) // C1
    return failure();
  ArrayRef<int64_t> from = getFeatures(input), to = getFeatures(getType());
  if (failed(verifyHasFeatures(emitError, input, "input"))) // C2
    return failure();
  if (failed(verifyOtherLast(emitError, from, to))) // C2
    return failure();
  int64_t offset = getOffset();
  if (offset < 0 || offset > to.back() - from.back()) // C3
    return emitOpError("expected a place within ")
           << to.back() << " features of result, got " << from.back() << " at "
           << offset;
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto input = getInput().getType();
  if (failed(verifySameRows(emitError, input, getType(), "result"))) // C1
    return failure();
  if (getNumFeatures(input) != getNumFeatures(getType())) // C2
    return emitOpError("expected ")
           << getNumFeatures(input) << " features a row of result, got "
           << getNumFeatures(getType());
  return success();
}

//===----------------------------------------------------------------------===//
// reduce_heads, reduce_features
//===----------------------------------------------------------------------===//

LogicalResult ReduceHeadsOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> features = getFeatures(input);
  return checkOperands(
      location, getOperationName(), [&](EmitError emitError) -> LogicalResult {
        if (features.size() != 2) // C1
          return emitError() << "expected features [heads, d] of input, got "
                             << formatShape(features);
        inferred.push_back(withFeatures(input, features.drop_front()));
        return success();
      });
}

bool ReduceHeadsOp::isCompatibleReturnTypes(TypeRange, TypeRange) {
  return true;
}

LogicalResult ReduceHeadsOp::verify() {
  return verifyInferredResult(*this); // C2
}

LogicalResult ReduceFeaturesOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  return checkOperands(
      location, getOperationName(), [&](EmitError emitError) -> LogicalResult {
        if (failed(verifyHasFeatures(emitError, input, "input"))) // C1
          return failure();
        inferred.push_back(withFeatures(input, getFeatures(input).drop_back()));
        return success();
      });
}

bool ReduceFeaturesOp::isCompatibleReturnTypes(TypeRange, TypeRange) {
  return true;
}

LogicalResult ReduceFeaturesOp::verify() {
  return verifyInferredResult(*this); // C2
}

//===----------------------------------------------------------------------===//
// pick_feature
//===----------------------------------------------------------------------===//

LogicalResult PickFeatureOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto input = getInput().getType(), of = getOf().getType();
  if (getKind() != ReduceKind::Max && getKind() != ReduceKind::Min) // C1
    return emitOpError("expected max or min, got ")
           << stringifyReduceKind(getKind());
  SmallVector<int64_t> features(getFeatures(of));
  bool overHeads = getOver() == FeatureDim::Heads;
  if (overHeads && features.size() != 2) // C2
    return emitOpError("expected features [heads, d] of what is compared, got ")
           << formatShape(features);
  if (failed(verifyHasFeatures(emitError, of, "what is compared"))) // C2
    return failure();
  if (failed(verifySameRows(emitError, of, input, "input"))) // C3
    return failure();
  features.erase(overHeads ? features.begin() : features.end() - 1);
  if (failed(verifySameFeatures(emitError, withFeatures(of, features), input,
                                "input"))) // C4
    return failure();
  if (input.getElementType() != of.getElementType()) // C4
    return emitOpError("expected ")
           << of.getElementType() << " features of input, got "
           << input.getElementType();
  return success();
}

#define GET_OP_CLASSES
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.cpp.inc"

void GNNDialect::addFeatureOps() {
  addOperations<
#define GET_OP_LIST
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.cpp.inc"
      >();
}
