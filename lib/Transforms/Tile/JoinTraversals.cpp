//===- JoinTraversals.cpp - One kernel for traversals side by side --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two traversals over the same rows in the same order are one with the results
// of both. Fusion of a producer into its consumer ends where others read the
// producer; this goes on from there.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "TraversalJoins.h"

#include "GNN/Dialect/GNN/IR/Origin.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_JOINTRAVERSALS
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

namespace {
struct JoinTraversals : gnn::impl::JoinTraversalsBase<JoinTraversals> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (Block &block : getOperation().getBody()) {
      joinAll(rewriter, block);
      if (getContext().getRemarkEngine())
        reportRefusals(block);
    }
  }

private:
  void joinAll(IRRewriter &rewriter, Block &block);
  /// The joined traversal, in the place of both; null where they stay.
  TraverseOp tryJoin(IRRewriter &rewriter, TraverseOp first, TraverseOp second,
                     Dependences &dependences);
  void reportRefusals(Block &block);
  void reportRefusal(TraverseOp first, TraverseOp second,
                     const Dependences &dependences);
};
} // namespace

TraverseOp JoinTraversals::tryJoin(IRRewriter &rewriter, TraverseOp first,
                                   TraverseOp second,
                                   Dependences &dependences) {
  if (!areSideBySide(first, second))
    return nullptr;
  auto isKept = [&](OpResult result) { return isRead(result, second); };
  std::optional<Join> found = planJoin(first, second, dependences, isKept);
  if (!found)
    return nullptr;
  TraverseOp joined = buildJoin(rewriter, first, second, *found, isKept);
  passed(getArgument(), second.getLoc(), "Joined")
      << "one traversal with the results of two: " +
             gnn::describeOrigins(first) + " and " +
             gnn::describeOrigins(second);
  replaceBoth(rewriter, first, second, joined, dependences);
  return joined;
}

/// Says nothing of two over the same rows where the second is computed from the
/// first, as most are.
void JoinTraversals::reportRefusal(TraverseOp first, TraverseOp second,
                                   const Dependences &dependences) {
  std::string why;
  auto isKept = [&](OpResult result) { return isRead(result, second); };
  if (!areSideBySide(first, second) || dependences.dependsOn(second, first) ||
      planJoin(first, second, dependences, isKept, &why))
    return;
  refused(getArgument(), second.getLoc())
      << "two traversals over the same rows, " + gnn::describeOrigins(first) +
             " and " + gnn::describeOrigins(second) + ": " + why;
}

void JoinTraversals::reportRefusals(Block &block) {
  SmallVector<TraverseOp> ops = collectJoinable(block);
  Dependences dependences(block);
  for (size_t second = 1; second < ops.size(); ++second)
    for (size_t first = 0; first < second; ++first)
      reportRefusal(ops[first], ops[second], dependences);
}

/// Tries each with those before it. A pair that was refused stays refused, as
/// the join of others takes no dependence away: after a join it goes on with
/// the new op.
void JoinTraversals::joinAll(IRRewriter &rewriter, Block &block) {
  SmallVector<TraverseOp> ops = collectJoinable(block);
  Dependences dependences(block);
  for (size_t second = 1, first = 0; second < ops.size();) {
    if (first == second) {
      ++second;
      first = 0;
    } else if (TraverseOp joined =
                   tryJoin(rewriter, ops[first], ops[second], dependences)) {
      // Its readers have moved behind it, and it meets the first again.
      ops = collectJoinable(block);
      second = llvm::find(ops, joined) - ops.begin();
      first = 0;
    } else {
      ++first;
    }
  }
}
