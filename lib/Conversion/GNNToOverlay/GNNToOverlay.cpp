//===- GNNToOverlay.cpp - Layers of the overlay ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass, and the values that it goes through.
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

#include "GNN/Conversion/Passes.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_CONVERTGNNTOGNNOVERLAY
#include "GNN/Conversion/Passes.h.inc"
} // namespace gnn

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

RankedTensorType Converter::rowsType(int64_t features) const {
  return RankedTensorType::get(
      {ShapedType::kDynamic, features}, Float32Type::get(builder.getContext()),
      RowsAttr::get(builder.getContext(), graph, RowSpace::Node));
}

RankedTensorType Converter::edgeType() const {
  return RankedTensorType::get(
      {ShapedType::kDynamic}, Float32Type::get(builder.getContext()),
      RowsAttr::get(builder.getContext(), graph, RowSpace::Edge));
}

bool Converter::isNumbers(Value value) const {
  auto type = getTensorType(value);
  return getRowSpace(type) == RowSpace::Edge &&
         !messageOfValue.contains(value) &&
         (getFeatures(type).size() <= 1 || numbersOfValue.contains(value));
}

Value Converter::rowsOf(Operation *op, Value value) {
  if (Value rows = rowsOfValue.lookup(value))
    return rows;
  auto type = getTensorType(value);
  if (getRowSpace(type) != RowSpace::Node || !type.getElementType().isF32()) {
    refuse(op) << "expected f32 rows of nodes, got " << type;
    return nullptr;
  }
  if (FlatSymbolRefAttr of = getRows(type).getGraph();
      !overlay::haveSameNodes(func, graph, of)) {
    refuse(op) << "expected rows of the nodes of @" << graph.getValue()
               << ", got those of @" << of.getValue();
    return nullptr;
  }
  // An argument, or rows that are computed of the graph alone.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  RankedTensorType flat = withFeatures(type, {getNumFeatures(type)});
  Value rows = value;
  if (type != flat)
    rows = ReshapeOp::create(builder, value.getLoc(), flat, rows);
  if (RankedTensorType there = rowsType(getNumFeatures(type)); there != flat)
    rows = RebindRowsOp::create(builder, value.getLoc(), there, rows);
  return rowsOfValue[value] = rows;
}

FailureOr<EdgeNumbers> Converter::numbersOf(Operation *op, Value value) {
  if (auto it = numbersOfValue.find(value); it != numbersOfValue.end())
    return it->second;
  auto type = getTensorType(value);
  if (dependsOnRows(value) || !isNumbers(value) ||
      !type.getElementType().isF32() || getRows(type).getGraph() != graph)
    return refuse(op) << "expected an f32 number for each edge of " << graph
                      << ", got " << type;
  EdgeNumbers numbers;
  int64_t heads = getNumFeatures(type);
  for (int64_t head = 0; head < heads; ++head) {
    Value number = value;
    if (heads > 1)
      number = SliceOp::create(builder, op->getLoc(), withFeatures(type, {1}),
                               number, head);
    if (getTensorType(number) != edgeType())
      number = ReshapeOp::create(builder, op->getLoc(), edgeType(), number);
    numbers.heads.push_back(number);
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

bool Converter::readsRows(Operation &op) const {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegions(), captured);
  auto depends = [&](Value value) { return dependsOnRows(value); };
  return llvm::any_of(op.getOperands(), depends) ||
         llvm::any_of(captured, depends);
}

/// The graph that rows of edges, which depend on rows of nodes, belong to; that
/// of rows of nodes where there are none.
LogicalResult Converter::findGraph() {
  FlatSymbolRefAttr ofNodes;
  for (BlockArgument argument : func.getArguments())
    if (auto space = getRowSpace(argument.getType());
        space && space != RowSpace::Edge) {
      dependent.insert(argument);
      if (space == RowSpace::Node && !ofNodes)
        ofNodes = getRows(argument.getType()).getGraph();
    }
  for (Operation &op : func.front().without_terminator()) {
    if (!readsRows(op))
      continue;
    dependent.insert(op.getResults().begin(), op.getResults().end());
    for (Type type :
         llvm::concat<const Type>(llvm::to_vector(op.getOperandTypes()),
                                  llvm::to_vector(op.getResultTypes()))) {
      if (getRowSpace(type) != RowSpace::Edge && !isa<SpmmOp>(op))
        continue;
      FlatSymbolRefAttr of = getRows(type).getGraph();
      if (graph && of != graph)
        return refuse(&op) << "expected edges of one graph, got @"
                           << graph.getValue() << " and @" << of.getValue();
      graph = of;
    }
  }
  if (!graph)
    graph = ofNodes;
  return success();
}

LogicalResult Converter::convert(Operation &op) {
  builder.setInsertionPoint(&op);
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](LinearOp op) { return convertLinear(op); })
      .Case([&](DotOp op) { return convertDot(op); })
      .Case([&](ActivationOp op) { return convertActivation(op); })
      .Case([&](BatchNormOp op) { return convertBatchNorm(op); })
      .Case([&](arith::AddFOp op) { return convertAdd(op); })
      .Case([&](arith::MulFOp op) { return convertMul(op); })
      .Case([&](ReduceHeadsOp op) { return convertReduceHeads(op); })
      .Case([&](ReshapeOp op) { return convertReshape(op); })
      .Case([&](RebindRowsOp op) { return convertRebind(op); })
      .Case([&](GatherOp op) { return convertGather(op); })
      .Case([&](ApplyOp op) { return convertApply(op); })
      .Case([&](SddmmOp op) { return convertSddmm(op); })
      .Case([&](EdgeSoftmaxOp op) { return convertSoftmax(op); })
      .Case([&](AggregateOp op) { return convertAggregate(op); })
      .Case([&](SpmmOp op) { return convertSpmm(op); })
      .Default([&](Operation *op) {
        return refuse(op) << "expected products, sums over edges, scores, "
                             "additions and functions of rows of nodes, got '"
                          << op->getName() << "'";
      });
}

