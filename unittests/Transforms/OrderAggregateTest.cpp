//===- OrderAggregateTest.cpp - One pass over many modules ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNDenseOps.h"
#include "GNN/Transforms/Graph/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace gnn;

/// A product after a sum over edges, of rows with so many features.
static OwningOpRef<ModuleOp> parse(MLIRContext &context, int in, int out) {
  std::string types = llvm::formatv(R"mlir(
    !in = tensor<?x{0}xf32, #gnn.rows<@g, node>>
    !out = tensor<?x{1}xf32, #gnn.rows<@g, node>>
    !weight = tensor<{0}x{1}xf32>)mlir",
                                    in, out);
  return parseSourceString<ModuleOp>(types + R"mlir(
    gnn.graph @g square {node_types = 1, edge_types = 1}
    func.func @f(%x: !in, %w: !weight) -> !out {
      %0 = gnn.spmm copy %x via src reduce sum via dst : (!in) -> !in
      %1 = gnn.linear %0, %w : (!in, !weight) -> !out
      return %1 : !out
    }
  )mlir",
                                     &context);
}

// Ops of one module lie where those of the module before did.
TEST(OrderAggregateTest, RemembersNothingOfTheModuleBefore) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, GNNDialect, func::FuncDialect>();
  PassManager pm(&context);
  pm.addPass(createOrderAggregate());
  for (int run = 0; run < 20; ++run) {
    bool turns = run % 2;
    auto module = turns ? parse(context, 64, 8) : parse(context, 8, 64);
    ASSERT_TRUE(module);
    ASSERT_TRUE(succeeded(pm.run(*module)));
    auto func = *module->getOps<func::FuncOp>().begin();
    EXPECT_EQ(isa<LinearOp>(func.getBody().front().front()), turns)
        << "in run " << run;
  }
}
