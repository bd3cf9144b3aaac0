//===- OrderAggregateTest.cpp - One pass over many modules ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNN.h"
#include "GNN/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace gnn;

// Ops of one module lie where those of the module before did.
TEST(OrderAggregateTest, RemembersNothingOfTheModuleBefore) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, GNNDialect, func::FuncDialect>();
  PassManager pm(&context);
  pm.addPass(createOrderAggregate());
  const char *text = R"mlir(
    !wide = tensor<?x64xf32, #gnn.rows<@g, node>>
    !narrow = tensor<?x8xf32, #gnn.rows<@g, node>>
    gnn.graph @g square {node_types = 1, edge_types = 1}
    func.func @f(%x: !wide, %w: tensor<64x8xf32>) -> !narrow {
      %0 = gnn.spmm copy %x via src reduce sum via dst : (!wide) -> !wide
      %1 = gnn.linear %0, %w : (!wide, tensor<64x8xf32>) -> !narrow
      return %1 : !narrow
    }
  )mlir";
  for (int run = 0; run < 20; ++run) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    ASSERT_TRUE(succeeded(pm.run(*module)));
    auto func = *module->getOps<func::FuncOp>().begin();
    EXPECT_TRUE(isa<LinearOp>(func.getBody().front().front()))
        << "the product comes last in run " << run;
  }
}
