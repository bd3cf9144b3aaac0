//===- LaunchTest.cpp - Launches that do not fit --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

using namespace gnn::emulator;

static const char fill[] = R"mlir(
gpu.func @fill(%y: memref<16xi32>, %v: i32) kernel
    attributes {known_block_size = array<i32: 4, 2, 2>} {
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %x = gpu.thread_id x
  %ty = gpu.thread_id y
  %z = gpu.thread_id z
  %a = arith.muli %z, %c2 : index
  %b = arith.addi %a, %ty : index
  %c = arith.muli %b, %c4 : index
  %i = arith.addi %c, %x : index
  %ii = arith.index_cast %i : index to i32
  %w = arith.addi %v, %ii : i32
  memref.store %w, %y[%i] : memref<16xi32>
  gpu.return
}
gpu.func @slow(%y: memref<1xi32>, %n: index) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %one = arith.constant 1 : i32
    %o = memref.atomic_rmw addi %one, %y[%c0] : (i32, memref<1xi32>) -> i32
  }
  gpu.return
}
gpu.func @shared() workgroup(%s: memref<12288xf32, #gpu.address_space<workgroup>>) kernel {
  gpu.return
}
)mlir";

TEST(Launch, ThreadsInThreeDimensions) {
  auto emulator = emulate(fill);
  ASSERT_TRUE(emulator);
  std::vector<int32_t> y(16);
  ASSERT_EQ(run(*emulator, "fill", {1, 1, 1}, {4, 2, 2}, Arguments(y, 100)),
            "");
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(y[i], 100 + i);
}

/// Loads of arguments are counted by element, those of a block's array are not.
TEST(Launch, CountsLoads) {
  auto emulator = emulate(R"mlir(
gpu.func @sum(%x: memref<64xf32>, %n: index, %y: memref<64xf32>)
    workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>) kernel {
  %t = gpu.thread_id x
  %c4 = arith.constant 4 : index
  %i = arith.muli %t, %c4 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %mask = vector.create_mask %n : vector<4xi1>
  %a = vector.load %x[%i] : memref<64xf32>, vector<4xf32>
  %b = vector.maskedload %x[%i], %mask, %zero : memref<64xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %c0 = arith.constant 0 : index
  %c = memref.load %x[%c0] : memref<64xf32>
  memref.store %c, %s[%i] : memref<64xf32, #gpu.address_space<workgroup>>
  %d = memref.load %s[%i] : memref<64xf32, #gpu.address_space<workgroup>>
  %ab = arith.addf %a, %b : vector<4xf32>
  vector.store %ab, %y[%i] : memref<64xf32>, vector<4xf32>
  memref.store %d, %y[%i] : memref<64xf32>
  gpu.return
}
)mlir");
  ASSERT_TRUE(emulator);
  std::vector<float> x(64, 1), y(64);
  int64_t n = 3, loads[3] = {0, 0, 5};
  void *values[] = {nullptr, &n, nullptr};
  float *pointers[] = {x.data(), y.data()};
  values[0] = &pointers[0];
  values[2] = &pointers[1];
  Launch launch;
  launch.grid = {1, 1, 1};
  launch.block = {16, 1, 1};
  launch.arguments = values;
  launch.loads = loads;
  ASSERT_FALSE(emulator->launch("sum", launch));
  EXPECT_EQ(loads[0], 16 * (4 + 3 + 1));
  EXPECT_EQ(loads[1], 0);
  EXPECT_EQ(loads[2], 5);
}

