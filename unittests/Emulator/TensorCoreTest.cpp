//===- TensorCoreTest.cpp - cp.async, ldmatrix and mma.sync ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

using namespace gnn::emulator;

// One warp: C[16x8] = A[16xK] B[8xK]^T, tiles of K = 8 in two shared-memory
// stages. A and B come by asynchronous copies of 16 bytes; fragments of A by
// one ldmatrix.x4, of B by one ldmatrix.x2.
static const char tile[] = R"mlir(
gpu.func @tile(%a: memref<1xf32>, %b: memref<1xf32>, %c: memref<16x8xf32>, %k: index)
    workgroup(%sa: memref<2x16x8xf32, #gpu.address_space<workgroup>>,
              %sb: memref<2x8x8xf32, #gpu.address_space<workgroup>>) kernel {
  %am = memref.reinterpret_cast %a to offset: [0], sizes: [16, %k], strides: [%k, 1] : memref<1xf32> to memref<16x?xf32, strided<[?, 1]>>
  %bm = memref.reinterpret_cast %b to offset: [0], sizes: [8, %k], strides: [%k, 1] : memref<1xf32> to memref<8x?xf32, strided<[?, 1]>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %lane = gpu.thread_id x
  %row2 = arith.divui %lane, %c2 : index
  %odd = arith.remui %lane, %c2 : index
  %column4 = arith.muli %odd, %c4 : index
  %inB = arith.cmpi ult, %row2, %c8 : index
  %p0 = nvgpu.device_async_copy %am[%row2, %column4], %sa[%c0, %row2, %column4], 4 {bypassL1} : memref<16x?xf32, strided<[?, 1]>> to memref<2x16x8xf32, #gpu.address_space<workgroup>>
  scf.if %inB {
    %p1 = nvgpu.device_async_copy %bm[%row2, %column4], %sb[%c0, %row2, %column4], 4 {bypassL1} : memref<8x?xf32, strided<[?, 1]>> to memref<2x8x8xf32, #gpu.address_space<workgroup>>
  }
  %g0 = nvgpu.device_async_create_group %p0
  %zero = arith.constant dense<0.0> : vector<2x2xf32>
  // ldmatrix: lane 8t+r points at row r of tile t; tiles of A go down, then
  // right, those of B go right.
  %r16 = arith.remui %lane, %c16 : index
  %right = arith.divui %lane, %c16 : index
  %ca = arith.muli %right, %c4 : index
  %r8 = arith.remui %lane, %c8 : index
  %rightB0 = arith.divui %lane, %c8 : index
  %rightB = arith.remui %rightB0, %c2 : index
  %cb = arith.muli %rightB, %c4 : index
  %sum, %token = scf.for %k0 = %c0 to %k step %c8 iter_args(%acc = %zero, %t = %g0) -> (vector<2x2xf32>, !nvgpu.device.async.token) {
    %step = arith.divui %k0, %c8 : index
    %stage = arith.remui %step, %c2 : index
    %other = arith.subi %c1, %stage : index
    %next = arith.addi %k0, %c8 : index
    %more = arith.cmpi slt, %next, %k : index
    %last = arith.subi %k, %c8 : index
    %from = arith.minsi %next, %last : index
    %col = arith.addi %from, %column4 : index
    %size = arith.select %more, %c4, %c0 : index
    %q0 = nvgpu.device_async_copy %am[%row2, %col], %sa[%other, %row2, %column4], 4, %size {bypassL1} : memref<16x?xf32, strided<[?, 1]>> to memref<2x16x8xf32, #gpu.address_space<workgroup>>
    scf.if %inB {
      %q1 = nvgpu.device_async_copy %bm[%row2, %col], %sb[%other, %row2, %column4], 4, %size {bypassL1} : memref<8x?xf32, strided<[?, 1]>> to memref<2x8x8xf32, #gpu.address_space<workgroup>>
    }
    %g = nvgpu.device_async_create_group %q0
    nvgpu.device_async_wait %t {numGroups = 1 : i32}
    gpu.barrier
    %fa = nvgpu.ldmatrix %sa[%stage, %r16, %ca] {numTiles = 4 : i32, transpose = false} : memref<2x16x8xf32, #gpu.address_space<workgroup>> -> vector<4x1xf32>
    %fb = nvgpu.ldmatrix %sb[%stage, %r8, %cb] {numTiles = 2 : i32, transpose = false} : memref<2x8x8xf32, #gpu.address_space<workgroup>> -> vector<2x1xf32>
    %d = nvgpu.mma.sync (%fa, %fb, %acc) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
    gpu.barrier
    scf.yield %d, %g : vector<2x2xf32>, !nvgpu.device.async.token
  }
  %row = arith.divui %lane, %c4 : index
  %quad = arith.remui %lane, %c4 : index
  %column = arith.muli %quad, %c2 : index
  %low = vector.extract %sum[0] : vector<2xf32> from vector<2x2xf32>
  vector.store %low, %c[%row, %column] {alignment = 8 : i64} : memref<16x8xf32>, vector<2xf32>
  %row8 = arith.addi %row, %c8 : index
  %high = vector.extract %sum[1] : vector<2xf32> from vector<2x2xf32>
  vector.store %high, %c[%row8, %column] {alignment = 8 : i64} : memref<16x8xf32>, vector<2xf32>
  gpu.return
}
)mlir";

static float truncated(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  bits &= 0xffffe000u;
  std::memcpy(&value, &bits, 4);
  return value;
}

