//===- GNNCalculus.cpp - In what ops are linear and differentiable --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNN.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;

/// The answer of an op about one of its operands.
using Action = std::optional<LinearAction>;

//===----------------------------------------------------------------------===//
// Paths: matrices from the left
//===----------------------------------------------------------------------===//

Action RebindRowsOp::getLinearAction(unsigned) { return LinearAction::Rows; }

Action RestrictRowsOp::getLinearAction(unsigned) { return LinearAction::Rows; }

/// Several inputs are a sum, which is linear in none alone.
Action ExpandRowsOp::getLinearAction(unsigned) {
  return getInputs().size() == 1 ? Action(LinearAction::Rows) : std::nullopt;
}

Action LoopRowsOp::getLinearAction(unsigned) { return LinearAction::Rows; }

Action PrefixRowsOp::getLinearAction(unsigned) { return LinearAction::Rows; }

Action ExtendRowsOp::getLinearAction(unsigned) { return LinearAction::Rows; }

Action GatherOp::getLinearAction(unsigned) { return LinearAction::Rows; }

Action AggregateOp::getLinearAction(unsigned) {
  bool isLinear = getKind() == ReduceKind::Sum || getKind() == ReduceKind::Mean;
  return isLinear ? Action(LinearAction::Rows) : std::nullopt;
}

/// Each feature has an argument of its own.
Action PickOp::getLinearAction(unsigned operand) {
  return operand == 0 ? Action(LinearAction::RowsAndFeatures) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Products with weights: matrices from the right
//===----------------------------------------------------------------------===//

/// A bias makes a product affine.
Action LinearOp::getLinearAction(unsigned operand) {
  if (getBias())
    return std::nullopt;
  return operand == 0 ? LinearAction::Features : LinearAction::Weight;
}

Action TypedLinearOp::getLinearAction(unsigned operand) {
  if (getBias())
    return std::nullopt;
  return operand == 0 ? LinearAction::FeaturesByType : LinearAction::Weight;
}

std::optional<ProductOperands> LinearOp::getProductOperands() {
  ProductOperands operands{0, 1, std::nullopt};
  if (getBias())
    operands.bias = 2;
  return operands;
}

std::optional<ProductOperands> TypedLinearOp::getProductOperands() {
  ProductOperands operands{0, 1, std::nullopt, /*isVector=*/false, getVia()};
  if (getBias())
    operands.bias = 2;
  return operands;
}

Action OuterOp::getLinearAction(unsigned) {
  return LinearAction::RowsAndFeatures;
}

Action TypedOuterOp::getLinearAction(unsigned) {
  return LinearAction::RowsAndFeatures;
}

Action WeightProductOp::getLinearAction(unsigned) {
  return LinearAction::Weight;
}

Action WeightOuterOp::getLinearAction(unsigned) { return LinearAction::Weight; }

Action WeightCombineOp::getLinearAction(unsigned) {
  return LinearAction::Weight;
}

Action WeightTransposeOp::getLinearAction(unsigned) {
  return LinearAction::Weight;
}

//===----------------------------------------------------------------------===//
// Several row spaces
//===----------------------------------------------------------------------===//

/// How multiplying by `other` acts on `operand`, both brought to the rows of
/// one space. A factor for each row scales it for all features alike.
static LinearAction actionOfFactor(Value operand, Value other, bool sameRows) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto factor = cast<RankedTensorType>(other.getType());
  if (getFeatures(factor).empty())
    return LinearAction::Rows;
  bool repeats = getFeatures(type).size() < getFeatures(factor).size();
  return sameRows && !repeats ? LinearAction::FeaturesByRow
                              : LinearAction::RowsAndFeatures;
}

/// The action of a binary kind on one of two operands that are brought to the
/// rows of one space. A sum is not linear in one operand alone.
static Action actionOfBinary(BinaryKind kind, unsigned operand, Value lhs,
                             Value rhs, bool sameRows) {
  switch (kind) {
  case BinaryKind::Add:
  case BinaryKind::Sub:
    return std::nullopt;
  case BinaryKind::Copy:
    return LinearAction::Rows;
  case BinaryKind::Div:
    if (operand == 1)
      return std::nullopt;
    [[fallthrough]];
  case BinaryKind::Mul:
    return operand == 0 ? actionOfFactor(lhs, rhs, sameRows)
                        : actionOfFactor(rhs, lhs, sameRows);
  }
  return std::nullopt;
}

Action ApplyOp::getLinearAction(unsigned operand) {
  bool sameRows = getRowPaths()[operand].isIdentity();
  return actionOfBinary(getKind(), operand, getLhs(), getRhs(), sameRows);
}

