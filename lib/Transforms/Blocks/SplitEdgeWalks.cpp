//===- SplitEdgeWalks.cpp - Walks by edges in two steps -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of equal shares of the elements cut groups where their borders are.
// The pieces of these groups lie in memory behind the workspace, which one walk
// after the other uses: the next launch reads them.
//
//===----------------------------------------------------------------------===//

#include "Behind.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Blocks/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SPLITEDGEWALKS
#include "GNN/Transforms/Blocks/Passes.h.inc"
} // namespace gnn

/// A mean over elements as a sum that is scaled when all is there.
static void divideBehind(TraverseOp op) {
  IRRewriter rewriter(op.getContext());
  for (auto reduce :
       llvm::make_early_inc_range(op.getBody().front().getOps<ReduceOp>())) {
    if (!reducesElements(reduce) || reduce.getKind() != Reduction::Mean)
      continue;
    rewriter.setInsertionPoint(reduce);
    Location loc = reduce.getLoc();
    Type type = reduce.getType();
    Value sum = ReduceOp::create(rewriter, loc, Reduction::Sum,
                                 reduce.getDims(), reduce.getValue());
    Value one = arith::ConstantOp::create(rewriter, loc,
                                          rewriter.getFloatAttr(type, 1));
    Value size = SizeOp::create(rewriter, loc, type);
    size = arith::MaximumFOp::create(rewriter, loc, size, one);
    // One division a row, not one a feature.
    Value share = arith::DivFOp::create(rewriter, loc, one, size,
                                        arith::FastMathFlags::afn);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(reduce, sum, share);
  }
}

/// The second step, behind `op`: the same rows of groups of what was left of
/// them.
static void join(TraverseOp op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto second = cast<TraverseOp>(builder.clone(*op));
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  scheduleJoin(op, TraverseSchedule(op), graph ? getStats(graph) : nullptr)
      .setOn(second);
  Operation *yield = second.getBody().front().getTerminator();
  SmallVector<Attribute> accesses;
  SmallVector<Value> outputs, values;
  for (auto [i, output] : llvm::enumerate(op.getOutputs())) {
    AtAttr at = op.getOutputAt(i);
    if (at.getAnchor() == Anchor::Element) // all are written
      continue;
    accesses.push_back(at);
    outputs.push_back(output);
    values.push_back(yield->getOperand(i));
  }
  second.getOutputsMutable().assign(outputs);
  second.setOutputsAtAttr(builder.getArrayAttr(accesses));
  yield->setOperands(values);
}

/// The first step, in front of `op`: the rows of groups that its teams add
/// their parts to.
static void setToZero(TraverseOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<Attribute> accesses;
  SmallVector<Value> outputs;
  for (auto [i, output] : llvm::enumerate(op.getOutputs()))
    if (AtAttr at = op.getOutputAt(i); at.getAnchor() != Anchor::Element) {
      accesses.push_back(at);
      outputs.push_back(output);
    }
  DomainAttr domain = op.getDomain();
  TraverseSchedule schedule = scheduleByRows(TraverseSchedule(op));
  schedule.inFlight = 1;
  schedule.runs = 0;
  auto zeros = TraverseOp::create(
      builder, loc, TypeRange(), op.getGraphAttr(),
      DomainAttr::get(op.getContext(), domain.getGroups(), RowDomain(),
                      domain.getHeads(), domain.getFeatures()),
      ValueRange(), outputs, builder.getArrayAttr({}),
      builder.getArrayAttr(accesses), schedule.get(op.getContext()));
  builder.setInsertionPointToEnd(&zeros.getBody().emplaceBlock());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
  YieldOp::create(builder, loc, SmallVector<Value>(outputs.size(), zero));
}

static LogicalResult split(TraverseOp op, Behind &behind) {
  if (op.getReduced().empty())
    return success();
  if (TraverseSchedule(op).merge == Merge::Atomic) {
    divideBehind(op);
    setToZero(op);
    return success();
  }
  if (!behind.isThere())
    return op.emitOpError("expected a function with a workspace for the "
                          "pieces of its groups (gnn-tile-plan-memory)");
  divideBehind(op);
  auto pieces =
      RowDomain::pieces(op.getGroups().get().space, op.getElements().get(),
                        TraverseSchedule(op).getBlockPositions());
  SmallVector<MemRefType> types;
  DomainAttr domain = op.getDomain();
  for (Value reduced : op.getReduced()) {
    AtAttr at = TraverseOp::getPartAt(reduced);
    SmallVector<int64_t> shape{ShapedType::kDynamic};
    if (at.getHead())
      shape.push_back(domain.getHeads());
    if (at.getFeature())
      shape.push_back(domain.getFeatures());
    types.push_back(MemRefType::get(shape, reduced.getType()));
  }
  op.getPartsMutable().assign(behind.take(op, types, pieces));
  op.setPartsOfAttr(RowDomainAttr::get(op.getContext(), pieces));
  join(op);
  return success();
}

/// How rows that several teams have become one, for the remark.
static StringRef describePieces(TraverseOp op) {
  if (op.getReduced().empty())
    return ", which leave no pieces of rows";
  return op.getPartsOf() ? ", whose pieces of rows a second step joins"
                         : ", which add to rows that a first step sets to zero";
}

namespace {
struct SplitEdgeWalks : gnn::impl::SplitEdgeWalksBase<SplitEdgeWalks> {
  void runOnOperation() override {
    SmallVector<TraverseOp> ops;
    getOperation()->walk([&](TraverseOp op) {
      if (op.isByEdges() && !op.isOnRange() && !op.getPartsOf())
        ops.push_back(op);
    });
    Behind behind(getOperation());
    for (TraverseOp op : ops) {
      if (failed(getLayout(op)) || failed(split(op, behind)))
        return signalPassFailure();
      passed(getArgument(), op.getLoc(), "Split")
          << ("blocks of " + Twine(TraverseSchedule(op).getBlockPositions()) +
              " elements" + describePieces(op))
                 .str();
    }
    behind.finish();
  }
};
} // namespace
