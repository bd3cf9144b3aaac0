//===- SyncFaultsTest.cpp - Planted faults between threads ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

using namespace gnn::emulator;

static const char workgroup[] = "#gpu.address_space<workgroup>";

/// Replaces SHARED by the memory space.
static std::string withSpace(std::string text) {
  for (size_t at; (at = text.find("SHARED")) != std::string::npos;)
    text.replace(at, 6, workgroup);
  return text;
}

/// A kernel of `body` over y (64 floats) and shared memory s (64 floats).
static std::string kernelWithMemory(const std::string &body) {
  return withSpace(R"mlir(
gpu.func @k(%y: memref<64xf32>)
    workgroup(%s: memref<64xf32, SHARED>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c63 = arith.constant 63 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %w32 = arith.constant 32 : i32
  %t = gpu.thread_id x
  %ti = arith.index_cast %t : index to i32
  %tf = arith.sitofp %ti : i32 to f32
  %is5 = arith.cmpi eq, %t, %c5 : index
  %not5 = arith.cmpi ne, %t, %c5 : index
)mlir" + body + "\n  gpu.return\n}\n");
}

static std::string syncFaultOf(const std::string &body, int64_t threads = 64,
                               std::optional<uint64_t> seed = std::nullopt,
                               Options options = {}) {
  auto emulator = emulate(kernelWithMemory(body), options);
  if (!emulator)
    return "";
  std::vector<float> y(64);
  return run(*emulator, "k", {1, 1, 1}, {threads, 1, 1}, Arguments(y), seed);
}

// Neighbours exchange values through shared memory.
static std::string exchange(const char *barrier) {
  return std::string(R"mlir(
  memref.store %tf, %s[%t] : memref<64xf32, SHARED>
)mlir") + barrier +
         R"mlir(
  %o = arith.subi %c63, %t : index
  %v = memref.load %s[%o] : memref<64xf32, SHARED>
  memref.store %v, %y[%t] : memref<64xf32>)mlir";
}

TEST(SyncFaults, MissingBarrier) {
  EXPECT_EQ(syncFaultOf(exchange("gpu.barrier")), "");
  EXPECT_EQ(syncFaultOf(exchange("")),
            "'memref.store' op at k.mlir:19:3: writes shared "
            "memory at byte 128, which thread (31, 0, 0) read with no barrier "
            "between; in block (0, 0, 0), thread (32, 0, 0)");
  EXPECT_EQ(syncFaultOf(exchange(""), 64, /*seed=*/3),
            "'memref.store' op at k.mlir:19:3: writes shared "
            "memory at byte 92, which thread (40, 0, 0) read with no barrier "
            "between; in block (0, 0, 0), thread (23, 0, 0)");
}

/// Lanes of a warp exchange values in its part of shared memory: lane i reads
/// what lane 31 - i of warp `w` wrote.
static std::string exchangeInWarp(const char *barrier, const char *warp) {
  return std::string(R"mlir(
  %all = arith.constant -1 : i32
  memref.store %tf, %s[%t] : memref<64xf32, SHARED>
)mlir") + barrier +
         R"mlir(
  %c31 = arith.constant 31 : index
  %o = arith.xori %t, )mlir" +
         warp + R"mlir( : index
  %v = memref.load %s[%o] : memref<64xf32, SHARED>
  memref.store %v, %y[%t] : memref<64xf32>)mlir";
}

