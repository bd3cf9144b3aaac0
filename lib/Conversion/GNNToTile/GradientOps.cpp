//===- GradientOps.cpp - Ops that gradients need --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pick, pick_feature, expand_rows, extend_rows, and rows of new self loops:
// traversals of rows.
//
//===----------------------------------------------------------------------===//

#include "OpLowerings.h"

#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;
using namespace gnn;
using tile::Anchor;
using tile::AtAttr;
using tile::Dim;

static Value zeroOf(OpBuilder &b, Location loc, Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

/// `value` where `index` is `expected`, else 0.
static Value whereEqual(OpBuilder &b, Location loc, Value index, Value expected,
                        Value value) {
  Value taken =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, index, expected);
  return arith::SelectOp::create(b, loc, taken, value,
                                 zeroOf(b, loc, value.getType()));
}

/// A row is compared by its number in the user's order, wherever it lies.
static LogicalResult lowerPick(PickOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  LoweredRows result = lowering.describe(op.getType());
  SmallVector<int64_t> dims = walkedDims(result.features);
  result.features = dims;
  tile::RowDomain domain = result.getDomain(), user = domain.getNatural();
  auto row =
      AtAttr::get(op.getContext(), Anchor::Group,
                  user == domain ? tile::RowDomain() : user, false, false, 0);
  SmallVector<Input> inputs;
  for (Value operand : op->getOperands())
    inputs.push_back(
        lowering.leading(lowering.reshape(loc, lowering.view(operand), dims),
                         result, op.getVia()));
  lowering.setRowwise(op, result, dims, inputs,
                      [&](OpBuilder &b, Location loc, ValueRange args) {
                        Value number =
                            tile::IndexOp::create(b, loc, b.getI32Type(), row);
                        return whereEqual(b, loc, number, args[1], args[0]);
                      });
  return success();
}

/// The first head or feature, by number, that has the extreme or is NaN: if one
/// is, the extreme is.
static LogicalResult lowerPickFeature(PickFeatureOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  bool overHeads = op.getOver() == FeatureDim::Heads;
  LoweredRows result = lowering.describe(op.getType());
  SmallVector<int64_t> dims(result.features);
  LoweredRows input = lowering.view(op.getInput()),
              of = lowering.view(op.getOf());
  if (dims.size() > 2) {
    dims = {sizeOf(ArrayRef(dims).drop_back()), dims.back()};
    input = lowering.reshape(loc, input, {dims[0]});
    of = lowering.reshape(loc, of, dims);
  }
  result.features = dims;
  Input read = lowering.leading(input, result);
  if (overHeads)
    read = {input, lowering.access(input, Anchor::Group, result.getDomain(), {},
                                   /*head=*/false, /*feature=*/true)};
  Dim over = overHeads ? Dim::Head : Dim::Feature;
  auto column =
      AtAttr::get(op.getContext(), Anchor::All, {}, overHeads, !overHeads, 0);
  lowering.setRowwise(
      op, result, dims, {read, lowering.leading(of, result)},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        using P = arith::CmpFPredicate;
        Value value = args[1];
        Value extreme =
            emitReduce(b, loc, reductionOf(op.getKind()), over, value);
        Value has = arith::OrIOp::create(
            b, loc, arith::CmpFOp::create(b, loc, P::OEQ, value, extreme),
            arith::CmpFOp::create(b, loc, P::UNO, value, value));
        Value number = tile::IndexOp::create(b, loc, b.getI32Type(), column);
        Value none = arith::ConstantOp::create(
            b, loc, b.getI32IntegerAttr(std::numeric_limits<int32_t>::max()));
        Value first =
            emitReduce(b, loc, tile::Reduction::Min, over,
                       arith::SelectOp::create(b, loc, has, number, none));
        return whereEqual(b, loc, number, first, args[0]);
      });
  return success();
}

/// Rows of zeros, in `output`.
static Value zeros(Lowering &lowering, Location loc, const LoweredRows &rows,
                   Type element, Value output) {
  size_t dims = rows.features.size();
  return lowering.traverse(
      loc, rows.graph, lowering.domainOf(rows.getDomain(), {}, rows.features),
      {}, output, lowering.leadingAt(Anchor::Group, dims, dims),
      [&](OpBuilder &b, Location loc, ValueRange) {
        return zeroOf(b, loc, element);
      });
}

