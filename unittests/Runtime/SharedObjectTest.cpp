//===- SharedObjectTest.cpp - Kernels that were compiled before -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "GNN-c/Runtime.h"
#include "TestPlans.h"
#include "Testing.h"

#include "GNN/Runtime/CPUDevice.h"
#include "GNN/Runtime/Package.h"
#include "GNN/Runtime/Processors.h"

#include <fstream>
#include <iterator>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The bytes of FakeKernels.c, each `piece` of them replaced by as many others.
std::string object(const std::string &piece = "",
                   const std::string &other = "") {
  std::string bytes = readFile(GNN_FAKE_KERNELS);
  EXPECT_EQ(piece.size(), other.size());
  EXPECT_NE(bytes.find(piece), std::string::npos) << piece;
  for (size_t place = bytes.find(piece);
       !piece.empty() && place != std::string::npos; place = bytes.find(piece))
    bytes.replace(place, piece.size(), other);
  return bytes;
}

/// The processor that the object is for, which all hosts are.
std::string processor() {
  return listProcessors()[listProcessors().size() - 1].name;
}

std::string messageOfLoading(const std::string &bytes) {
  return createCPUDevice(1)
      ->loadKernels(objectFormat(processor()), bytes, "")
      .message();
}

/// The rows after a launch of the kernel.
std::vector<int64_t> run(Device &device, const Kernels &kernels, int64_t rows) {
  auto kernel = kernels.find("count");
  EXPECT_TRUE(kernel) << kernel.message();
  std::vector<int64_t> y(static_cast<size_t>(rows));
  void *memory = y.data(), *values[] = {&rows, &memory};
  int64_t bytes[] = {-1, rows * 8};
  Launch launch;
  launch.grid[0] = rows;
  Error error = device.launch(**kernel, launch, {values, bytes, 2}, nullptr);
  EXPECT_EQ(error.message(), "");
  return y;
}

bool isMapped() {
  return readFile("/proc/self/maps").find("gnn-kernels") != std::string::npos;
}
} // namespace

