//===- Unread.cpp - Results of loops that nobody reads --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that nobody reads must not decide which loops stay, nor what they are
// made of.
//
//===----------------------------------------------------------------------===//

#include "Lifting.h"

#include "GNN/Dialect/GNN/IR/GNNLoopOps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::loops;

/// The loop with those of its results alone that are read; itself where all
/// are.
static RowLoopInterface withReadResults(OpBuilder &builder,
                                        RowLoopInterface loop) {
  SmallVector<Value> results, values;
  SmallVector<std::optional<ReduceKind>> reductions;
  SmallVector<std::optional<EndPoint>> ends;
  auto yield = cast<YieldOp>(loop.getLoopBody()->getTerminator());
  for (auto [i, result] : llvm::enumerate(loop->getResults()))
    if (!result.use_empty()) {
      results.push_back(result);
      values.push_back(yield.getValues()[i]);
      reductions.push_back(yield.getReduction(i));
      ends.push_back(yield.getEnd(i));
    }
  if (results.size() == loop->getNumResults())
    return loop;
  builder.setInsertionPoint(yield);
  YieldOp::create(builder, yield.getLoc(), values, reductions, ends);
  yield.erase();
  builder.setInsertionPoint(loop);
  OperationState state(loop.getLoc(), loop->getName(), loop->getOperands(),
                       TypeRange(ValueRange(results)), loop->getAttrs());
  state.addRegion()->takeBody(loop->getRegion(0));
  Operation *less = builder.create(state);
  for (auto [old, now] : llvm::zip(results, less->getResults()))
    old.replaceAllUsesWith(now);
  loop->erase();
  return cast<RowLoopInterface>(less);
}

unsigned gnn::loops::dropUnread(OpBuilder &builder, Block &block) {
  unsigned dropped = 0;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    auto loop = dyn_cast<RowLoopInterface>(op);
    if (isOpTriviallyDead(&op)) {
      dropped += loop ? op.getNumResults() : 0;
      op.erase();
    } else if (loop) {
      unsigned before = op.getNumResults();
      loop = withReadResults(builder, loop);
      dropped += before - loop->getNumResults();
      dropped += dropUnread(builder, *loop.getLoopBody());
    }
  }
  return dropped;
}
