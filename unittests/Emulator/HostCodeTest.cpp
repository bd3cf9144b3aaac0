//===- HostCodeTest.cpp - Ops that a processor may not have ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <cmath>

using namespace gnn::emulator;

TEST(HostCode, NamesTheOpThatItHasNot) {
  std::string error;
  emulate(R"mlir(
gpu.func @k(%x: memref<1xf32>, %y: memref<1xf32>) kernel {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<1xf32>
  %r = memref.atomic_rmw mulf %v, %y[%c0] : (f32, memref<1xf32>) -> f32
  gpu.return
}
)mlir",
          Options(), &error);
  EXPECT_EQ(error, "loc(\"k.mlir\":6:8): 'memref.atomic_rmw' op has no form in "
                   "code of the host");
}

/// Few processors have instructions for them.
TEST(HostCode, ShortFloatsWideIntegersAndPowers) {
  auto emulator = emulate(R"mlir(
gpu.func @k(%x: memref<2xf32>, %y: memref<5xf32>, %z: memref<4xi64>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %v = memref.load %x[%c0] : memref<2xf32>
  %w = memref.load %x[%c1] : memref<2xf32>
  %b = arith.truncf %v : f32 to bf16
  %sine = math.sin %b : bf16
  %f = arith.extf %sine : bf16 to f32
  memref.store %f, %y[%c0] : memref<5xf32>
  // A float of this number is a tie.
  %more = arith.constant 1.00390625000001 : f64
  %fromDouble = arith.truncf %more : f64 to bf16
  %product = arith.mulf %fromDouble, %b : bf16
  %g = arith.extf %product : bf16 to f32
  memref.store %g, %y[%c3] : memref<5xf32>
  %h = arith.truncf %v : f32 to f16
  %tiny = arith.constant 0.0001 : f16
  %fused = math.fma %h, %h, %tiny : f16
  %wideHalf = arith.extf %fused : f16 to f32
  %c4 = arith.constant 4 : index
  memref.store %wideHalf, %y[%c4] : memref<5xf32>
  %between = math.clampf %v to [%w, %f] : f32
  memref.store %between, %y[%c1] : memref<5xf32>
  %n = arith.fptosi %v : f32 to i32
  %power = math.fpowi %w, %n : f32, i32
  memref.store %power, %y[%c2] : memref<5xf32>

  %small = arith.fptosi %w : f32 to i64
  %wide = arith.extsi %small : i64 to i128
  %c64 = arith.constant 64 : i128
  %shifted = arith.shli %wide, %c64 : i128
  %seven = arith.constant 7 : i64
  %t = arith.extsi %n : i32 to i64
  %by = arith.addi %t, %seven : i64
  %divisor = arith.extsi %by : i64 to i128
  %quotient = arith.divsi %shifted, %divisor : i128
  %rest = arith.remsi %shifted, %divisor : i128
  %quotient_u = arith.divui %shifted, %divisor : i128
  %rest_u = arith.remui %shifted, %divisor : i128
  %high = arith.shrsi %quotient, %c64 : i128
  %z0 = arith.trunci %quotient : i128 to i64
  %z1 = arith.trunci %rest : i128 to i64
  %z2 = arith.trunci %quotient_u : i128 to i64
  %z3 = arith.trunci %rest_u : i128 to i64
  memref.store %z0, %z[%c0] : memref<4xi64>
  memref.store %z1, %z[%c1] : memref<4xi64>
  memref.store %z2, %z[%c2] : memref<4xi64>
  memref.store %z3, %z[%c3] : memref<4xi64>
  gpu.return
}
)mlir");
  ASSERT_TRUE(emulator);
  // 3.0625 + 2^-9, between two numbers of bf16.
  std::vector<float> x = {3.064453125f, -2.5f}, y(5);
  std::vector<int64_t> z(4);
  ASSERT_EQ(run(*emulator, "k", {1, 1, 1}, {1, 1, 1}, Arguments(x, y, z)), "");
  EXPECT_NEAR(y[0], std::sin(3.0625), 0.001);
  EXPECT_EQ(y[1], y[0]);
  EXPECT_EQ(y[2], -15.625f);
  EXPECT_EQ(y[4], 9.390625f); // of 3.064453125 squared and 0.0001
  EXPECT_EQ(y[3], 3.09375f);  // 1.0078125 * 3.0625 = 3.08642578125
  // -2 * 2^64 by 10: Python's integers.
  EXPECT_EQ(z[0], -3689348814741910323);
  EXPECT_EQ(z[1], -2);
  EXPECT_EQ(z[2], 7378697629483820646);
  EXPECT_EQ(z[3], 4);
}
