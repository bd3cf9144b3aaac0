//===- FaultsTest.cpp - Planted faults of single threads ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each check is proved by a kernel that does wrong, and shows its message.
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

using namespace gnn::emulator;

/// A kernel of `body` over x (input of %n elements), y (output of 8 floats) and
/// an index %i that each thread computes as `8 * block + thread + first`.
static std::string kernelOf(const std::string &body) {
  return R"mlir(
gpu.func @k(%x: memref<1xf32>, %y: memref<8xf32>, %n: index, %first: index)
    workgroup(%s: memref<8xf32, #gpu.address_space<workgroup>>) kernel {
  %xm = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1] : memref<1xf32> to memref<?xf32>
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %b8 = arith.muli %b, %c8 : index
  %bt = arith.addi %b8, %t : index
  %i = arith.addi %bt, %first : index
)mlir" + body +
         "\n  gpu.return\n}\n";
}

/// The error of a launch of 2 blocks of 8 threads, x having `n` elements.
static std::string faultOf(const std::string &body, int64_t n, int64_t first,
                           Options options = {}) {
  auto emulator = emulate(kernelOf(body), options);
  if (!emulator)
    return "";
  std::vector<float> x(n), y(8);
  return run(*emulator, "k", {2, 1, 1}, {8, 1, 1}, Arguments(x, y, n, first));
}

TEST(Faults, ReadOutOfBounds) {
  EXPECT_EQ(faultOf(R"mlir(
  %v = memref.load %xm[%i] : memref<?xf32>
  memref.store %v, %y[%t] : memref<8xf32>)mlir",
                    13, 0),
            "'memref.load' op at k.mlir:14:8: index [13] is out "
            "of bounds of extents [13]; in block (1, 0, 0), thread (5, 0, 0)");
}

TEST(Faults, WriteOutOfBoundsOfAStaticShape) {
  EXPECT_EQ(faultOf(R"mlir(
  %v = arith.constant 1.0 : f32
  memref.store %v, %y[%i] : memref<8xf32>)mlir",
                    1, 0),
            "'memref.store' op at k.mlir:15:3: index [8] is out "
            "of bounds of extents [8]; in block (1, 0, 0), thread (0, 0, 0)");
}

TEST(Faults, NegativeIndex) {
  EXPECT_EQ(faultOf(R"mlir(
  %v = memref.load %xm[%i] : memref<?xf32>
  memref.store %v, %y[%t] : memref<8xf32>)mlir",
                    64, -2),
            "'memref.load' op at k.mlir:14:8: index [-2] is out "
            "of bounds of extents [64]; in block (0, 0, 0), thread (0, 0, 0)");
}

TEST(Faults, SharedMemoryOutOfBounds) {
  EXPECT_EQ(faultOf(R"mlir(
  %v = arith.constant 1.0 : f32
  memref.store %v, %s[%i] : memref<8xf32, #gpu.address_space<workgroup>>)mlir",
                    1, 0),
            "'memref.store' op at k.mlir:15:3: index [8] is out "
            "of bounds of extents [8]; in block (1, 0, 0), thread (0, 0, 0)");
}

TEST(Faults, AtomicOutOfBounds) {
  EXPECT_EQ(faultOf(R"mlir(
  %v = arith.constant 1.0 : f32
  %o = memref.atomic_rmw addf %v, %xm[%i] : (f32, memref<?xf32>) -> f32)mlir",
                    3, 0),
            "'memref.atomic_rmw' op at k.mlir:15:8: index [3] is out "
            "of bounds of extents [3]; in block (0, 0, 0), thread (3, 0, 0)");
}

TEST(Faults, VectorReachesPastTheEnd) {
  EXPECT_EQ(faultOf(R"mlir(
  %v = vector.load %xm[%i] : memref<?xf32>, vector<4xf32>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<4xf32>)mlir",
                    10, 0),
            "'vector.load' op at k.mlir:14:8: index [7 to 10] is "
            "out of bounds of extents [10]; in block (0, 0, 0), thread "
            "(7, 0, 0)");
}

TEST(Faults, VectorReachesIntoTheNextRow) {
  EXPECT_EQ(
      faultOf(R"mlir(
  %c2 = arith.constant 2 : index
  %m = memref.reinterpret_cast %x to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<1xf32> to memref<4x4xf32>
  %v = vector.load %m[%c2, %c2] : memref<4x4xf32>, vector<4xf32>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<4xf32>)mlir",
              16, 0),
      "'vector.load' op at k.mlir:16:8: index [2, 2 to 5] is out "
      "of bounds of extents [4, 4]; in block (0, 0, 0), thread (0, 0, 0)");
}

TEST(Faults, MaskedLaneOutOfBounds) {
  std::string body = R"mlir(
  %three = arith.constant 3 : index
  %mask = vector.create_mask %three : vector<4xi1>
  %p = arith.constant dense<0.0> : vector<4xf32>
  %v = vector.maskedload %xm[%i], %mask, %p : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<4xf32>)mlir";
  EXPECT_EQ(faultOf(body, 18, 0), "");
  EXPECT_EQ(faultOf(body, 17, 0),
            "'vector.maskedload' op at k.mlir:17:8: index [17] "
            "is out of bounds of extents [17]; in block (1, 0, 0), thread "
            "(7, 0, 0)");
}

