//===- KernelsTest.cpp - Kernels give the numbers they should -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include "llvm/Support/FormatVariadic.h"

using namespace gnn::emulator;

static const char vectorAdd[] = R"mlir(
gpu.func @add(%a: memref<1xf32> {llvm.noalias, llvm.readonly},
              %b: memref<1xf32> {llvm.noalias, llvm.readonly},
              %c: memref<1xf32> {llvm.noalias}, %n: index) kernel {
  %am = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1]
      : memref<1xf32> to memref<?xf32>
  %bm = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1]
      : memref<1xf32> to memref<?xf32>
  %cm = memref.reinterpret_cast %c to offset: [0], sizes: [%n], strides: [1]
      : memref<1xf32> to memref<?xf32>
  %block = gpu.block_id x
  %size = gpu.block_dim x
  %thread = gpu.thread_id x
  %start = arith.muli %block, %size : index
  %i = arith.addi %start, %thread : index
  %inside = arith.cmpi slt, %i, %n : index
  scf.if %inside {
    %x = memref.load %am[%i] : memref<?xf32>
    %y = memref.load %bm[%i] : memref<?xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %cm[%i] : memref<?xf32>
  }
  gpu.return
}
)mlir";

TEST(Kernels, VectorAdd) {
  auto emulator = emulate(vectorAdd);
  ASSERT_TRUE(emulator);
  EXPECT_FALSE(emulator->find("add")->needsFibers);
  for (int64_t n : {0, 1, 31, 1000}) {
    std::vector<float> a = randomFloats(n, 1), b = randomFloats(n, 2), c(n, -7);
    ASSERT_EQ(run(*emulator, "add", {(n + 127) / 128 + 1, 1, 1}, {128, 1, 1},
                  Arguments(a, b, c, n)),
              "");
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(c[i], a[i] + b[i]) << i;
  }
}

TEST(Kernels, Gather) {
  auto emulator = emulate(R"mlir(
gpu.func @gather(%x: memref<1x4xf32>, %ids: memref<1xi32>, %y: memref<1x4xf32>,
                 %rows: index, %n: i64) kernel {
  %count = arith.index_cast %n : i64 to index
  %xm = memref.reinterpret_cast %x to offset: [0], sizes: [%rows, 4],
      strides: [4, 1] : memref<1x4xf32> to memref<?x4xf32>
  %im = memref.reinterpret_cast %ids to offset: [0], sizes: [%count],
      strides: [1] : memref<1xi32> to memref<?xi32>
  %ym = memref.reinterpret_cast %y to offset: [0], sizes: [%count, 4],
      strides: [4, 1] : memref<1x4xf32> to memref<?x4xf32>
  %c0 = arith.constant 0 : index
  %row = gpu.thread_id y
  %id = memref.load %im[%row] : memref<?xi32>
  %from = arith.index_cast %id : i32 to index
  %v = vector.load %xm[%from, %c0] {alignment = 16 : i64}
      : memref<?x4xf32>, vector<4xf32>
  vector.store %v, %ym[%row, %c0] {alignment = 16 : i64}
      : memref<?x4xf32>, vector<4xf32>
  gpu.return
})mlir");
  ASSERT_TRUE(emulator);
  std::vector<float> x = randomFloats(5 * 4, 3), y(3 * 4);
  std::vector<int32_t> ids = {4, 0, 2};
  ASSERT_EQ(run(*emulator, "gather", {1, 1, 1}, {1, 3, 1},
                Arguments(x, ids, y, 5, 3)),
            "");
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 4; ++column)
      EXPECT_EQ(y[4 * row + column], x[4 * ids[row] + column]);
}

