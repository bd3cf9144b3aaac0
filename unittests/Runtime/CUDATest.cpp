//===- CUDATest.cpp - The CUDA device on a driver without a GPU -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/CUDA.h"
#include "CUDA/CUDADevice.h"
#include "CUDA/Chips.h"
#include "GNN/Runtime/ThreadPool.h"
#include "Testing.h"

#include <dlfcn.h>

#include <algorithm>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
class CUDA : public ::testing::Test {
protected:
  void SetUp() override {
    auto loaded = cuda::Driver::load(GNN_FAKE_DRIVER);
    ASSERT_TRUE(loaded) << loaded.message();
    driver = *loaded;
    library = dlopen(GNN_FAKE_DRIVER, RTLD_NOW);
  }
  template <typename Type> Type *symbol(const char *name) {
    return reinterpret_cast<Type *>(dlsym(library, name));
  }
  int ask(const char *function) { return symbol<int()>(function)(); }
  std::shared_ptr<Device> open(int ordinal = 0) {
    auto device = cuda::openDevice(driver, ordinal);
    EXPECT_TRUE(device) << device.message();
    return *device;
  }

  std::shared_ptr<const cuda::Driver> driver;
  void *library = nullptr;
};
} // namespace

TEST_F(CUDA, OpensAndCloses) {
  auto device = open(1);
  EXPECT_EQ(device->kind(), "cuda");
  EXPECT_EQ(device->name(), "cuda:1 (Fake 1, sm_86)");
  EXPECT_GT(device->rankChip("sm_86"), device->rankChip("sm_80"));
  EXPECT_FALSE(device->rankChip("sm_90"));
  EXPECT_EQ(device->describeGPU(),
            "sm_86, Fake 1: processors=82 clock=1.695e+09 l2_bytes=6e+06 "
            "memory_bandwidth=9.36096e+11");
  EXPECT_EQ(ask("fakeRetained"), 1);
  device = nullptr;
  EXPECT_EQ(ask("fakeRetained"), 0);
  EXPECT_EQ(cuda::openDevice(driver, 2).message(),
            "expected a GPU from 0 to under 2, got 2");
}

TEST_F(CUDA, DriversThatDoNotFit) {
  EXPECT_TRUE(contains(cuda::Driver::load("libno-such-driver.so.1").message(),
                       "expected the CUDA driver, got: libno-such-driver"));
  EXPECT_TRUE(contains(cuda::Driver::load("libz.so.1").message(),
                       "expected a CUDA driver with cuInit, got 'libz.so.1'"));
}

TEST_F(CUDA, MovesMemory) {
  auto device = open();
  int32_t values[3] = {1, 2, 3}, back[3] = {};
  void *memory = *device->allocate(sizeof values);
  EXPECT_EQ(ask("fakeLive"), 1);
  EXPECT_FALSE(device->copyToDevice(memory, values, sizeof values));
  EXPECT_FALSE(device->fill(static_cast<int32_t *>(memory) + 1, 0, 4));
  EXPECT_FALSE(device->copyToHost(back, memory, sizeof back));
  EXPECT_EQ(back[0], 1);
  EXPECT_EQ(back[1], 0);
  EXPECT_EQ(back[2], 3);
  EXPECT_FALSE(device->copyInStream(memory, values + 1, 8, nullptr));
  EXPECT_FALSE(device->synchronize(nullptr));
  EXPECT_FALSE(device->copyToHost(back, memory, sizeof back));
  EXPECT_EQ(back[0], 2);
  EXPECT_EQ(back[2], 3);
  EXPECT_FALSE(device->copyOnDevice(static_cast<int32_t *>(memory) + 2, memory,
                                    4, nullptr));
  EXPECT_FALSE(device->fillInStream(memory, 0, 4, nullptr));
  EXPECT_FALSE(device->copyOnDevice(memory, nullptr, 0, nullptr));
  EXPECT_FALSE(device->copyToHost(back, memory, sizeof back));
  EXPECT_EQ(back[0], 0);
  EXPECT_EQ(back[2], 2);
  device->free(memory);
  EXPECT_EQ(*device->allocate(0), nullptr);
  EXPECT_EQ(device->allocate(int64_t(1) << 40).message(),
            "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (said the fake), "
            "1099511627776 bytes asked for on cuda:0 (Fake 0, sm_86)");
  device = nullptr;
  EXPECT_EQ(ask("fakeLive"), 0);
}

