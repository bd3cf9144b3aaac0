//===- Dense.cpp - Gradients of products with weights ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product is transposed by the transposed weight, its weight by the sum of
// outer products (Hector 3.5).
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

using namespace mlir;
using namespace gnn;

/// The features of a result, with the last dimension of another value.
static RankedTensorType withLast(RankedTensorType type, int64_t last) {
  SmallVector<int64_t> features(getFeatures(type));
  features.back() = last;
  return withFeatures(type, features);
}

/// The gradient with respect to the rows of a product, from what the product
/// with the transposed weight gives: heads that the rows lack met them all.
static Value ofRows(GradientBuilder &b, Value product, RankedTensorType rows) {
  return product.getType() == rows ? product : b.sumHeads(product);
}

/// A product with one number a row is that number times a vector, which joins
/// the kernel that reads it.
static bool isScale(Value gradient) {
  ArrayRef<int64_t> features =
      getFeatures(cast<RankedTensorType>(gradient.getType()));
  return features.size() == 1 && features[0] == 1;
}

//===----------------------------------------------------------------------===//
// Rows times weights
//===----------------------------------------------------------------------===//

Value LinearOp::buildTranspose(OpBuilder &builder, unsigned operand,
                               Value gradient) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType type = getInput().getType();
  if (operand == 1)
    return OuterOp::create(builder, getLoc(), getWeight().getType(), getInput(),
                           gradient);
  if (operand == 2)
    return b.sumRows(gradient, getBias().getType());
  if (isScale(gradient) && getFeatures(type).size() == 1)
    return b.mul(b.broadcast(b.reshape(gradient, {}), type),
                 b.broadcast(b.reshape(getWeight(), getFeatures(type)), type));
  Value product = LinearOp::create(builder, getLoc(),
                                   withLast(getType(), type.getShape().back()),
                                   gradient, b.transpose(getWeight()), Value());
  return ofRows(b, product, type);
}

Value TypedLinearOp::buildTranspose(OpBuilder &builder, unsigned operand,
                                    Value gradient) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType type = getInput().getType();
  if (operand == 1)
    return TypedOuterOp::create(builder, getLoc(), getWeight().getType(),
                                getInput(), gradient, getViaAttr());
  if (operand == 2)
    return b.sumAlong(gradient, *getOperandPath(operand), getBias().getType());
  if (isScale(gradient) && getFeatures(type).size() == 1)
    return b.apply(BinaryKind::Mul, type, {b.reshape(gradient, {})},
                   {b.reshape(getWeight(), getFeatures(type)), getVia()});
  Value product = TypedLinearOp::create(
      builder, getLoc(), withLast(getType(), type.getShape().back()), gradient,
      b.transpose(getWeight()), Value(), getViaAttr());
  return ofRows(b, product, type);
}

/// A product with a bias is affine: each operand is transposed as if the others
/// were fixed.
template <typename Op>
static LogicalResult transposeAll(Op op, OpBuilder &builder, Value gradient,
                                  const llvm::BitVector &asked,
                                  MutableArrayRef<Value> ofOperands) {
  for (unsigned operand : asked.set_bits())
    ofOperands[operand] = op.buildTranspose(builder, operand, gradient);
  return success();
}

LogicalResult LinearOp::buildGradient(OpBuilder &builder,
                                      ArrayRef<Value> gradients,
                                      const llvm::BitVector &asked,
                                      MutableArrayRef<Value> ofOperands) {
  return transposeAll(*this, builder, gradients[0], asked, ofOperands);
}

LogicalResult TypedLinearOp::buildGradient(OpBuilder &builder,
                                           ArrayRef<Value> gradients,
                                           const llvm::BitVector &asked,
                                           MutableArrayRef<Value> ofOperands) {
  return transposeAll(*this, builder, gradients[0], asked, ofOperands);
}

//===----------------------------------------------------------------------===//
// Rows times rows
//===----------------------------------------------------------------------===//

Value OuterOp::buildTranspose(OpBuilder &builder, unsigned operand,
                              Value gradient) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType input = getInput().getType(), grad = getGrad().getType();
  if (operand == 1)
    return LinearOp::create(builder, getLoc(), grad, getInput(), gradient,
                            Value());
  Value product = LinearOp::create(builder, getLoc(),
                                   withLast(grad, input.getShape().back()),
                                   getGrad(), b.transpose(gradient), Value());
  return ofRows(b, product, input);
}

Value TypedOuterOp::buildTranspose(OpBuilder &builder, unsigned operand,
                                   Value gradient) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType input = getInput().getType(), grad = getGrad().getType();
  if (operand == 1)
    return TypedLinearOp::create(builder, getLoc(), grad, getInput(), gradient,
                                 Value(), getViaAttr());
  Value product = TypedLinearOp::create(
      builder, getLoc(), withLast(grad, input.getShape().back()), getGrad(),
      b.transpose(gradient), Value(), getViaAttr());
  return ofRows(b, product, input);
}

//===----------------------------------------------------------------------===//
// Weights times weights
//===----------------------------------------------------------------------===//

/// The type of a weight of `features` for each type that one of two has.
static RankedTensorType weightOf(RankedTensorType a, RankedTensorType b,
                                 ArrayRef<int64_t> features) {
  if (getRows(a) || getRows(b))
    return withFeatures(getRows(a) ? a : b, features);
  return RankedTensorType::get(features, a.getElementType());
}

