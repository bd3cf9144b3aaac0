//===- ScheduleProducts.cpp - Tiles of products ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/Transforms/Passes.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULEPRODUCTS
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

/// The narrowest tile that holds `columns`, or the widest.
static int64_t tileFor(int64_t columns) {
  return columns <= 16 ? 16 : columns <= 32 ? 32 : 64;
}

namespace {
struct ScheduleProducts : gnn::impl::ScheduleProductsBase<ScheduleProducts> {
  void runOnOperation() override {
    auto choose = [](auto op, int64_t columns) {
      if (!op.getScheduleAttr() || !op.getScheduleAttr().getN())
        op.setScheduleAttr(
            GemmScheduleAttr::get(op.getContext(), tileFor(columns)));
    };
    getOperation()->walk([&](GemmOp op) { choose(op, op.getOut()); });
    getOperation()->walk([&](OuterOp op) {
      choose(op, cast<ShapedType>(op.getRight().getType()).getShape().back());
    });
  }
};
} // namespace
