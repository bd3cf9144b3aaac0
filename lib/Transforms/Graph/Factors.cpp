//===- Factors.cpp - Factors of what is added up ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Factors.h"

#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"

using namespace mlir;
using namespace gnn;

bool gnn::isSum(AggregateOp op) {
  return op.getKind() == ReduceKind::Sum || op.getKind() == ReduceKind::Mean;
}

Value gnn::applyFactor(OpBuilder &builder, Location loc, RankedTensorType type,
                       Value value, RowPath path, const Factor &factor) {
  auto end = [&](RowPath path) {
    return path.via ? EndPointAttr::get(builder.getContext(), *path.via)
                    : EndPointAttr();
  };
  BinaryKind kind = factor.inverse ? BinaryKind::Div : BinaryKind::Mul;
  return ApplyOp::create(builder, loc, type, kind, value, end(path),
                         factor.value, end(factor.path));
}

Value gnn::applyFactor(OpBuilder &builder, Location loc, Value value,
                       const Factor &factor) {
  RowSpace space = *getRowSpace(value.getType());
  return applyFactor(builder, loc, cast<RankedTensorType>(value.getType()),
                     value, {space, space, std::nullopt}, factor);
}