TEST_F(CUDA, UsesSmallMemoryAgain) {
  auto device = open();
  void *small = *device->allocate(1000);
  void *large = *device->allocate(int64_t(5) << 20);
  device->free(small);
  device->free(large);
  EXPECT_EQ(ask("fakeLive"), 1); // what is large goes at once
  EXPECT_EQ(*device->allocate(1024), small);
  void *other = *device->allocate(1024);
  EXPECT_NE(other, small);
  device->free(small);
  device->free(other);
  EXPECT_EQ(ask("fakeLive"), 2);
  // The memory that waits has a bound.
  std::vector<void *> many;
  for (int i = 0; i < 40; ++i)
    many.push_back(*device->allocate(int64_t(4) << 20));
  for (void *memory : many)
    device->free(memory);
  EXPECT_LE(ask("fakeLive"), 2 + 16);
  device = nullptr;
  EXPECT_EQ(ask("fakeLive"), 0);
}

TEST_F(CUDA, GivesBackWhatWaitsBeforeItFails) {
  auto device = open();
  device->free(*device->allocate(1000));
  EXPECT_EQ(ask("fakeLive"), 1);
  auto limit = symbol<void(int)>("fakeSetLimit");
  limit(1); // pieces at once
  auto other = device->allocate(3000);
  EXPECT_TRUE(other) << other.message();
  EXPECT_EQ(ask("fakeLive"), 1);
  EXPECT_TRUE(contains(device->allocate(3000).message(),
                       "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY"));
  limit(1000);
  device->free(*other);
  device = nullptr;
  EXPECT_EQ(ask("fakeLive"), 0);
}

/// Copies of all sizes arrive whole, whatever the host does meanwhile.
TEST_F(CUDA, CopiesBehindTheHost) {
  struct {
    int pinned;
    bool onStream;
  } cases[] = {{3, true}, {2, true}, {1, true}, {0, false}};
  for (auto [pinned, onStream] : cases) {
    symbol<int(int)>("fakeSetPinned")(pinned);
    auto device = open();
    int before = ask("fakeStreamCopies");
    std::vector<std::pair<void *, std::vector<int32_t>>> copies;
    int32_t value = 0;
    for (size_t count : {1, 70000, 3, 3000000, 12000000, 0, 5, 2097152, 64}) {
      std::vector<int32_t> values(count);
      for (int32_t &each : values)
        each = ++value;
      auto bytes = static_cast<int64_t>(count * sizeof(int32_t));
      void *memory = *device->allocate(bytes);
      std::vector<int32_t> given = values;
      EXPECT_FALSE(device->startCopy(memory, given.data(), bytes));
      std::fill(given.begin(), given.end(), -1); // has been read
      copies.emplace_back(memory, std::move(values));
    }
    EXPECT_FALSE(device->finishCopies());
    EXPECT_EQ(ask("fakeStreamCopies") > before, onStream);
    for (const auto &[memory, values] : copies) {
      std::vector<int32_t> back(values.size());
      EXPECT_FALSE(device->copyToHost(
          back.data(), memory,
          static_cast<int64_t>(back.size() * sizeof(int32_t))));
      EXPECT_TRUE(back == values) << values.size();
      device->free(memory);
    }
    device = nullptr;
    EXPECT_EQ(ask("fakeLive"), 0);
  }
  symbol<int(int)>("fakeSetPinned")(1000);
}

