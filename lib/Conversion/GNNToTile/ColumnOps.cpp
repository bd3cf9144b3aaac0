//===- ColumnOps.cpp - Parts of the last feature dimension ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// concat, slice, pad: row-wise traversals that read or write some columns.
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/GNNToTile.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gnn;
using tile::Anchor;
using tile::AtAttr;

LoweredRows Lowering::columnsOf(Location loc, const LoweredRows &rows) {
  int64_t leading = sizeOf(ArrayRef(rows.features).drop_back());
  int64_t columns = rows.features.back();
  if (!rows.space) {
    LoweredRows result{
        Value(), tile::RowDomain::fixed(leading), anyGraph, {columns}};
    if (rows.tensor)
      result.tensor = reshaped(loc, rows.tensor, {leading, columns});
    return result;
  }
  SmallVector<int64_t> features{columns};
  if (rows.features.size() > 1)
    features.insert(features.begin(), leading);
  if (rows.tensor)
    return reshape(loc, rows, features);
  LoweredRows result = rows;
  result.features = features;
  return result;
}

LoweredRows Lowering::fromColumns(Location loc, const LoweredRows &columns,
                                  Type type) {
  LoweredRows result = describe(type);
  if (result.space)
    return reshape(loc, columns, result.features);
  result.tensor = reshaped(loc, columns.tensor, result.features);
  return result;
}

/// What a traversal copies.
static Value copied(OpBuilder &, Location, ValueRange args) { return args[0]; }

LogicalResult Lowering::lowerConcat(ConcatOp op) {
  Location loc = op.getLoc();
  LoweredRows result = columnsOf(loc, describe(op.getType()));
  bool hasHead = result.features.size() > 1;
  result.tensor = empty(loc, result, op.getType().getElementType());
  int64_t offset = 0;
  for (Value value : op.getInputs()) {
    LoweredRows input = columnsOf(loc, view(value));
    result.tensor = traverse(loc, result.graph,
                             domainOf(result.getDomain(), {}, input.features),
                             {leading(input, Anchor::Group, result.getDomain(),
                                      {}, input.features.size())},
                             result.tensor,
                             AtAttr::get(builder.getContext(), Anchor::Group,
                                         {}, hasHead, true, offset),
                             copied);
    offset += input.features.back();
  }
  set(op.getResult(), fromColumns(loc, result, op.getType()));
  return success();
}

LogicalResult Lowering::lowerSlice(SliceOp op) {
  Location loc = op.getLoc();
  LoweredRows result = columnsOf(loc, describe(op.getType()));
  LoweredRows input = columnsOf(loc, view(op.getInput()));
  AtAttr at = access(input, Anchor::Group, result.getDomain(), {},
                     result.features.size() > 1, true, op.getOffset());
  result.tensor = rowwise(loc, result, op.getType().getElementType(),
                          result.features, {{input, at}}, copied);
  set(op.getResult(), fromColumns(loc, result, op.getType()));
  return success();
}

/// The columns of the input and, on both sides of them, zeros.
LogicalResult Lowering::lowerPad(PadOp op) {
  Location loc = op.getLoc();
  Type element = op.getType().getElementType();
  LoweredRows result = columnsOf(loc, describe(op.getType()));
  LoweredRows input = columnsOf(loc, view(op.getInput()));
  bool hasHead = result.features.size() > 1;
  int64_t all = result.features.back(), begin = op.getOffset();
  int64_t end = begin + input.features.back();
  result.tensor = empty(loc, result, element);
  auto write = [&](int64_t from, int64_t to, ArrayRef<Input> inputs,
                   Body body) {
    if (from == to)
      return;
    SmallVector<int64_t> dims(result.features);
    dims.back() = to - from;
    result.tensor =
        traverse(loc, result.graph, domainOf(result.getDomain(), {}, dims),
                 inputs, result.tensor,
                 AtAttr::get(builder.getContext(), Anchor::Group, {}, hasHead,
                             true, from),
                 body);
  };
  auto zero = [&](OpBuilder &b, Location loc, ValueRange) -> Value {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  };
  write(0, begin, {}, zero);
  write(begin, end,
        {leading(input, Anchor::Group, result.getDomain(), {},
                 input.features.size())},
        copied);
  write(end, all, {}, zero);
  set(op.getResult(), fromColumns(loc, result, op.getType()));
  return success();
}
