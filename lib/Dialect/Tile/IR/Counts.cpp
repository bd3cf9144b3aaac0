//===- Counts.cpp - Counts of a graph in front of a kernel ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Counts.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

Value Counts::get(const CountKey &key) {
  Value &value = counts[key];
  if (!value)
    value = CountOp::create(builder, loc, builder.getIndexType(),
                            graph.getValue(), key);
  return value;
}

Value Counts::rows(RowDomain domain) {
  if (domain.isFixed())
    return arith::ConstantIndexOp::create(builder, loc, domain.getCount());
  return get(domain.getCountKey());
}

void Counts::stateCost(const TileCost &cost) {
  auto state = [&](const CountSum &sum) {
    return sum.materialize(builder, loc,
                           [&](const CountKey &key) { return get(key); });
  };
  Value reads = state(cost.readBytes), writes = state(cost.writtenBytes);
  CostOp::create(builder, loc, reads, writes, state(cost.flops));
}