TEST_F(CUDA, LoadsAndLaunches) {
  auto device = open();
  auto kernels = device->loadKernels("ptx", "good", "sm_80");
  ASSERT_TRUE(kernels) << kernels.message();
  auto kernel = (*kernels)->find("add_one");
  ASSERT_TRUE(kernel) << kernel.message();
  EXPECT_EQ(*kernel, *(*kernels)->find("add_one"));
  EXPECT_EQ((*kernel)->info().registers, 128);
  EXPECT_EQ((*kernel)->info().localBytes, 16);
  EXPECT_EQ((*kernel)->info().staticSharedBytes, 1024);
  EXPECT_EQ((*kernel)->info().maxThreadsPerBlock, 512);
  EXPECT_EQ((*kernel)->parameters(),
            nullptr); // Code that is no PTX does not tell.
  EXPECT_EQ((*kernels)->find("add_two").message(),
            "kernel 'add_two': cuModuleGetFunction: CUDA_ERROR_NOT_FOUND "
            "(said the fake)");

  Launch launch;
  launch.grid = {7, 1, 1};
  launch.sharedBytes = 65536;
  Error error = device->prepare(**kernel, launch);
  EXPECT_FALSE(error) << error.message();
  EXPECT_EQ(ask("fakeDynamicShared"), 65536);
  EXPECT_EQ(ask("fakeCarveOut"), 0); // few blocks leave that to the driver
  EXPECT_EQ((*kernel)->info().carveOut, -1);
  launch.grid = {8 * 82, 1, 1};
  EXPECT_FALSE(device->prepare(**kernel, launch));
  EXPECT_EQ(ask("fakeCarveOut"), 66); // one block of 66 KiB, of 100
  launch.grid = {100000, 1, 1};
  launch.sharedBytes = 1024;  // what was allowed stays
  launch.block = {512, 1, 1}; // three blocks of 3 KiB
  EXPECT_FALSE(device->prepare(**kernel, launch));
  EXPECT_EQ(ask("fakeDynamicShared"), 65536);
  EXPECT_EQ(ask("fakeCarveOut"), 66);
  launch.block = {64, 1, 1}; // 24 of them
  EXPECT_FALSE(device->prepare(**kernel, launch));
  EXPECT_EQ(ask("fakeCarveOut"), 72);
  EXPECT_EQ((*kernel)->info().carveOut, 72);
  launch.grid = {7, 1, 1};
  launch.sharedBytes = 101376;
  EXPECT_TRUE(contains(device->prepare(**kernel, launch).message(),
                       "expected at most 100352 bytes of dynamic shared "
                       "memory on cuda:0 (Fake 0, sm_86), got 101376"));
  launch.sharedBytes = 0;
  launch.block = {1024, 1, 1};
  EXPECT_EQ(device->prepare(**kernel, launch).message(),
            "expected at most 512 threads a block (128 registers each), got "
            "1024");
  launch.block = {32, 1, 1};

  float values[2] = {1, 2};
  void *memory = *device->allocate(sizeof values);
  EXPECT_FALSE(device->copyToDevice(memory, values, sizeof values));
  int32_t count = 2;
  void *arguments[] = {&memory, &count};
  int64_t bytes[] = {8, -1};
  auto begin = device->record(nullptr);
  EXPECT_FALSE(
      device->launch(**kernel, launch, {arguments, bytes, 2}, nullptr));
  auto end = device->record(nullptr);
  EXPECT_FALSE(device->synchronize(nullptr));
  EXPECT_EQ(*device->elapsed(**begin, **end), 7);
  EXPECT_FALSE(device->copyToHost(values, memory, sizeof values));
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[1], 3);
  device->free(memory);

  // Events and kernels keep the device; nothing is left at the end.
  *begin = nullptr;
  *end = nullptr;
  device = nullptr;
  EXPECT_EQ(ask("fakeRetained"), 1);
  *kernels = nullptr;
  EXPECT_EQ(ask("fakeRetained"), 0);
  EXPECT_EQ(ask("fakeLive"), 0);
}