/// With a vector a type it is a product with weights.
Action SddmmOp::getLinearAction(unsigned operand) {
  bool sameRows = getRowPaths()[operand].isIdentity();
  if (isTypeRows(getOperand(1 - operand).getType()) && sameRows)
    return LinearAction::FeaturesByType;
  return sameRows ? LinearAction::FeaturesByRow : LinearAction::RowsAndFeatures;
}

std::optional<ProductOperands> SddmmOp::getProductOperands() {
  bool left = isTypeRows(getLhs().getType());
  bool right = isTypeRows(getRhs().getType());
  if (left == right)
    return std::nullopt;
  return ProductOperands{left, right, std::nullopt, /*isVector=*/true,
                         left ? getLhsVia() : getRhsVia()};
}

Action SpmmOp::getLinearAction(unsigned operand) {
  if (getReduce() != ReduceKind::Sum && getReduce() != ReduceKind::Mean)
    return std::nullopt;
  return actionOfBinary(getKind(), operand, getLhs(), getRhs(),
                        /*sameRows=*/false);
}

/// The weights of the edges are fixed where value or factor vary alone.
Action AttentionOp::getLinearAction(unsigned operand) {
  unsigned value = getInputs().size();
  if (operand < value)
    return std::nullopt;
  bool scalars = operand == value && getScoreFeatures().empty();
  return scalars ? LinearAction::Rows : LinearAction::RowsAndFeatures;
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

Action DotOp::getLinearAction(unsigned operand) {
  if (getRows(getRhs().getType()))
    return LinearAction::FeaturesByRow;
  return operand == 0 ? LinearAction::Features : LinearAction::Weight;
}

std::optional<ProductOperands> DotOp::getProductOperands() {
  if (getRows(getRhs().getType()))
    return std::nullopt;
  return ProductOperands{0, 1, std::nullopt, /*isVector=*/true};
}

Action OuterRowsOp::getLinearAction(unsigned) {
  return LinearAction::FeaturesByRow;
}

Action DropoutOp::getLinearAction(unsigned operand) {
  return operand == 0 ? Action(LinearAction::FeaturesByRow) : std::nullopt;
}

Action BroadcastOp::getLinearAction(unsigned) {
  return getRows(getInput().getType()) ? LinearAction::Features
                                       : LinearAction::Weight;
}

/// Features that are summed as well are no matter of rows alone.
Action SumRowsOp::getLinearAction(unsigned) {
  if (!getRows(getInput().getType()))
    return LinearAction::Weight;
  bool keepsFeatures =
      getFeatures(getInput().getType()) == getType().getShape();
  return keepsFeatures ? LinearAction::Rows : LinearAction::RowsAndFeatures;
}

Action SliceOp::getLinearAction(unsigned) {
  return getRows(getInput().getType()) ? LinearAction::Features
                                       : LinearAction::Weight;
}

Action PadOp::getLinearAction(unsigned) {
  return getRows(getInput().getType()) ? LinearAction::Features
                                       : LinearAction::Weight;
}

Action ReshapeOp::getLinearAction(unsigned) {
  return getRows(getInput().getType()) ? LinearAction::Features
                                       : LinearAction::Weight;
}

/// The action of reducing a feature dimension.
static Action actionOfReduction(ReduceKind kind) {
  bool isLinear = kind == ReduceKind::Sum || kind == ReduceKind::Mean;
  return isLinear ? Action(LinearAction::Features) : std::nullopt;
}

Action ReduceHeadsOp::getLinearAction(unsigned) {
  return actionOfReduction(getKind());
}

Action ReduceFeaturesOp::getLinearAction(unsigned) {
  return actionOfReduction(getKind());
}

Action PickFeatureOp::getLinearAction(unsigned operand) {
  return operand == 0 ? Action(LinearAction::FeaturesByRow) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

StringRef gnn::detail::integerHasNoGradient(Operation *op, unsigned operand) {
  Type type = getElementTypeOrSelf(op->getOperand(operand).getType());
  return isFeatureType(type) ? "" : "integers have no gradient";
}

StringRef BatchNormOp::getNoGradientReason(unsigned operand) {
  bool isStatistic = operand == 1 || operand == 2;
  return isStatistic ? "running statistics are not trained" : "";
}

/// The answer of both kinds of loops that stand in no other, for all that their
/// bodies read.
static constexpr StringLiteral loopHasNoGradient =
    "loops have no gradient yet, only the ops on whole tensors that "
    "gnn-raise-loops makes of them";

StringRef ForEdgesOp::getNoGradientOfBodyReason() { return loopHasNoGradient; }

StringRef ForNodesOp::getNoGradientOfBodyReason() { return loopHasNoGradient; }
