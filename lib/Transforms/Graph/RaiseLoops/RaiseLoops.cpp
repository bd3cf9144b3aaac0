//===- RaiseLoops.cpp - From loops over rows to ops on all rows -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over the edges of every node is a loop over all edges (Hector 3.2.4):
// both become tensors with edge rows, and what is reduced an aggregate.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNLoopOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"
#include "GNN/Transforms/Graph/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "../Utils.h"
#include "Lifting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::loops;

namespace gnn {
#define GEN_PASS_DEF_RAISELOOPS
#include "GNN/Transforms/Graph/Passes.h.inc"
} // namespace gnn

//===----------------------------------------------------------------------===//
// Values and rows of a body
//===----------------------------------------------------------------------===//

/// Whether `value` is made outside of all loops.
static bool isOutside(Value value) {
  return !isa<RowLoopInterface>(value.getParentBlock()->getParentOp());
}

FailureOr<RowPath> Lifter::getRow(Frame &frame, Value handle, Operation *user) {
  if (auto it = frame.handles.find(handle); it != frame.handles.end())
    return it->second;
  std::optional<RowPath> path;
  if (auto follow = handle.getDefiningOp<FollowOp>()) {
    FailureOr<RowPath> row = getRow(frame, follow.getRow(), user);
    if (failed(row))
      return failure();
    path = compose(*row, follow.getPath());
  } else if (frame.parent) {
    FailureOr<RowPath> row = getRow(*frame.parent, handle, user);
    if (failed(row))
      return failure();
    path = compose(frame.toParent, *row);
  } else {
    return user->emitOpError("is about a row of an outer loop: expected rows "
                             "that the edge or its node leads to");
  }
  if (!path)
    return user->emitOpError("is about a row that no single path leads to");
  return *path;
}