/// Where the kernels of PTX stand alone, those asked for are loaded, in
/// modules whose number depends on how much that is.
TEST_F(CUDA, LoadsKernelsThatAreAskedFor) {
  auto entry = [](const std::string &name, size_t bytes,
                  const std::string &body = "good") {
    return "\t// .globl\t" + name + "\n.visible .entry " + name +
           "(\n\t.param .u64 p,\n\t.param .u32 q\n)\n{\n" +
           std::string(bytes, '\t') + "\n// " + body + "\n}\n";
  };
  std::string header = "//\n.version 7.8\n.target sm_80\n.address_size 64\n\n",
              trailer = "\t.section\t.debug_macinfo\t{\t}\n\t.file\t1 \"f\"\n";
  auto device = open();
  auto load = [&](const std::string &entries) {
    auto kernels = device->loadKernels("ptx", header + entries + trailer, "");
    EXPECT_TRUE(kernels) << kernels.message();
    return *kernels;
  };
  setNumThreads(2);
  auto kernels = load(entry("add_one", 20000) + entry("two", 20000) +
                      entry("three", 20) + entry("bad", 20, "evil"));
  EXPECT_EQ(ask("fakeLive"), 0);
  EXPECT_FALSE(kernels->expect({"two", "add_one", "two"}));
  EXPECT_EQ(ask("fakeLive"), 2);
  EXPECT_FALSE(kernels->expect({"two"}));
  auto found = kernels->find("add_one");
  ASSERT_TRUE(found) << found.message();
  EXPECT_EQ(*found, *kernels->find("add_one"));
  ASSERT_TRUE((*found)->parameters());
  EXPECT_EQ((*found)->parameters()->size(), 2u);
  EXPECT_EQ(ask("fakeLive"), 2);
  EXPECT_TRUE(contains(kernels->find("three").message(), "CUDA_ERROR"));
  EXPECT_EQ(ask("fakeLive"), 3); // the fake has no kernel of that name
  EXPECT_EQ(kernels->expect({"bad"}).message(),
            "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (said the fake): "
            "line 1: bad image");
  EXPECT_EQ(kernels->find("none").message(),
            "kernel 'none': expected a kernel of the PTX");
  kernels = nullptr;
  EXPECT_EQ(ask("fakeLive"), 0);
  // Code that kernels share is not taken apart.
  kernels = load(".global .u32 good;\n" + entry("add_one", 20000));
  EXPECT_EQ(ask("fakeLive"), 1);
  EXPECT_FALSE(kernels->expect({"add_one"}));
  EXPECT_TRUE(kernels->find("add_one"));
  EXPECT_EQ(ask("fakeLive"), 1);
  kernels = nullptr;
  setNumThreads(0);
}