TEST(SyncFaults, BarrierOfWarp) {
  const char *barrier = "nvvm.bar.warp.sync %all : i32";
  EXPECT_EQ(syncFaultOf(exchangeInWarp(barrier, "%c31")), "");
  EXPECT_EQ(syncFaultOf(exchangeInWarp(barrier, "%c31"), 64, /*seed=*/3), "");
  // Threads of another warp have not waited.
  EXPECT_NE(syncFaultOf(exchangeInWarp(barrier, "%c63")), "");
  EXPECT_NE(syncFaultOf(exchangeInWarp("", "%c31")), "");
  // A second write has to wait for the readers, too.
  std::string again = exchangeInWarp(barrier, "%c31") + R"mlir(
  %twice = arith.addf %tf, %tf : f32
)mlir";
  std::string write =
      "\n  memref.store %twice, %s[%t] : memref<64xf32, SHARED>";
  EXPECT_EQ(syncFaultOf(again + barrier + write), "");
  EXPECT_NE(syncFaultOf(again + write), "");
  // A ballot orders no memory.
  EXPECT_NE(syncFaultOf(exchangeInWarp(
                "%b = nvvm.vote.sync ballot %all, %is5 -> i32", "%c31")),
            "");
}

// Without the shadow, orders differ in what they read.
TEST(SyncFaults, MissingBarrierShowsInTheBits) {
  for (bool planted : {false, true}) {
    auto emulator =
        emulate(kernelWithMemory(exchange(planted ? "" : "gpu.barrier")),
                Options{/*checked=*/false, 1});
    ASSERT_TRUE(emulator);
    std::vector<float> first(64), y(64);
    ASSERT_EQ(run(*emulator, "k", {1, 1, 1}, {64, 1, 1}, Arguments(first)), "");
    bool differs = false;
    for (uint64_t seed = 0; seed < 10; ++seed) {
      ASSERT_EQ(run(*emulator, "k", {1, 1, 1}, {64, 1, 1}, Arguments(y), seed),
                "");
      differs |= !sameBits(y, first);
    }
    EXPECT_EQ(differs, planted);
  }
}

TEST(SyncFaults, WriteAfterRead) {
  EXPECT_EQ(syncFaultOf(R"mlir(
  memref.store %tf, %s[%t] : memref<64xf32, SHARED>
  gpu.barrier
  %v = memref.load %s[%c63] : memref<64xf32, SHARED>
  memref.store %v, %s[%t] : memref<64xf32, SHARED>
  memref.store %v, %y[%t] : memref<64xf32>)mlir"),
            "'memref.store' op at k.mlir:22:3: writes shared "
            "memory at byte 252, which other threads read with no barrier "
            "between; in block (0, 0, 0), thread (63, 0, 0)");
}

TEST(SyncFaults, TwoWriters) {
  EXPECT_EQ(syncFaultOf(R"mlir(
  memref.store %tf, %s[%c5] : memref<64xf32, SHARED>)mlir"),
            "'memref.store' op at k.mlir:19:3: writes shared "
            "memory at byte 20, which thread (0, 0, 0) wrote with no barrier "
            "between; in block (0, 0, 0), thread (1, 0, 0)");
}

TEST(SyncFaults, AtomicsAndPlainAccesses) {
  std::string atomic = R"mlir(
  %r = memref.atomic_rmw addf %tf, %s[%c0] : (f32, memref<64xf32, SHARED>) -> f32)mlir";
  EXPECT_EQ(syncFaultOf(atomic), "");
  EXPECT_EQ(syncFaultOf(atomic + R"mlir(
  %v = memref.load %s[%c0] : memref<64xf32, SHARED>
  memref.store %v, %y[%t] : memref<64xf32>)mlir"),
            "'memref.load' op at k.mlir:20:8: reads shared "
            "memory at byte 0, which another atomic op updated with no barrier "
            "between; in block (0, 0, 0), thread (0, 0, 0)");
  EXPECT_EQ(syncFaultOf(R"mlir(
  scf.if %is5 {
    memref.store %tf, %s[%c0] : memref<64xf32, SHARED>
  })mlir" + atomic),
            "'memref.store' op at k.mlir:20:5: writes shared "
            "memory at byte 0, which another atomic op updated with no barrier "
            "between; in block (0, 0, 0), thread (5, 0, 0)");
  EXPECT_EQ(syncFaultOf(R"mlir(
  memref.store %tf, %s[%t] : memref<64xf32, SHARED>)mlir" +
                        atomic),
            "");
}