// One warp a row: lanes stride over its elements and add up by shuffles.
static const char spmm[] = R"mlir(
gpu.func @spmm(%rows: memref<1xi32>, %columns: memref<1xi32>,
               %x: memref<1xf32>, %y: memref<1xf32>, %n: index, %nnz: index,
               %nx: index) kernel {
  %c1 = arith.constant 1 : index
  %n1 = arith.addi %n, %c1 : index
  %rm = memref.reinterpret_cast %rows to offset: [0], sizes: [%n1],
      strides: [1] : memref<1xi32> to memref<?xi32>
  %cm = memref.reinterpret_cast %columns to offset: [0], sizes: [%nnz],
      strides: [1] : memref<1xi32> to memref<?xi32>
  %xm = memref.reinterpret_cast %x to offset: [0], sizes: [%nx],
      strides: [1] : memref<1xf32> to memref<?xf32>
  %ym = memref.reinterpret_cast %y to offset: [0], sizes: [%n],
      strides: [1] : memref<1xf32> to memref<?xf32>
  %c32 = arith.constant 32 : index
  %w = arith.constant 32 : i32
  %zero = arith.constant 0.0 : f32
  %lane = gpu.thread_id x
  %warp = gpu.thread_id y
  %perBlock = gpu.block_dim y
  %block = gpu.block_id x
  %start = arith.muli %block, %perBlock : index
  %row = arith.addi %start, %warp : index
  %inside = arith.cmpi slt, %row, %n : index
  scf.if %inside {
    %next = arith.addi %row, %c1 : index
    %b = memref.load %rm[%row] : memref<?xi32>
    %e = memref.load %rm[%next] : memref<?xi32>
    %bi = arith.index_cast %b : i32 to index
    %ei = arith.index_cast %e : i32 to index
    %first = arith.addi %bi, %lane : index
    %sum = scf.for %i = %first to %ei step %c32 iter_args(%s = %zero) -> f32 {
      %c = memref.load %cm[%i] : memref<?xi32>
      %ci = arith.index_cast %c : i32 to index
      %v = memref.load %xm[%ci] : memref<?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    %o16 = arith.constant 16 : i32
    %s16, %v16 = gpu.shuffle xor %sum, %o16, %w : f32
    %a16 = arith.addf %sum, %s16 : f32
    %o8 = arith.constant 8 : i32
    %s8, %v8 = gpu.shuffle xor %a16, %o8, %w : f32
    %a8 = arith.addf %a16, %s8 : f32
    %o4 = arith.constant 4 : i32
    %s4, %v4 = gpu.shuffle xor %a8, %o4, %w : f32
    %a4 = arith.addf %a8, %s4 : f32
    %o2 = arith.constant 2 : i32
    %s2, %v2 = gpu.shuffle xor %a4, %o2, %w : f32
    %a2 = arith.addf %a4, %s2 : f32
    %o1 = arith.constant 1 : i32
    %s1, %v1 = gpu.shuffle xor %a2, %o1, %w : f32
    %a1 = arith.addf %a2, %s1 : f32
    %c0 = arith.constant 0 : index
    %isFirst = arith.cmpi eq, %lane, %c0 : index
    scf.if %isFirst {
      memref.store %a1, %ym[%row] : memref<?xf32>
    }
  }
  gpu.return
}
)mlir";

TEST(Kernels, SpmmRowsByShuffles) {
  auto emulator = emulate(spmm);
  ASSERT_TRUE(emulator);
  EXPECT_TRUE(emulator->find("spmm")->needsFibers);
  std::mt19937 generator(5);
  int64_t n = 101, nx = 77;
  std::vector<int32_t> rows = {0}, columns;
  for (int64_t row = 0; row < n; ++row) {
    for (unsigned i = generator() % 90; i > 0 && row % 7; --i)
      columns.push_back(generator() % nx);
    rows.push_back(columns.size());
  }
  int64_t nnz = columns.size();
  std::vector<float> x = randomFloats(nx, 6), y(n, -1), first;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::fill(y.begin(), y.end(), -1.0f);
    ASSERT_EQ(run(*emulator, "spmm", {(n + 3) / 4, 1, 1}, {32, 4, 1},
                  Arguments(rows, columns, x, y, n, nnz, nx),
                  seed ? std::optional<uint64_t>(seed) : std::nullopt),
              "");
    if (first.empty())
      first = y;
    EXPECT_TRUE(sameBits(y, first)) << seed;
  }
  for (int64_t row = 0; row < n; ++row) {
    double sum = 0;
    for (int32_t i = rows[row]; i < rows[row + 1]; ++i)
      sum += x[columns[i]];
    EXPECT_NEAR(y[row], sum, 1e-5) << row;
  }
}

