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

#include "GNN/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

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

/// The reshape in front of `op` that joins heads; null if there is none that
/// `op` alone reads.
static ReshapeOp joinedHeads(Operation *op) {
  bool isElementwise = op->hasTrait<OpTrait::Elementwise>();
  if (op->getNumResults() != 1 || !(isElementwise || isa<ActivationOp>(op)) ||
      !getRows(op->getResult(0).getType()) ||
      getFeatures(typeOf(op->getResult(0))).size() != 1)
    return nullptr;
  for (Value operand : op->getOperands()) {
    auto reshape = operand.getDefiningOp<ReshapeOp>();
    if (reshape && reshape->hasOneUse() && reshape.getInput().hasOneUse() &&
        reshape.getInput().getDefiningOp() &&
        getFeatures(reshape.getInput().getType()).size() == 2)
      return reshape;
  }
  return nullptr;
}

/// `value` with other features; a repeated weight is repeated in that shape.
static Value inShape(OpBuilder &builder, Location loc, Value value,
                     ArrayRef<int64_t> features) {
  RankedTensorType type = typeOf(value);
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
               "computed head by head, as what makes its operand");
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

/// Gives a sum of a product and a repeated weight to the product as its bias.
static void mergeBias(arith::AddFOp op, const LayerFuser &fuser) {
  for (unsigned i : {0, 1}) {
    auto product = op->getOperand(i).getDefiningOp<ProductOpInterface>();
    auto of = product ? product.getProductOperands() : std::nullopt;
    if (!of || of->isVector || of->bias || !product->hasOneUse())
      continue;
    Value weight = product->getOperand(of->weight);
    std::optional<RowPath> types;
    if (auto space = getRowSpace(weight.getType()))
      types = RowPath{*getRowSpace(op.getType()), *space, of->via};
    Value bias = repeatedWeight(op->getOperand(1 - i), types);
    if (!bias || getFeatures(typeOf(bias)).empty())
      continue;
    IRRewriter &rewriter = fuser.rewriter;
    rewriter.setInsertionPoint(op);
    fuser.passed(op.getLoc(), "Bias", "the product adds it as its bias");
    if (auto typed = dyn_cast<TypedLinearOp>(product.getOperation())) {
      rewriter.replaceOpWithNewOp<TypedLinearOp>(
          op, op.getType(), typed.getInput(), weight, bias, typed.getViaAttr());
      return;
    }
    if (auto linear = dyn_cast<LinearOp>(product.getOperation())) {
      rewriter.replaceOpWithNewOp<LinearOp>(op, op.getType(), linear.getInput(),
                                            weight, bias);
      return;
    }
  }
}

namespace {
struct FuseLayers : gnn::impl::FuseLayersBase<FuseLayers> {
  using FuseLayersBase::FuseLayersBase;

  LogicalResult initialize(MLIRContext *context) override {
    FailureOr<CostModel> created = createCostModel(context, target, cost);
    if (succeeded(created))
      model.emplace(*created);
    return created;
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