/// Writes the rows of a value into `result`, whose features are two at most;
/// `written` are the rows of `result` that those lead to, on another graph with
/// the same rows if one is given.
static Value writeAmong(Lowering &lowering, Location loc, Value input,
                        Value result, tile::RowDomain written,
                        ArrayRef<int64_t> dims, FlatSymbolRefAttr graph = {}) {
  LoweredRows rows = lowering.reshape(loc, lowering.view(input), dims);
  AtAttr at = lowering.leadingAt(Anchor::Group, dims.size(), dims.size());
  at = AtAttr::get(lowering.builder.getContext(), Anchor::Group, written,
                   at.getHead(), at.getFeature(), 0);
  tile::RowDomain domain =
      lowering.describe(cast<RankedTensorType>(input.getType())).getDomain();
  return lowering.traverse(
      loc, graph ? graph : rows.graph, lowering.domainOf(domain, {}, dims),
      {lowering.leading(rows, Anchor::Group, domain, {}, dims.size())}, result,
      at, copied);
}

/// The first graph of these rows that has new self loops; null if none has.
static FlatSymbolRefAttr findLooped(Operation *op, TypeRange types) {
  for (Type type : types) {
    FlatSymbolRefAttr name = getRows(type).getGraph();
    if (SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, name).addsLoops())
      return name;
  }
  return nullptr;
}

/// A new tensor for the rows of all edges of the graph that `looped` is derived
/// from, in this order, and behind them of new loops.
static Value emptyWithLoops(Lowering &lowering, Location loc,
                            FlatSymbolRefAttr looped, ArrayRef<int64_t> dims,
                            Type element, tile::RowDomain order) {
  LoweredRows rows;
  rows.graph = looped;
  rows.space = Space::ParentEdge;
  rows.features.assign(dims.begin(), dims.end());
  return lowering.empty(loc, rows, element, order);
}

static LogicalResult lowerExpand(ExpandRowsOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  Type element = op.getType().getElementType();
  LoweredRows result = lowering.describe(op.getType());
  OrderedSpace rows = result.getDomain().get();
  tile::RowDomain written = OrderedSpace{*ofParent(rows.space), rows.order};
  result.features = walkedDims(result.features);
  // New loops are written behind the rows that are asked for.
  FlatSymbolRefAttr looped = findLooped(op, op.getInputs().getTypes());
  result.isPrefix = looped != nullptr;
  result.tensor =
      looped ? zeros(lowering, loc, result, element,
                     emptyWithLoops(lowering, loc, looped, result.features,
                                    element, result.getDomain()))
             : zeros(lowering, loc, result, element,
                     lowering.empty(loc, result, element));
  for (Value input : op.getInputs())
    result.tensor = writeAmong(lowering, loc, input, result.tensor, written,
                               result.features);
  lowering.set(op, result);
  return success();
}

static LogicalResult lowerExtend(ExtendRowsOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  LoweredRows result = lowering.describe(op.getType()),
              input = lowering.describe(op.getInput().getType());
  requireCount(lowering, loc, input, result, /*atMost=*/true);
  tile::RowDomain written = result.getDomain();
  result.features = walkedDims(result.features);
  Type element = op.getType().getElementType();
  Value among = zeros(lowering, loc, result, element,
                      lowering.empty(loc, result, element));
  result.tensor =
      writeAmong(lowering, loc, op.getInput(), among, written, result.features);
  lowering.set(op, result);
  return success();
}

//===----------------------------------------------------------------------===//
// Rows of new self loops
//===----------------------------------------------------------------------===//

/// The output of the template that computes a tensor, if that is a new one and
/// nothing reads the tensor yet; null else.
static OpOperand *findNewOutput(Value tensor) {
  if (!tensor.use_empty())
    return nullptr;
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
      tensor.getDefiningOp())) {
    tensor = tensor.getDefiningOp()->getOperand(0);
    if (!tensor.hasOneUse())
      return nullptr;
  }
  if (!isa_and_nonnull<tile::TileOpInterface>(tensor.getDefiningOp()))
    return nullptr;
  auto result = cast<OpResult>(tensor);
  OpOperand *output = cast<DestinationStyleOpInterface>(result.getOwner())
                          .getTiedOpOperand(result);
  auto made = output->get().getDefiningOp<tensor::EmptyOp>();
  return made && made->hasOneUse() ? output : nullptr;
}