// A 16x16 tile of C a block, K in steps of 16 through shared memory, any sizes.
static const char gemm[] = R"mlir(
gpu.func @gemm(%a: memref<1xf32>, %b: memref<1xf32>, %c: memref<1xf32>,
               %m: index, %n: index, %k: index)
    workgroup(%sa: memref<16x16xf32, #gpu.address_space<workgroup>>,
              %sb: memref<16x16xf32, #gpu.address_space<workgroup>>) kernel {
  %am = memref.reinterpret_cast %a to offset: [0], sizes: [%m, %k],
      strides: [%k, 1] : memref<1xf32> to memref<?x?xf32, strided<[?, 1]>>
  %bm = memref.reinterpret_cast %b to offset: [0], sizes: [%k, %n],
      strides: [%n, 1] : memref<1xf32> to memref<?x?xf32, strided<[?, 1]>>
  %cm = memref.reinterpret_cast %c to offset: [0], sizes: [%m, %n],
      strides: [%n, 1] : memref<1xf32> to memref<?x?xf32, strided<[?, 1]>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %tx = gpu.thread_id x
  %ty = gpu.thread_id y
  %bx = gpu.block_id x
  %by = gpu.block_id y
  %row0 = arith.muli %by, %c16 : index
  %row = arith.addi %row0, %ty : index
  %col0 = arith.muli %bx, %c16 : index
  %col = arith.addi %col0, %tx : index
  %rowIn = arith.cmpi slt, %row, %m : index
  %colIn = arith.cmpi slt, %col, %n : index
  %sum = scf.for %k0 = %c0 to %k step %c16 iter_args(%acc = %zero) -> f32 {
    %ka = arith.addi %k0, %tx : index
    %kaIn = arith.cmpi slt, %ka, %k : index
    %aIn = arith.andi %rowIn, %kaIn : i1
    %av = scf.if %aIn -> f32 {
      %v = memref.load %am[%row, %ka] : memref<?x?xf32, strided<[?, 1]>>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %av, %sa[%ty, %tx]
        : memref<16x16xf32, #gpu.address_space<workgroup>>
    %kb = arith.addi %k0, %ty : index
    %kbIn = arith.cmpi slt, %kb, %k : index
    %bIn = arith.andi %colIn, %kbIn : i1
    %bv = scf.if %bIn -> f32 {
      %v = memref.load %bm[%kb, %col] : memref<?x?xf32, strided<[?, 1]>>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %bv, %sb[%ty, %tx]
        : memref<16x16xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %part = scf.for %i = %c0 to %c16 step %c1 iter_args(%p = %acc) -> f32 {
      %x = memref.load %sa[%ty, %i]
          : memref<16x16xf32, #gpu.address_space<workgroup>>
      %y = memref.load %sb[%i, %tx]
          : memref<16x16xf32, #gpu.address_space<workgroup>>
      %q = math.fma %x, %y, %p : f32
      scf.yield %q : f32
    }
    gpu.barrier
    scf.yield %part : f32
  }
  %in = arith.andi %rowIn, %colIn : i1
  scf.if %in {
    memref.store %sum, %cm[%row, %col] : memref<?x?xf32, strided<[?, 1]>>
  }
  gpu.return
}
)mlir";

TEST(Kernels, GemmOddSizes) {
  auto emulator = emulate(gemm);
  ASSERT_TRUE(emulator);
  EXPECT_EQ(emulator->find("gemm")->staticSharedBytes, 2 * 16 * 16 * 4);
  int64_t sizes[][3] = {{1, 1, 1}, {33, 17, 31}, {16, 16, 16}, {7, 100, 64}};
  for (auto [m, n, k] : sizes) {
    std::vector<float> a = randomFloats(m * k, 1), b = randomFloats(k * n, 2);
    std::vector<float> c(m * n), first;
    for (uint64_t seed = 0; seed < 5; ++seed) {
      ASSERT_EQ(run(*emulator, "gemm", {(n + 15) / 16, (m + 15) / 16, 1},
                    {16, 16, 1}, Arguments(a, b, c, m, n, k),
                    seed ? std::optional<uint64_t>(seed) : std::nullopt),
                "");
      if (first.empty())
        first = c;
      EXPECT_TRUE(sameBits(c, first)) << seed;
    }
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum = std::fma(a[i * k + l], b[l * n + j], sum);
        ASSERT_EQ(c[i * n + j], sum) << i << ", " << j;
      }
  }
}

