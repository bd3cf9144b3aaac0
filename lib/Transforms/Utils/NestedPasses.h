//===- NestedPasses.h - Passes that run passes -------------------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_UTILS_NESTEDPASSES_H
#define GNN_LIB_TRANSFORMS_UTILS_NESTEDPASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace gnn {

/// A pass on functions whose option `passes` is what it runs on some of them.
/// `Base` is what is generated of it.
template <typename Base> struct NestedPasses : Base {
  using Base::Base;
  explicit NestedPasses(const mlir::OpPassManager &given) : pm(given) {
    llvm::raw_string_ostream os(this->passes.getValue());
    llvm::interleave(
        pm, [&](mlir::Pass &pass) { pass.printAsTextualPipeline(os); },
        [&] { os << ","; });
  }

  mlir::LogicalResult
  initializeOptions(mlir::StringRef options,
                    mlir::function_ref<mlir::LogicalResult(const mlir::Twine &)>
                        errorHandler) override {
    if (failed(Base::initializeOptions(options, errorHandler)))
      return mlir::failure();
    std::string errors;
    llvm::raw_string_ostream os(errors);
    if (failed(mlir::parsePassPipeline(this->passes, pm, os)))
      return errorHandler(this->getArgument() + ": " + errors);
    return mlir::success();
  }

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    pm.getDependentDialects(registry);
  }

protected:
  void runNested() {
    if (failed(this->runPipeline(pm, this->getOperation())))
      this->signalPassFailure();
  }

private:
  mlir::OpPassManager pm{mlir::func::FuncOp::getOperationName()};
};

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_UTILS_NESTEDPASSES_H
