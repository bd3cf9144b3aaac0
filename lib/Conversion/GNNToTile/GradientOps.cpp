//===- GradientOps.cpp - Ops that gradients need --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pick, pick_feature, expand_rows, extend_rows: traversals of rows.
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/GNNToTile.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
  Rows result = describe(op.getType());
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
  Rows result = describe(op.getType());
  SmallVector<int64_t> full(result.features), dims(full);
  Rows input = view(op.getInput()), of = view(op.getOf());
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

Value Lowering::zeros(Location loc, const Rows &rows, Type element) {
  return rowwise(loc, rows, element, rows.features, {},
                 [&](OpBuilder &b, Location loc, ValueRange) {
                   return zeroOf(b, loc, element);
                 });
}

Value Lowering::writeAmong(Location loc, Value input, Value result,
                           tile::RowDomain written, ArrayRef<int64_t> dims) {
  Rows rows = reshape(loc, view(input), dims);
  AtAttr at = leadingAt(Anchor::Group, dims.size(), dims.size());
  at = AtAttr::get(builder.getContext(), Anchor::Group, written, at.getHead(),
                   at.getFeature(), 0);
  tile::RowDomain domain =
      describe(cast<RankedTensorType>(input.getType())).getDomain();
  return traverse(
      loc, rows.graph, domainOf(domain, {}, dims),
      {leading(rows, Anchor::Group, domain, {}, dims.size())}, result, at,
      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
}

LogicalResult Lowering::lowerExpand(ExpandRowsOp op) {
  Location loc = op.getLoc();
  Type element = op.getType().getElementType();
  Rows result = describe(op.getType());
  OrderedSpace rows = result.getDomain().get();
  tile::RowDomain written = OrderedSpace{*ofParent(rows.space), rows.order};
  SmallVector<int64_t> full(result.features);
  result.features = walkedDims(full);
  result.tensor = zeros(loc, result, element);
  for (Value input : op.getInputs())
    result.tensor =
        writeAmong(loc, input, result.tensor, written, result.features);
  set(op.getResult(), reshape(loc, result, full));
  return success();
}

LogicalResult Lowering::lowerExtend(ExtendRowsOp op) {
  Location loc = op.getLoc();
  Rows result = describe(op.getType()),
       input = describe(op.getInput().getType());
  requireCount(loc, input, result, /*atMost=*/true);
  tile::RowDomain written = result.getDomain();
  SmallVector<int64_t> full(result.features);
  result.features = walkedDims(full);
  Value among = zeros(loc, result, op.getType().getElementType());
  result.tensor =
      writeAmong(loc, op.getInput(), among, written, result.features);
  set(op.getResult(), reshape(loc, result, full));
  return success();
}