TEST(Kernels, AtomicsMeetAcrossThreadsAndBlocks) {
  auto emulator = emulate(R"mlir(
gpu.func @count(%counts: memref<1xi32>, %sum: memref<1xf32>, %n: index)
    workgroup(%shared: memref<1xi32, #gpu.address_space<workgroup>>) kernel {
  %cm = memref.reinterpret_cast %counts to offset: [0], sizes: [%n],
      strides: [1] : memref<1xi32> to memref<?xi32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %half = arith.constant 0.5 : f32
  %t = gpu.thread_id x
  %isFirst = arith.cmpi eq, %t, %c0 : index
  scf.if %isFirst {
    memref.store %zero, %shared[%c0]
        : memref<1xi32, #gpu.address_space<workgroup>>
  }
  gpu.barrier
  %old = memref.atomic_rmw addi %one, %shared[%c0]
      : (i32, memref<1xi32, #gpu.address_space<workgroup>>) -> i32
  %bin = arith.remui %t, %n : index
  %old2 = memref.atomic_rmw addi %one, %cm[%bin] : (i32, memref<?xi32>) -> i32
  %old3 = memref.atomic_rmw addf %half, %sum[%c0] : (f32, memref<1xf32>) -> f32
  gpu.barrier
  scf.if %isFirst {
    %all = memref.load %shared[%c0]
        : memref<1xi32, #gpu.address_space<workgroup>>
    %allf = arith.sitofp %all : i32 to f32
    %old4 = memref.atomic_rmw addf %allf, %sum[%c0]
        : (f32, memref<1xf32>) -> f32
  }
  gpu.return
})mlir",
                          Options{true, 4});
  ASSERT_TRUE(emulator);
  std::vector<int32_t> counts(3);
  std::vector<float> sum(1);
  ASSERT_EQ(run(*emulator, "count", {50, 1, 1}, {64, 1, 1},
                Arguments(counts, sum, 3)),
            "");
  EXPECT_EQ(counts, (std::vector<int32_t>{22 * 50, 21 * 50, 21 * 50}));
  EXPECT_EQ(sum[0], 50 * 64 * 1.5f);
}

// Lanes read one of their own part of the warp; all learn whether one said yes.
TEST(Kernels, ShufflesInPartsAndVotes) {
  auto emulator = emulate(R"mlir(
gpu.func @vote(%x: memref<64xi32>, %out: memref<64xi32>, %any: memref<64xi32>) kernel {
  %t = gpu.thread_id x
  %all = arith.constant -1 : i32
  %five = arith.constant 5 : i32
  %of8 = arith.constant 6175 : i32
  %v = memref.load %x[%t] : memref<64xi32>
  %part = nvvm.shfl.sync idx %all, %v, %five, %of8 : i32 -> i32
  memref.store %part, %out[%t] : memref<64xi32>
  %p = arith.cmpi eq, %v, %five : i32
  %one = nvvm.vote.sync any %all, %p -> i1
  %number = arith.extui %one : i1 to i32
  memref.store %number, %any[%t] : memref<64xi32>
  gpu.return
})mlir");
  ASSERT_TRUE(emulator);
  EXPECT_TRUE(emulator->find("vote")->needsFibers);
  std::vector<int32_t> x(64), out(64, -1), any(64, -1);
  for (int t = 0; t < 64; ++t)
    x[t] = t + 20; // none is 5 but one of the second warp
  x[40] = 5;
  for (uint64_t seed : {1, 2, 3}) {
    ASSERT_EQ(run(*emulator, "vote", {1, 1, 1}, {64, 1, 1},
                  Arguments(x, out, any), seed),
              "");
    for (int t = 0; t < 64; ++t) {
      EXPECT_EQ(out[t], x[t / 8 * 8 + 5]) << t;
      EXPECT_EQ(any[t], t / 32) << t;
    }
  }
}