TEST_F(CUDA, CapturesLaunchesThatRunAtOnce) {
  auto device = open();
  auto kernels = device->loadKernels("ptx", "good", "sm_80");
  ASSERT_TRUE(kernels) << kernels.message();
  const Kernel *kernel = *(*kernels)->find("add_one");
  auto stream = symbol<Stream()>("fakeStream")();
  auto set = symbol<void(int)>("fakeCapture");
  auto nodesOfLaunch = symbol<void(size_t)>("fakeSetNodesOfLaunch");
  auto graph = [&] {
    return std::string(symbol<const char *()>("fakeGraph")());
  };
  EXPECT_EQ(*device->capture(nullptr), nullptr);
  EXPECT_EQ(*device->capture(stream), nullptr);

  set(1);
  LaunchArguments none;
  auto launch = [&](Capture &capture, std::vector<size_t> after) {
    return capture.launch(*kernel, {}, none, after);
  };
  auto capture = device->capture(stream);
  ASSERT_TRUE(capture && *capture) << capture.message();
  EXPECT_FALSE(launch(**capture, {}));
  EXPECT_FALSE(launch(**capture, {}));
  EXPECT_FALSE(launch(**capture, {0, 1}));
  EXPECT_FALSE(launch(**capture, {1}));
  EXPECT_FALSE((*capture)->finish());
  EXPECT_EQ(graph(), "1<-0 2<-0 3<-1,2 4<-2 end<-3,4");
  // The next launch follows both ends; a capture of nothing changes nothing.
  auto next = device->capture(stream);
  EXPECT_FALSE((*next)->finish());
  EXPECT_EQ(graph(), "1<-0 2<-0 3<-1,2 4<-2 end<-3,4");
  EXPECT_FALSE(launch(**next, {}));
  EXPECT_FALSE((*next)->finish());
  EXPECT_EQ(graph(), "1<-0 2<-0 3<-1,2 4<-2 5<-3,4 end<-5");

  nodesOfLaunch(2);
  EXPECT_EQ(launch(**next, {}).message(),
            "expected a launch to be one node, got 2");
  nodesOfLaunch(1);
  set(2);
  EXPECT_TRUE(contains(launch(**next, {}).message(),
                       "expected a stream that is being captured, got one "
                       "whose capture ended or failed"));
  set(0);
}

/// Launches are captured, and run together as often as asked.
TEST_F(CUDA, ReplaysLaunches) {
  auto device = open();
  auto kernels = device->loadKernels("ptx", "good", "sm_80");
  ASSERT_TRUE(kernels) << kernels.message();
  const Kernel *kernel = *(*kernels)->find("add_one");
  void *memory = *device->allocate(4);
  ASSERT_FALSE(device->fill(memory, 0, 4));
  int32_t count = 1;
  void *values[] = {&memory, &count};
  int64_t bytes[] = {4, -1};
  LaunchArguments arguments{values, bytes, 2};
  auto read = [&] {
    float value = 0;
    EXPECT_FALSE(device->copyToHost(&value, memory, 4));
    return value;
  };
  const int before = ask("fakeLive");
  auto replay = device->makeReplay([&](Stream stream) -> Error {
    for (int i = 0; i < 3; ++i) {
      auto capture = device->capture(stream);
      EXPECT_TRUE(capture && *capture);
      if (Error error = (*capture)->launch(*kernel, {}, arguments, {}))
        return error;
      if (Error error = (*capture)->finish())
        return error;
    }
    return {};
  });
  ASSERT_TRUE(replay && *replay) << replay.message();
  EXPECT_EQ(read(), 0);
  EXPECT_FALSE((*replay)->run(nullptr));
  EXPECT_EQ(read(), 3);
  EXPECT_FALSE((*replay)->run(nullptr));
  EXPECT_EQ(read(), 6);
  EXPECT_GT(ask("fakeLive"), before);
  replay->reset();
  EXPECT_EQ(ask("fakeLive"), before);
  // A failure ends the capture and leaves nothing.
  auto failed = device->makeReplay([](Stream) { return Error("planted"); });
  EXPECT_EQ(failed.message(), "planted");
  auto empty = device->makeReplay([](Stream) { return Error(); });
  EXPECT_TRUE(contains(empty.message(), "cuGraphInstantiate: "));
  EXPECT_EQ(ask("fakeLive"), before);
  device->free(memory);
}

