//===- GNNRowWise.cpp - Ops that can move to other rows -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"

using namespace mlir;
using namespace gnn;

/// The path from the rows of the result of `op` to those of an operand.
static RowPath pathToOperand(Operation *op, unsigned operand,
                             std::optional<EndPoint> via) {
  return {*getRowSpace(op->getResult(0).getType()),
          *getRowSpace(op->getOperand(operand).getType()), via};
}

std::optional<RowPath> gnn::detail::pathToOwnRows(Operation *op,
                                                  unsigned operand) {
  std::optional<RowSpace> space =
      getRowSpace(op->getOperand(operand).getType());
  if (!space)
    return std::nullopt;
  return RowPath{*space, *space, std::nullopt};
}

bool gnn::isRowWise(Operation *op) {
  if (op->getNumResults() != 1 || !getRows(op->getResult(0).getType()))
    return false;
  return isa<RowWiseOpInterface>(op) || op->hasTrait<OpTrait::Elementwise>();
}

std::optional<RowPath> gnn::getOperandPath(OpOperand &operand) {
  if (auto op = dyn_cast<RowWiseOpInterface>(operand.getOwner()))
    return op.getOperandPath(operand.getOperandNumber());
  return detail::pathToOwnRows(operand.getOwner(), operand.getOperandNumber());
}

//===----------------------------------------------------------------------===//
// Ops whose operands may be in other row spaces
//===----------------------------------------------------------------------===//

std::optional<RowPath> GatherOp::getOperandPath(unsigned operand) {
  return pathToOperand(*this, operand, getVia());
}

bool GatherOp::mayLeadElsewhere(unsigned) { return true; }

void GatherOp::setOperandEnd(unsigned, std::optional<EndPoint> end) {
  setVia(end);
}

/// The input is in the rows of the result, weight and bias are in type rows.
std::optional<RowPath> TypedLinearOp::getOperandPath(unsigned operand) {
  return pathToOperand(*this, operand, operand == 0 ? std::nullopt : getVia());
}

bool TypedLinearOp::mayLeadElsewhere(unsigned operand) { return operand != 0; }

void TypedLinearOp::setOperandEnd(unsigned, std::optional<EndPoint> end) {
  setVia(end);
}

std::optional<RowPath> ApplyOp::getOperandPath(unsigned operand) {
  return pathToOperand(*this, operand,
                       operand == 0 ? getLhsVia() : getRhsVia());
}

bool ApplyOp::mayLeadElsewhere(unsigned) { return true; }

void ApplyOp::setOperandEnd(unsigned operand, std::optional<EndPoint> end) {
  operand == 0 ? setLhsVia(end) : setRhsVia(end);
}

std::optional<RowPath> SddmmOp::getOperandPath(unsigned operand) {
  return pathToOperand(*this, operand,
                       operand == 0 ? getLhsVia() : getRhsVia());
}

bool SddmmOp::mayLeadElsewhere(unsigned) { return true; }

void SddmmOp::setOperandEnd(unsigned operand, std::optional<EndPoint> end) {
  operand == 0 ? setLhsVia(end) : setRhsVia(end);
}