LogicalResult Converter::convertReturn(func::ReturnOp op) {
  builder.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!dependsOnRows(value))
      return refuse(op) << "result " << operand.getOperandNumber()
                        << " does not depend on rows of nodes";
    if (auto it = numbersOfValue.find(value); it != numbersOfValue.end()) {
      if (it->second.isSoftmax || getTensorType(value) != edgeType())
        return refuse(op) << "expected rows of nodes or one number for each "
                             "edge as a result, got "
                          << value.getType();
      operand.set(it->second.heads.front());
      continue;
    }
    if (messageOfValue.contains(value))
      return refuse(op) << "expected rows of nodes or one number for each edge "
                           "as a result, got "
                        << value.getType();
    Value rows = rowsOf(op, value);
    if (!rows)
      return failure();
    if (!rows.getDefiningOp<overlay::LayerOpInterface>())
      return refuse(op) << "result " << operand.getOperandNumber()
                        << " is an argument";
    auto type = getTensorType(value);
    RankedTensorType flat = withFeatures(type, {getNumFeatures(type)});
    if (rows.getType() != flat)
      rows = RebindRowsOp::create(builder, op.getLoc(), flat, rows);
    if (type != flat)
      rows = ReshapeOp::create(builder, op.getLoc(), type, rows);
    operand.set(rows);
  }
  return success();
}

/// Has a layer that was there before read layers.
LogicalResult Converter::reconnect(Operation *layer) {
  builder.setInsertionPoint(layer);
  for (OpOperand &operand : layer->getOpOperands()) {
    Value value = operand.get();
    Operation *producer = value.getDefiningOp();
    if (!dependsOnRows(value) || !producer ||
        isa<overlay::OverlayDialect>(producer->getDialect()))
      continue;
    Value converted;
    if (getRowSpace(value.getType()) == RowSpace::Edge) {
      FailureOr<EdgeNumbers> numbers = numbersOf(layer, value);
      if (failed(numbers))
        return failure();
      if (!numbers->isSoftmax && numbers->heads.size() == 1)
        converted = numbers->heads.front();
    } else {
      converted = rowsOf(layer, value);
      if (!converted)
        return failure();
    }
    if (!converted || converted.getType() != value.getType())
      return refuse(layer) << "expected an operand that is a layer, got "
                           << value.getType();
    operand.set(converted);
  }
  return success();
}

LogicalResult Converter::run() {
  if (!llvm::hasSingleElement(func.getBody()))
    return emitError(func.getLoc(), "has no overlay layer: expected one block");
  if (failed(findGraph()))
    return failure();
  if (dependent.empty())
    return success(); // of weights and the graph alone
  auto returned = dyn_cast<func::ReturnOp>(func.front().getTerminator());
  if (!returned)
    return emitError(func.getLoc(), "has no overlay layer: expected a return");
  SmallVector<Operation *> dependents, converted;
  for (Operation &op : func.front().without_terminator())
    if (readsRows(op))
      dependents.push_back(&op);
  for (Operation *op : dependents) {
    bool isLayer = isa_and_nonnull<overlay::OverlayDialect>(op->getDialect());
    if (failed(isLayer ? reconnect(op) : convert(*op)))
      return failure();
    if (!isLayer)
      converted.push_back(op);
  }
  if (failed(convertReturn(returned)))
    return failure();
  // Products that read rows of which others read ones too read the same rows.
  for (auto [rows, wider] : withOnes)
    for (OpOperand &use : llvm::make_early_inc_range(rows.getUses()))
      if (isa<overlay::LinearOp>(use.getOwner()) &&
          rows.getDefiningOp<overlay::LinearOp>())
        use.set(wider);
  for (Operation *op : llvm::reverse(converted))
    op->erase();
  // Layers that nobody reads now.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  return success();
}

namespace {
struct ConvertGNNToGNNOverlay
    : gnn::impl::ConvertGNNToGNNOverlayBase<ConvertGNNToGNNOverlay> {
  void runOnOperation() override {
    if (!getOperation().isExternal() && failed(Converter(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
