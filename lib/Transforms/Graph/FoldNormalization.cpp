//===- FoldNormalization.cpp - Normalization in the weights -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scale of columns commutes with all that acts on rows, so it reaches the
// weights of the product through sums of rows.
//
//===----------------------------------------------------------------------===//

#include "LayerRewrite.h"

#include "GNN/Analysis/Comparisons.h"
#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Transforms/Graph/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_FOLDNORMALIZATION
#include "GNN/Transforms/Graph/Passes.h.inc"
} // namespace gnn

/// The operand whose columns `op` keeps, as rows that it moves, adds up or
/// scales; null if there is none.
static OpOperand *keptColumns(Operation *op) {
  auto linear = dyn_cast<LinearOpInterface>(op);
  if (!linear || op->getNumResults() != 1)
    return nullptr;
  for (OpOperand &operand : op->getOpOperands())
    if (linear.getLinearAction(operand.getOperandNumber()) ==
            LinearAction::Rows &&
        getRows(operand.get().getType()) &&
        getFeatures(getTensorType(operand.get())) ==
            getFeatures(getTensorType(op->getResult(0))))
      return &operand;
  return nullptr;
}

/// Why the columns of `value` cannot be scaled where they come from, by a scale
/// of the shape `scale`; empty if they can. Collects the weights to scale.
static std::string findWeights(Value value, ArrayRef<int64_t> scale,
                               SmallVectorImpl<Value> &weights) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return "it normalizes what the function is given";
  if (!value.hasOneUse())
    return "what it normalizes has other readers";
  if (auto product = dyn_cast<ProductOpInterface>(op)) {
    auto of = product.getProductOperands();
    if (!of || of->isVector)
      return "it normalizes inner products";
    if (scale.size() != 1)
      return "each head has its own statistics";
    if (op->getOperand(of->weight).getDefiningOp<WeightTransposeOp>())
      return "only products can read a transposed weight";
    weights.push_back(op->getOperand(of->weight));
    if (of->bias)
      weights.push_back(op->getOperand(*of->bias));
    return "";
  }
  if (isa<arith::AddFOp, arith::SubFOp>(op)) {
    std::string why = findWeights(op->getOperand(0), scale, weights);
    return why.empty() ? findWeights(op->getOperand(1), scale, weights) : why;
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    if (getRows(broadcast.getInput().getType()) ||
        broadcast.getInput().getType().getShape() != scale)
      return "it normalizes repeated features";
    weights.push_back(broadcast.getInput());
    return "";
  }
  if (OpOperand *kept = keptColumns(op))
    return findWeights(kept->get(), scale, weights);
  return ("no weight is reached through '" + op->getName().getStringRef() + "'")
      .str();
}

/// `weight` with its last features scaled.
static Value scaled(OpBuilder &builder, Location loc, Value weight,
                    Value scale) {
  RankedTensorType type = getTensorType(weight);
  if (scale.getType() != type)
    scale = BroadcastOp::create(builder, loc, type, scale);
  return arith::MulFOp::create(builder, loc, weight, scale);
}

/// `value` with its columns scaled where they come from. Ops are built in the
/// place of `builder`, which comes after all of them.
static Value scaleColumns(OpBuilder &builder, Value value, Value scale) {
  Operation *op = value.getDefiningOp();
  Location loc = op->getLoc();
  IRMapping mapping;
  if (auto product = dyn_cast<ProductOpInterface>(op)) {
    auto of = product.getProductOperands();
    auto replace = [&](unsigned number) {
      Value weight = op->getOperand(number);
      mapping.map(weight, scaled(builder, loc, weight, scale));
    };
    replace(of->weight);
    if (of->bias)
      replace(*of->bias);
  } else if (isa<arith::AddFOp, arith::SubFOp>(op)) {
    for (Value operand : op->getOperands())
      mapping.map(operand, scaleColumns(builder, operand, scale));
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    mapping.map(broadcast.getInput(),
                scaled(builder, loc, broadcast.getInput(), scale));
  } else {
    Value kept = keptColumns(op)->get();
    mapping.map(kept, scaleColumns(builder, kept, scale));
  }
  return builder.clone(*op, mapping)->getResult(0);
}

static void foldNormalization(BatchNormOp op, const CostModel &model,
                              const LayerRewrite &rewrite) {
  SmallVector<Value> weights;
  RankedTensorType type = op.getMean().getType();
  std::string why = findWeights(op.getInput(), type.getShape(), weights);
  if (!why.empty())
    return rewrite.refused(op.getLoc(), why);
  std::string numbers =
      llvm::formatv(": {0} weights and biases", weights.size());
  StatsAttr stats = getStats(op);
  bool isFull = model.isTime();
  if (!stats && isFull)
    return rewrite.refused(
        op.getLoc(),
        "without statistics, the op that makes the rows ends with it");
  if (stats && isFull) {
    Comparison costs =
        compareFold(model, op, type.getNumElements(), weights, stats);
    numbers = llvm::formatv(": {0:f2} us on weights, {1:f2} us on rows",
                            costs.after * 1e6, costs.before * 1e6);
    if (!model.isBetter(costs.before, costs.after))
      return rewrite.refused(op.getLoc(),
                             "scaling the weights takes longer" + numbers);
  }
  rewrite.passed(op.getLoc(), "Folded",
                 "the weights are normalized, once a call" + numbers);
  IRRewriter &rewriter = rewrite.rewriter;
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  auto eps = DenseElementsAttr::get(
      type, rewriter.getFloatAttr(type.getElementType(),
                                  op.getEps().convertToDouble()));
  Value spread = math::SqrtOp::create(
      rewriter, loc,
      arith::AddFOp::create(rewriter, loc, op.getVariance(),
                            arith::ConstantOp::create(rewriter, loc, eps)));
  Value scale = arith::DivFOp::create(rewriter, loc, op.getGamma(), spread);
  Value shift = arith::SubFOp::create(
      rewriter, loc, op.getBeta(),
      arith::MulFOp::create(rewriter, loc, op.getMean(), scale));
  Value normal = scaleColumns(rewriter, op.getInput(), scale);
  rewriter.replaceOpWithNewOp<arith::AddFOp>(
      op, normal, BroadcastOp::create(rewriter, loc, op.getType(), shift));
}

namespace {
struct FoldNormalization : gnn::impl::FoldNormalizationBase<FoldNormalization> {
  using FoldNormalizationBase::FoldNormalizationBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    LayerRewrite rewrite{rewriter, getArgument()};
    CostModel model(getOperation(), cost);
    forAll<BatchNormOp>(getOperation(), [&](BatchNormOp op) {
      foldNormalization(op, model, rewrite);
    });
  }
};
} // namespace
