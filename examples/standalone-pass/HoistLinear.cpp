//===- HoistLinear.cpp - Transform rows before they are gathered ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass outside of the tree, as a plugin of gnn-opt, gnn-run and Python.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace standalone {
#define GEN_PASS_DEF_HOISTLINEAR
#define GEN_PASS_REGISTRATION
#include "Passes.h.inc"
} // namespace standalone

namespace {

struct HoistPattern : OpRewritePattern<gnn::LinearOp> {
  HoistPattern(MLIRContext *context, StringRef pass)
      : OpRewritePattern(context), pass(pass) {}

  LogicalResult matchAndRewrite(gnn::LinearOp op,
                                PatternRewriter &rewriter) const override {
    auto gather = op.getInput().getDefiningOp<gnn::GatherOp>();
    if (!gather || !gather->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no gather of its own");
    gnn::passed(pass, op.getLoc(), "Hoisted")
        << "the rows are transformed before they are gathered";
    // As many features as before, in rows of the space gathered from.
    auto result = cast<RankedTensorType>(op.getResult().getType());
    auto rows = cast<RankedTensorType>(gather.getInput().getType());
    SmallVector<int64_t> shape(result.getShape());
    shape.front() = rows.getDimSize(0);
    auto hoistedType = RankedTensorType::get(shape, result.getElementType(),
                                             rows.getEncoding());
    Operation *hoisted = rewriter.clone(*op);
    hoisted->setOperand(0, gather.getInput());
    hoisted->getResult(0).setType(hoistedType);
    rewriter.replaceOpWithNewOp<gnn::GatherOp>(
        op, result, hoisted->getResult(0), gather.getVia());
    return success();
  }

  StringRef pass;
};

struct HoistLinear : standalone::impl::HoistLinearBase<HoistLinear> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<HoistPattern>(&getContext(), getArgument());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    // A pattern may be tried many times, but a refusal has one remark.
    getOperation()->walk([&](gnn::LinearOp op) {
      if (op.getInput().getDefiningOp<gnn::GatherOp>())
        gnn::refused(getArgument(), op.getLoc())
            << "other ops read the gathered rows";
    });
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "HoistLinear", "0.1",
          [] { standalone::registerHoistLinearPasses(); }};
}