TEST(Launch, WhatDoesNotFit) {
  auto emulator = emulate(fill);
  ASSERT_TRUE(emulator);
  std::vector<int32_t> y(16), tooShort(15);
  EXPECT_EQ(run(*emulator, "full", {1, 1, 1}, {4, 2, 2}, Arguments(y, 1)),
            "no kernel is called 'full'");
  EXPECT_EQ(run(*emulator, "fill", {1, 1, 1}, {16, 1, 1}, Arguments(y, 1)),
            "expected the block (4, 2, 2), got (16, 1, 1)");
  EXPECT_EQ(run(*emulator, "fill", {0, 1, 1}, {4, 2, 2}, Arguments(y, 1)),
            "grid x: expected 1 to 2147483647, got 0");
  EXPECT_EQ(run(*emulator, "slow", {1, 1, 1}, {64, 32, 1}, Arguments(y, 1)),
            "expected at most 1024 threads a block, got 2048");
  EXPECT_EQ(run(*emulator, "fill", {1, 1, 1}, {4, 2, 2}, Arguments(y)),
            "expected 2 arguments, got 1");
  EXPECT_EQ(
      run(*emulator, "fill", {1, 1, 1}, {4, 2, 2}, Arguments(tooShort, 1)),
      "argument 0: expected 64 bytes, got 60");
  EXPECT_EQ(run(*emulator, "shared", {1, 1, 1}, {1, 1, 1}, Arguments(),
                std::nullopt, 200 * 1024),
            "expected at most 232448 bytes of shared memory, "
            "got 253952");
}

TEST(Launch, ProgressAndCancel) {
  auto emulator = emulate(fill, Options{true, 1});
  ASSERT_TRUE(emulator);
  std::vector<int32_t> y(1);
  Arguments arguments(y, 200000);
  Launch launch;
  launch.grid = {100000, 1, 1};
  launch.arguments = arguments.addresses;
  int64_t seen = 0;
  launch.progress = [&](int64_t done, int64_t all) {
    EXPECT_GT(done, seen);
    EXPECT_EQ(all, 100000);
    seen = done;
    return false;
  };
  EXPECT_EQ(llvm::toString(emulator->launch("slow", launch)),
            "the launch was cancelled");
  EXPECT_GT(seen, 0);
}

TEST(Launch, FromSeveralThreads) {
  auto emulator = emulate(fill, Options{true, 3});
  ASSERT_TRUE(emulator);
  std::vector<std::thread> threads;
  std::vector<int> good(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      std::vector<int32_t> y(1);
      for (int round = 0; round < 20; ++round)
        good[i] += run(*emulator, "slow", {100, 1, 1}, {3, 1, 1},
                       Arguments(y, 2)) == "";
      good[i] += y[0] == 20 * 100 * 3 * 2;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, (std::vector<int>{21, 21, 21, 21}));
}

/// Whether `work` is true in the child of a fork, which has 20 seconds.
static bool inChild(llvm::function_ref<bool()> work) {
  pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    ::_exit(work() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Whether the kernel runs right, with all workers.
static bool countsUp(Emulator &emulator) {
  std::vector<int32_t> y(1);
  return run(emulator, "slow", {100, 1, 1}, {3, 1, 1}, Arguments(y, 2)) == "" &&
         y[0] == 600;
}

TEST(Launch, InTheChildOfAFork) {
  auto emulator = emulate(fill, Options{true, 3});
  ASSERT_TRUE(emulator);
  ASSERT_TRUE(countsUp(*emulator));
  EXPECT_TRUE(inChild([&] { return countsUp(*emulator); }));
  EXPECT_TRUE(inChild([&] {
    emulator.reset();
    return true;
  }));
  EXPECT_TRUE(countsUp(*emulator));
}

TEST(Launch, InTheChildOfAForkDuringALaunch) {
  auto emulator = emulate(fill, Options{true, 3});
  ASSERT_TRUE(emulator);
  std::vector<int32_t> y(1);
  Arguments arguments(y, 200000);
  Launch launch;
  launch.grid = {100000, 1, 1};
  launch.arguments = arguments.addresses;
  std::atomic<bool> inside{false}, enough{false};
  launch.progress = [&](int64_t, int64_t) {
    inside = true;
    return !enough;
  };
  std::thread thread(
      [&] { llvm::consumeError(emulator->launch("slow", launch)); });
  while (!inside)
    std::this_thread::yield();
  EXPECT_TRUE(inChild([&] {
    bool good = countsUp(*emulator);
    emulator.reset();
    return good;
  }));
  enough = true;
  thread.join();
}