TEST(Faults, LateLaneOfALongMask) {
  std::string body = R"mlir(
  %mask = vector.create_mask %n : vector<80xi1>
  %p = arith.constant dense<0.0> : vector<80xf32>
  %v = vector.maskedload %xm[%c0], %mask, %p : memref<?xf32>, vector<80xi1>, vector<80xf32> into vector<80xf32>
  %last = vector.extract %v[79] : f32 from vector<80xf32>
  memref.store %last, %y[%c0] : memref<8xf32>)mlir";
  EXPECT_EQ(faultOf(body, 70, 0), "");
  body.insert(body.find("%mask"),
              "%m = memref.reinterpret_cast %x to offset: [0], sizes: [66], "
              "strides: [1] : memref<1xf32> to memref<66xf32>\n  ");
  body.replace(body.find("%xm"), 3, "%m");
  body.replace(body.find("memref<?xf32>"), 13, "memref<66xf32>");
  EXPECT_EQ(faultOf(body, 70, 0),
            "'vector.maskedload' op at k.mlir:17:8: index [66] is out of "
            "bounds of extents [66]; in block (0, 0, 0), thread (0, 0, 0)");
}

TEST(Faults, MisalignedVector) {
  EXPECT_EQ(
      faultOf(R"mlir(
  %v = vector.load %xm[%i] {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<4xf32>)mlir",
              64, 4),
      "'vector.load' op at k.mlir:14:8: address is not aligned: "
      "expected a multiple of 16 bytes, got 4 more; in block (0, 0, 0), thread "
      "(1, 0, 0)");
}

TEST(Faults, ExtentLongerThanTheBuffer) {
  auto emulator = emulate(kernelOf(""));
  ASSERT_TRUE(emulator);
  std::vector<float> x(7), y(8);
  EXPECT_EQ(run(*emulator, "k", {1, 1, 1}, {8, 1, 1}, Arguments(x, y, 8, 0)),
            "'memref.reinterpret_cast' op at k.mlir:5:9: gives "
            "argument 0 an extent of 32 bytes, but the launch passes 28; in "
            "block (0, 0, 0), thread (0, 0, 0)");
}

TEST(Faults, PointerLessAlignedThanItsAttribute) {
  auto emulator = emulate(R"mlir(
gpu.func @k(%x: memref<1xf32> {llvm.align = 16 : i64}, %n: index) kernel {
  %xm = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1] : memref<1xf32> to memref<?xf32>
  gpu.return
})mlir");
  ASSERT_TRUE(emulator);
  alignas(16) float x[8];
  void *pointer = x + 1;
  int64_t n = 4;
  void *arguments[] = {&pointer, &n};
  Launch launch;
  launch.arguments = arguments;
  EXPECT_EQ(llvm::toString(emulator->launch("k", launch)),
            "argument 0: expected a multiple of 16 bytes as address, got 4 "
            "more");
}

TEST(Faults, ViewThatIsNotAligned) {
  auto emulator = emulate(R"mlir(
gpu.func @k(%shift: index, %n: index) kernel {
  %raw = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %v = memref.view %raw[%shift][%n] : memref<?xi8, #gpu.address_space<workgroup>>
      to memref<?xf32, #gpu.address_space<workgroup>>
  gpu.return
})mlir");
  ASSERT_TRUE(emulator);
  auto fault = [&](int64_t shift, int64_t n) {
    return run(*emulator, "k", {1, 1, 1}, {1, 1, 1}, Arguments(shift, n),
               std::nullopt, 64);
  };
  EXPECT_EQ(fault(8, 2), "");
  EXPECT_EQ(fault(6, 0), "");
  EXPECT_EQ(fault(6, 2),
            "'memref.view' op at k.mlir:5:8: address is not aligned: expected "
            "a multiple of 4 bytes, got 2 more; in block (0, 0, 0), thread (0, "
            "0, 0)");
}

TEST(Faults, SubviewLeavesItsSource) {
  EXPECT_EQ(
      faultOf(R"mlir(
  %v = memref.subview %xm[%i] [2] [3] : memref<?xf32> to memref<2xf32, strided<[3], offset: ?>>
  %e = memref.load %v[%c0] : memref<2xf32, strided<[3], offset: ?>>
  memref.store %e, %y[%t] : memref<8xf32>)mlir",
              6, 0),
      "'memref.subview' op at k.mlir:14:8: dimension 0 with "
      "offset 3, size 2, stride 3 leaves the extent 6; in block (0, 0, 0), "
      "thread (3, 0, 0)");
}

