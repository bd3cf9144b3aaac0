//===- ValueKeysTest.cpp - Which values are computed alike ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Transforms/Graph/Differentiate/ValueKeys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace gnn;

/// The key of what a function of two vectors returns.
static std::string keyOf(StringRef body) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, arith::ArithDialect>();
  auto module = parseSourceString<ModuleOp>(
      ("func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {" +
       body + " return %r : tensor<4xf32> }")
          .str(),
      &context);
  Block &block = (*module->getOps<func::FuncOp>().begin()).getBody().front();
  return ValueKeys(block).get(block.getTerminator()->getOperand(0));
}

TEST(ValueKeys, SameOpsOfSameArguments) {
  std::string sum = keyOf("%r = arith.addf %a, %b : tensor<4xf32>");
  EXPECT_EQ(sum.size(), 16U);
  EXPECT_EQ(sum, keyOf("%x = arith.mulf %a, %a : tensor<4xf32> "
                       "%r = arith.addf %a, %b : tensor<4xf32>"));
  EXPECT_NE(sum, keyOf("%r = arith.addf %a, %a : tensor<4xf32>"));
  EXPECT_NE(sum, keyOf("%r = arith.subf %a, %b : tensor<4xf32>"));
  EXPECT_NE(sum,
            keyOf("%r = arith.addf %a, %b fastmath<fast> : tensor<4xf32>"));
}

// Text of a constant may leave out what it holds.
TEST(ValueKeys, OtherConstants) {
  auto scaled = [](StringRef elements) {
    return keyOf(("%c = arith.constant dense<[" + elements +
                  "]> : tensor<4xf32> %r = arith.mulf %a, %c : tensor<4xf32>")
                     .str());
  };
  EXPECT_EQ(scaled("1.0, 2.0, 3.0, 4.0"), scaled("1.0, 2.0, 3.0, 4.0"));
  EXPECT_NE(scaled("1.0, 2.0, 3.0, 4.0"), scaled("1.0, 2.0, 3.0, 5.0"));
}

// Nobody knows what a resource without contents holds, nor what is computed of
// it.
TEST(ValueKeys, ResourceWithoutContents) {
  EXPECT_EQ(keyOf("%c = arith.constant dense_resource<none> : tensor<4xf32> "
                  "%r = arith.mulf %a, %c : tensor<4xf32>"),
            "");
}
