//===- UseTensorCores.cpp - Sums of products as fragments hold them -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that is to be changed in the loops form is which thread holds what of the
// sums. Their readers and writers follow.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ProductForms.h"
#include "GNN/Transforms/Loops/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_USETENSORCORES
#include "GNN/Transforms/Loops/Passes.h.inc"
} // namespace gnn

/// Lets what stores the sums of a product, or values computed of them, do that
/// as fragments hold them.
static LogicalResult spreadStores(ContractOp op, SpreadAttr before,
                                  SpreadAttr fragments) {
  llvm::SetVector<Value> sums;
  sums.insert(op.getResult());
  auto follow = [&](Operation *user, unsigned number) -> LogicalResult {
    if (auto store = dyn_cast<StoreRowsOp>(user)) {
      if (store.getSpreadAttr() != before && store.getSpreadAttr() != fragments)
        return store.emitOpError("expected the spread of the product that it "
                                 "stores, ")
               << before << ", got " << store.getSpreadAttr();
      store.setSpreadAttr(fragments);
    } else if (auto loop = dyn_cast<scf::ForOp>(user)) {
      number -= loop.getNumControlOperands();
      sums.insert(loop.getRegionIterArg(number));
      sums.insert(loop.getResult(number));
    } else if (isa<scf::YieldOp>(user)) {
      if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp()))
        sums.insert(loop.getRegionIterArg(number));
      sums.insert(user->getParentOp()->getResult(number));
    } else if (OpTrait::hasElementwiseMappableTraits(user)) {
      sums.insert(user->result_begin(), user->result_end());
    }
    return success();
  };
  for (size_t i = 0; i < sums.size(); ++i)
    for (OpOperand &use : sums[i].getUses())
      if (failed(follow(use.getOwner(), use.getOperandNumber())))
        return failure();
  return success();
}

namespace {
struct UseTensorCores : gnn::impl::UseTensorCoresBase<UseTensorCores> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](ContractOp op) {
      return failed(spread(op)) ? WalkResult::interrupt()
                                : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult spread(ContractOp op) {
    if (!op.isOnTensorCores())
      return success();
    auto fragments = getFragmentSpread(&getContext());
    SpreadAttr before = op.getSpread();
    op.setSpreadAttr(fragments);
    if (failed(spreadStores(op, before, fragments)))
      return failure();
    gnn::passed(getArgument(), op.getLoc(), "TensorCores")
        << "sums are held in fragments of mma.sync";
    return success();
  }
};
} // namespace
