//===- TileProduct.cpp - Shared-memory tiles of a product -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Staging and the inner product.
//
//===----------------------------------------------------------------------===//

#include "TileProduct.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

TileProduct::TileProduct(Kernel &kernel, ProductLayout layout, Type element)
    : e(kernel.device), layout(layout), width(layout.columnsPerThread()),
      element(element) {
  left = kernel.shared({layout.depth, layout.rows}, element);
  right = kernel.shared({layout.depth, layout.columns}, element);
  thread = kernel.threadId();
  place = e.delinearize(thread, {layout.side});
  threadRow = e.mul(place[0], e.index(layout.rowsPerThread));
  threadColumn = e.mul(place[1], e.index(width));
}

SmallVector<Value> TileProduct::zero() {
  Type type = width == 1 ? element : VectorType::get({width}, element);
  return SmallVector<Value>(layout.rowsPerThread, e.constant(type, 0));
}

SmallVector<Value> TileProduct::accumulate(ValueRange sums) {
  SmallVector<Value> next(sums);
  for (int64_t k = 0; k < layout.depth; ++k) {
    Value at = e.index(k);
    Value a = e.load(left, {at, threadRow}, layout.rowsPerThread);
    Value b = e.load(right, {at, threadColumn}, width);
    for (int64_t i = 0; i < layout.rowsPerThread; ++i) {
      Value factor = vector::ExtractOp::create(e.builder, e.loc, a, i);
      if (width > 1)
        factor =
            vector::BroadcastOp::create(e.builder, e.loc, b.getType(), factor);
      next[i] = math::FmaOp::create(e.builder, e.loc, factor, b, next[i]);
    }
  }
  return next;
}

void TileProduct::barrier() { gpu::BarrierOp::create(e.builder, e.loc); }

Value TileProduct::row(int64_t i) { return e.add(threadRow, e.index(i)); }

Value TileProduct::column() { return threadColumn; }

void TileProduct::stageLeft(Value value, Value k, Value row) {
  e.store(value, left, {k, row});
}

void TileProduct::stageRight(Value value, Value k, Value column) {
  e.store(value, right, {k, column});
}

Value gnn::tile::emitEpilogue(Emitter &e, Block &body, IRMapping &mapping,
                              int64_t width) {
  auto widen = [&](Value value) -> Value {
    if (width == 1 || isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(
        e.builder, e.loc, VectorType::get({width}, value.getType()), value);
  };
  for (Operation &op : body.without_terminator()) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(widen(mapping.lookupOrDefault(operand)));
    if (isa<arith::ConstantOp>(op)) {
      mapping.map(op.getResult(0), e.builder.clone(op)->getResult(0));
      continue;
    }
    Type type = op.getResult(0).getType();
    if (width > 1)
      type = VectorType::get({width}, type);
    OperationState state(op.getLoc(), op.getName(), operands, {type},
                         op.getAttrs());
    mapping.map(op.getResult(0), e.builder.create(state)->getResult(0));
  }
  return widen(mapping.lookupOrDefault(body.getTerminator()->getOperand(0)));
}