// Bit i is what lane i of the own warp said.
TEST(Kernels, Ballots) {
  auto emulator = emulate(R"mlir(
gpu.func @vote(%x: memref<64xi32>, %out: memref<64xi32>) kernel {
  %t = gpu.thread_id x
  %all = arith.constant -1 : i32
  %zero = arith.constant 0 : i32
  %v = memref.load %x[%t] : memref<64xi32>
  %p = arith.cmpi ne, %v, %zero : i32
  %votes = nvvm.vote.sync ballot %all, %p -> i32
  memref.store %votes, %out[%t] : memref<64xi32>
  gpu.return
})mlir");
  ASSERT_TRUE(emulator);
  EXPECT_TRUE(emulator->find("vote")->needsFibers);
  std::vector<int32_t> x(64), out(64, 5);
  std::mt19937 generator(1);
  uint32_t votes[2] = {0, 0};
  for (int t = 0; t < 64; ++t) {
    x[t] = generator() % 2;
    votes[t / 32] |= static_cast<uint32_t>(x[t]) << t % 32;
  }
  for (uint64_t seed : {1, 2, 3}) {
    ASSERT_EQ(
        run(*emulator, "vote", {1, 1, 1}, {64, 1, 1}, Arguments(x, out), seed),
        "");
    for (int t = 0; t < 64; ++t)
      EXPECT_EQ(static_cast<uint32_t>(out[t]), votes[t / 32]);
  }
}

// Each mode and the valid flag, of 32 and 64 bits, in a warp of lanes 0..31.
TEST(Kernels, ShuffleModes) {
  auto emulator = emulate(R"mlir(
gpu.func @shuffle(%out: memref<7x32xi32>) kernel {
  %t = gpu.thread_id x
  %v = arith.index_cast %t : index to i32
  %w = arith.constant 32 : i32
  %three = arith.constant 3 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %x, %xv = gpu.shuffle xor %v, %three, %w : i32
  memref.store %x, %out[%c0, %t] : memref<7x32xi32>
  %u, %uv = gpu.shuffle up %v, %three, %w : i32
  memref.store %u, %out[%c1, %t] : memref<7x32xi32>
  %uvi = arith.extui %uv : i1 to i32
  memref.store %uvi, %out[%c2, %t] : memref<7x32xi32>
  %d, %dv = gpu.shuffle down %v, %three, %w : i32
  memref.store %d, %out[%c3, %t] : memref<7x32xi32>
  %dvi = arith.extui %dv : i1 to i32
  memref.store %dvi, %out[%c4, %t] : memref<7x32xi32>
  %wide = arith.sitofp %v : i32 to f64
  %i, %iv = gpu.shuffle idx %wide, %three, %w : f64
  %ii = arith.fptosi %i : f64 to i32
  memref.store %ii, %out[%c5, %t] : memref<7x32xi32>
  %c8 = arith.constant 8 : i32
  %first8 = arith.cmpi slt, %v, %c8 : i32
  scf.if %first8 {
    %n, %nv = gpu.shuffle down %v, %three, %c8 : i32
    %nvi = arith.extui %nv : i1 to i32
    %ten = arith.constant 10 : i32
    %n10 = arith.muli %n, %ten : i32
    %code = arith.addi %n10, %nvi : i32
    memref.store %code, %out[%c6, %t] : memref<7x32xi32>
  }
  gpu.return
})mlir");
  ASSERT_TRUE(emulator);
  std::vector<int32_t> out(7 * 32, -1);
  ASSERT_EQ(run(*emulator, "shuffle", {1, 1, 1}, {32, 1, 1}, Arguments(out)),
            "");
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], t ^ 3);
    EXPECT_EQ(out[32 + t], t >= 3 ? t - 3 : t);
    EXPECT_EQ(out[64 + t], t >= 3);
    EXPECT_EQ(out[96 + t], t < 29 ? t + 3 : t);
    EXPECT_EQ(out[128 + t], t < 29);
    EXPECT_EQ(out[160 + t], 3);
    EXPECT_EQ(out[192 + t], t >= 8 ? -1 : t < 5 ? 10 * (t + 3) + 1 : 10 * t);
  }
}