/// The rows of edges, of which nothing else is asked, are computed in a tensor
/// with room for those of new loops, or else copied there.
static Value withLoopRows(Lowering &lowering, ExtendEdgesOp op,
                          FlatSymbolRefAttr looped, ArrayRef<int64_t> dims) {
  Location loc = op.getLoc();
  OpOperand *output = op.getEdges().hasOneUse()
                          ? findNewOutput(lowering.view(op.getEdges()).tensor)
                          : nullptr;
  if (output) {
    auto made = cast<tensor::EmptyOp>(output->get().getDefiningOp());
    OpBuilder::InsertionGuard guard(lowering.builder);
    lowering.builder.setInsertionPoint(made);
    Value count = tile::CountOp::create(
        lowering.builder, loc, lowering.builder.getIndexType(),
        looped.getValue(), CountKey::count(Space::ParentEdge));
    output->set(
        tensor::EmptyOp::create(lowering.builder, loc, made.getType(), count));
    made.erase();
    return lowering.reshape(loc, lowering.view(op.getEdges()), dims).tensor;
  }
  LoweredRows edges = lowering.reshape(loc, lowering.view(op.getEdges()), dims);
  tile::RowDomain order = edges.getDomain();
  return lowering.traverse(
      loc, edges.graph, lowering.domainOf(order, {}, dims),
      {lowering.leading(edges, Anchor::Group, order, {}, dims.size())},
      emptyWithLoops(lowering, loc, looped, dims, op.getType().getElementType(),
                     order),
      lowering.leadingAt(Anchor::Group, dims.size(), dims.size()), copied);
}

/// Whoever reads the rows reads those of the parent's edges, and behind them
/// those of new loops.
static LogicalResult lowerExtendEdges(ExtendEdgesOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  LoweredRows result = lowering.describe(op.getType());
  SmallVector<int64_t> dims = walkedDims(result.features);
  result.features = dims;
  result.space = Space::ParentEdge;
  result.tensor = withLoopRows(lowering, op, result.graph, dims);
  result.tensor = writeAmong(lowering, loc, op.getNodes(), result.tensor,
                             Space::ParentLoop, dims, result.graph);
  lowering.set(op, result);
  return success();
}

/// The edges into a node are searched for the one that is its new loop.
static LogicalResult lowerLoopRows(LoopRowsOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  LoweredRows result = lowering.describe(op.getType());
  SmallVector<int64_t> dims = walkedDims(result.features);
  result.features = dims;
  tile::RowDomain elements =
      lowering.elementsOf(result.getDomain(), RowSpace::Edge);
  LoweredRows input = lowering.reshape(loc, lowering.view(op.getInput()), dims);
  auto at = [&](Anchor anchor, Space space) {
    return AtAttr::get(op.getContext(), anchor, space, false, false, 0);
  };
  result.tensor = lowering.traverse(
      loc, input.graph, lowering.domainOf(result.getDomain(), elements, dims),
      {lowering.leading(input, Anchor::Element, elements, {}, dims.size())},
      lowering.empty(loc, result, op.getType().getElementType()),
      lowering.leadingAt(Anchor::Group, dims.size(), dims.size()),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value edge = tile::IndexOp::create(
            b, loc, b.getI32Type(), at(Anchor::Element, Space::ParentEdge));
        Value loop = tile::IndexOp::create(
            b, loc, b.getI32Type(), at(Anchor::Group, Space::ParentLoop));
        return emitReduce(b, loc, tile::Reduction::Sum, Dim::Element,
                          whereEqual(b, loc, edge, loop, args[0]));
      });
  lowering.set(op, result);
  return success();
}

void gnn::registerGradientLowerings(DialectRegistry &registry) {
  registerLowerings<GNNDialect, lowerPick, lowerPickFeature, lowerExpand,
                    lowerExtend, lowerExtendEdges, lowerLoopRows>(registry);
}