TEST_F(CUDA, WorksOnTheStreamOfTheCaller) {
  auto device = open();
  auto kernels = device->loadKernels("ptx", "good", "sm_80");
  ASSERT_TRUE(kernels) << kernels.message();
  const Kernel *kernel = *(*kernels)->find("add_one");
  auto last = symbol<Stream()>("fakeLastStream");
  void *memory = *device->allocate(8);
  int32_t count = 0;
  void *values[] = {&memory, &count};
  int64_t bytes[] = {8, -1};
  LaunchArguments arguments{values, bytes, 2};
  for (Stream stream : {symbol<Stream()>("fakeStream")(), Stream(nullptr)}) {
    auto is = [&](const Error &error) {
      EXPECT_FALSE(error);
      return last() == stream;
    };
    EXPECT_TRUE(is(device->synchronize(stream)));
    EXPECT_TRUE(is(device->copyOnDevice(memory, memory, 4, stream)));
    EXPECT_TRUE(is(device->fillInStream(memory, 0, 4, stream)));
    EXPECT_TRUE(is(device->launch(*kernel, {}, arguments, stream)));
  }
  device->free(memory);
}

TEST_F(CUDA, ImagesThatDoNotFit) {
  auto device = open();
  EXPECT_EQ(device->loadKernels("ptx", "evil", "sm_86").message(),
            "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (said the fake): "
            "line 1: bad image");
  EXPECT_EQ(device->loadKernels("ptx", "good", "sm_90").message(),
            "expected a GPU of compute capability 9.0 or more (kernels for "
            "sm_90), got 8.6");
  EXPECT_TRUE(contains(device->loadKernels("spirv", "good", "").message(),
                       "expected kernels as cubin or ptx, got spirv"));
  EXPECT_EQ(ask("fakeLive"), 0);
}

TEST(CUDAChip, WhatRunsWhere) {
  struct {
    const char *chip;
    bool isPtx;
    int major, minor;
    bool runs;
  } cases[] = {
      {"", true, 1, 0, true},         {"sm_90", true, 9, 0, true},
      {"sm_90", true, 8, 9, false},   {"sm_80", true, 9, 0, true},
      {"sm_80", false, 8, 6, true},   {"sm_80", false, 9, 0, false},
      {"sm_86", false, 8, 0, false},  {"sm_90a", true, 9, 0, true},
      {"sm_90a", true, 10, 0, false}, {"sm_100", true, 9, 0, false},
      {"sm_100", true, 12, 0, true},  {"gfx90a", true, 9, 0, false},
      {"sm_", true, 9, 0, false},     {"sm_99999999999", true, 9, 0, false},
  };
  for (const auto &[chip, isPtx, major, minor, runs] : cases)
    EXPECT_EQ(!cuda::checkChip(chip, isPtx, major, minor), runs)
        << chip << " on " << major << "." << minor;
}

TEST(CUDAChip, LaterOnesSuitBetter) {
  auto rank = [](const char *chip) { return cuda::rankChip(chip, 9, 0); };
  std::optional<int64_t> last = -1;
  for (const char *chip : {"", "sm_70", "sm_86", "sm_90", "sm_90a"}) {
    EXPECT_LT(last, rank(chip)) << chip;
    last = rank(chip);
  }
  for (const char *chip : {"sm_100", "sm_80a", "gfx90a"})
    EXPECT_EQ(rank(chip), std::nullopt) << chip;
}

TEST(CUDASystem, OpensOrSaysWhy) {
  auto count = countCudaDevices();
  auto device = openCudaDevice();
  if (!count) {
    EXPECT_TRUE(contains(count.message(), "expected the CUDA driver") ||
                contains(count.message(), "cuInit"));
    EXPECT_EQ(device.message(), count.message());
    return;
  }
  if (*count == 0) {
    EXPECT_FALSE(device);
    return;
  }
  ASSERT_TRUE(device) << device.message();
  EXPECT_EQ(*device, *openCudaDevice());
  int32_t value = 7, back = 0;
  void *memory = *(*device)->allocate(4);
  EXPECT_FALSE((*device)->copyToDevice(memory, &value, 4));
  EXPECT_FALSE((*device)->copyToHost(&back, memory, 4));
  EXPECT_EQ(back, 7);
  (*device)->free(memory);
}
