//===- FuseActivations.cpp - Functions in the layer before them -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OverlayForms.h"

#include "GNN/Transforms/Overlay/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_OVERLAYFUSEACTIVATIONS
#include "GNN/Transforms/Overlay/Passes.h.inc"
} // namespace gnn

using overlay::ActAttr;

namespace {
struct OverlayFuseActivations
    : gnn::impl::OverlayFuseActivationsBase<OverlayFuseActivations> {
  void runOnOperation() override {
    if (failed(overlay::verifyLayers(getOperation())))
      return signalPassFailure();
    // A function may follow a function: those before come first.
    for (Operation &op : llvm::make_early_inc_range(getOperation().getOps())) {
      if (auto activation = dyn_cast<overlay::ActivationOp>(op))
        fuse(activation);
      else if (auto norm = dyn_cast<overlay::BatchNormOp>(op))
        fuse(norm);
    }
  }

  /// Why the functions of `op` cannot be applied in the layer before it; empty:
  /// they can.
  std::string explainRefusal(overlay::ActivationOp op) {
    auto first = cast<ActAttr>(*op.getActivations().begin());
    if (first.getKind() == overlay::ActivationKind::Divide)
      return "the divisor is a column of another fiber";
    if (op.getScale())
      return "it scales by feature";
    auto layer = op.getInput().getDefiningOp<overlay::LayerOpInterface>();
    if (!layer)
      return "it reads no layer";
    if (layer.getLayerType() == overlay::LayerType::BatchNorm)
      return "the layer before it is a batch norm";
    if (!op.getInput().hasOneUse())
      return "others read the layer before it";
    ArrayAttr there = layer.getFusedActivations();
    size_t all = (there ? there.size() : 0) + op.getActivations().size();
    if (layer.getLayerType() == overlay::LayerType::VectorInner && all > 2)
      return "a layer of edges takes two functions";
    return "";
  }

  void fuse(overlay::ActivationOp op) {
    if (std::string reason = explainRefusal(op); !reason.empty()) {
      refused(getArgument(), op.getLoc()) << reason;
      return;
    }
    auto layer = op.getInput().getDefiningOp<overlay::LayerOpInterface>();
    layer.addActivations(op.getActivations());
    passed(getArgument(), op.getLoc(), "Fused")
        << std::string("joins the layer ") +
               overlay::toWord(layer.getLayerType());
    op.getResult().replaceAllUsesWith(op.getInput());
    op.erase();
  }

  void fuse(overlay::BatchNormOp op) {
    auto activation = op.getInput().getDefiningOp<overlay::ActivationOp>();
    if (!activation || activation.getScale() || !op.getInput().hasOneUse()) {
      refused(getArgument(), op.getLoc())
          << "expected an activation as the input, which no other op reads";
      return;
    }
    OpBuilder builder(op);
    SmallVector<Attribute> acts(activation.getActivations().begin(),
                                activation.getActivations().end());
    acts.push_back(ActAttr::get(op.getContext(),
                                overlay::ActivationKind::Affine, FloatAttr()));
    Value result = overlay::ActivationOp::create(
        builder, op.getLoc(), op.getType(), activation.getInput(),
        op.getScale(), op.getShift(), builder.getArrayAttr(acts));
    passed(getArgument(), op.getLoc(), "Fused")
        << "joins the activation before it";
    op.getResult().replaceAllUsesWith(result);
    op.erase();
    activation.erase();
  }
};
} // namespace
