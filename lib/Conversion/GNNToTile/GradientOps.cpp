//===- GradientOps.cpp - Ops that gradients need --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pick, pick_feature, expand_rows, extend_rows, and rows of new self loops:
// traversals of rows.
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/GNNToTile.h"
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
LogicalResult Lowering::lowerPick(PickOp op) {
  Location loc = op.getLoc();
  LoweredRows result = describe(op.getType());
  SmallVector<int64_t> full(result.features), dims = walkedDims(full);
  result.features = dims;
  tile::RowDomain domain = result.getDomain(), user = domain.getNatural();
  auto row =
      AtAttr::get(builder.getContext(), Anchor::Group,
                  user == domain ? tile::RowDomain() : user, false, false, 0);
  SmallVector<Input> inputs;
  for (Value operand : op->getOperands())
    inputs.push_back(leading(reshape(loc, view(operand), dims), Anchor::Group,
                             domain, op.getVia(), dims.size()));
  result.tensor =
      rowwise(loc, result, op.getType().getElementType(), dims, inputs,
              [&](OpBuilder &b, Location loc, ValueRange args) {
                Value number =
                    tile::IndexOp::create(b, loc, b.getI32Type(), row);
                return whereEqual(b, loc, number, args[1], args[0]);
              });
  set(op.getResult(), reshape(loc, result, full));
  return success();
}

