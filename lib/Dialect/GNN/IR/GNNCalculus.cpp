//===- GNNCalculus.cpp - In what ops are linear and differentiable --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNN.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;

/// What an op answers about one of its operands.
using Action = std::optional<LinearAction>;

//===----------------------------------------------------------------------===//
// Paths: matrices from the left
//===----------------------------------------------------------------------===//

Action RebindRowsOp::getLinearAction(unsigned) { return LinearAction::Rows; }

Action RestrictRowsOp::getLinearAction(unsigned) { return LinearAction::Rows; }

Action PrefixRowsOp::getLinearAction(unsigned) { return LinearAction::Rows; }

Action GatherOp::getLinearAction(unsigned) { return LinearAction::Rows; }

Action AggregateOp::getLinearAction(unsigned) {
  bool isLinear = getKind() == ReduceKind::Sum || getKind() == ReduceKind::Mean;
  return isLinear ? Action(LinearAction::Rows) : std::nullopt;
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

Action OuterOp::getLinearAction(unsigned) {
  return LinearAction::RowsAndFeatures;
}

Action TypedOuterOp::getLinearAction(unsigned) {
  return LinearAction::RowsAndFeatures;
}

Action WeightProductOp::getLinearAction(unsigned) {
  return LinearAction::Weight;
}

Action WeightCombineOp::getLinearAction(unsigned) {
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

Action SddmmOp::getLinearAction(unsigned operand) {
  return getRowPaths()[operand].isIdentity() ? LinearAction::FeaturesByRow
                                             : LinearAction::RowsAndFeatures;
}

Action SpmmOp::getLinearAction(unsigned operand) {
  if (getReduce() != ReduceKind::Sum && getReduce() != ReduceKind::Mean)
    return std::nullopt;
  return actionOfBinary(getKind(), operand, getLhs(), getRhs(),
                        /*sameRows=*/false);
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

Action DotOp::getLinearAction(unsigned operand) {
  if (getRows(getRhs().getType()))
    return LinearAction::FeaturesByRow;
  return operand == 0 ? LinearAction::Features : LinearAction::Weight;
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

Action SliceOp::getLinearAction(unsigned) { return LinearAction::Features; }

Action ReshapeOp::getLinearAction(unsigned) { return LinearAction::Features; }

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