TEST(SyncFaults, BarrierWithExitedThread) {
  EXPECT_EQ(syncFaultOf(R"mlir(
  scf.if %not5 {
    gpu.barrier
  })mlir"),
            "'gpu.barrier' op at k.mlir:20:5: not all threads "
            "get here: thread (5, 0, 0) has exited; in block (0, 0, 0), thread "
            "(0, 0, 0)");
}

TEST(SyncFaults, DivergentBarrier) {
  EXPECT_EQ(syncFaultOf(R"mlir(
  scf.if %is5 {
    gpu.barrier
  } else {
    gpu.barrier
  })mlir"),
            "'gpu.barrier' op at k.mlir:22:5: not all threads "
            "get here: thread (5, 0, 0) waits at 'gpu.barrier' at "
            "k.mlir:20:5; in block (0, 0, 0), thread (0, 0, 0)");
}

TEST(SyncFaults, ShuffleWithExitedLanes) {
  std::string message =
      "'gpu.shuffle' op at k.mlir:20:15: not all threads get "
      "here: thread (5, 0, 0) has exited; in block (0, 0, 0), thread (0, 0, 0)";
  std::string body = R"mlir(
  scf.if %not5 {
    %v, %ok = gpu.shuffle xor %tf, %one, %w32 : f32
    memref.store %v, %y[%t] : memref<64xf32>
  })mlir";
  EXPECT_EQ(syncFaultOf(body), message);
  // Whatever the order.
  for (uint64_t seed = 0; seed < 5; ++seed)
    EXPECT_EQ(syncFaultOf(body, 32, seed), message);
}

TEST(SyncFaults, DivergentShuffle) {
  EXPECT_EQ(syncFaultOf(R"mlir(
  %r = scf.if %is5 -> f32 {
    %v, %ok = gpu.shuffle xor %tf, %one, %w32 : f32
    scf.yield %v : f32
  } else {
    %v, %ok = gpu.shuffle xor %tf, %one, %w32 : f32
    scf.yield %v : f32
  }
  memref.store %r, %y[%t] : memref<64xf32>)mlir"),
            "'gpu.shuffle' op at k.mlir:23:15: not all threads "
            "get here: thread (5, 0, 0) waits at 'gpu.shuffle' at "
            "k.mlir:20:15; in block (0, 0, 0), thread (0, 0, 0)");
}

TEST(SyncFaults, ShuffleAgainstBarrier) {
  EXPECT_EQ(syncFaultOf(R"mlir(
  scf.if %is5 {
    gpu.barrier
  }
  %v, %ok = gpu.shuffle xor %tf, %one, %w32 : f32
  memref.store %v, %y[%t] : memref<64xf32>
  scf.if %not5 {
    gpu.barrier
  })mlir"),
            "'gpu.shuffle' op at k.mlir:22:13: not all threads "
            "get here: thread (5, 0, 0) waits at 'gpu.barrier' at "
            "k.mlir:20:5; in block (0, 0, 0), thread (0, 0, 0)");
}

TEST(SyncFaults, BallotOfSomeLanes) {
  std::string body = R"mlir(
  %all = arith.constant -1 : i32
  %b = nvvm.vote.sync ballot %all, %is5 -> i32
)mlir";
  EXPECT_EQ(syncFaultOf(body), "");
  EXPECT_EQ(syncFaultOf(body, 40),
            "'nvvm.vote.sync' op at k.mlir:20:8: needs all 32 "
            "lanes, the warp has 8; in block (0, 0, 0), thread (32, 0, 0)");
  EXPECT_EQ(syncFaultOf("scf.if %not5 {" + body + "}"),
            "'nvvm.vote.sync' op at k.mlir:20:8: not all threads "
            "get here: thread (5, 0, 0) has exited; in block (0, 0, 0), thread "
            "(0, 0, 0)");
}

