//===- GradientRulesTest.cpp - Rules that break their contract ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNDialect.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace gnn;

namespace {

/// Gives no gradient.
struct Nothing
    : DifferentiableOpInterface::ExternalModel<Nothing, arith::RemFOp> {
  LogicalResult buildGradient(Operation *, OpBuilder &, ArrayRef<Value>,
                              const llvm::BitVector &,
                              MutableArrayRef<Value>) const {
    return success();
  }
};

/// Gives one of another type.
struct OfAnotherType
    : DifferentiableOpInterface::ExternalModel<OfAnotherType, arith::RemFOp> {
  LogicalResult buildGradient(Operation *op, OpBuilder &builder,
                              ArrayRef<Value>, const llvm::BitVector &asked,
                              MutableArrayRef<Value> ofOperands) const {
    for (unsigned operand : asked.set_bits())
      ofOperands[operand] =
          arith::ConstantIndexOp::create(builder, op->getLoc(), 0);
    return success();
  }
};

/// The error of `gnn::differentiate` on x % y with respect to both where
/// `Model` is the rule.
template <typename Model> std::string differentiated() {
  MLIRContext context;
  context.loadDialect<GNNDialect, arith::ArithDialect, func::FuncDialect>();
  arith::RemFOp::attachInterface<Model>(context);
  auto module = parseSourceString<ModuleOp>(R"mlir(
    func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %0 = arith.remf %x, %y : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
  )mlir",
                                            &context);
  std::string said;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { said += diagnostic.str(); });
  auto func = *module->getOps<func::FuncOp>().begin();
  Operation *op = &func.getBody().front().front();
  OpBuilder builder(func.getBody().front().getTerminator());
  Gradients gradients(builder);
  gradients.add(op->getResult(0), op->getOperand(1));
  SmallVector<Operation *> ops = {op};
  EXPECT_TRUE(failed(differentiate(
      builder, ops, findVarying(ops, op->getOperands()), gradients)));
  return said;
}

// A gradient that is missing would be taken to be 0.
TEST(GradientRulesTest, GivesNothing) {
  EXPECT_EQ(
      differentiated<Nothing>(),
      "'arith.remf' op expected a gradient with respect to operand 0, got "
      "none");
}

TEST(GradientRulesTest, GivesAnotherType) {
  EXPECT_EQ(differentiated<OfAnotherType>(),
            "'arith.remf' op expected a gradient of type 'tensor<4xf32>' with "
            "respect to operand 0, got 'index'");
}

/// Two results by the rule of ops that are linear.
struct OfTwoResults
    : DifferentiableOpInterface::ExternalModel<OfTwoResults,
                                               arith::AddUIExtendedOp> {};

TEST(GradientRulesTest, TransposesTheFirstResultAlone) {
  MLIRContext context;
  context.loadDialect<GNNDialect, arith::ArithDialect, func::FuncDialect>();
  arith::AddUIExtendedOp::attachInterface<OfTwoResults>(context);
  auto module = parseSourceString<ModuleOp>(R"mlir(
    func.func @f(%x: i32) {
      %0, %1 = arith.addui_extended %x, %x : i32, i1
      return
    }
  )mlir",
                                            &context);
  std::string said;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { said += diagnostic.str(); });
  auto func = *module->getOps<func::FuncOp>().begin();
  Operation *op = &func.getBody().front().front();
  OpBuilder builder(op);
  SmallVector<Value> ofResults = {Value(), op->getOperand(0)}, ofOperands(2);
  llvm::BitVector asked(2, true);
  EXPECT_TRUE(failed(cast<DifferentiableOpInterface>(op).buildGradient(
      builder, ofResults, asked, ofOperands)));
  EXPECT_EQ(said, "'arith.addui_extended' op has no rule of differentiation of "
                  "result 1");
}

} // namespace
