//===- OverlayLayerOps.cpp - Layers of the overlay ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification. The ODS descriptions hold the labels that the comments below
// refer to.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Overlay/IR/Overlay.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::overlay;

#define GET_OP_CLASSES
#include "GNN/Dialect/Overlay/IR/OverlayLayerOps.cpp.inc"

/// The features of one row, or the numbers of a row without a row space.
static int64_t widthOf(Value value) {
  return getNumFeatures(getTensorType(value));
}

/// Checks that the functions behind a layer need nothing but an element.
static LogicalResult verifyElementwise(LayerOpInterface op) {
  ArrayAttr activations = op.getFusedActivations();
  if (!activations)
    return success();
  for (auto function : activations.getAsRange<ActAttr>())
    if (function.getKind() == overlay::ActivationKind::Divide ||
        function.getKind() == overlay::ActivationKind::Affine)
      return op->emitOpError("expected functions of one element, got ")
             << function;
  return success();
}

//===----------------------------------------------------------------------===//
// AggregateOp
//===----------------------------------------------------------------------===//

LayerType overlay::AggregateOp::getLayerType() { return LayerType::Aggregate; }

gnn::overlay::Aggregation overlay::AggregateOp::getAggregationKind() {
  return getAggregation().getValue();
}

LogicalResult overlay::AggregateOp::verify() {
  Aggregation kind = getAggregationKind();
  if (kind != Aggregation::Sum && kind != Aggregation::Max &&
      kind != Aggregation::Min) // C1
    return emitOpError("expected sum, max or min, got ") << toWord(kind);
  if (getInput().getType() != getResult().getType()) // C2
    return emitOpError("expected a result of ")
           << getInput().getType() << ", got " << getResult().getType();
  if (getInit() && widthOf(getInit()) != widthOf(getInput())) // C2
    return emitOpError("expected ")
           << widthOf(getInput()) << " numbers to begin with, got "
           << widthOf(getInit());
  if (getInit() && kind != Aggregation::Sum) // C3
    return emitOpError("expected numbers to begin with of a sum, got ")
           << toWord(kind);
  return verifyElementwise(*this); // C4
}

//===----------------------------------------------------------------------===//
// LinearOp
//===----------------------------------------------------------------------===//

LayerType LinearOp::getLayerType() { return LayerType::Linear; }

int64_t LinearOp::getInputFeatures() {
  return getTensorType(getWeight()).getDimSize(0);
}

LogicalResult LinearOp::verify() {
  auto weight = getTensorType(getWeight());
  if (widthOf(getInput()) < weight.getDimSize(0)) // C1
    return emitOpError("expected an input with at least ")
           << weight.getDimSize(0) << " features, got " << widthOf(getInput());
  if (widthOf(getResult()) != weight.getDimSize(1)) // C2
    return emitOpError("expected a result with ")
           << weight.getDimSize(1) << " features, got " << widthOf(getResult());
  if (getBias() && widthOf(getBias()) != weight.getDimSize(1)) // C2
    return emitOpError("expected a bias of ")
           << weight.getDimSize(1) << " numbers, got " << widthOf(getBias());
  return verifyElementwise(*this); // C3
}

//===----------------------------------------------------------------------===//
// VectorInnerOp, VectorAddOp
//===----------------------------------------------------------------------===//

LayerType VectorInnerOp::getLayerType() { return LayerType::VectorInner; }

LogicalResult VectorInnerOp::verify() {
  if (getSources().getType() != getDestinations().getType()) // C1
    return emitOpError("expected operands of one type, got ")
           << getSources().getType() << " and " << getDestinations().getType();
  if (getActivations() && getActivations()->size() > 2) // C3
    return emitOpError("expected at most 2 functions, got ")
           << getActivations()->size();
  return verifyElementwise(*this); // C2
}

LayerType VectorAddOp::getLayerType() { return LayerType::VectorAdd; }

LogicalResult VectorAddOp::verify() {
  return verifyElementwise(*this); // C1
}

//===----------------------------------------------------------------------===//
// ActivationOp, BatchNormOp
//===----------------------------------------------------------------------===//

LayerType ActivationOp::getLayerType() { return LayerType::Activation; }

