//===- ColumnOps.cpp - Parts of the last feature dimension ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// concat, slice, pad: row-wise traversals that read or write some columns.
//
//===----------------------------------------------------------------------===//

#include "OpLowerings.h"

#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gnn;
using tile::Anchor;
using tile::AtAttr;

/// The same elements with at most one dimension in front of the last: what a
/// weight has in front are rows of their own. The tensor may be null.
static LoweredRows columnsOf(Lowering &lowering, Location loc,
                             const LoweredRows &rows) {
  int64_t leading = sizeOf(ArrayRef(rows.features).drop_back());
  int64_t columns = rows.features.back();
  if (!rows.space) {
    LoweredRows result = lowering.fixedRows(leading, columns);
    if (rows.tensor)
      result.tensor = lowering.reshaped(loc, rows.tensor, {leading, columns});
    return result;
  }
  SmallVector<int64_t> features{columns};
  if (rows.features.size() > 1)
    features.insert(features.begin(), leading);
  if (rows.tensor)
    return lowering.reshape(loc, rows, features);
  LoweredRows result = rows;
  result.features = features;
  return result;
}

/// Gives `value` what its columns are.
static void setColumns(Lowering &lowering, Value value,
                       const LoweredRows &columns) {
  if (getRows(value.getType()))
    lowering.set(value, columns);
  else
    lowering.setElements(value, columns.tensor);
}

static LogicalResult lowerConcat(ConcatOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  LoweredRows result =
      columnsOf(lowering, loc, lowering.describe(op.getType()));
  bool hasHead = result.features.size() > 1;
  result.tensor = lowering.empty(loc, result, op.getType().getElementType());
  int64_t offset = 0;
  for (Value value : op.getInputs()) {
    LoweredRows input = columnsOf(lowering, loc, lowering.view(value));
    result.tensor = lowering.traverse(
        loc, result.graph,
        lowering.domainOf(result.getDomain(), {}, input.features),
        {lowering.leading(input, result)}, result.tensor,
        AtAttr::get(op.getContext(), Anchor::Group, {}, hasHead, true, offset),
        copied);
    offset += input.features.back();
  }
  setColumns(lowering, op, result);
  return success();
}

static LogicalResult lowerSlice(SliceOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  LoweredRows result =
      columnsOf(lowering, loc, lowering.describe(op.getType()));
  LoweredRows input = columnsOf(lowering, loc, lowering.view(op.getInput()));
  AtAttr at = lowering.access(input, Anchor::Group, result.getDomain(), {},
                              result.features.size() > 1, true, op.getOffset());
  result.tensor = lowering.rowwise(loc, result, op.getType().getElementType(),
                                   result.features, {{input, at}}, copied);
  setColumns(lowering, op, result);
  return success();
}

/// The columns of the input and, on both sides of them, zeros.
static LogicalResult lowerPad(PadOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  Type element = op.getType().getElementType();
  LoweredRows result =
      columnsOf(lowering, loc, lowering.describe(op.getType()));
  LoweredRows input = columnsOf(lowering, loc, lowering.view(op.getInput()));
  bool hasHead = result.features.size() > 1;
  int64_t all = result.features.back(), begin = op.getOffset();
  int64_t end = begin + input.features.back();
  result.tensor = lowering.empty(loc, result, element);
  auto write = [&](int64_t from, int64_t to, ArrayRef<Input> inputs,
                   Lowering::Body body) {
    if (from == to)
      return;
    SmallVector<int64_t> dims(result.features);
    dims.back() = to - from;
    result.tensor = lowering.traverse(
        loc, result.graph, lowering.domainOf(result.getDomain(), {}, dims),
        inputs, result.tensor,
        AtAttr::get(op.getContext(), Anchor::Group, {}, hasHead, true, from),
        body);
  };
  auto zero = [&](OpBuilder &b, Location loc, ValueRange) -> Value {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  };
  write(0, begin, {}, zero);
  write(begin, end, {lowering.leading(input, result)}, copied);
  write(end, all, {}, zero);
  setColumns(lowering, op, result);
  return success();
}

void gnn::registerColumnLowerings(DialectRegistry &registry) {
  registerLowerings<GNNDialect, lowerConcat, lowerSlice, lowerPad>(registry);
}