TEST(Faults, DivisionByZeroAndOverflow) {
  std::string body = R"mlir(
  %q = arith.divsi %c8, %i : index
  %f = arith.index_cast %q : index to i32
  %g = arith.sitofp %f : i32 to f32
  memref.store %g, %y[%t] : memref<8xf32>)mlir";
  EXPECT_EQ(faultOf(body, 1, -3),
            "'arith.divsi' op at k.mlir:14:8: divides by zero; "
            "in block (0, 0, 0), thread (3, 0, 0)");
  EXPECT_EQ(faultOf(body, 1, -3, Options{/*checked=*/false, 1}),
            "'arith.divsi' op at k.mlir:14:8: divides by zero; "
            "in block (0, 0, 0), thread (3, 0, 0)");
  EXPECT_EQ(faultOf(R"mlir(
  %min = arith.constant -2147483648 : i32
  %one = arith.constant -1 : i32
  %two = arith.constant 2 : i32
  %c2 = arith.constant 2 : index
  %same = arith.cmpi eq, %t, %c2 : index
  %d = arith.select %same, %one, %two : i32
  %q = arith.remsi %min, %d : i32
  %g = arith.sitofp %q : i32 to f32
  memref.store %g, %y[%t] : memref<8xf32>)mlir",
                    1, 0),
            "'arith.remsi' op at k.mlir:20:8: divides the least "
            "integer by -1; in block (0, 0, 0), thread (2, 0, 0)");
}

// Whatever runs first, the lowest faulty block is told.
TEST(Faults, LowestBlockIsTold) {
  auto emulator = emulate(kernelOf(R"mlir(
  %v = memref.load %xm[%i] : memref<?xf32>
  memref.store %v, %y[%t] : memref<8xf32>)mlir"),
                          Options{true, 4});
  ASSERT_TRUE(emulator);
  std::vector<float> x(8 * 500 + 3), y(8);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(run(*emulator, "k", {1000, 1, 1}, {8, 1, 1},
                  Arguments(x, y, int64_t(x.size()), 0)),
              "'memref.load' op at k.mlir:14:8: index [4003] is "
              "out of bounds of extents [4003]; in block (500, 0, 0), thread "
              "(3, 0, 0)");
}

// A fault leaves the emulator as good as before.
TEST(Faults, RunsOnAfterAFault) {
  auto emulator = emulate(kernelOf(R"mlir(
  gpu.barrier
  %v = memref.load %xm[%i] : memref<?xf32>
  gpu.barrier
  memref.store %v, %y[%t] : memref<8xf32>)mlir"));
  ASSERT_TRUE(emulator);
  std::vector<float> bad(5), good = randomFloats(8, 1), y(8);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(
        run(*emulator, "k", {1, 1, 1}, {8, 1, 1}, Arguments(bad, y, 5, 0)), "");
    EXPECT_EQ(
        run(*emulator, "k", {1, 1, 1}, {8, 1, 1}, Arguments(good, y, 8, 0)),
        "");
    EXPECT_TRUE(sameBits(y, good));
  }
}

// Unwritten shared memory is NaN in each block, also after others ran.
TEST(Faults, UninitializedSharedMemoryIsNaN) {
  auto emulator = emulate(R"mlir(
gpu.func @k(%y: memref<1xf32>, %n: index)
    workgroup(%s: memref<8xf32, #gpu.address_space<workgroup>>,
              %u: memref<8xi32, #gpu.address_space<workgroup>>) kernel {
  %ym = memref.reinterpret_cast %y to offset: [0], sizes: [%n, 8],
      strides: [8, 1] : memref<1xf32> to memref<?x8xf32, strided<[8, 1]>>
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %isFirst = arith.cmpi eq, %t, %c0 : index
  scf.if %isFirst {
    memref.store %one, %s[%t] : memref<8xf32, #gpu.address_space<workgroup>>
  }
  %v = memref.load %s[%t] : memref<8xf32, #gpu.address_space<workgroup>>
  memref.store %v, %ym[%b, %t] : memref<?x8xf32, strided<[8, 1]>>
  memref.store %one, %s[%t] : memref<8xf32, #gpu.address_space<workgroup>>
  gpu.return
})mlir");
  ASSERT_TRUE(emulator);
  std::vector<float> y(80);
  ASSERT_EQ(run(*emulator, "k", {10, 1, 1}, {8, 1, 1}, Arguments(y, 10)), "");
  for (int i = 0; i < 80; ++i) {
    if (i % 8 == 0)
      EXPECT_EQ(y[i], 1) << i;
    else
      EXPECT_TRUE(std::isnan(y[i])) << i;
  }
}

//===----------------------------------------------------------------------===//
// The form of kernels
//===----------------------------------------------------------------------===//

TEST(Faults, OpOutsideOfTheList) {
  std::string error;
  EXPECT_FALSE(emulate(kernelOf("  gpu.printf \"hello\""), {}, &error));
  EXPECT_EQ(error, "loc(\"k.mlir\":13:3): 'gpu.printf' op is not one of the "
                   "ops that kernels are made of");
}

TEST(Faults, TwoKernelsOfOneName) {
  std::string error, kernel = "gpu.func @k() kernel { gpu.return }\n";
  EXPECT_FALSE(
      emulate(kernel + "}\ngpu.module @more {\n" + kernel, {}, &error));
  EXPECT_EQ(error, "loc(\"k.mlir\":5:1): 'gpu.func' op has the name of "
                   "another kernel: 'k'");
}
