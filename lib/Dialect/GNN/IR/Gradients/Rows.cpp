//===- Rows.cpp - Gradients along the paths between rows ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A path and its transpose: what is copied down the lattice is added up, what
// is added up is copied down.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

using namespace mlir;
using namespace gnn;

/// Rows of zeros, like those of `like` but of another graph and space.
static Value zeroRows(OpBuilder &builder, Location loc, RankedTensorType like,
                      RankedTensorType of, RowSpace space) {
  auto rows =
      RowsAttr::get(builder.getContext(), getRows(of).getGraph(), space);
  return GradientBuilder(builder, loc)
      .splat(
          RankedTensorType::get(like.getShape(), like.getElementType(), rows),
          0);
}

Value RebindRowsOp::buildTranspose(OpBuilder &builder, unsigned,
                                   Value gradient) {
  return RebindRowsOp::create(builder, getLoc(), getInput().getType(),
                              gradient);
}

Value RestrictRowsOp::buildTranspose(OpBuilder &builder, unsigned,
                                     Value gradient) {
  return ExpandRowsOp::create(builder, getLoc(), getInput().getType(),
                              gradient);
}

Value ExpandRowsOp::buildTranspose(OpBuilder &builder, unsigned operand,
                                   Value gradient) {
  auto part = cast<RankedTensorType>(getInputs()[operand].getType());
  auto graph = SymbolTable::lookupNearestSymbolFrom<GraphOp>(
      *this, getRows(part).getGraph());
  if (!graph.addsLoops())
    return RestrictRowsOp::create(builder, getLoc(), part, gradient);
  // New loops are rows of nothing here: their gradients are 0.
  Value zeros = zeroRows(builder, getLoc(), part, getType(), RowSpace::Node);
  return ExtendEdgesOp::create(builder, getLoc(), part, gradient, zeros);
}

LogicalResult ExpandRowsOp::buildGradient(OpBuilder &builder,
                                          ArrayRef<Value> gradients,
                                          const llvm::BitVector &asked,
                                          MutableArrayRef<Value> ofOperands) {
  for (unsigned operand : asked.set_bits())
    ofOperands[operand] = buildTranspose(builder, operand, gradients[0]);
  return success();
}

LogicalResult ExtendEdgesOp::buildGradient(OpBuilder &builder,
                                           ArrayRef<Value> gradients,
                                           const llvm::BitVector &asked,
                                           MutableArrayRef<Value> ofOperands) {
  if (asked.test(0))
    ofOperands[0] = ExpandRowsOp::create(builder, getLoc(),
                                         getEdges().getType(), gradients[0]);
  if (asked.test(1))
    ofOperands[1] = LoopRowsOp::create(builder, getLoc(), getNodes().getType(),
                                       gradients[0]);
  return success();
}

Value LoopRowsOp::buildTranspose(OpBuilder &builder, unsigned, Value gradient) {
  auto looped = getInput().getType();
  Value zeros = zeroRows(builder, getLoc(), looped, getType(), RowSpace::Edge);
  return ExtendEdgesOp::create(builder, getLoc(), looped, zeros, gradient);
}

Value PrefixRowsOp::buildTranspose(OpBuilder &builder, unsigned,
                                   Value gradient) {
  return ExtendRowsOp::create(builder, getLoc(), getInput().getType(),
                              gradient);
}

Value ExtendRowsOp::buildTranspose(OpBuilder &builder, unsigned,
                                   Value gradient) {
  return PrefixRowsOp::create(builder, getLoc(), getInput().getType(),
                              gradient);
}

Value GatherOp::buildTranspose(OpBuilder &builder, unsigned, Value gradient) {
  return GradientBuilder(builder, getLoc())
      .sumAlong(gradient, getRowPaths().front(), getInput().getType());
}

/// A row counts in the only group that it leads to.
Value PickOp::buildTranspose(OpBuilder &builder, unsigned, Value gradient) {
  GradientBuilder b(builder, getLoc());
  Value ones = PickOp::create(builder, getLoc(), getType(),
                              b.splat(getInput().getType(), 1), getArgument(),
                              getViaAttr());
  return b.sumAlong(b.mul(gradient, ones), getRowPaths().front(),
                    getInput().getType());
}

//===----------------------------------------------------------------------===//
// aggregate
//===----------------------------------------------------------------------===//

Value AggregateOp::buildTranspose(OpBuilder &builder, unsigned,
                                  Value gradient) {
  GradientBuilder b(builder, getLoc());
  RowPath path = getRowPaths().front();
  if (getKind() == ReduceKind::Mean)
    return b.shareOfMean(gradient, getInput().getType(), path);
  return b.readAlong(gradient, getInput().getType(), path);
}

Operation *AggregateOp::getWithGradientNeeds(OpBuilder &builder) {
  bool picks = getKind() == ReduceKind::Max || getKind() == ReduceKind::Min;
  if (!picks || getArgument())
    return *this;
  RankedTensorType type = getResult().getType();
  return AggregateOp::create(
      builder, getLoc(), type,
      withFeatures(type, getFeatures(type), builder.getI32Type()), getKind(),
      getInput(), getViaAttr());
}

LogicalResult AggregateOp::buildGradient(OpBuilder &builder,
                                         ArrayRef<Value> gradients,
                                         const llvm::BitVector &,
                                         MutableArrayRef<Value> ofOperands) {
  if (getLinearAction(0))
    ofOperands[0] = buildTranspose(builder, 0, gradients[0]);
  else
    ofOperands[0] = PickOp::create(builder, getLoc(), getInput().getType(),
                                   gradients[0], getArgument(), getViaAttr());
  return success();
}