LogicalResult ActivationOp::verify() {
  if (getActivations().empty()) // C1
    return emitOpError("expected a function");
  bool divides = false;
  unsigned affine = 0;
  for (auto [i, attr] : llvm::enumerate(getActivations())) {
    auto function = cast<ActAttr>(attr);
    affine += function.getKind() == overlay::ActivationKind::Affine;
    if (function.getKind() != overlay::ActivationKind::Divide)
      continue;
    divides = true;
    RankedTensorType input = getInput().getType();
    if (i != 0 || !isNodeRows(input)) // C2
      return emitOpError("expected divide to be the first function, of rows of "
                         "nodes");
    auto column =
        static_cast<int64_t>(function.getParameter().getValueAsDouble());
    if (getResult().getType() != withFeatures(input, {column}) ||
        column >= widthOf(getInput())) // C2
      return emitOpError("expected a result with ")
             << column << " features, those before the divisor, got "
             << getResult().getType();
  }
  if (!divides && getInput().getType() != getResult().getType()) // C3
    return emitOpError("expected a result of ")
           << getInput().getType() << ", got " << getResult().getType();
  if (affine > 1 || bool(affine) != bool(getScale()) ||
      bool(affine) != bool(getShift())) // C4
    return emitOpError("expected one scale and one shift for one affine");
  if (affine && (widthOf(getScale()) != widthOf(getResult()) ||
                 widthOf(getShift()) != widthOf(getResult()))) // C4
    return emitOpError("expected a scale and a shift of ")
           << widthOf(getResult()) << " numbers, got " << widthOf(getScale())
           << " and " << widthOf(getShift());
  return success();
}

LayerType BatchNormOp::getLayerType() { return LayerType::BatchNorm; }

LogicalResult BatchNormOp::verify() {
  if (widthOf(getScale()) != widthOf(getInput()) ||
      widthOf(getShift()) != widthOf(getInput())) // C1
    return emitOpError("expected a scale and a shift of ")
           << widthOf(getInput()) << " numbers, got " << widthOf(getScale())
           << " and " << widthOf(getShift());
  return success();
}

//===----------------------------------------------------------------------===//
// AssembleOp
//===----------------------------------------------------------------------===//

namespace {
/// A part of a matrix.
struct Patch {
  int64_t row, column, rows, columns;

  bool overlaps(const Patch &other) const {
    return row < other.row + other.rows && other.row < row + rows &&
           column < other.column + other.columns &&
           other.column < column + columns;
  }
};
} // namespace

/// The extents of a weight as a matrix with its last dimension as columns.
static std::pair<int64_t, int64_t> matrixOf(RankedTensorType type) {
  int64_t columns = type.getRank() ? type.getShape().back() : 1;
  return {columns ? type.getNumElements() / columns : 0, columns};
}

LogicalResult AssembleOp::verify() {
  ArrayRef<int64_t> numbers = getBlocks(), ones = getOnes();
  size_t inputs = getInputs().size();
  if (numbers.size() != 6 * inputs || getTransposed().size() != inputs ||
      ones.size() % 4 != 0) // C1
    return emitOpError("expected six numbers and one flag for each of ")
           << inputs << " inputs, and four for each block of ones";
  RankedTensorType type = getResult().getType();
  if (type.getRank() != 1 && type.getRank() != 2) // C4
    return emitOpError("expected a result of one or two dimensions, got ")
           << type;
  SmallVector<Patch> patches;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    ArrayRef<int64_t> block = numbers.slice(6 * i, 6);
    auto [rows, columns] = matrixOf(getTensorType(input));
    if (getTransposed()[i])
      std::swap(rows, columns);
    if (llvm::any_of(block, [](int64_t number) { return number < 0; }) ||
        block[0] > rows - block[4] || block[1] > columns - block[5]) // C2
      return emitOpError("expected a block within the ")
             << rows << " x " << columns << " numbers of input " << i;
    patches.push_back({block[2], block[3], block[4], block[5]});
  }
  for (size_t i = 0; i < ones.size(); i += 4)
    patches.push_back({ones[i], ones[i + 1], ones[i + 2], ones[i + 3]});
  auto [rows, columns] = matrixOf(type);
  for (auto [i, patch] : llvm::enumerate(patches)) {
    if (patch.row < 0 || patch.column < 0 || patch.rows < 0 ||
        patch.columns < 0 || patch.row > rows - patch.rows ||
        patch.column > columns - patch.columns) // C3
      return emitOpError("expected blocks within ")
             << rows << " x " << columns << ", got " << patch.rows << " x "
             << patch.columns << " at " << patch.row << ", " << patch.column;
    for (const Patch &other : ArrayRef(patches).take_front(i))
      if (patch.overlaps(other)) // C3
        return emitOpError("expected blocks apart from each other, got two at ")
               << patch.row << ", " << patch.column;
  }
  return success();
}
