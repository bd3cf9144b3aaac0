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

TEST(HostCode, MathOfIndicesAndVectors) {
  auto emulator = emulate(R"mlir(
gpu.func @k(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<2xi64>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %zeros = math.ctlz %c12 : index
  %ones = math.ctpop %c12 : index
  %z0 = arith.index_cast %zeros : index to i64
  %z1 = arith.index_cast %ones : index to i64
  memref.store %z0, %z[%c0] : memref<2xi64>
  memref.store %z1, %z[%c1] : memref<2xi64>
  %v = vector.load %x[%c0] : memref<8xf32>, vector<8xf32>
  %root = math.rsqrt %v : vector<8xf32>
  // Twice by the C library.
  %e = math.erf %root : vector<8xf32>
  %f = math.erf %v : vector<8xf32>
  %sum = arith.addf %e, %f : vector<8xf32>
  vector.store %sum, %y[%c0] : memref<8xf32>, vector<8xf32>
  gpu.return
}
)mlir");
  ASSERT_TRUE(emulator);
  std::vector<float> x = {0.25f, 0.5f, 1, 2, 3, 4, 5, 6}, y(8);
  std::vector<int64_t> z(2);
  ASSERT_EQ(run(*emulator, "k", {1, 1, 1}, {1, 1, 1}, Arguments(x, y, z)), "");
  EXPECT_EQ(z[0], 60);
  EXPECT_EQ(z[1], 2);
  for (size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(y[i], std::erf(1 / std::sqrt(x[i])) + std::erf(x[i]), 1e-6);
}

TEST(HostCode, ClampsAndSmallNumbers) {
  auto emulator = emulate(R"mlir(
gpu.func @k(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>,
            %w: memref<4xf32>) kernel {
  %c0 = arith.constant 0 : index
  %low = arith.constant dense<-1.0> : vector<4xf32>
  %high = arith.constant dense<2.0> : vector<4xf32>
  %v = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
  %clamped = math.clampf %v to [%low, %high] : vector<4xf32>
  %exp = math.expm1 %v : vector<4xf32>
  %log = math.log1p %v : vector<4xf32>
  vector.store %clamped, %y[%c0] : memref<4xf32>, vector<4xf32>
  vector.store %exp, %z[%c0] : memref<4xf32>, vector<4xf32>
  vector.store %log, %w[%c0] : memref<4xf32>, vector<4xf32>
  gpu.return
}
)mlir");
  ASSERT_TRUE(emulator);
  std::vector<float> x = {1e-8f, -3, 0.5f, 7}, y(4), z(4), w(4);
  ASSERT_EQ(run(*emulator, "k", {1, 1, 1}, {1, 1, 1}, Arguments(x, y, z, w)),
            "");
  EXPECT_EQ(y, (std::vector<float>{1e-8f, -1, 0.5f, 2}));
  EXPECT_EQ(z[0], 1e-8f);
  EXPECT_EQ(w[0], 1e-8f);
  EXPECT_NEAR(z[2], std::expm1(0.5), 1e-6);
  EXPECT_NEAR(w[3], std::log1p(7.0), 1e-6);
}

/// Few processors have instructions for all of them.
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
