//===- MergeBias.cpp - Repeated weights as biases -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerRewrite.h"

#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Transforms/Graph/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_MERGEBIAS
#include "GNN/Transforms/Graph/Passes.h.inc"
} // namespace gnn

/// The weight that `value` repeats for all rows, or for those of the types that
/// `types` leads to; null if it repeats none.
static Value repeatedWeight(Value value, std::optional<RowPath> types) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    return types || getRows(broadcast.getInput().getType())
               ? Value()
               : Value(broadcast.getInput());
  auto gather = value.getDefiningOp<GatherOp>();
  if (!gather || !types)
    return nullptr;
  RowPath path = gather.getRowPaths().front();
  return path.to == types->to && path.via == types->via ? gather.getInput()
                                                        : Value();
}

/// The product among the operands of `op`, maybe in another shape, that a
/// repeated weight is added to, and that weight; null if there is none.
static std::pair<ProductOpInterface, Value> biasedProduct(arith::AddFOp op) {
  for (unsigned i : {0, 1}) {
    Operation *product = op->getOperand(i).getDefiningOp();
    if (auto reshape = dyn_cast_or_null<ReshapeOp>(product);
        reshape && reshape->hasOneUse())
      product = reshape.getInput().getDefiningOp();
    if (!isa_and_nonnull<LinearOp, TypedLinearOp>(product))
      continue;
    auto of = *cast<ProductOpInterface>(product).getProductOperands();
    std::optional<RowPath> types;
    if (auto space = getRowSpace(product->getOperand(of.weight).getType()))
      types = RowPath{*getRowSpace(op.getType()), *space, of.via};
    Value bias = repeatedWeight(op->getOperand(1 - i), types);
    if (bias && !getFeatures(getTensorType(bias)).empty() &&
        getNumFeatures(getTensorType(bias)) ==
            getNumFeatures(getTensorType(op)))
      return {cast<ProductOpInterface>(product), bias};
  }
  return {};
}

/// Gives a sum of a product and a repeated weight to the product as its bias.
static void mergeBias(arith::AddFOp op, const LayerRewrite &rewrite) {
  auto [product, bias] = biasedProduct(op);
  if (!product)
    return;
  if (product.getProductOperands()->bias)
    return rewrite.refused(op.getLoc(), "the product has a bias already");
  if (!product->hasOneUse())
    return rewrite.refused(
        op.getLoc(),
        llvm::formatv("the product is read {0} times, expected once",
                      product->getResult(0).getNumUses())
            .str());
  rewrite.passed(
      op.getLoc(), "Bias",
      llvm::formatv("the product adds it as its bias, which saves a walk "
                    "over rows of {0} features",
                    getNumFeatures(getTensorType(op.getResult())))
          .str());
  IRRewriter &rewriter = rewrite.rewriter;
  rewriter.setInsertionPoint(op);
  RankedTensorType type = getTensorType(product->getResult(0));
  if (getFeatures(type) != getFeatures(getTensorType(bias))) {
    auto shape =
        getRows(getTensorType(bias))
            ? withFeatures(getTensorType(bias), getFeatures(type))
            : RankedTensorType::get(getFeatures(type), type.getElementType());
    bias = ReshapeOp::create(rewriter, op.getLoc(), shape, bias);
  }
  Value sum;
  if (auto typed = dyn_cast<TypedLinearOp>(product.getOperation()))
    sum = TypedLinearOp::create(rewriter, op.getLoc(), type, typed.getInput(),
                                typed.getWeight(), bias, typed.getViaAttr());
  else
    sum = LinearOp::create(rewriter, op.getLoc(), type,
                           cast<LinearOp>(product).getInput(),
                           cast<LinearOp>(product).getWeight(), bias);
  if (type != op.getType())
    sum = ReshapeOp::create(rewriter, op.getLoc(), op.getType(), sum);
  rewriter.replaceOp(op, sum);
}

namespace {
struct MergeBias : gnn::impl::MergeBiasBase<MergeBias> {
  using MergeBiasBase::MergeBiasBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    LayerRewrite rewrite{rewriter, getArgument()};
    forAll<arith::AddFOp>(getOperation(),
                          [&](arith::AddFOp op) { mergeBias(op, rewrite); });
  }
};
} // namespace