TEST(TensorCore, AsyncCopyLoadMatrixMma) {
  auto emulator = emulate(tile);
  ASSERT_TRUE(emulator);
  for (int64_t k : {8, 16, 64}) {
    std::vector<float> a = randomFloats(16 * k, 1), b = randomFloats(8 * k, 2);
    std::vector<float> c(16 * 8), first;
    for (uint64_t seed = 0; seed < 5; ++seed) {
      ASSERT_EQ(run(*emulator, "tile", {1, 1, 1}, {32, 1, 1},
                    Arguments(a, b, c, k), seed),
                "");
      if (first.empty())
        first = c;
      EXPECT_TRUE(sameBits(c, first));
    }
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 8; ++j) {
        // Steps of 8, each rounded once.
        float sum = 0;
        for (int64_t k0 = 0; k0 < k; k0 += 8) {
          double part = sum;
          for (int64_t l = k0; l < k0 + 8; ++l)
            part += static_cast<double>(truncated(a[i * k + l])) *
                    truncated(b[j * k + l]);
          sum = part;
        }
        EXPECT_EQ(c[8 * i + j], sum) << i << ", " << j;
      }
  }
}

TEST(TensorCore, NeedsAWholeWarp) {
  auto emulator = emulate(R"mlir(
gpu.func @k(%y: memref<1xf32>) kernel {
  %a = arith.constant dense<1.0> : vector<2x1xf32>
  %b = arith.constant dense<1.0> : vector<1x1xf32>
  %c = arith.constant dense<2.0> : vector<2x2xf32>
  %t = gpu.thread_id x
  %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 4], tf32Enabled} : (vector<2x1xf32>, vector<1x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
  %e = vector.extract %d[0, 0] : f32 from vector<2x2xf32>
  %c0 = arith.constant 0 : index
  %isFirst = arith.cmpi eq, %t, %c0 : index
  scf.if %isFirst {
    memref.store %e, %y[%c0] : memref<1xf32>
  }
  gpu.return
})mlir");
  ASSERT_TRUE(emulator);
  std::vector<float> y(1);
  EXPECT_EQ(run(*emulator, "k", {1, 1, 1}, {32, 1, 1}, Arguments(y)), "");
  EXPECT_EQ(y[0], 6);
  EXPECT_EQ(run(*emulator, "k", {1, 1, 1}, {48, 1, 1}, Arguments(y)),
            "'nvgpu.mma.sync' op at k.mlir:8:8: needs all 32 "
            "lanes, the warp has 16; in block (0, 0, 0), thread (32, 0, 0)");
}

// Elements of 16 bits, as they lie and transposed.
TEST(TensorCore, LoadMatrixTransposed) {
  auto emulator = emulate(R"mlir(
gpu.func @k(%y: memref<2x32x2xi16>)
    workgroup(%s: memref<8x8xi16, #gpu.address_space<workgroup>>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %lane = gpu.thread_id x
  %r = arith.remui %lane, %c8 : index
  %q = arith.divui %lane, %c8 : index
  %half = arith.addi %q, %q : index
  scf.for %i = %c0 to %c8 step %c1 {
    %isFirst = arith.cmpi ult, %lane, %c8 : index
    scf.if %isFirst {
      %a = arith.muli %lane, %c8 : index
      %b = arith.addi %a, %i : index
      %v = arith.index_cast %b : index to i16
      memref.store %v, %s[%lane, %i] : memref<8x8xi16, #gpu.address_space<workgroup>>
    }
  }
  gpu.barrier
  %p = nvgpu.ldmatrix %s[%r, %c0] {numTiles = 1 : i32, transpose = false} : memref<8x8xi16, #gpu.address_space<workgroup>> -> vector<1x2xi16>
  %p0 = vector.extract %p[0] : vector<2xi16> from vector<1x2xi16>
  vector.store %p0, %y[%c0, %lane, %c0] : memref<2x32x2xi16>, vector<2xi16>
  %t = nvgpu.ldmatrix %s[%r, %c0] {numTiles = 1 : i32, transpose = true} : memref<8x8xi16, #gpu.address_space<workgroup>> -> vector<1x2xi16>
  %t0 = vector.extract %t[0] : vector<2xi16> from vector<1x2xi16>
  vector.store %t0, %y[%c1, %lane, %c0] : memref<2x32x2xi16>, vector<2xi16>
  gpu.return
})mlir");
  ASSERT_TRUE(emulator);
  std::vector<int16_t> y(128);
  ASSERT_EQ(run(*emulator, "k", {1, 1, 1}, {32, 1, 1}, Arguments(y)), "");
  for (int lane = 0; lane < 32; ++lane)
    for (int half = 0; half < 2; ++half) {
      int row = lane / 4, column = 2 * (lane % 4) + half;
      EXPECT_EQ(y[2 * lane + half], 8 * row + column);
      EXPECT_EQ(y[64 + 2 * lane + half], 8 * column + row);
    }
}

TEST(TensorCore, LoadMatrixMisaligned) {
  auto emulator = emulate(R"mlir(
gpu.func @k(%y: memref<32xf32>)
    workgroup(%s: memref<8x9xf32, #gpu.address_space<workgroup>>) kernel {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %lane = gpu.thread_id x
  %r = arith.remui %lane, %c8 : index
  %p = nvgpu.ldmatrix %s[%r, %c0] {numTiles = 1 : i32, transpose = false} : memref<8x9xf32, #gpu.address_space<workgroup>> -> vector<1x1xf32>
  %e = vector.extract %p[0, 0] : f32 from vector<1x1xf32>
  memref.store %e, %y[%lane] : memref<32xf32>
  gpu.return
})mlir");
  ASSERT_TRUE(emulator);
  std::vector<float> y(32);
  EXPECT_EQ(run(*emulator, "k", {1, 1, 1}, {32, 1, 1}, Arguments(y)),
            "'nvgpu.ldmatrix' op at k.mlir:9:8: address is not "
            "aligned: expected a multiple of 16 bytes, got 4 more; in block "
            "(0, 0, 0), thread (1, 0, 0)");
}
