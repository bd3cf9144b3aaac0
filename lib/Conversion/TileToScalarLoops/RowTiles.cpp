//===- RowTiles.cpp - Tiles of rows, element by element -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn::tile;

/// The place of an element of what is read or written.
template <typename RowsOp>
FailureOr<VectorLoops::RowElement> VectorLoops::locate(RowsOp op,
                                                       const Indices &at) {
  RowElement found;
  if (Value mask = op.getInside()) {
    FailureOr<Value> isRow = element(mask, {at.front()});
    if (failed(isRow))
      return failure();
    found.inside = *isRow;
  }
  for (Value index : op.getIndices()) {
    FailureOr<Value> one = element(index, {at.front()});
    if (failed(one))
      return failure();
    found.indices.push_back(*one);
  }
  if (!op.hasColumns())
    return found;
  Value &column = found.indices.back();
  column = b.add(column, at.back());
  if (!op.getBelow())
    return found;
  found.isColumn = b.less(column, b.index(*op.getBelow()));
  found.inside = b.both(found.inside, found.isColumn);
  return found;
}

/// Masked rows are read all the same; past the end, nothing is.
FailureOr<Value> VectorLoops::elementOfRows(LoadRowsOp op, const Indices &at) {
  FailureOr<RowElement> from = locate(op, at);
  if (failed(from))
    return failure();
  if (from->isColumn) {
    Value &column = from->indices.back();
    column = arith::SelectOp::create(b, from->isColumn, column, b.index(0));
  }
  Value value =
      memref::LoadOp::create(b, scalar(op.getSource()), from->indices);
  if (!from->inside)
    return value;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
  return arith::SelectOp::create(b, from->inside, value, zero).getResult();
}

LogicalResult VectorLoops::lowerStore(StoreRowsOp op) {
  auto type = cast<VectorType>(op.getValue().getType());
  return forAll(type.getShape(), [&](const Indices &at) -> LogicalResult {
    FailureOr<RowElement> to = locate(op, at);
    if (failed(to))
      return failure();
    LogicalResult done = success();
    b.where(to->inside, [&] {
      FailureOr<Value> one = element(op.getValue(), at);
      done = one;
      if (succeeded(one))
        memref::StoreOp::create(b, *one, scalar(op.getTarget()), to->indices);
    });
    return done;
  });
}