TEST(Kernels, MathReachesTheLibrary) {
  auto emulator = emulate(R"mlir(
gpu.func @math(%x: memref<1xf32>, %y: memref<5x8xf32>) kernel {
  %c8 = arith.constant 8 : index
  %xm = memref.reinterpret_cast %x to offset: [0], sizes: [%c8], strides: [1]
      : memref<1xf32> to memref<?xf32>
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %v = memref.load %xm[%t] : memref<?xf32>
  %e = math.exp %v : f32
  memref.store %e, %y[%c0, %t] : memref<5x8xf32>
  %h = math.tanh %v : f32
  memref.store %h, %y[%c1, %t] : memref<5x8xf32>
  %r = math.rsqrt %e : f32
  memref.store %r, %y[%c2, %t] : memref<5x8xf32>
  %f = math.erf %v : f32
  memref.store %f, %y[%c3, %t] : memref<5x8xf32>
  %vv = vector.broadcast %v : f32 to vector<2xf32>
  %l = math.log1p %vv : vector<2xf32>
  %l1 = vector.extract %l[1] : f32 from vector<2xf32>
  memref.store %l1, %y[%c4, %t] : memref<5x8xf32>
  gpu.return
})mlir");
  ASSERT_TRUE(emulator);
  std::vector<float> x = randomFloats(8, 9), y(40);
  ASSERT_EQ(run(*emulator, "math", {1, 1, 1}, {8, 1, 1}, Arguments(x, y)), "");
  for (int t = 0; t < 8; ++t) {
    EXPECT_FLOAT_EQ(y[t], std::exp(x[t]));
    EXPECT_FLOAT_EQ(y[8 + t], std::tanh(x[t]));
    EXPECT_FLOAT_EQ(y[16 + t], 1 / std::sqrt(std::exp(x[t])));
    EXPECT_FLOAT_EQ(y[24 + t], std::erf(x[t]));
    EXPECT_FLOAT_EQ(y[32 + t], std::log1p(x[t]));
  }
}

// PTX saturates where the host's instruction has no defined result.
TEST(Kernels, FloatToIntegerSaturates) {
  auto emulator = emulate(R"mlir(
gpu.func @convert(%x: memref<4xf32>, %y: memref<4xi32>) kernel {
  %t = gpu.thread_id x
  %v = memref.load %x[%t] : memref<4xf32>
  %i = arith.fptosi %v : f32 to i32
  memref.store %i, %y[%t] : memref<4xi32>
  gpu.return
})mlir");
  ASSERT_TRUE(emulator);
  std::vector<float> x = {1e20f, -1e20f, NAN, -3.9f};
  std::vector<int32_t> y(4);
  ASSERT_EQ(run(*emulator, "convert", {1, 1, 1}, {4, 1, 1}, Arguments(x, y)),
            "");
  EXPECT_EQ(y, (std::vector<int32_t>{INT32_MAX, INT32_MIN, 0, -3}));
}

// Private memory is a thread's own; masked accesses touch their lanes only.
TEST(Kernels, PrivateMemoryAndMasks) {
  auto emulator = emulate(R"mlir(
gpu.func @tail(%x: memref<1xf32>, %y: memref<1xf32>, %n: index)
    private(%own: memref<4xf32, #gpu.address_space<private>>) kernel {
  %xm = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1]
      : memref<1xf32> to memref<?xf32>
  %ym = memref.reinterpret_cast %y to offset: [0], sizes: [%n], strides: [1]
      : memref<1xf32> to memref<?xf32>
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %t = gpu.thread_id x
  %i = arith.muli %t, %c4 : index
  %left = arith.subi %n, %i : index
  %mask = vector.create_mask %left : vector<4xi1>
  %pass = arith.constant dense<9.0> : vector<4xf32>
  %v = vector.maskedload %xm[%i], %mask, %pass
      : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.store %v, %own[%c0]
      : memref<4xf32, #gpu.address_space<private>>, vector<4xf32>
  %w = vector.load %own[%c0]
      : memref<4xf32, #gpu.address_space<private>>, vector<4xf32>
  %two = arith.addf %w, %w : vector<4xf32>
  vector.maskedstore %ym[%i], %mask, %two
      : memref<?xf32>, vector<4xi1>, vector<4xf32>
  gpu.return
})mlir");
  ASSERT_TRUE(emulator);
  EXPECT_GE(emulator->find("tail")->privateBytes, 16);
  for (int64_t n : {1, 6, 7, 8}) {
    std::vector<float> x = randomFloats(n, 4), y(n);
    ASSERT_EQ(run(*emulator, "tail", {1, 1, 1}, {2, 1, 1}, Arguments(x, y, n)),
              "");
    for (int64_t i = 0; i < n; ++i)
      EXPECT_EQ(y[i], 2 * x[i]);
  }
}