TEST(SyncFaults, WarpBarrierOfSomeLanes) {
  std::string body = R"mlir(
  %all = arith.constant -1 : i32
  nvvm.bar.warp.sync %all : i32
)mlir";
  EXPECT_EQ(syncFaultOf(body), "");
  EXPECT_EQ(syncFaultOf(body, 40),
            "'nvvm.bar.warp.sync' op at k.mlir:20:3: needs all "
            "32 lanes, the warp has 8; in block (0, 0, 0), thread (32, 0, 0)");
  EXPECT_EQ(syncFaultOf("scf.if %not5 {" + body + "}"),
            "'nvvm.bar.warp.sync' op at k.mlir:20:3: not all "
            "threads get here: thread (5, 0, 0) has exited; in block (0, 0, "
            "0), thread (0, 0, 0)");
}

TEST(SyncFaults, ShuffleWidths) {
  auto shuffle = [](const char *width) {
    return std::string(R"mlir(
  %c16 = arith.constant 16 : i32
  %bad = arith.constant 33 : i32
  %mixed = arith.select %is5, %c16, %w32 : i32
  %v, %ok = gpu.shuffle xor %tf, %one, )mlir") +
           width + " : f32\n  memref.store %v, %y[%t] : memref<64xf32>";
  };
  EXPECT_EQ(syncFaultOf(shuffle("%c16"), 16), "");
  EXPECT_EQ(syncFaultOf(shuffle("%c16")),
            "'gpu.shuffle' op at k.mlir:22:13: lane 16 takes "
            "part in a shuffle of width 16; in block (0, 0, 0), thread "
            "(16, 0, 0)");
  EXPECT_EQ(syncFaultOf(shuffle("%bad")),
            "'gpu.shuffle' op at k.mlir:22:13: expected a width "
            "of 1 to 32, got 33; in block (0, 0, 0), thread (0, 0, 0)");
  EXPECT_EQ(syncFaultOf(shuffle("%mixed")),
            "'gpu.shuffle' op at k.mlir:22:13: width differs in "
            "a warp: 32 here, 16 in thread (5, 0, 0); in block (0, 0, 0), "
            "thread (0, 0, 0)");
}

TEST(SyncFaults, ShuffleReadsALaneThatIsNotThere) {
  std::string body = R"mlir(
  %v, %ok = gpu.shuffle down %tf, %two, %w32 : f32
  memref.store %v, %y[%t] : memref<64xf32>)mlir";
  EXPECT_EQ(syncFaultOf(body, 64), "");
  EXPECT_EQ(syncFaultOf(body, 48),
            "'gpu.shuffle' op at k.mlir:19:13: reads lane 16 of "
            "a warp of 16 threads; in block (0, 0, 0), thread (46, 0, 0)");
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

/// Copies x to shared memory and reads it after `wait`.
static std::string copyThenRead(const std::string &wait) {
  return withSpace(R"mlir(
gpu.func @k(%x: memref<64xf32>, %y: memref<64xf32>)
    workgroup(%s: memref<64xf32, SHARED>) kernel {
  %t = gpu.thread_id x
  %c63 = arith.constant 63 : index
  %a = nvgpu.device_async_copy %x[%t], %s[%t], 1 : memref<64xf32> to memref<64xf32, SHARED>
  %g = nvgpu.device_async_create_group %a
)mlir" + wait + R"mlir(
  %o = arith.subi %c63, %t : index
  %v = memref.load %s[%o] : memref<64xf32, SHARED>
  memref.store %v, %y[%t] : memref<64xf32>
  gpu.return
})mlir");
}

static std::string runCopy(const std::string &wait, std::vector<float> &y,
                           bool checked = true) {
  auto emulator = emulate(copyThenRead(wait), Options{checked, 1});
  if (!emulator)
    return "";
  std::vector<float> x = randomFloats(64, 1);
  std::string error =
      run(*emulator, "k", {3, 1, 1}, {64, 1, 1}, Arguments(x, y));
  if (error.empty() && checked)
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(y[i], x[63 - i]);
  return error;
}

