//===- JoinSums.cpp - One sum of groups of groups -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mean of groups is a sum with a factor: one over their degree
// (Hector 3.4.1).
//
//===----------------------------------------------------------------------===//

#include "Factors.h"
#include "LayerRewrite.h"

#include "GNN/Analysis/Comparisons.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"
#include "GNN/Dialect/GNN/IR/Origin.h"
#include "GNN/Transforms/Graph/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_JOINSUMS
#include "GNN/Transforms/Graph/Passes.h.inc"
} // namespace gnn

/// A repeated number in the shape of `type`.
static Value repeated(OpBuilder &builder, Location loc, RankedTensorType type,
                      double number) {
  Type element = type.getElementType();
  auto scalar = RankedTensorType::get({}, element);
  auto value = DenseElementsAttr::get(
      scalar, Attribute(builder.getFloatAttr(element, number)));
  return BroadcastOp::create(builder, loc, type,
                             arith::ConstantOp::create(builder, loc, value));
}

/// Why a sum of means stays two sums, where one sum of rows at the end of
/// `path`, weighted with degrees, is dearer. `numbers` says what decided.
static std::string weighJoin(AggregateOp outer, AggregateOp inner, RowPath path,
                             const CostModel &model, std::string &numbers) {
  RankedTensorType rows = inner.getResult().getType();
  int64_t features = getNumFeatures(rows);
  constexpr int64_t enough = 16;
  StatsAttr stats = getStats(inner);
  if (!stats || model.getKind() == CostKind::Rows) {
    if (features >= enough)
      return "";
    return llvm::formatv(
        "its rows have {0} features, expected at least {1} {2}", features,
        enough, stats ? "where only rows count" : "without statistics");
  }
  auto [before, after] = compareJoin(model, outer, inner, path, stats);
  numbers =
      ": " + model.textOf(after) + ", " + model.textOf(before) + " as two";
  // Where they are about the same, one sum keeps no rows of groups.
  if (model.isBetter(after, before))
    return "a weight for each row is dearer" + numbers;
  if (after > before)
    numbers += ", about the same, in less memory";
  return "";
}

static void joinSums(AggregateOp op, const CostModel &model,
                     const LayerRewrite &rewrite) {
  auto inner = op.getInput().getDefiningOp<AggregateOp>();
  if (!inner || op.getKind() != ReduceKind::Sum || !isSum(inner))
    return;
  if (!inner.getResult().hasOneUse())
    return rewrite.refused(op.getLoc(),
                           "the groups that it adds up have other readers");
  RowPath first = inner.getRowPaths().front();
  auto path = compose(first, op.getRowPaths().front());
  if (!path)
    return rewrite.refused(op.getLoc(),
                           "no single path leads to the groups of groups");
  bool isMean = inner.getKind() == ReduceKind::Mean;
  std::string numbers;
  if (isMean) {
    std::string why = weighJoin(op, inner, *path, model, numbers);
    if (!why.empty())
      return rewrite.refused(op.getLoc(), why);
  }
  rewrite.passed(op.getLoc(), "Joined",
                 isMean ? "one sum, weighted with degrees" + numbers
                        : "one sum instead of two: " + describeOrigins(inner) +
                              " and " + describeOrigins(op));
  IRRewriter &rewriter = rewrite.rewriter;
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value rows = inner.getInput();
  if (isMean) {
    RankedTensorType groups = inner.getResult().getType();
    auto scalar = withFeatures(groups, {});
    Value degree =
        DegreeOp::create(rewriter, loc, scalar, first.from, inner.getViaAttr());
    Value share = arith::DivFOp::create(
        rewriter, loc, repeated(rewriter, loc, scalar, 1), degree);
    rows = applyFactor(rewriter, loc, rows, {share, first});
  }
  Value sum = AggregateOp::create(rewriter, loc, op.getResult().getType(),
                                  ReduceKind::Sum, rows, path->via)
                  .getResult();
  rewriter.replaceAllUsesWith(op.getResult(), sum);
  rewriter.eraseOp(op);
  rewriter.eraseOp(inner);
}

namespace {
struct JoinSums : gnn::impl::JoinSumsBase<JoinSums> {
  using JoinSumsBase::JoinSumsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    LayerRewrite rewrite{rewriter, getArgument()};
    CostModel model(getOperation(), cost);
    forAll<AggregateOp>(getOperation(),
                        [&](AggregateOp op) { joinSums(op, model, rewrite); });
  }
};
} // namespace
