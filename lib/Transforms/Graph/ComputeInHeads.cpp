//===- ComputeInHeads.cpp - Arithmetic where heads are made -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerRewrite.h"

#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Transforms/Graph/Passes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_COMPUTEINHEADS
#include "GNN/Transforms/Graph/Passes.h.inc"
} // namespace gnn

/// Whether nothing else reads the heads, joined or not.
static bool isReadOnce(ReshapeOp join) {
  return join->hasOneUse() && join.getInput().hasOneUse();
}

/// The reshape in front of `op` that joins the heads which an op made; one that
/// is read once if there is one, null if there is none at all. No product ends
/// with a reduction of rows.
static ReshapeOp joinedHeads(Operation *op) {
  bool isReduction = isa<AggregateOp>(op);
  if (op->getNumResults() != 1 ||
      !(isReduction || op->hasTrait<OpTrait::Elementwise>() ||
        isa<ActivationOp>(op)) ||
      !getRows(op->getResult(0).getType()) ||
      getFeatures(getTensorType(op->getResult(0))).size() != 1)
    return nullptr;
  ReshapeOp first;
  for (Value operand : op->getOperands()) {
    auto reshape = operand.getDefiningOp<ReshapeOp>();
    Operation *maker = reshape ? reshape.getInput().getDefiningOp() : nullptr;
    if (!maker || getFeatures(reshape.getInput().getType()).size() != 2 ||
        (isReduction && isa<ProductOpInterface>(maker)))
      continue;
    if (isReadOnce(reshape))
      return reshape;
    if (!first)
      first = reshape;
  }
  return first;
}

/// `value` with other features; a repeated weight is repeated in that shape,
/// and a scalar, such as the condition of a select, is the same in any.
static Value inShape(OpBuilder &builder, Location loc, Value value,
                     ArrayRef<int64_t> features) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return value;
  if (!getRows(type)) {
    if (type.getNumElements() == 1)
      return value;
    auto target = RankedTensorType::get(features, type.getElementType());
    return ReshapeOp::create(builder, loc, target, value);
  }
  RankedTensorType target = withFeatures(type, features);
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (broadcast && !getRows(broadcast.getInput().getType())) {
    RankedTensorType weight = getTensorType(broadcast.getInput());
    Value shaped = broadcast.getInput();
    if (weight.getRank() != 0)
      shaped = inShape(builder, loc, shaped, features);
    return BroadcastOp::create(builder, loc, target, shaped);
  }
  return ReshapeOp::create(builder, loc, target, value);
}

/// `op(join(x), y) = join(op(x, split(y)))`: what makes `x` head by head can
/// end with `op`.
static void computeInHeads(Operation *op, ReshapeOp reshape,
                           const LayerRewrite &rewrite) {
  if (!isReadOnce(reshape)) {
    Value read =
        reshape->hasOneUse() ? reshape.getInput() : reshape.getResult();
    return rewrite.refused(op->getLoc(),
                           llvm::formatv("not computed head by head: heads are "
                                         "read {0} times, expected once",
                                         read.getNumUses())
                               .str());
  }
  SmallVector<Type> types(op->getOperandTypes());
  types.push_back(op->getResult(0).getType());
  for (Type type : types)
    if (isa<RankedTensorType>(type) &&
        !isFeatureType(getElementTypeOrSelf(type)))
      return rewrite.refused(
          op->getLoc(),
          llvm::formatv("not computed head by head: only features of f32, bf16 "
                        "or f16 can be split or joined, got {0}",
                        getElementTypeOrSelf(type))
              .str());
  IRRewriter &rewriter = rewrite.rewriter;
  rewriter.setInsertionPoint(op);
  SmallVector<int64_t> features(getFeatures(reshape.getInput().getType()));
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        operand == reshape.getResult()
            ? reshape.getInput()
            : inShape(rewriter, op->getLoc(), operand, features));
  auto type = getTensorType(op->getResult(0));
  Operation *inner = rewriter.clone(*op);
  inner->setOperands(operands);
  inner->getResult(0).setType(withFeatures(type, features));
  rewrite.passed(op->getLoc(), "InHeads",
                 llvm::formatv("computed head by head, {0} of {1} features, as "
                               "what makes its operand",
                               features[0], features[1])
                     .str());
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, type, inner->getResult(0));
  rewriter.eraseOp(reshape);
}

namespace {
struct ComputeInHeads : gnn::impl::ComputeInHeadsBase<ComputeInHeads> {
  using ComputeInHeadsBase::ComputeInHeadsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    LayerRewrite rewrite{rewriter, getArgument()};
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (ReshapeOp reshape = joinedHeads(op))
        computeInHeads(op, reshape, rewrite);
  }
};
} // namespace
