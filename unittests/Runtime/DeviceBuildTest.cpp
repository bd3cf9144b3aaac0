//===- DeviceBuildTest.cpp - Launches that build structures ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a device whose kernels do nothing. Their results are tested in Python
// (test_device_build.py, test_device_columns.py).
//
//===----------------------------------------------------------------------===//

#include "DeviceBuild.h"
#include "CAPIHandles.h"
#include "DeviceColumns.h"
#include "GNN-c/DeviceBuild.h"
#include "KernelCall.h"
#include "StructureKernels.h"
#include "TestPlans.h"
#include "Testing.h"

#include <algorithm>
#include <tuple>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
/// A device with all kernels that build structures, and the package of these.
struct Builders {
  Builders() {
    for (const BuildKernelForm &form : kBuildKernels)
      device->bodies[form.name] =
          [this, name = form.name](const Launch &launch,
                                   const LaunchArguments &arguments) {
            launches.push_back(launch.grid);
            names.push_back(name);
            for (size_t i = 0; i < arguments.size; ++i)
              arguments.bytes[i] < 0 ? ++numbers : ++addresses;
          };
    auto made = Package::create(LaunchPlan(), {{"ptx", ""}});
    EXPECT_TRUE(made) << made.message();
    package = *made;
  }

  std::shared_ptr<FakeDevice> device = std::make_shared<FakeDevice>();
  std::shared_ptr<const Package> package;
  std::vector<std::array<int64_t, 3>> launches;
  std::vector<std::string> names;
  int64_t numbers = 0, addresses = 0;
};

std::string messageOf(GnnError *error) {
  std::string message = error ? gnnErrorMessage(error) : "";
  gnnErrorDestroy(error);
  return message;
}
} // namespace

TEST(DeviceColumns, WaitAfterAnError) {
  Builders builders;
  FakeDevice &device = *builders.device;
  int32_t word = 0;
  std::vector<DeviceColumn> columns(30); // of two launches
  for (DeviceColumn &column : columns) {
    column.out = &word;
    column.count = 1;
  }
  ASSERT_FALSE(
      writeColumns(columns, *builders.package, builders.device, nullptr));
  ASSERT_EQ(builders.launches.size(), 2u);
  EXPECT_EQ(builders.launches[0][1], 24);
  EXPECT_EQ(builders.launches[1][1], 6);
  EXPECT_EQ(builders.addresses, 2 * 48);
  EXPECT_EQ(builders.numbers, 2 * (48 + 24 * 5));
  EXPECT_EQ(device.synchronizations, 0);
  device.failing = "columns";
  EXPECT_EQ(writeColumns(columns, *builders.package, builders.device, nullptr)
                .message(),
            "kernel 'columns': launch failed");
  EXPECT_EQ(device.synchronizations, 1);
}

/// The library launches what its package has.
TEST(BuildKernels, AreOfTheLibrary) {
  auto package = loadStructureKernels();
  ASSERT_TRUE(package) << package.message();
  const std::string &ptx = (*package)->images().at("ptx");
  EXPECT_EQ((*package)->images().count("mlir"), 1U); // for the emulator
  for (const BuildKernelForm &form : kBuildKernels) {
    size_t at = ptx.find(".visible .entry " + std::string(form.name) + "(");
    ASSERT_NE(at, std::string::npos) << form.name;
    std::string head = ptx.substr(at, ptx.find(')', at) - at);
    int64_t count = 0;
    for (size_t i = head.find(".param"); i != std::string::npos;
         i = head.find(".param", i + 1))
      ++count;
    EXPECT_EQ(count, form.numArguments()) << form.name;
  }
}