FailureOr<Lifted> Lifter::get(Frame &frame, Value value) {
  if (auto it = frame.values.find(value); it != frame.values.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  if (mustFollow(value))
    return op->emitOpError("gives what is no tensor: expected f32, bf16 or f16 "
                           "where it leaves elementwise arithmetic, got ")
           << value.getType();
  if (op && frame.kept.contains(op)) {
    if (failed(flush(frame)))
      return failure();
    return frame.values.lookup(value);
  }
  if (isOutside(value))
    return Lifted{
        value,
        {},
        llvm::to_vector(cast<RankedTensorType>(value.getType()).getShape())};
  bool isOwn = frame.body->isAncestor(value.getParentRegion());
  if (frame.parent && !isOwn) {
    FailureOr<Lifted> outer = get(*frame.parent, value);
    if (failed(outer) || outer->isWeight())
      return outer;
    std::optional<RowPath> path = compose(frame.toParent, outer->path);
    if (path)
      return Lifted{outer->tensor, *path, outer->features};
    Value tensor =
        materialize(*frame.parent, value.getLoc(), *outer, outer->own());
    return Lifted{tensor, frame.toParent, outer->features};
  }
  // About a node that an edge leads to: computed again, for all such nodes.
  if (isa<RowLoopInterface>(op))
    return op->emitOpError("is used in a loop about another node: expected "
                           "values of that node only");
  if (failed(lift(frame, op)))
    return failure();
  return get(frame, value);
}

/// Whether `op` depends on the row of `frame` only by that of its parent.
static bool isInvariant(Frame &frame, Operation &op) {
  if (!frame.parent || isa<RowLoopInterface>(op) || op.getNumOperands() == 0)
    return false;
  return llvm::all_of(op.getOperands(), [&](Value operand) {
    Operation *def = operand.getDefiningOp();
    return !frame.body->isAncestor(operand.getParentRegion()) ||
           (def && frame.hoisted.contains(def));
  });
}

LogicalResult Lifter::liftBody(Frame &frame) {
  for (Operation &op : frame.body->front().without_terminator()) {
    if (isInvariant(frame, op) && !mustStay(&op)) {
      frame.hoisted.insert(&op);
      if (!isa<FollowOp>(op) && failed(lift(*frame.parent, &op)))
        return failure();
      for (Value result : op.getResults())
        if (isa<RankedTensorType>(result.getType())) {
          Lifted outer = frame.parent->values.lookup(result);
          if (!outer.tensor) { // kept: read back where it is used
            FailureOr<Lifted> kept = get(*frame.parent, result);
            if (failed(kept))
              return failure();
            outer = *kept;
          }
          if (!outer.isWeight()) {
            std::optional<RowPath> path = compose(frame.toParent, outer.path);
            if (!path) {
              outer.tensor =
                  materialize(*frame.parent, op.getLoc(), outer, outer.own());
              path = frame.toParent;
            }
            outer.path = *path;
          }
          frame.values[result] = outer;
        }
      continue;
    }
    if (failed(lift(frame, &op)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

FailureOr<Value> Lifter::wholeResult(Frame &frame, YieldOp yield, unsigned i,
                                     Type type) {
  Value value = yield.getValues()[i];
  if (getRows(value.getType())) // of an inner loop
    return wholes.lookup(value);
  FailureOr<Lifted> lifted = get(frame, value);
  if (failed(lifted))
    return failure();
  if (std::optional<ReduceKind> kind = yield.getReduction(i))
    return reduce(frame, yield.getLoc(), *lifted, *kind,
                  cast<RankedTensorType>(type), yield.getEnd(i));
  return materialize(frame, yield.getLoc(), *lifted);
}

LogicalResult Lifter::raise(RowLoopInterface loop) {
  builder.setInsertionPoint(loop);
  Frame frame;
  frame.rows = loop.getLoopRows().getRows();
  frame.body = loop.getLoopBody()->getParent();
  RowSpace space = frame.rows.getSpace();
  frame.handles[loop.getLoopRow()] = {space, space, std::nullopt};
  if (failed(liftBody(frame)))
    return failure();
  auto yield = cast<YieldOp>(loop.getLoopBody()->getTerminator());
  SmallVector<Value> results;
  for (auto [i, type] : llvm::enumerate(loop->getResultTypes())) {
    FailureOr<Value> whole = wholeResult(frame, yield, i, type);
    if (failed(whole))
      return failure();
    results.push_back(*whole);
  }
  loop->replaceAllUsesWith(results);
  return success();
}

LogicalResult Lifter::liftIncident(Frame &frame, RowLoopInterface loop) {
  Value center = loop.getCenterNode();
  FailureOr<RowPath> toCenter = getRow(frame, center, loop);
  if (failed(toCenter))
    return failure();
  RowSpace nodes = cast<RowType>(center.getType()).getSpace();
  RowPath path = {RowSpace::Edge, nodes, std::nullopt};
  if (path.isAmbiguous())
    path.via = loop.getCenterEnd();
  Frame inner;
  inner.rows = loop.getLoopRows().getRows();
  inner.body = loop.getLoopBody()->getParent();
  inner.handles[loop.getLoopRow()] = {RowSpace::Edge, RowSpace::Edge,
                                      std::nullopt};
  inner.handles[center] = path;
  // Values of the row around are known where it is the node itself.
  if (toCenter->isIdentity()) {
    inner.parent = &frame;
    inner.toParent = path;
  }
  if (failed(liftBody(inner)))
    return failure();
  auto yield = cast<YieldOp>(loop.getLoopBody()->getTerminator());
  for (auto [i, result] : llvm::enumerate(loop->getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    if (getRows(type)) {
      FailureOr<Value> whole = wholeResult(inner, yield, i, type);
      if (failed(whole))
        return failure();
      wholes[result] = *whole;
      continue;
    }
    FailureOr<Lifted> value = get(inner, yield.getValues()[i]);
    if (failed(value))
      return failure();
    auto rows = RowsAttr::get(type.getContext(), inner.rows.getGraph(), nodes);
    SmallVector<int64_t> shape = {ShapedType::kDynamic};
    llvm::append_range(shape, type.getShape());
    Value sum = reduce(
        inner, loop.getLoc(), *value, *yield.getReduction(i),
        RankedTensorType::get(shape, type.getElementType(), rows), path.via);
    frame.values[result] = {sum, *toCenter, llvm::to_vector(type.getShape())};
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct RaiseLoops : gnn::impl::RaiseLoopsBase<RaiseLoops> {
  void runOnOperation() override;

private:
  void report(unsigned loops, unsigned fused);
};
} // namespace

static std::string shown(ArrayRef<int64_t> features) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[' << llvm::interleaved(features) << ']';
  return text;
}

/// Says how many of `loops` loops became ops, how many of what stays are one
/// with another, and why the others stay.
void RaiseLoops::report(unsigned loops, unsigned fused) {
  unsigned kept = 0;
  for (auto loop : getOperation().getOps<RowLoopInterface>()) {
    auto reason = llvm::find_if(*loop.getLoopBody(),
                                [](Operation &op) { return mustStay(&op); });
    ++kept;
    refused(getArgument(), loop.getLoc())
        << "no op on whole tensors does what '" +
               reason->getName().getStringRef().str() +
               "' does here: it stays in a loop";
  }
  passed(getArgument(), getOperation().getLoc(), "Raised")
      << counted(loops, "loop") + " became ops on whole tensors, " +
             counted(kept, "loop") + " between them";
  if (fused)
    passed(getArgument(), getOperation().getLoc(), "Fused")
        << counted(fused, "loop") + " joined another over the same rows";
}

void RaiseLoops::runOnOperation() {
  func::FuncOp func = getOperation();
  if (func.isExternal())
    return markAllAnalysesPreserved();
  Block &block = func.getBody().front();
  IRRewriter builder(&getContext());
  bool found = !block.getOps<RowLoopInterface>().empty();
  if (unsigned unread = found ? dropUnread(builder, block) : 0)
    passed(getArgument(), func.getLoc(), "Unread")
        << counted(unread, "result") + " of loops that nothing read dropped";
  SmallVector<RowLoopInterface> loops(block.getOps<RowLoopInterface>());
  if (!loops.empty()) {
    Lifter lifter(builder);
    unsigned count = 0;
    for (RowLoopInterface loop : loops) {
      loop->walk([&](RowLoopInterface) { ++count; });
      if (failed(lifter.raise(loop)))
        return signalPassFailure();
    }
    for (RowLoopInterface loop : llvm::reverse(loops))
      loop->erase();
    DominanceInfo dominance(func);
    eliminateCommonSubExpressions(builder, dominance, func);
    dropUnread(builder, block);
    unsigned fused =
        fuseLoops(builder, block,
                  [&](RowLoopInterface loop, ArrayRef<int64_t> before,
                      ArrayRef<int64_t> own) {
                    refused(getArgument(), loop.getLoc())
                        << "not joined to a loop over the same rows: its "
                           "features " +
                               shown(own) + " and those there, " +
                               shown(before) +
                               ", do not begin alike, so that no traversal "
                               "holds both";
                  });
    report(count, fused);
  }
  raiseSoftmax(func, [&](EdgeSoftmaxOp op) {
    found = true;
    passed(getArgument(), op.getLoc(), "Softmax")
        << "exp, sum and division became gnn.edge_softmax: the same value, and "
           "large scores do not overflow";
  });
  if (found)
    eraseDeadOps(block);
  else
    markAllAnalysesPreserved();
}