/// A weight `[(heads,) b]` as `[(heads,) b, 1]`.
static Value asMatrix(GradientBuilder &b, Value vector) {
  SmallVector<int64_t> features(
      getFeatures(cast<RankedTensorType>(vector.getType())));
  features.push_back(1);
  return b.reshape(vector, features);
}

/// The gradient of a weight of `type`, from a product of others: summed over
/// types where it has none, the same for each where the product has none.
static Value ofTypes(GradientBuilder &b, Value product, RankedTensorType type) {
  if (getRows(type) && !getRows(product.getType()))
    return b.broadcast(product, type);
  return b.sumRows(product, type);
}

/// `lhs` times the transposed `rhs`, which may be a vector.
static Value timesTransposed(GradientBuilder &b, Value lhs, Value rhs,
                             bool isVector, UnitAttr byHeads,
                             RankedTensorType type) {
  Value right = isVector ? asMatrix(b, rhs) : rhs;
  if (isVector && !byHeads) // The gradient of a vector is one as well.
    lhs = asMatrix(b, lhs);
  right = b.transpose(right);
  RankedTensorType typed =
      weightOf(cast<RankedTensorType>(lhs.getType()),
               cast<RankedTensorType>(rhs.getType()), getFeatures(type));
  Value product =
      WeightProductOp::create(b.builder, b.loc, typed, lhs, right, byHeads);
  return ofTypes(b, product, type);
}

Value WeightProductOp::buildTranspose(OpBuilder &builder, unsigned operand,
                                      Value gradient) {
  GradientBuilder b(builder, getLoc());
  size_t matrix =
      getFeatures(getLhs().getType()).size() + (getByHeads() ? 1 : 0);
  bool isVector = getFeatures(getRhs().getType()).size() < matrix;
  if (operand == 1) {
    // One matrix a type first: what all types add to is a short sum.
    RankedTensorType type = getRhs().getType();
    RankedTensorType typed =
        weightOf(getLhs().getType(), cast<RankedTensorType>(gradient.getType()),
                 getFeatures(type));
    Value outer = WeightOuterOp::create(builder, getLoc(), typed, getLhs(),
                                        gradient, getByHeadsAttr());
    return b.sumRows(outer, type);
  }
  return timesTransposed(b, gradient, getRhs(), isVector, getByHeadsAttr(),
                         getLhs().getType());
}

/// `result = lhs^T grad`: of `lhs`, `grad` times the transposed gradient; of
/// `grad`, `lhs` times it.
Value WeightOuterOp::buildTranspose(OpBuilder &builder, unsigned operand,
                                    Value gradient) {
  GradientBuilder b(builder, getLoc());
  size_t matrix =
      getFeatures(getLhs().getType()).size() + (getByHeads() ? 1 : 0);
  bool isVector = getFeatures(getType()).size() < matrix;
  if (operand == 0)
    return timesTransposed(b, getGrad(), gradient, isVector, getByHeadsAttr(),
                           getLhs().getType());
  RankedTensorType type = getGrad().getType();
  RankedTensorType typed =
      weightOf(getLhs().getType(), cast<RankedTensorType>(gradient.getType()),
               getFeatures(type));
  Value product = WeightProductOp::create(builder, getLoc(), typed, getLhs(),
                                          gradient, getByHeadsAttr());
  return ofTypes(b, product, type);
}

Value WeightCombineOp::buildTranspose(OpBuilder &builder, unsigned operand,
                                      Value gradient) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType bases = getBases().getType();
  int64_t count = bases.getDimSize(0), size = bases.getNumElements() / count;
  Value flat = b.reshape(gradient, {size});
  if (operand == 0)
    return LinearOp::create(
        builder, getLoc(), getCoefficients().getType(), flat,
        b.transpose(b.reshape(getBases(), {count, size})), Value());
  Value outer = OuterOp::create(
      builder, getLoc(),
      RankedTensorType::get({count, size}, bases.getElementType()),
      getCoefficients(), flat);
  return b.reshape(outer, bases.getShape());
}

/// The sum of outer products transposed: it exchanges what it multiplies, and
/// no result is copied.
template <typename OpTy>
static Value exchange(OpBuilder &builder, OpTy outer, Type type) {
  Value input = outer.getInput(), grad = outer.getGrad();
  auto rank = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  };
  if (rank(input) != rank(grad))
    return Value(); // The one without heads has to be the input.
  auto exchanged = cast<OpTy>(builder.clone(*outer));
  exchanged.getInputMutable().assign(grad);
  exchanged.getGradMutable().assign(input);
  exchanged.getResult().setType(cast<RankedTensorType>(type));
  return exchanged;
}

Value WeightTransposeOp::buildTranspose(OpBuilder &builder, unsigned,
                                        Value gradient) {
  Value exchanged;
  if (auto outer = gradient.getDefiningOp<OuterOp>())
    exchanged = exchange(builder, outer, getInput().getType());
  else if (auto outer = gradient.getDefiningOp<TypedOuterOp>())
    exchanged = exchange(builder, outer, getInput().getType());
  return exchanged ? exchanged
                   : GradientBuilder(builder, getLoc()).transpose(gradient);
}