TEST(SyncFaults, AsyncCopyReadBeforeItsWait) {
  std::vector<float> y(64);
  EXPECT_EQ(runCopy("nvgpu.device_async_wait %g\ngpu.barrier", y), "");
  EXPECT_EQ(runCopy("gpu.barrier", y),
            "'memref.load' op at k.mlir:11:8: reads shared "
            "memory at byte 252, where an asynchronous copy has not landed: it "
            "was not waited for; in block (0, 0, 0), thread (0, 0, 0)");
  // One group may stay in flight, and does.
  EXPECT_EQ(runCopy("nvgpu.device_async_wait %g {numGroups = 1 : i32}\n"
                    "gpu.barrier",
                    y),
            "'memref.load' op at k.mlir:12:8: reads shared "
            "memory at byte 252, where an asynchronous copy has not landed: it "
            "was not waited for; in block (0, 0, 0), thread (0, 0, 0)");
}

TEST(SyncFaults, AsyncCopyWaitedForByItsThreadOnly) {
  std::vector<float> y(64);
  EXPECT_EQ(runCopy("nvgpu.device_async_wait %g", y),
            "'nvgpu.device_async_copy' op at k.mlir:7:8: writes "
            "shared memory at byte 128, which thread (31, 0, 0) read with no "
            "barrier between; in block (0, 0, 0), thread (32, 0, 0)");
}

TEST(SyncFaults, AsyncCopyNotLandedIsNaN) {
  std::vector<float> y(64);
  EXPECT_EQ(runCopy("gpu.barrier", y, /*checked=*/false), "");
  for (float value : y)
    EXPECT_TRUE(std::isnan(value));
}

TEST(SyncFaults, AsyncCopyMisalignedOrOutOfBounds) {
  auto copy = [](const std::string &from) {
    auto emulator = emulate(withSpace(R"mlir(
gpu.func @k(%x: memref<64xf32>, %from: index, %count: index)
    workgroup(%s: memref<64xf32, SHARED>) kernel {
  %c0 = arith.constant 0 : index
  %a = nvgpu.device_async_copy %x[%from], %s[%c0], 4, %count : memref<64xf32> to memref<64xf32, SHARED>
  %g = nvgpu.device_async_create_group %a
  nvgpu.device_async_wait %g
  gpu.return
})mlir"));
    std::vector<float> x(64);
    int64_t at = std::stoll(from.substr(0, from.find(' ')));
    int64_t count = std::stoll(from.substr(from.find(' ')));
    return run(*emulator, "k", {1, 1, 1}, {1, 1, 1}, Arguments(x, at, count));
  };
  std::string where = "'nvgpu.device_async_copy' op at k.mlir:6:8: ";
  std::string who = "; in block (0, 0, 0), thread (0, 0, 0)";
  EXPECT_EQ(copy("60 4"), "");
  EXPECT_EQ(copy("64 0"), "");
  EXPECT_EQ(copy("64 1"),
            where + "index [64] is out of bounds of extents [64]" + who);
  EXPECT_EQ(copy("63 2"),
            where + "index [63 to 64] is out of bounds of extents [64]" + who);
  EXPECT_EQ(copy("61 1"), where +
                              "address is not aligned: expected a multiple of "
                              "16 bytes, got 4 more" +
                              who);
  std::string wrapped = std::to_string(std::numeric_limits<int64_t>::min() + 4);
  EXPECT_EQ(copy("0 " + wrapped), where + "reads " + wrapped +
                                      " elements of 4 bytes for a copy of 16" +
                                      who);
  EXPECT_EQ(copy("0 5"),
            where + "reads 5 elements of 4 bytes for a copy of 16" + who);
}
