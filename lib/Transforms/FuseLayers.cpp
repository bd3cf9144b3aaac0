//===- FuseLayers.cpp - Layers in fewer walks -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings what follows a product or a sum into the form that it can end with
// (GraphAGILE 6.4, Hector 3.4.1): weights that hold the normalization, scales
// on few rows, arithmetic in the heads of what makes its operand.
//
//===----------------------------------------------------------------------===//

#include "FuseLayers.h"

#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_FUSELAYERS
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Arithmetic in heads
//===----------------------------------------------------------------------===//

/// Whether nothing else reads the heads, joined or not.
static bool isReadOnce(ReshapeOp join) {
  return join->hasOneUse() && join.getInput().hasOneUse();
}

/// The reshape in front of `op` that joins the heads which an op made; one that
/// is read once if there is one, null if there is none at all.
static ReshapeOp joinedHeads(Operation *op) {
  bool isElementwise = op->hasTrait<OpTrait::Elementwise>();
  if (op->getNumResults() != 1 || !(isElementwise || isa<ActivationOp>(op)) ||
      !getRows(op->getResult(0).getType()) ||
      getFeatures(typeOf(op->getResult(0))).size() != 1)
    return nullptr;
  ReshapeOp first;
  for (Value operand : op->getOperands()) {
    auto reshape = operand.getDefiningOp<ReshapeOp>();
    if (!reshape || !reshape.getInput().getDefiningOp() ||
        getFeatures(reshape.getInput().getType()).size() != 2)
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
    RankedTensorType weight = typeOf(broadcast.getInput());
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
                           const LayerFuser &fuser) {
  if (!isReadOnce(reshape)) {
    Value read =
        reshape->hasOneUse() ? reshape.getInput() : reshape.getResult();
    return fuser.missed(op->getLoc(), "NotInHeads",
                        llvm::formatv("not computed head by head: heads are "
                                      "read {0} times, expected once",
                                      read.getNumUses())
                            .str());
  }
  for (Type type : op->getOperandTypes())
    if (isa<RankedTensorType>(type) &&
        !isFeatureType(getElementTypeOrSelf(type)))
      return fuser.missed(
          op->getLoc(), "NotInHeads",
          llvm::formatv("not computed head by head: only features of f32, bf16 "
                        "or f16 can be split, got {0}",
                        getElementTypeOrSelf(type))
              .str());
  IRRewriter &rewriter = fuser.rewriter;
  rewriter.setInsertionPoint(op);
  SmallVector<int64_t> features(getFeatures(reshape.getInput().getType()));
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        operand == reshape.getResult()
            ? reshape.getInput()
            : inShape(rewriter, op->getLoc(), operand, features));
  auto type = typeOf(op->getResult(0));
  Operation *inner = rewriter.clone(*op);
  inner->setOperands(operands);
  inner->getResult(0).setType(withFeatures(type, features));
  fuser.passed(op->getLoc(), "InHeads",
               llvm::formatv("computed head by head, {0} of {1} features, as "
                             "what makes its operand",
                             features[0], features[1])
                   .str());
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, type, inner->getResult(0));
  rewriter.eraseOp(reshape);
}

//===----------------------------------------------------------------------===//
// Bias
//===----------------------------------------------------------------------===//

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
    if (bias && !getFeatures(typeOf(bias)).empty() &&
        getNumFeatures(typeOf(bias)) == getNumFeatures(typeOf(op)))
      return {cast<ProductOpInterface>(product), bias};
  }
  return {};
}

/// Gives a sum of a product and a repeated weight to the product as its bias.
static void mergeBias(arith::AddFOp op, const LayerFuser &fuser) {
  auto [product, bias] = biasedProduct(op);
  if (!product)
    return;
  if (product.getProductOperands()->bias)
    return fuser.missed(op.getLoc(), "NotBias",
                        "the product has a bias already");
  if (!product->hasOneUse())
    return fuser.missed(
        op.getLoc(), "NotBias",
        llvm::formatv("the product is read {0} times, expected once",
                      product->getResult(0).getNumUses())
            .str());
  fuser.passed(
      op.getLoc(), "Bias",
      llvm::formatv("the product adds it as its bias: no walk over {0} "
                    "features a row",
                    getNumFeatures(typeOf(op.getResult())))
          .str());
  IRRewriter &rewriter = fuser.rewriter;
  rewriter.setInsertionPoint(op);
  RankedTensorType type = typeOf(product->getResult(0));
  if (getFeatures(type) != getFeatures(typeOf(bias)))
    bias =
        ReshapeOp::create(rewriter, op.getLoc(),
                          withFeatures(typeOf(bias), getFeatures(type)), bias);
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
struct FuseLayers : gnn::impl::FuseLayersBase<FuseLayers> {
  using FuseLayersBase::FuseLayersBase;

  LogicalResult initialize(MLIRContext *) override {
    model.emplace(target.getValue(), cost.getValue());
    return success();
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    LayerFuser fuser{rewriter, *model, getArgument()};
    forAll<BatchNormOp>([&](BatchNormOp op) { foldBatchNorm(op, fuser); });
    if (weightsOnly)
      return;
    forAll<AggregateOp>([&](AggregateOp op) { joinAggregates(op, fuser); });
    forAll<AggregateOp>([&](AggregateOp op) { moveScales(op, fuser); });
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (ReshapeOp reshape = joinedHeads(op))
        computeInHeads(op, reshape, fuser);
    forAll<arith::AddFOp>([&](arith::AddFOp op) { mergeBias(op, fuser); });
  }

private:
  std::optional<CostModel> model;

  /// Calls `change` on all ops of a kind; it may replace them.
  template <typename OpT> void forAll(function_ref<void(OpT)> change) {
    SmallVector<OpT> ops(getOperation().getOps<OpT>());
    for (OpT op : ops)
      change(op);
  }
};
} // namespace