TEST(BuildKernels, CallsWithOtherArguments) {
  Builders builders;
  BuildKernel which = BuildKernel::Sums;
  auto kernels =
      BuildKernels::find(*builders.package, builders.device, {&which, 1});
  ASSERT_TRUE(kernels) << kernels.message();
  KernelCall call;
  for (int64_t i = 0; i < kMaxKernelArguments + 50; ++i)
    call.addNumber(i);
  EXPECT_EQ(call.launch(*kernels, which, 1, 1, nullptr).message(),
            "kernel 'sums': expected 42 arguments, got 306");
  EXPECT_TRUE(builders.launches.empty());
}

TEST(DeviceBuild, RefusesDerivedGraphs) {
  Builders builders;
  GnnDevice device;
  device.value = builders.device;
  GnnGraphNeeds needs[2] = {};
  needs[0].name = "g";
  needs[1].name = "s";
  needs[1].parent = "g";
  GnnBuilder *builder = nullptr;
  struct {
    const char *loops;
    int64_t shards;
    const char *end, *message;
  } cases[] = {
      {nullptr, 0, nullptr,
       "expected add, replace, remaining or remove, got ''"},
      {"most", 2, "src",
       "expected add, replace, remaining or remove, got 'most'"},
      {nullptr, 1, "src", "expected 0 or 2 to 65535 shards, got 1"},
      {nullptr, 65536, "src", "expected 0 or 2 to 65535 shards, got 65536"},
      {nullptr, 2, nullptr, "expected shards of src or dst, got ''"},
      {"remove", 2, "edge", "expected shards of src or dst, got 'edge'"}};
  for (auto [loops, shards, end, message] : cases) {
    needs[1].loops = loops;
    needs[1].shards = shards;
    needs[1].shardEnd = end;
    EXPECT_TRUE(contains(
        messageOf(gnnBuilderCreate(needs, 2, &device, &builder)), message));
  }
}

/// The order of edges is counted by one launch more, whose sums over 2048 edges
/// are words of the host. Nothing more is sorted, by types neither, and nothing
/// more is written on the device.
TEST(DeviceBuild, OrderOfEdges) {
  auto countLaunches = [](bool dstSorted, int64_t numEdges, int64_t types) {
    Builders builders;
    GnnDevice device;
    device.value = builders.device;
    GnnGraphNeeds needs = {};
    needs.name = "g";
    needs.dstSorted = dstSorted;
    const char *keys[] = {"rows src_pair edge.src_pairs"};
    needs.numStructures = 1;
    needs.structureKeys = keys;
    GnnBuilder *builder = nullptr;
    EXPECT_EQ(messageOf(gnnBuilderCreate(&needs, 1, &device, &builder)), "");
    std::vector<int32_t> ends(static_cast<size_t>(numEdges));
    GnnDeviceGraph graph = {};
    graph.name = "g";
    graph.square = true;
    graph.numSrcNodes = graph.numDstNodes = 2;
    graph.numEdges = numEdges;
    graph.numNodeTypes = 1;
    graph.numEdgeTypes = types;
    graph.src = graph.dst = {ends.data(), 4 * numEdges, 32, 1};
    GnnBuild *build = nullptr;
    int64_t sizes[2], bytes = 0;
    EXPECT_EQ(messageOf(gnnBuildCreate(builder, &graph, 1, &build, sizes)), "");
    std::vector<int32_t> scratch(static_cast<size_t>(sizes[0])),
        numbers(static_cast<size_t>(sizes[1]));
    EXPECT_EQ(messageOf(gnnBuildCount(build, {scratch.data(), kWord * sizes[0]},
                                      {numbers.data(), kWord * sizes[1]},
                                      nullptr, &bytes)),
              "");
    EXPECT_EQ(builders.device->synchronizations, 1);
    gnnBuildRelease(build);
    gnnBuilderRelease(builder);
    auto count = [&](const char *name) {
      return std::count(builders.names.begin(), builders.names.end(), name);
    };
    return std::array<int64_t, 5>{sizes[0], sizes[1], count("sums"),
                                  count("scan"),
                                  static_cast<int64_t>(builders.names.size())};
  };
  for (int64_t types : {1, 3}) {
    for (int64_t edges : {5, 2047, 2048, 2049, 10000}) {
      std::array<int64_t, 5> expected = countLaunches(false, edges, types);
      EXPECT_EQ(expected[2], 1); // Of pairs, in the same launch.
      expected[1] += (edges + 2047) / 2048;
      EXPECT_EQ(countLaunches(true, edges, types), expected);
    }
    EXPECT_EQ(countLaunches(true, 1, types), countLaunches(false, 1, types));
  }
}