// A device may have more shared memory than a kernel may declare.
// Values that are held over a barrier take more than half a megabyte of stack.
TEST(Kernels, LargeFrames) {
  std::string loads, sums;
  for (int i = 0; i < 2300; ++i) {
    loads += llvm::formatv("%i{0} = arith.constant {0} : index\n"
                           "%v{0} = vector.load %x[%i{0}] : memref<2364xf32>, "
                           "vector<64xf32>\n",
                           i);
    sums +=
        llvm::formatv("%s{0} = arith.addf %v{0}, %{1}{2} : vector<64xf32>\n", i,
                      i ? "s" : "v", std::max(0, i - 1));
  }
  auto emulator = emulate("gpu.func @held(%x: memref<2364xf32>, %y: "
                          "memref<64xf32>) kernel {\n" +
                          loads + "gpu.barrier\n" + sums +
                          "vector.store %s2299, %y[%i0] : memref<64xf32>, "
                          "vector<64xf32>\ngpu.return\n}");
  ASSERT_TRUE(emulator);
  std::vector<float> x(2364, 1), y(64);
  ASSERT_EQ(run(*emulator, "held", {1, 1, 1}, {2, 1, 1}, Arguments(x, y)), "");
  EXPECT_EQ(y, std::vector<float>(64, 2301));
}

TEST(Kernels, DynamicSharedMemoryAndViews) {
  auto emulator = emulate(R"mlir(
gpu.func @dynamic(%y: memref<64xf32>)
    workgroup(%s: memref<3xf32, #gpu.address_space<workgroup>>) kernel {
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %c63 = arith.constant 63 : index
  %raw = gpu.dynamic_shared_memory
      : memref<?xi8, #gpu.address_space<workgroup>>
  %a = memref.view %raw[%c256][] : memref<?xi8, #gpu.address_space<workgroup>>
      to memref<64xf32, #gpu.address_space<workgroup>>
  %t = gpu.thread_id x
  %v = arith.index_cast %t : index to i32
  %f = arith.sitofp %v : i32 to f32
  memref.store %f, %a[%t] : memref<64xf32, #gpu.address_space<workgroup>>
  gpu.barrier
  %other = arith.subi %c63, %t : index
  %half = memref.subview %a[%other] [1] [1]
      : memref<64xf32, #gpu.address_space<workgroup>>
      to memref<1xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
  %c0 = arith.constant 0 : index
  %g = memref.load %half[%c0]
      : memref<1xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
  memref.store %g, %y[%t] : memref<64xf32>
  gpu.return
})mlir");
  ASSERT_TRUE(emulator);
  std::vector<float> y(64);
  ASSERT_EQ(run(*emulator, "dynamic", {1, 1, 1}, {64, 1, 1}, Arguments(y),
                std::nullopt, 512),
            "");
  for (int t = 0; t < 64; ++t)
    EXPECT_EQ(y[t], 63 - t);
  std::string error = run(*emulator, "dynamic", {1, 1, 1}, {64, 1, 1},
                          Arguments(y), std::nullopt, 500);
  EXPECT_NE(error.find("'memref.view' op at k.mlir:10:8: "
                       "view ends at byte 512 of a buffer of 500"),
            std::string::npos)
      << error;
}
