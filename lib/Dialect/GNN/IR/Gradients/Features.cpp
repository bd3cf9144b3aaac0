//===- Features.cpp - Gradients of ops on features ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Products of rows
//===----------------------------------------------------------------------===//

Value DotOp::buildTranspose(OpBuilder &builder, unsigned operand,
                            Value gradient) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType rows = getLhs().getType(), type = getRhs().getType();
  Value other = operand == 0 ? b.broadcast(getRhs(), rows) : getLhs();
  Value product = b.apply(BinaryKind::Mul, rows, {other}, {gradient});
  return operand == 0 ? product : b.sumRows(product, type);
}

Value OuterRowsOp::buildTranspose(OpBuilder &builder, unsigned operand,
                                  Value gradient) {
  GradientBuilder b(builder, getLoc());
  if (operand == 1)
    return b.sumHeads(
        b.apply(BinaryKind::Mul, getType(), {gradient}, {getLhs()}));
  Value repeated = b.repeatHeads(getRhs(), getFeatures(getType()).front());
  return b.sumFeatures(b.mul(gradient, repeated),
                       getFeatures(getLhs().getType()));
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// The gradient through swish, x s(x) with s the sigmoid: s + y (1 - s).
static Value throughSwish(GradientBuilder &b, Value x, Value y,
                          Value gradient) {
  Value sigmoid = b.activate(ActivationKind::Sigmoid, x);
  Value one = b.splat(x.getType(), 1);
  return b.mul(gradient, b.add(sigmoid, b.mul(y, b.sub(one, sigmoid))));
}

/// The gradient through gelu, x P(x) with P the normal distribution: P + x P'.
static Value throughGelu(GradientBuilder &b, Value x, Value gradient) {
  Value erf = math::ErfOp::create(b.builder, b.loc, b.mul(x, std::sqrt(0.5)));
  Value below = b.mul(b.add(erf, b.splat(x.getType(), 1)), 0.5);
  Value density = b.mul(b.exp(b.mul(b.mul(x, x), -0.5)),
                        1 / std::sqrt(2 * std::acos(-1.0)));
  return b.mul(gradient, b.add(below, b.mul(x, density)));
}

bool gnn::hasSideInResult(ActivationOp op) {
  double alpha = op.getAlpha() ? op.getAlpha()->convertToDouble() : 0;
  switch (op.getKind()) {
  case ActivationKind::Relu:
    return true;
  case ActivationKind::LeakyRelu:
    return alpha >= 0;
  case ActivationKind::Elu:
    return alpha > 0;
  default:
    return false;
  }
}

/// The gradient with respect to `x`. At a kink it is that of the side x <= 0.
static Value throughActivation(GradientBuilder &b, ActivationOp op,
                               Value gradient) {
  Value x = op.getInput(), y = op.getResult();
  auto type = op.getInput().getType();
  auto splat = [&](double number) { return b.splat(type, number); };
  double alpha = op.getAlpha() ? op.getAlpha()->convertToDouble() : 0;
  Value side = hasSideInResult(op) ? y : x;
  auto wherePositive = [&](Value otherwise) {
    return b.select(b.above(side, splat(0)), gradient, otherwise);
  };
  switch (op.getKind()) {
  case ActivationKind::Relu: { // All of it where x is NaN.
    Value isBelow = arith::CmpFOp::create(
        b.builder, b.loc, arith::CmpFPredicate::OLE, side, splat(0));
    return b.select(isBelow, splat(0), gradient);
  }
  case ActivationKind::LeakyRelu:
    return wherePositive(b.mul(gradient, splat(alpha)));
  case ActivationKind::Prelu: {
    Value weight = op.getWeight();
    if (cast<RankedTensorType>(weight.getType()).getNumElements() == 1)
      weight = b.reshape(weight, {});
    return wherePositive(b.mul(gradient, b.broadcast(weight, type)));
  }
  case ActivationKind::Elu: // alpha exp(x) = y + alpha
    return wherePositive(b.mul(gradient, b.add(y, splat(alpha))));
  case ActivationKind::Sigmoid:
    return b.mul(gradient, b.mul(y, b.sub(splat(1), y)));
  case ActivationKind::Tanh:
    return b.mul(gradient, b.sub(splat(1), b.mul(y, y)));
  case ActivationKind::Gelu:
    return throughGelu(b, x, gradient);
  case ActivationKind::Swish:
    return throughSwish(b, x, y, gradient);
  case ActivationKind::Exp:
    return b.mul(gradient, y);
  }
  llvm_unreachable("all kinds are handled");
}

LogicalResult ActivationOp::buildGradient(OpBuilder &builder,
                                          ArrayRef<Value> gradients,
                                          const llvm::BitVector &asked,
                                          MutableArrayRef<Value> ofOperands) {
  GradientBuilder b(builder, getLoc());
  if (asked[0])
    ofOperands[0] = throughActivation(b, *this, gradients[0]);
  if (!getWeight() || !asked[1])
    return success();
  auto type = getInput().getType();
  Value zero = b.splat(type, 0);
  Value parts = b.select(b.above(getInput(), zero), zero,
                         b.mul(gradients[0], getInput()));
  RankedTensorType weight = getWeight().getType();
  if (weight.getNumElements() == 1 && getFeatures(type) != weight.getShape()) {
    Value sum = b.sumRows(b.sumFeatures(parts, {}),
                          RankedTensorType::get({}, weight.getElementType()));
    ofOperands[1] = b.reshape(sum, weight.getShape());
  } else {
    ofOperands[1] = b.sumRows(parts, weight);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

LogicalResult BatchNormOp::buildGradient(OpBuilder &builder,
                                         ArrayRef<Value> gradients,
                                         const llvm::BitVector &asked,
                                         MutableArrayRef<Value> ofOperands) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType rows = getInput().getType(), weight = getGamma().getType();
  Value shifted =
      b.add(getVariance(), b.splat(weight, getEps().convertToDouble()));
  Value scale = math::RsqrtOp::create(builder, getLoc(), shifted);
  if (asked[0])
    ofOperands[0] =
        b.mul(gradients[0], b.broadcast(b.mul(getGamma(), scale), rows));
  if (asked[3]) {
    Value centered = b.sub(getInput(), b.broadcast(getMean(), rows));
    Value normal = b.mul(centered, b.broadcast(scale, rows));
    ofOperands[3] = b.sumRows(b.mul(gradients[0], normal), weight);
  }
  if (asked[4])
    ofOperands[4] = b.sumRows(gradients[0], weight);
  return success();
}

LogicalResult LayerNormOp::buildGradient(OpBuilder &builder,
                                         ArrayRef<Value> gradients,
                                         const llvm::BitVector &asked,
                                         MutableArrayRef<Value> ofOperands) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType rows = getInput().getType();
  auto mean = [&](Value value) {
    return b.broadcast(b.reduceFeatures(ReduceKind::Mean, value), rows);
  };
  Value gradient = gradients[0];
  Value centered = b.sub(getInput(), mean(getInput()));
  Value variance =
      b.reduceFeatures(ReduceKind::Mean, b.mul(centered, centered));
  Value shifted =
      b.add(variance, b.splat(variance.getType(), getEps().convertToDouble()));
  Value scale =
      b.broadcast(math::RsqrtOp::create(builder, getLoc(), shifted), rows);
  Value normal = b.mul(centered, scale);
  if (getGamma()) {
    RankedTensorType weight = getGamma().getType();
    if (asked[1])
      ofOperands[1] = b.sumRows(b.mul(gradient, normal), weight);
    if (asked[2])
      ofOperands[2] = b.sumRows(gradient, weight);
    gradient = b.mul(gradient, b.broadcast(getGamma(), rows));
  }
  if (asked[0]) {
    Value ofMean = b.sub(gradient, mean(gradient));
    Value ofVariance = b.mul(normal, mean(b.mul(gradient, normal)));
    ofOperands[0] = b.mul(b.sub(ofMean, ofVariance), scale);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The shape of features
//===----------------------------------------------------------------------===//

/// The same elements are kept.
Value DropoutOp::buildTranspose(OpBuilder &builder, unsigned, Value gradient) {
  return DropoutOp::create(builder, getLoc(), getType(), gradient, getPAttr(),
                           getSeed(), getOffset());
}

Value BroadcastOp::buildTranspose(OpBuilder &builder, unsigned,
                                  Value gradient) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType type = getInput().getType();
  return getRows(type) ? b.sumFeatures(gradient, getFeatures(type))
                       : b.sumRows(gradient, type);
}

Value SumRowsOp::buildTranspose(OpBuilder &builder, unsigned, Value gradient) {
  return BroadcastOp::create(builder, getLoc(), getInput().getType(), gradient);
}

Value SliceOp::buildTranspose(OpBuilder &builder, unsigned, Value gradient) {
  return PadOp::create(builder, getLoc(), getInput().getType(), gradient,
                       getOffsetAttr());
}

Value PadOp::buildTranspose(OpBuilder &builder, unsigned, Value gradient) {
  return SliceOp::create(builder, getLoc(), getInput().getType(), gradient,
                         getOffsetAttr());
}

Value ReshapeOp::buildTranspose(OpBuilder &builder, unsigned, Value gradient) {
  return ReshapeOp::create(builder, getLoc(), getInput().getType(), gradient);
}

LogicalResult ConcatOp::buildGradient(OpBuilder &builder,
                                      ArrayRef<Value> gradients,
                                      const llvm::BitVector &asked,
                                      MutableArrayRef<Value> ofOperands) {
  int64_t offset = 0;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    auto type = cast<RankedTensorType>(input.getType());
    if (asked[i])
      ofOperands[i] = SliceOp::create(builder, getLoc(), type, gradients[0],
                                      builder.getI64IntegerAttr(offset));
    offset += type.getShape().back();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions of features
//===----------------------------------------------------------------------===//

Value ReduceHeadsOp::buildTranspose(OpBuilder &builder, unsigned,
                                    Value gradient) {
  GradientBuilder b(builder, getLoc());
  int64_t heads = getFeatures(getInput().getType()).front();
  return b.mul(b.repeatHeads(gradient, heads),
               getKind() == ReduceKind::Mean ? 1.0 / heads : 1.0);
}

Value ReduceFeaturesOp::buildTranspose(OpBuilder &builder, unsigned,
                                       Value gradient) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType type = getInput().getType();
  return b.mul(b.broadcast(gradient, type), getKind() == ReduceKind::Mean
                                                ? 1.0 / type.getShape().back()
                                                : 1.0);
}

LogicalResult ReduceHeadsOp::buildGradient(OpBuilder &builder,
                                           ArrayRef<Value> gradients,
                                           const llvm::BitVector &,
                                           MutableArrayRef<Value> ofOperands) {
  ofOperands[0] =
      getLinearAction(0)
          ? buildTranspose(builder, 0, gradients[0])
          : PickFeatureOp::create(builder, getLoc(), getInput().getType(),
                                  gradients[0], getKind(), FeatureDim::Heads,
                                  getInput());
  return success();
}

LogicalResult
ReduceFeaturesOp::buildGradient(OpBuilder &builder, ArrayRef<Value> gradients,
                                const llvm::BitVector &,
                                MutableArrayRef<Value> ofOperands) {
  ofOperands[0] =
      getLinearAction(0)
          ? buildTranspose(builder, 0, gradients[0])
          : PickFeatureOp::create(builder, getLoc(), getInput().getType(),
                                  gradients[0], getKind(), FeatureDim::Features,
                                  getInput());
  return success();
}

/// A picked value counts where it was picked from.
Value PickFeatureOp::buildTranspose(OpBuilder &builder, unsigned,
                                    Value gradient) {
  GradientBuilder b(builder, getLoc());
  Value ones = PickFeatureOp::create(builder, getLoc(), getType(),
                                     b.splat(getInput().getType(), 1),
                                     getKind(), getOver(), getOf());
  Value picked = b.mul(gradient, ones);
  return getOver() == FeatureDim::Heads
             ? b.sumHeads(picked)
             : b.reduceFeatures(ReduceKind::Sum, picked);
}

/// Which feature is extreme changes in steps.
LogicalResult PickFeatureOp::buildGradient(OpBuilder &builder,
                                           ArrayRef<Value> gradients,
                                           const llvm::BitVector &asked,
                                           MutableArrayRef<Value> ofOperands) {
  if (asked[0])
    ofOperands[0] = buildTranspose(builder, 0, gradients[0]);
  if (asked[1])
    ofOperands[1] =
        GradientBuilder(builder, getLoc()).splat(getOf().getType(), 0);
  return success();
}