TEST(DeviceBuild, OrderOfEdgesOfADerivedGraph) {
  Builders builders;
  GnnDevice device;
  device.value = builders.device;
  GnnGraphNeeds needs[2] = {};
  needs[0].name = "g";
  needs[1].name = "s";
  needs[1].parent = "g";
  needs[1].loops = "remove";
  needs[1].dstSorted = true;
  GnnBuilder *builder = nullptr;
  EXPECT_TRUE(
      contains(messageOf(gnnBuilderCreate(needs, 2, &device, &builder)),
               "graph 's': dst_sorted: expected a graph that is not derived"));
}

/// A failing call leaves its outputs untouched.
TEST(DeviceBuild, FailingCount) {
  Builders builders;
  GnnDevice device;
  device.value = builders.device;
  GnnGraphNeeds needs = {};
  needs.name = "g";
  const char *key = "map edge.in_rows src";
  needs.structureKeys = &key;
  needs.numStructures = 1;
  GnnBuilder *builder = nullptr;
  ASSERT_EQ(messageOf(gnnBuilderCreate(&needs, 1, &device, &builder)), "");
  ASSERT_NE(builder, nullptr);
  int32_t ends[] = {0, 1};
  GnnDeviceGraph graph = {};
  graph.name = "g";
  graph.square = true;
  graph.numSrcNodes = graph.numDstNodes = graph.numEdges = 2;
  graph.numNodeTypes = graph.numEdgeTypes = 1;
  graph.src = graph.dst = {ends, sizeof ends, 32, 1};
  GnnBuild *none = nullptr;
  int64_t unused[2];
  GnnDeviceGraph shorter = graph;
  shorter.dst = {ends, 7, 32, 1};
  EXPECT_EQ(messageOf(gnnBuildCreate(builder, &shorter, 1, &none, unused)),
            "dst: expected 8 bytes, got 7");
  shorter.dst = {ends, sizeof ends, 32, 2};
  EXPECT_EQ(messageOf(gnnBuildCreate(builder, &shorter, 1, &none, unused)),
            "dst: expected 12 bytes, got 8");
  shorter.dst = {ends, sizeof ends, 64, INT64_MAX};
  EXPECT_EQ(messageOf(gnnBuildCreate(builder, &shorter, 1, &none, unused)),
            "dst: expected ids in under 2^63 bytes, got 2 at a stride of "
            "9223372036854775807");
  for (const char *failing : {"keys", "scatter", "search", ""}) {
    GnnBuild *build = nullptr;
    int64_t sizes[2], bytes = 77;
    ASSERT_EQ(messageOf(gnnBuildCreate(builder, &graph, 1, &build, sizes)), "");
    std::vector<int32_t> scratch(static_cast<size_t>(sizes[0])),
        numbers(static_cast<size_t>(sizes[1]));
    builders.device->failing = failing;
    int before = builders.device->synchronizations;
    auto memory = [](std::vector<int32_t> &words, size_t short_ = 0) {
      return GnnBuffer{words.data(),
                       static_cast<int64_t>(4 * words.size() - short_)};
    };
    for (auto [first, second, name] :
         {std::tuple(1, 0, "scratch"), std::tuple(0, 1, "numbers")})
      EXPECT_TRUE(contains(
          messageOf(gnnBuildCount(build, memory(scratch, first),
                                  memory(numbers, second), nullptr, &bytes)),
          std::string(name) + ": expected "));
    std::string message = messageOf(gnnBuildCount(
        build, memory(scratch), memory(numbers), nullptr, &bytes));
    if (*failing)
      EXPECT_EQ(message,
                "kernel '" + std::string(failing) + "': launch failed");
    else // Nothing was counted, which is taken for ids that are wrong.
      EXPECT_EQ(message, "");
    EXPECT_EQ(bytes, *failing ? 77 : -1);
    EXPECT_EQ(builders.device->synchronizations, before + 1);
    gnnBuildRelease(build);
  }
  gnnBuilderRelease(builder);
}

