//===- Products.cpp - Helpers of gemm and outer ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

Value GemmBody::rowOfExtra(AtAttr at, function_ref<Value()> reach) {
  if (at.getAnchor() == Anchor::All)
    return {};
  if (type && at.getSpace() == *op.getTypes())
    return type;
  if (op.getWeights() && at.getSpace() == *op.getWeights())
    return matrix;
  return reach();
}

SmallVector<Value> GemmBody::indicesOfWeight(Value depth, Value column) {
  if (op.getTransposed())
    std::swap(depth, column);
  return getIndices(
      {matrix, op.weightHasHeads() ? head : Value(), depth, column});
}

Value GemmBody::evaluate(Value sums, function_ref<Value(unsigned)> loadExtra) {
  Block &body = op.getBody().front();
  auto vector = dyn_cast<VectorType>(sums.getType());
  auto typeOf = [&](Value value) -> Type {
    Type element = getElementTypeOrSelf(value);
    return vector ? vector.clone(element) : element;
  };
  IRMapping mapping;
  auto get = [&](Value value) -> Value {
    Value known = mapping.lookup(value);
    Type type = typeOf(known);
    return known.getType() == type
               ? known
               : vector::BroadcastOp::create(b, type, known);
  };
  mapping.map(body.getArgument(0), sums);
  for (BlockArgument extra : body.getArguments().drop_front())
    if (!extra.use_empty())
      mapping.map(extra, loadExtra(extra.getArgNumber() - 1));
  for (Operation &inner : body.without_terminator()) {
    if (isa<arith::ConstantOp>(inner)) {
      mapping.map(inner.getResult(0), b.clone(inner)->getResult(0));
      continue;
    }
    SmallVector<Value> operands = llvm::map_to_vector(inner.getOperands(), get);
    mapping.map(inner.getResult(0),
                mlir::clone(b, &inner, typeOf(inner.getResult(0)), operands)
                    ->getResult(0));
  }
  return get(body.getTerminator()->getOperand(0));
}

SmallVector<Value> OuterBody::indices(unsigned side, Value row, Value column) {
  AtAttr at = getAccess(op, side);
  return getIndices(b, at, arrays.reach(b, at, op.getRows(), row), head,
                    column);
}