/// The first head or feature, by number, that has the extreme or is NaN: if one
/// is, the extreme is.
LogicalResult Lowering::lowerPickFeature(PickFeatureOp op) {
  Location loc = op.getLoc();
  bool overHeads = op.getOver() == FeatureDim::Heads;
  LoweredRows result = describe(op.getType());
  SmallVector<int64_t> full(result.features), dims(full);
  LoweredRows input = view(op.getInput()), of = view(op.getOf());
  if (dims.size() > 2) {
    dims = {sizeOf(ArrayRef<int64_t>(full).drop_back()), full.back()};
    input = reshape(loc, input, {dims[0]});
    of = reshape(loc, of, dims);
  }
  result.features = dims;
  tile::RowDomain domain = result.getDomain();
  Input read = leading(input, Anchor::Group, domain, {}, dims.size());
  if (overHeads)
    read = {input, access(input, Anchor::Group, domain, {}, /*head=*/false,
                          /*feature=*/true)};
  Dim over = overHeads ? Dim::Head : Dim::Feature;
  auto column = AtAttr::get(builder.getContext(), Anchor::All, {}, overHeads,
                            !overHeads, 0);
  result.tensor = rowwise(
      loc, result, op.getType().getElementType(), dims,
      {read, leading(of, Anchor::Group, domain, {}, dims.size())},
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
  set(op.getResult(), reshape(loc, result, full));
  return success();
}

Value Lowering::zeros(Location loc, const LoweredRows &rows, Type element,
                      Value output) {
  size_t dims = rows.features.size();
  return traverse(loc, rows.graph,
                  domainOf(rows.getDomain(), {}, rows.features), {}, output,
                  leadingAt(Anchor::Group, dims, dims),
                  [&](OpBuilder &b, Location loc, ValueRange) {
                    return zeroOf(b, loc, element);
                  });
}

Value Lowering::writeAmong(Location loc, Value input, Value result,
                           tile::RowDomain written, ArrayRef<int64_t> dims,
                           FlatSymbolRefAttr graph) {
  LoweredRows rows = reshape(loc, view(input), dims);
  AtAttr at = leadingAt(Anchor::Group, dims.size(), dims.size());
  at = AtAttr::get(builder.getContext(), Anchor::Group, written, at.getHead(),
                   at.getFeature(), 0);
  tile::RowDomain domain =
      describe(cast<RankedTensorType>(input.getType())).getDomain();
  return traverse(
      loc, graph ? graph : rows.graph, domainOf(domain, {}, dims),
      {leading(rows, Anchor::Group, domain, {}, dims.size())}, result, at,
      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
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

Value Lowering::emptyWithLoops(Location loc, FlatSymbolRefAttr looped,
                               ArrayRef<int64_t> dims, Type element,
                               tile::RowDomain order) {
  LoweredRows rows;
  rows.graph = looped;
  rows.space = Space::ParentEdge;
  rows.features.assign(dims.begin(), dims.end());
  return empty(loc, rows, element, order);
}

LogicalResult Lowering::lowerExpand(ExpandRowsOp op) {
  Location loc = op.getLoc();
  Type element = op.getType().getElementType();
  LoweredRows result = describe(op.getType());
  OrderedSpace rows = result.getDomain().get();
  tile::RowDomain written = OrderedSpace{*ofParent(rows.space), rows.order};
  SmallVector<int64_t> full(result.features);
  result.features = walkedDims(full);
  // New loops are written behind the rows that are asked for.
  FlatSymbolRefAttr looped = findLooped(op, op.getInputs().getTypes());
  result.isPrefix = looped != nullptr;
  result.tensor =
      looped ? zeros(loc, result, element,
                     emptyWithLoops(loc, looped, result.features, element,
                                    result.getDomain()))
             : zeros(loc, result, element, empty(loc, result, element));
  for (Value input : op.getInputs())
    result.tensor =
        writeAmong(loc, input, result.tensor, written, result.features);
  set(op.getResult(), reshape(loc, result, full));
  return success();
}

LogicalResult Lowering::lowerExtend(ExtendRowsOp op) {
  Location loc = op.getLoc();
  LoweredRows result = describe(op.getType()),
              input = describe(op.getInput().getType());
  requireCount(loc, input, result, /*atMost=*/true);
  tile::RowDomain written = result.getDomain();
  SmallVector<int64_t> full(result.features);
  result.features = walkedDims(full);
  Type element = op.getType().getElementType();
  Value among = zeros(loc, result, element, empty(loc, result, element));
  result.tensor =
      writeAmong(loc, op.getInput(), among, written, result.features);
  set(op.getResult(), reshape(loc, result, full));
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
Value Lowering::withLoopRows(ExtendEdgesOp op, FlatSymbolRefAttr looped,
                             ArrayRef<int64_t> dims) {
  Location loc = op.getLoc();
  OpOperand *output = op.getEdges().hasOneUse()
                          ? findNewOutput(view(op.getEdges()).tensor)
                          : nullptr;
  if (output) {
    auto made = cast<tensor::EmptyOp>(output->get().getDefiningOp());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(made);
    Value count = tile::CountOp::create(builder, loc, builder.getIndexType(),
                                        looped.getValue(),
                                        CountKey::count(Space::ParentEdge));
    output->set(tensor::EmptyOp::create(builder, loc, made.getType(), count));
    made.erase();
    return reshape(loc, view(op.getEdges()), dims).tensor;
  }
  LoweredRows edges = reshape(loc, view(op.getEdges()), dims);
  tile::RowDomain order = edges.getDomain();
  return traverse(
      loc, edges.graph, domainOf(order, {}, dims),
      {leading(edges, Anchor::Group, order, {}, dims.size())},
      emptyWithLoops(loc, looped, dims, op.getType().getElementType(), order),
      leadingAt(Anchor::Group, dims.size(), dims.size()),
      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
}

/// Whoever reads the rows reads those of the parent's edges, and behind them
/// those of new loops.
LogicalResult Lowering::lowerExtendEdges(ExtendEdgesOp op) {
  Location loc = op.getLoc();
  LoweredRows result = describe(op.getType());
  SmallVector<int64_t> full(result.features), dims = walkedDims(full);
  result.features = dims;
  result.space = Space::ParentEdge;
  result.tensor = withLoopRows(op, result.graph, dims);
  result.tensor = writeAmong(loc, op.getNodes(), result.tensor,
                             Space::ParentLoop, dims, result.graph);
  set(op.getResult(), reshape(loc, result, full));
  return success();
}

/// The edges into a node are searched for the one that is its new loop.
LogicalResult Lowering::lowerLoopRows(LoopRowsOp op) {
  Location loc = op.getLoc();
  LoweredRows result = describe(op.getType());
  SmallVector<int64_t> full(result.features), dims = walkedDims(full);
  result.features = dims;
  tile::RowDomain elements = elementsOf(result.getDomain(), RowSpace::Edge);
  LoweredRows input = reshape(loc, view(op.getInput()), dims);
  auto at = [&](Anchor anchor, Space space) {
    return AtAttr::get(builder.getContext(), anchor, space, false, false, 0);
  };
  result.tensor = traverse(
      loc, input.graph, domainOf(result.getDomain(), elements, dims),
      {leading(input, Anchor::Element, elements, {}, dims.size())},
      empty(loc, result, op.getType().getElementType()),
      leadingAt(Anchor::Group, dims.size(), dims.size()),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value edge = tile::IndexOp::create(
            b, loc, b.getI32Type(), at(Anchor::Element, Space::ParentEdge));
        Value loop = tile::IndexOp::create(
            b, loc, b.getI32Type(), at(Anchor::Group, Space::ParentLoop));
        return emitReduce(b, loc, tile::Reduction::Sum, Dim::Element,
                          whereEqual(b, loc, edge, loop, args[0]));
      });
  set(op.getResult(), reshape(loc, result, full));
  return success();
}