/// The needs of a sum over in-edges by walks by edges: one wait, and no launch
/// but one of each kernel. Kernels do nothing here: the test says what they
/// have counted.
TEST(DeviceBuild, LaunchesForWalksByEdges) {
  Builders builders;
  GnnDevice device;
  device.value = builders.device;
  const char *structures[] = {
      "stream dst edge.in_rows src", "filled dst edge.in_rows",
      "shares dst edge.in_rows 1024", "cut_rows dst edge.in_rows 1024"};
  const char *counts[] = {"piece_count dst edge.in_rows 1024",
                          "cut_row_count dst edge.in_rows 1024"};
  GnnGraphNeeds needs = {};
  needs.name = "g";
  needs.structureKeys = structures;
  needs.numStructures = std::size(structures);
  needs.countKeys = counts;
  needs.numCounts = std::size(counts);
  GnnBuilder *builder = nullptr;
  ASSERT_EQ(messageOf(gnnBuilderCreate(&needs, 1, &device, &builder)), "");
  ASSERT_NE(builder, nullptr);
  constexpr int64_t numEdges = 1500, numCut = 7;
  std::vector<int32_t> ends(numEdges);
  GnnDeviceGraph graph = {};
  graph.name = "g";
  graph.square = true;
  graph.numSrcNodes = graph.numDstNodes = 20;
  graph.numEdges = numEdges;
  graph.numNodeTypes = graph.numEdgeTypes = 1;
  graph.src = graph.dst = {ends.data(), 4 * numEdges, 32, 1};
  GnnBuild *build = nullptr;
  int64_t sizes[2], bytes = 0, value = 0;
  ASSERT_EQ(messageOf(gnnBuildCreate(builder, &graph, 1, &build, sizes)), "");
  std::vector<int32_t> scratch(static_cast<size_t>(sizes[0]));
  // Edges with good ids, and groups that blocks cut.
  std::vector<int32_t> numbers = {numEdges, numCut};
  ASSERT_EQ(sizes[1], 2);
  ASSERT_EQ(messageOf(gnnBuildCount(build, {scratch.data(), 4 * sizes[0]},
                                    {numbers.data(), 8}, nullptr, &bytes)),
            "");
  std::vector<int32_t> memory(static_cast<size_t>(bytes / 4));
  ASSERT_EQ(messageOf(gnnBuildFill(build, {memory.data(), bytes}, nullptr)),
            "");
  EXPECT_EQ(builders.names,
            (std::vector<std::string>{"keys", "scatter", "search", "sums",
                                      "scan", "move", "groups", "shares"}));
  EXPECT_EQ(builders.device->synchronizations, 1);
  for (auto [key, expected] :
       {std::pair(counts[0], int64_t(4)), std::pair(counts[1], numCut)}) {
    EXPECT_EQ(messageOf(gnnBuildNumber(build, "g", key, &value)), "");
    EXPECT_EQ(value, expected);
  }
  for (auto [key, expected] : {std::pair(structures[0], numEdges + 16384),
                               std::pair(structures[1], int64_t(23)),
                               std::pair(structures[2], int64_t(128)),
                               std::pair(structures[3], 3 * numCut)}) {
    const void *values = nullptr;
    EXPECT_EQ(messageOf(gnnBuildStructure(build, "g", key, &values, &value)),
              "");
    EXPECT_EQ(value, expected) << key;
  }
  gnnBuildRelease(build);
  gnnBuilderRelease(builder);
}
