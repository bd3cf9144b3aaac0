//===- Builder.cpp - Parts of rules of differentiation --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNN.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;

static EndPointAttr endAttr(OpBuilder &builder, std::optional<EndPoint> via) {
  return via ? EndPointAttr::get(builder.getContext(), *via) : EndPointAttr();
}

/// The type of a weight, or of rows, with other features.
static RankedTensorType reshapedType(RankedTensorType type,
                                     ArrayRef<int64_t> features) {
  return getRows(type) ? withFeatures(type, features)
                       : RankedTensorType::get(features, type.getElementType());
}

bool gnn::isOnSquareGraph(Operation *op, RankedTensorType type) {
  auto graph = SymbolTable::lookupNearestSymbolFrom<GraphOp>(
      op, getRows(type).getGraph());
  return graph && graph.getKind() == GraphKind::Square;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Value GradientBuilder::sumAlong(Value gradient, RowPath path,
                                RankedTensorType type) {
  if (path.isIdentity())
    return gradient;
  auto rows = RankedTensorType::get(type.getShape().take_front(1),
                                    type.getElementType(), type.getEncoding());
  return AggregateOp::create(
             builder, loc,
             withFeatures(rows, getFeatures(getTensorType(gradient))),
             ReduceKind::Sum, gradient, path.via)
      .getResult();
}

Value GradientBuilder::readAlong(Value value, RankedTensorType rows,
                                 RowPath path) {
  if (path.isIdentity())
    return value;
  return GatherOp::create(builder, loc,
                          withFeatures(rows, getFeatures(getTensorType(value))),
                          value, path.via);
}

Value GradientBuilder::shareOfMean(Value gradient, RankedTensorType rows,
                                   RowPath path) {
  RankedTensorType scalars = withFeatures(getTensorType(gradient), {});
  Value degree = DegreeOp::create(builder, loc, scalars, path.from,
                                  endAttr(builder, path.via));
  // One division a group, not one for each feature of its rows.
  Value share = div(splat(scalars, 1), degree);
  return apply(BinaryKind::Mul, rows, readThrough(gradient, path),
               {share, path.via});
}

PathRead GradientBuilder::readThrough(Value value, RowPath path) {
  if (auto gather = value.getDefiningOp<GatherOp>())
    if (auto through = compose(path, gather.getRowPaths().front()))
      return {gather.getInput(), through->via};
  return {value, path.via};
}

PathRead GradientBuilder::readThrough(Value value) {
  std::optional<RowSpace> space = getRowSpace(value.getType());
  if (!space)
    return {value};
  return readThrough(value, {*space, *space, std::nullopt});
}

Value GradientBuilder::apply(BinaryKind kind, RankedTensorType rows,
                             PathRead lhs, PathRead rhs) {
  ArrayRef<int64_t> left = getFeatures(getTensorType(lhs.value));
  ArrayRef<int64_t> right = getFeatures(getTensorType(rhs.value));
  return ApplyOp::create(
      builder, loc,
      withFeatures(rows, left.size() >= right.size() ? left : right), kind,
      lhs.value, endAttr(builder, lhs.via), rhs.value,
      endAttr(builder, rhs.via));
}

Value GradientBuilder::sddmm(RankedTensorType rows, PathRead lhs,
                             PathRead rhs) {
  return SddmmOp::create(
      builder, loc,
      withFeatures(rows, getFeatures(getTensorType(lhs.value)).drop_back()),
      lhs.value, endAttr(builder, lhs.via), rhs.value,
      endAttr(builder, rhs.via));
}

//===----------------------------------------------------------------------===//
// Weights and features
//===----------------------------------------------------------------------===//

Value GradientBuilder::splat(Type type, double number) {
  Type element = getElementTypeOrSelf(type);
  FloatAttr value = builder.getFloatAttr(element, number);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return arith::ConstantOp::create(builder, loc, value);
  if (!getRows(type))
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(tensor, value));
  auto scalar = RankedTensorType::get({}, element);
  Value constant = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(scalar, value));
  return BroadcastOp::create(builder, loc, type, constant);
}

Value GradientBuilder::broadcast(Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  return BroadcastOp::create(builder, loc, type, value);
}

Value GradientBuilder::sumRows(Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  return SumRowsOp::create(builder, loc, type, value);
}

Value GradientBuilder::reduceFeatures(ReduceKind kind, Value value) {
  RankedTensorType type = getTensorType(value);
  return ReduceFeaturesOp::create(
      builder, loc, withFeatures(type, getFeatures(type).drop_back()), kind,
      value);
}

Value GradientBuilder::sumFeatures(Value value, ArrayRef<int64_t> features) {
  while (getFeatures(getTensorType(value)).size() > features.size())
    value = reduceFeatures(ReduceKind::Sum, value);
  return value;
}

Value GradientBuilder::sumHeads(Value value) {
  RankedTensorType type = getTensorType(value);
  return ReduceHeadsOp::create(
      builder, loc, withFeatures(type, getFeatures(type).drop_front()),
      ReduceKind::Sum, value);
}

Value GradientBuilder::repeatHeads(Value value, int64_t heads) {
  RankedTensorType type = getTensorType(value);
  SmallVector<int64_t> features = {heads};
  llvm::append_range(features, getFeatures(type));
  return OuterRowsOp::create(builder, loc, withFeatures(type, features),
                             splat(withFeatures(type, {heads}), 1), value);
}

Value GradientBuilder::transpose(Value weight) {
  RankedTensorType type = getTensorType(weight);
  SmallVector<int64_t> features(getFeatures(type));
  std::swap(features[features.size() - 1], features[features.size() - 2]);
  return WeightTransposeOp::create(builder, loc, reshapedType(type, features),
                                   weight);
}

Value GradientBuilder::reshape(Value value, ArrayRef<int64_t> features) {
  RankedTensorType type = getTensorType(value);
  if (getFeatures(type) == features)
    return value;
  return ReshapeOp::create(builder, loc, reshapedType(type, features), value);
}

Value GradientBuilder::activate(ActivationKind kind, Value value) {
  return ActivationOp::create(builder, loc, value.getType(), kind, value,
                              Value(), FloatAttr());
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Value GradientBuilder::add(Value lhs, Value rhs) {
  return arith::AddFOp::create(builder, loc, lhs, rhs);
}

Value GradientBuilder::sub(Value lhs, Value rhs) {
  return arith::SubFOp::create(builder, loc, lhs, rhs);
}

Value GradientBuilder::mul(Value lhs, Value rhs) {
  return arith::MulFOp::create(builder, loc, lhs, rhs);
}

Value GradientBuilder::mul(Value lhs, double rhs) {
  return rhs == 1 ? lhs : mul(lhs, splat(lhs.getType(), rhs));
}

Value GradientBuilder::div(Value lhs, Value rhs) {
  return arith::DivFOp::create(builder, loc, lhs, rhs);
}

Value GradientBuilder::neg(Value value) {
  return arith::NegFOp::create(builder, loc, value);
}

Value GradientBuilder::exp(Value value, arith::FastMathFlags flags) {
  return math::ExpOp::create(builder, loc, value, flags);
}

Value GradientBuilder::log(Value value) {
  return math::LogOp::create(builder, loc, value);
}

Value GradientBuilder::above(Value lhs, Value rhs) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, lhs,
                               rhs);
}

Value GradientBuilder::select(Value condition, Value then, Value otherwise) {
  return arith::SelectOp::create(builder, loc, condition, then, otherwise);
}
