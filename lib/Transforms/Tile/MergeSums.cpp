//===- MergeSums.cpp - One sum of two that are added up -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a row that is both scored and weighed is the sum of two sums
// over the same edges.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_MERGESUMS
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

/// The sum over elements alone that is `value`; null if it is none.
static ReduceOp getSum(Value value) {
  auto sum = value.getDefiningOp<ReduceOp>();
  return sum && sum.getKind() == Reduction::Sum &&
                 sum.getDims() ==
                     ArrayRef<int32_t>{static_cast<int32_t>(Dim::Element)}
             ? sum
             : ReduceOp();
}

/// Why two sums stay two; empty if they are one.
static std::string explainTwo(ReduceOp a, ReduceOp b) {
  if (a == b)
    return "a sum is added to itself";
  if (!a->hasOneUse() || !b->hasOneUse())
    return "something else reads one of them";
  Level one = getLevel(a.getValue()), other = getLevel(b.getValue());
  if (!one.within(other) || !other.within(one))
    return "they vary by other dimensions";
  return "";
}

namespace {
struct MergeSums : gnn::impl::MergeSumsBase<MergeSums> {
  void runOnOperation() override {
    getOperation()->walk([&](TraverseOp op) {
      if (op.getSchedule())
        return;
      // A sum of three is merged from its first two on.
      for (auto add : llvm::make_early_inc_range(
               op.getBody().front().getOps<arith::AddFOp>()))
        visit(add);
    });
  }

private:
  void visit(arith::AddFOp add) {
    ReduceOp a = getSum(add.getLhs()), b = getSum(add.getRhs());
    if (!a || !b)
      return;
    std::string why = explainTwo(a, b);
    if (!why.empty()) {
      refused(getArgument(), add.getLoc()) << why;
      return;
    }
    passed(getArgument(), add.getLoc(), "Merged")
        << "one sum over elements instead of two that are added up";
    ReduceOp later = a->isBeforeInBlock(b) ? b : a;
    OpBuilder builder(later);
    Value term = arith::AddFOp::create(builder, add.getLoc(), a.getValue(),
                                       b.getValue());
    Value sum = ReduceOp::create(builder, add.getLoc(), Reduction::Sum,
                                 {static_cast<int32_t>(Dim::Element)}, term);
    add.replaceAllUsesWith(sum);
    add.erase();
    a.erase();
    b.erase();
  }
};
} // namespace