TEST(SharedObject, RunsWithoutACompiler) {
  auto device = createCPUDevice(1);
  auto loaded = device->loadKernels(objectFormat(processor()), object(), "");
  ASSERT_TRUE(loaded) << loaded.message();
  EXPECT_EQ(run(*device, **loaded, 3), (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(run(*device, **loaded, 1), (std::vector<int64_t>{2}));
  auto kernel = (*loaded)->find("count");
  ASSERT_TRUE(kernel);
  EXPECT_EQ((*kernel)->name(), "count");
  EXPECT_EQ((*kernel)->info().staticSharedBytes, 8);
  ASSERT_EQ((*kernel)->parameters()->size(), 2u);
  EXPECT_EQ((*kernel)->parameters()->back().element, DataType::I64);
  std::vector<int64_t> numbers = {3, 0}, bytes = {-1, 23};
  EXPECT_EQ((*kernel)->checkMemory(numbers, bytes).message(),
            "argument 1: expected 24 bytes, got 23");
  EXPECT_EQ((*loaded)->find("counts").message(),
            "expected a kernel 'counts' in the image, got none");
}

// The loader takes an object for one that is there where their paths are equal,
// and the number of a file that was closed is given to the next one.
TEST(SharedObject, IsLoadedAnewEachTimeAndGoes) {
  auto device = createCPUDevice(1);
  std::string bytes = object();
  {
    auto first = device->loadKernels(objectFormat(processor()), bytes, "");
    auto second = device->loadKernels(objectFormat(processor()), bytes, "");
    ASSERT_TRUE(first && second);
    EXPECT_TRUE(isMapped());
    for (int64_t calls : {1, 2}) {
      EXPECT_EQ(run(*device, **first, 1), std::vector<int64_t>{calls});
      EXPECT_EQ(run(*device, **second, 1), std::vector<int64_t>{calls});
    }
  }
  EXPECT_FALSE(isMapped());
}

TEST(SharedObject, OnesThatDoNotLoad) {
  EXPECT_EQ(messageOfLoading(object()), "");
  // A read behind the end of a file would end the process.
  std::string whole = object();
  for (const std::string &bytes :
       {std::string("no object"), std::string(1000, 'x'), whole.substr(0, 100),
        whole.substr(0, whole.size() / 4)})
    EXPECT_EQ(messageOfLoading(bytes),
              "expected a whole shared object, got " +
                  std::to_string(bytes.size()) +
                  " bytes of one, or of something else");
  std::string broken = whole;
  broken[4] = 1; // of 32 bits
  EXPECT_TRUE(contains(messageOfLoading(broken),
                       "expected a shared object that the system loads, got: "
                       "wrong ELF class"));
  EXPECT_EQ(messageOfLoading(object("gnn_kernels", "gnn_kernelz")),
            "expected a table of kernels (gnn_kernels), got none");
  EXPECT_EQ(messageOfLoading(object("gnn_kernel.count", "gnn_kernel.fount")),
            "expected a function gnn_kernel.count of its table, got none");
  EXPECT_EQ(messageOfLoading(object("\"version\": 1", "\"version\": 2")),
            "table of kernels: version: expected 1, got 2");
  std::string other = processor();
  other.back() = '9';
  EXPECT_EQ(
      messageOfLoading(object("\"" + processor() + "\"", "\"" + other + "\"")),
      "expected code for " + processor() + ", got code for " + other);
  EXPECT_FALSE(isMapped());
}

TEST(SharedObject, OtherFormats) {
  auto device = createCPUDevice(1);
  for (std::string format : {"mlir", "x86-64-v9.so", "ptx"})
    EXPECT_EQ(device->loadKernels(format, object(), "").message(),
              "expected a shared object for the instructions of this "
              "processor, got kernels as " +
                  format);
  std::string formats;
  for (const std::string &format : device->kernelFormats())
    formats += (formats.empty() ? "" : " or ") + format;
  auto message = [&](std::map<std::string, std::string> images) {
    auto plan = LaunchPlan::parse(sumPlanText());
    EXPECT_TRUE(plan) << plan.message();
    auto package = Package::create(std::move(*plan), std::move(images));
    EXPECT_TRUE(package) << package.message();
    return (*package)->kernelsOn(device).message();
  };
  EXPECT_EQ(message({{"mlir", ""}}),
            "expected kernels as " + formats +
                " for cpu, as gnn-translate --gnn-to-package --target=cpu "
                "makes them, got mlir");
  EXPECT_EQ(message({{objectFormat(processor()), object()}, {"mlir", ""}}), "");
}

TEST(SharedObject, ProcessorsOfTheHost) {
  std::vector<std::string> formats = createCPUDevice(1)->kernelFormats();
  ASSERT_FALSE(formats.empty());
  EXPECT_EQ(formats.back(), objectFormat(processor()));
  ASSERT_TRUE(findProcessor(processor()));
  EXPECT_TRUE(findProcessor(processor())->isHere);
  EXPECT_TRUE(findProcessor(processor())->isCommon);
  EXPECT_FALSE(findProcessor("x86-64-v9"));
  // Each has the instructions of those behind it.
  bool isThere = false;
  for (const Processor &one : listProcessors()) {
    EXPECT_LE(isThere, one.isHere) << one.name;
    isThere = one.isHere;
  }
  GnnProcessor described;
  int64_t count = 0;
  for (; gnnProcessor(count, &described); ++count) {
    const Processor *found = findProcessor(described.name);
    ASSERT_EQ(found, &listProcessors()[static_cast<size_t>(count)]);
    EXPECT_EQ(described.present, found->isHere);
    EXPECT_EQ(described.common, found->isCommon);
  }
  EXPECT_EQ(static_cast<size_t>(count), listProcessors().size());
}
