//===- OnGradients.cpp - Passes on functions of gradients alone -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_ONGRADIENTS
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

namespace {
struct OnGradients : gnn::impl::OnGradientsBase<OnGradients> {
  using OnGradientsBase::OnGradientsBase;
  explicit OnGradients(const OpPassManager &given) : pm(given) {
    llvm::raw_string_ostream os(passes.getValue());
    llvm::interleave(
        pm, [&](Pass &pass) { pass.printAsTextualPipeline(os); },
        [&] { os << ","; });
  }

  LogicalResult initializeOptions(
      StringRef options,
      function_ref<LogicalResult(const Twine &)> errorHandler) override {
    if (failed(OnGradientsBase::initializeOptions(options, errorHandler)))
      return failure();
    std::string errors;
    llvm::raw_string_ostream os(errors);
    if (failed(parsePassPipeline(passes, pm, os)))
      return errorHandler("gnn-on-gradients: " + errors);
    return success();
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    if (getOperation()->hasAttr(attribute::gradientOf) &&
        failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }

private:
  OpPassManager pm{func::FuncOp::getOperationName()};
};
} // namespace

std::unique_ptr<Pass> gnn::createOnGradients(const OpPassManager &passes) {
  return std::make_unique<OnGradients>(passes);
}
