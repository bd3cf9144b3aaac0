//===- KeptLoops.cpp - Loops without an op on tensors ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops on integers and conditions stay in a loop, one for all that follow each
// other, between the tensors that they read and those that they give. No tensor
// holds integers and conditions, so that each loop that uses them computes
// them.
//
//===----------------------------------------------------------------------===//

#include "Lifting.h"

#include "GNN/Dialect/GNN/IR/Features.h"
#include "GNN/Dialect/GNN/IR/GNNLoopOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::loops;

static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>();
}

bool gnn::loops::mustStay(Operation *op) {
  if (isa<RowNumberOp>(op))
    return true;
  auto isNumber = [](Type type) {
    return isFeatureType(getElementTypeOrSelf(type));
  };
  return isElementwise(op) && !(llvm::all_of(op->getOperandTypes(), isNumber) &&
                                llvm::all_of(op->getResultTypes(), isNumber));
}

static ArrayRef<int64_t> featuresOf(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType()).getShape();
}

bool Lifter::canJoin(Frame &frame, Operation *op) {
  if (!isElementwise(op) && !isa<RowActivationOp, RowBroadcastOp>(op))
    return false;
  bool uses = llvm::any_of(op->getOperands(), [&](Value operand) {
    return frame.kept.contains(operand.getDefiningOp());
  });
  return uses && meet(featuresOf(op), frame.keptFeatures);
}

bool gnn::loops::mustFollow(Value value) {
  Operation *op = value.getDefiningOp();
  return op && mustStay(op) &&
         !isFeatureType(getElementTypeOrSelf(value.getType()));
}

LogicalResult Lifter::keep(Frame &frame, Operation *op) {
  if (!meet(featuresOf(op), frame.keptFeatures) && failed(flush(frame)))
    return failure();
  if (frame.kept.contains(op))
    return success();
  // A value that no tensor holds is computed again in each loop that uses it.
  for (Value operand : op->getOperands())
    if (mustFollow(operand) && failed(keep(frame, operand.getDefiningOp())))
      return failure();
  frame.kept.insert(op);
  if (featuresOf(op).size() > frame.keptFeatures.size())
    frame.keptFeatures = llvm::to_vector(featuresOf(op));
  return success();
}

RowLoopInterface gnn::loops::createLoop(OpBuilder &builder, Location loc,
                                        RowsAttr rows, TypeRange types) {
  Operation *loop;
  RowSpace space = rows.getSpace();
  if (space == RowSpace::Edge) {
    loop = ForEdgesOp::create(builder, loc, types, rows.getGraph());
  } else {
    EndPointAttr end;
    if (space != RowSpace::Node)
      end = EndPointAttr::get(builder.getContext(), space == RowSpace::Src
                                                        ? EndPoint::Src
                                                        : EndPoint::Dst);
    loop = ForNodesOp::create(builder, loc, types, rows.getGraph(), end);
  }
  Block &body = loop->getRegion(0).emplaceBlock();
  body.addArgument(RowType::get(builder.getContext(), rows.getGraph(), space),
                   loc);
  return cast<RowLoopInterface>(loop);
}

LogicalResult Lifter::prepareKept(Frame &frame, Value operand,
                                  Operation *user) {
  if (isa<RowType>(operand.getType()))
    return getRow(frame, operand, user);
  if (operand.getDefiningOp<arith::ConstantOp>())
    return success();
  FailureOr<Lifted> value = get(frame, operand);
  if (failed(value))
    return failure();
  // A weight that lacks dimensions is repeated before, but for a number.
  if (value->isWeight() && !value->tensor.getDefiningOp<arith::ConstantOp>() &&
      value->own() != ArrayRef<int64_t>(value->features))
    set(frame, operand, materialize(frame, user->getLoc(), *value));
  return success();
}

Value Lifter::readKept(Frame &frame, OpBuilder &inside, Value operand,
                       Value row, Operation *user) {
  Location loc = user->getLoc();
  if (auto type = dyn_cast<RowType>(operand.getType())) {
    RowPath path = *getRow(frame, operand, user);
    if (path.isIdentity())
      return row;
    auto via = path.via ? EndPointAttr::get(type.getContext(), *path.via)
                        : EndPointAttr();
    return FollowOp::create(inside, loc, type, row, via);
  }
  if (Operation *constant = operand.getDefiningOp<arith::ConstantOp>())
    return inside.clone(*constant)->getResult(0);
  Lifted value = *get(frame, operand);
  auto type = cast<RankedTensorType>(operand.getType());
  if (value.isWeight() && value.own() == type.getShape())
    return value.tensor;
  if (value.isWeight()) { // a number
    auto constant = value.tensor.getDefiningOp<arith::ConstantOp>();
    auto number = cast<DenseElementsAttr>(constant.getValue());
    return arith::ConstantOp::create(
        inside, loc,
        DenseElementsAttr::get(type, number.getSplatValue<Attribute>()));
  }
  auto via = value.path.via
                 ? EndPointAttr::get(type.getContext(), *value.path.via)
                 : EndPointAttr();
  auto own = RankedTensorType::get(value.own(), type.getElementType());
  Value read = ReadOp::create(inside, loc, own, value.tensor, row, via);
  if (own == type)
    return read;
  return RowBroadcastOp::create(inside, loc, type, read);
}

/// Whether anything but `kept` reads `value`, or may compute again what does.
static bool isReadElsewhere(Value value,
                            const llvm::SetVector<Operation *> &kept) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (!kept.contains(user))
      return true;
    Value result = user->getResult(0);
    return mustFollow(result) && isReadElsewhere(result, kept);
  });
}

LogicalResult Lifter::flush(Frame &frame) {
  llvm::SetVector<Operation *> kept = std::move(frame.kept);
  frame.kept.clear();
  frame.keptFeatures.clear();
  if (kept.empty())
    return success();
  SmallVector<Value> given;
  for (Operation *op : kept) {
    for (Value operand : op->getOperands())
      if (!kept.contains(operand.getDefiningOp()) &&
          failed(prepareKept(frame, operand, op)))
        return failure();
    Value result = op->getResult(0);
    if (!mustFollow(result) && isReadElsewhere(result, kept))
      given.push_back(result);
  }
  if (given.empty())
    return success();
  SmallVector<Type> types;
  for (Value value : given) {
    auto type = cast<RankedTensorType>(value.getType());
    types.push_back(typeOf(frame, type.getShape(), type.getElementType()));
  }
  Location loc = kept.front()->getLoc();
  RowLoopInterface loop = createLoop(builder, loc, frame.rows, types);
  Value row = loop.getLoopRow();
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getLoopBody());
  IRMapping mapping;
  for (Operation *op : kept) {
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, readKept(frame, inside, operand, row, op));
    inside.clone(*op, mapping);
  }
  SmallVector<Value> values;
  for (Value value : given)
    values.push_back(mapping.lookup(value));
  SmallVector<std::optional<ReduceKind>> reductions(values.size());
  SmallVector<std::optional<EndPoint>> ends(values.size());
  YieldOp::create(inside, loc, values, reductions, ends);
  for (auto [value, tensor] : llvm::zip(given, loop->getResults()))
    set(frame, value, tensor);
  return success();
}
