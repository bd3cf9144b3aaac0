//===- ModelTest.cpp - Saved models ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN-c/Model.h"
#include "GNN/Runtime/CAPI.h"
#include "GNN/Runtime/Files.h"
#include "GNN/Runtime/Model.h"
#include "GNN/Runtime/Npy.h"

#include "Archive.h"
#include "Files.h"
#include "ModelParts.h"
#include "TestModels.h"
#include "TestPlans.h"
#include "Testing.h"

#include <cstring>
#include <fstream>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
/// Runs kernels for chips up to a number, the later the better.
struct ChipDevice : FakeDevice {
  explicit ChipDevice(int64_t chip) : chip(chip) { addSumKernels(); }
  std::optional<int64_t> rankChip(const std::string &other) const override {
    int64_t number = other.empty() ? 0 : std::stoll(other);
    return number <= chip ? std::optional(number) : std::nullopt;
  }
  int64_t chip;
};

Error whereSorted(const std::string &) { return {}; }

Error whereNotSorted(const std::string &name) {
  return failure("'", name, "' is not sorted");
}

ModelManifest readManifest() {
  auto manifest = ModelManifest::parse(manifestText());
  EXPECT_TRUE(manifest) << manifest.message();
  return *manifest;
}

/// The entry that is chosen, or the message.
std::string chooseEntry(int64_t chip,
                        Error (*checkSorted)(const std::string &)) {
  static const ModelManifest kept = readManifest();
  auto image = chooseImage(kept.calls[0], ChipDevice(chip), checkSorted);
  return image ? (*image)->entry : image.message();
}

/// Arguments of four nodes and three edges, which are not sorted.
struct GivenArguments {
  int64_t edges[6] = {0, 1, 2, 3, -1, 1};
  int32_t types[3] = {0, 1, 5};
  std::vector<ModelValue> values = {
      {"edge_type", {3}, DataType::I32, types},
      {"x", {4, 3}, DataType::F32, nullptr},
      {"edge_index", {2, 3}, DataType::I64, edges}};

  std::string problem() const {
    static const ModelManifest kept = readManifest();
    return Arguments::of(kept, values).message();
  }
};

/// The bytes of a saved model with this manifest.
std::string modelBytes(const std::string &text) {
  auto package =
      Package::create(*LaunchPlan::parse(sumPlanText()), {{"fake", "image"}});
  EXPECT_TRUE(package) << package.message();
  std::string bytes = *(*package)->bytes();
  const float w[] = {1, 2};
  std::map<std::string, std::string> entries = {
      {"model.json", text},
      {"parameters/w.npy",
       *npyHeader(DataType::F32, {2}) +
           std::string(reinterpret_cast<const char *>(w), sizeof w)}};
  for (const char *name : {"old", "sorted", "new", "later", "other"})
    entries["packages/" + std::string(name) + ".gnnpkg"] = bytes;
  auto packed = packArchive(entries);
  EXPECT_TRUE(packed) << packed.message();
  return *packed;
}

std::string problemOf(GnnError *error) {
  std::string message = gnnErrorMessage(error);
  gnnErrorDestroy(error);
  return message;
}
} // namespace

TEST(ModelImages, TheBestThatRunsIsChosen) {
  EXPECT_EQ(chooseEntry(1, whereSorted), "packages/old.gnnpkg");
  EXPECT_EQ(chooseEntry(2, whereSorted), "packages/sorted.gnnpkg");
  EXPECT_EQ(chooseEntry(8, whereNotSorted), "packages/new.gnnpkg");
  EXPECT_EQ(chooseEntry(9, whereSorted), "packages/later.gnnpkg");
  EXPECT_EQ(chooseEntry(0, whereSorted),
            "expected a device that the model was saved for, fake (1) or fake "
            "(2) or fake (9) or other, got fake");
}

TEST(ModelImages, KernelsForSortedEdgesAlone) {
  ModelCall call = readManifest().calls[0];
  call.images.resize(2);
  call.images.erase(call.images.begin());
  EXPECT_EQ(chooseImage(call, ChipDevice(2), whereNotSorted).message(),
            "'g' is not sorted");
  EXPECT_TRUE(
      contains(chooseImage(call, ChipDevice(1), whereNotSorted).message(),
               "expected a device that the model was saved for, fake "
               "(2), got fake"));
}

TEST(ModelArguments, EachIsGivenOnceAsTheModelHasIt) {
  EXPECT_EQ(GivenArguments().problem(), "");
  GivenArguments given;
  given.values.push_back(given.values[1]);
  EXPECT_EQ(given.problem(), "argument 'x': expected it once, got it again");
  given = GivenArguments();
  given.values[0].name = "type";
  EXPECT_EQ(given.problem(), "expected arguments of the model, got 'type'");
  given = GivenArguments();
  given.values.erase(given.values.begin());
  EXPECT_EQ(given.problem(), "argument 'edge_type': expected i32[?], got none");
  given = GivenArguments();
  given.values[1].shape = {4, 2};
  EXPECT_EQ(given.problem(),
            "argument 'x': expected f32[?x3], got the shape [4, 2]");
  given = GivenArguments();
  given.values[2].dtype = DataType::F32;
  EXPECT_EQ(given.problem(),
            "argument 'edge_index': expected i64 or i32, got f32");
  given = GivenArguments();
  given.values[2].data = nullptr;
  EXPECT_EQ(given.problem(),
            "argument 'edge_index': expected its ids, got null");
  given = GivenArguments();
  given.values[1].shape = {1, 3};
  EXPECT_EQ(given.problem(),
            "expected several nodes, as of the arguments that the model was "
            "saved for, got 1 and 1");
}

TEST(ModelArguments, GraphsAreMadeOfIds) {
  ModelManifest kept = readManifest();
  GivenArguments given;
  auto graph = [&]() {
    auto arguments = Arguments::of(kept, given.values);
    EXPECT_TRUE(arguments) << arguments.message();
    return arguments->graph(kept.graphs[0]);
  };
  auto made = graph();
  ASSERT_TRUE(made) << made.message();
  EXPECT_EQ((*made)->numNodes(GraphSide::Src), 4);
  EXPECT_EQ((*made)->edgeEnds(GraphSide::Src).vec(),
            (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ((*made)->edgeEnds(GraphSide::Dst).vec(),
            (std::vector<int32_t>{3, 3, 1})); // -1 is the last node
  EXPECT_EQ((*made)->edgeType().vec(),
            (std::vector<int32_t>{0, 1, 1})); // 5 is one of the others
  given.edges[1] = 4;
  EXPECT_EQ(graph().message(), "argument 'edge_index': expected ids from 0 to "
                               "3, got 4 at 1");
  given.edges[1] = -1;
  EXPECT_EQ(graph().message(), "argument 'edge_index': expected ids from 0 to "
                               "3, got -1 at 1");
  given.edges[1] = 1;
  given.edges[3] = -5;
  EXPECT_EQ(graph().message(), "argument 'edge_index': expected ids from -4 to "
                               "3, got -5 at 0");
  given.edges[3] = 3;
  given.values[0].shape = {2};
  EXPECT_EQ(graph().message(), "graph 'g': expected 3 types of edges, got 2");
}

TEST(ModelArguments, IdsOfAnyAlignment) {
  ModelManifest kept = readManifest();
  GivenArguments given;
  std::vector<char> bytes(sizeof given.edges + 1);
  std::memcpy(bytes.data() + 1, given.edges, sizeof given.edges);
  given.values[2].data = bytes.data() + 1;
  auto arguments = Arguments::of(kept, given.values);
  ASSERT_TRUE(arguments) << arguments.message();
  auto made = arguments->graph(kept.graphs[0]);
  ASSERT_TRUE(made) << made.message();
  EXPECT_EQ((*made)->edgeEnds(GraphSide::Src).vec(),
            (std::vector<int32_t>{0, 1, 2}));
}

TEST(ModelArguments, MoreIdsThanThereIsRoomForAreRefused) {
  auto problem = [](const std::string &ids, const std::string &others) {
    auto manifest = ModelManifest::parse(manifestWith(ids, others));
    EXPECT_TRUE(manifest) << manifest.message();
    GivenArguments given;
    auto arguments = Arguments::of(*manifest, given.values);
    EXPECT_TRUE(arguments) << arguments.message();
    return arguments->graph(manifest->graphs[0]).message();
  };
  // Types of edges, of which three are known, and edges, of which none are.
  const char *types = R"([{"argument": "edge_type", "others": 1}])";
  EXPECT_EQ(problem(types, R"([{"count": 2147483647, "number": 0}])"),
            "graph 'g': expected 3 types of edges, got 2147483647");
  const char *row = R"({"argument": "edge_index", "row": 0,)";
  std::string count = R"({"count": 1073741824}, )";
  EXPECT_EQ(problem(row, count + count + row),
            "graph 'g': expected fewer than 2^31 sources, got 2147483651");
}

TEST(ModelArguments, IdsBehindALargeBase) {
  auto manifest = ModelManifest::parse(
      manifestWith(R"("row": 0,)", R"("row": 0, "base": 2147483647,)"));
  ASSERT_TRUE(manifest) << manifest.message();
  GivenArguments given;
  auto arguments = Arguments::of(*manifest, given.values);
  ASSERT_TRUE(arguments) << arguments.message();
  EXPECT_EQ(arguments->graph(manifest->graphs[0]).message(),
            "argument 'edge_index': expected ids under 2^31 behind 2147483647 "
            "others, got 1 at 1");
}

TEST(Model, FitsTheMemoryOfTheMachine) {
  EXPECT_LE(Model::mostBytes(), physicalMemory());
  std::string bytes = modelBytes(manifestText());
  EXPECT_TRUE(Model::loadBytes(bytes));
  Error error = Model::loadBytes(bytes, 1000).takeError();
  EXPECT_EQ(error.kind(), ErrorKind::Limit) << error.message();
}

TEST(ModelCAPI, DescribesItself) {
  std::string bytes = modelBytes(manifestText());
  GnnModel *model = nullptr;
  ASSERT_EQ(problemOf(gnnModelLoadBytes(bytes.data(), bytes.size(), &model)),
            "");
  GnnModelGraph graph;
  EXPECT_EQ(gnnModelNumGraphs(model), 1);
  ASSERT_TRUE(gnnModelGraph(model, 0, &graph));
  EXPECT_STREQ(graph.name, "g");
  EXPECT_TRUE(graph.square);
  EXPECT_EQ(graph.numNodeTypes, 1);
  EXPECT_EQ(graph.numEdgeTypes, 2);
  EXPECT_FALSE(gnnModelGraph(model, 1, &graph));
  EXPECT_FALSE(gnnModelGraph(model, -1, &graph));
  EXPECT_FALSE(gnnModelGraph(model, 0, nullptr));
  GnnModelTarget target;
  EXPECT_EQ(gnnModelNumTargets(model), 4);
  ASSERT_TRUE(gnnModelTarget(model, 1, &target));
  EXPECT_STREQ(target.kind, "fake");
  EXPECT_STREQ(target.chip, "2");
  EXPECT_FALSE(gnnModelTarget(model, 4, &target));
  EXPECT_EQ(gnnModelNumCalls(model), 1);
  EXPECT_STREQ(gnnModelCallFunction(model, 0), "sum");
  EXPECT_EQ(gnnModelCallFunction(model, 1), nullptr);
  GnnModelTensor tensor;
  ASSERT_TRUE(gnnModelArgument(model, 1, &tensor));
  EXPECT_STREQ(tensor.role, "ids");
  EXPECT_FALSE(gnnModelArgument(model, 3, &tensor));
  GnnConstBuffer w = gnnModelParameterData(model, 0);
  ASSERT_EQ(w.bytes, 8);
  EXPECT_EQ(static_cast<const float *>(w.data)[1], 2);
  gnnModelRelease(model);
}

TEST(ModelCAPI, BindsAndRuns) {
  std::string bytes = modelBytes(manifestText());
  GnnModel *model = nullptr;
  ASSERT_EQ(problemOf(gnnModelLoadBytes(bytes.data(), bytes.size(), &model)),
            "");
  GnnDevice *device =
      wrap(std::shared_ptr<Device>(std::make_shared<ChipDevice>(8)));
  EXPECT_STREQ(gnnDeviceKind(device), "fake");
  const int64_t edges[] = {0, 1, 2, 3, -1, 1}, edgeShape[] = {2, 3};
  const int64_t xShape[] = {4, 3}, typeShape[] = {3};
  const int32_t types[] = {0, 1, 5};
  GnnArray values[] = {{"x", "f32", 2, xShape, nullptr},
                       {"edge_index", "i64", 2, edgeShape, edges},
                       {"edge_type", "i32", 1, typeShape, types},
                       {"x", "f32", 2, xShape, nullptr}};
  GnnBoundModel *bound = nullptr;
  EXPECT_EQ(problemOf(gnnModelBind(model, values, 4, device, nullptr, &bound)),
            "argument 'x': expected it once, got it again");
  EXPECT_EQ(problemOf(gnnModelBind(model, values, -1, device, nullptr, &bound)),
            "expected 3 arguments, got -1");
  EXPECT_EQ(problemOf(gnnModelBind(model, nullptr, 3, device, nullptr, &bound)),
            "expected 3 arguments, got null");
  ASSERT_EQ(problemOf(gnnModelBind(model, values, 3, device, nullptr, &bound)),
            "");
  float x[12], y[12];
  for (int i = 0; i < 12; ++i)
    x[i] = static_cast<float>(i);
  GnnConstBuffer input{x, sizeof x};
  GnnBuffer output{y, sizeof y};
  std::vector<char> memory(
      static_cast<size_t>(gnnBoundModelWorkspaceBytes(bound)) + 256);
  auto address = reinterpret_cast<uintptr_t>(memory.data());
  GnnBuffer workspace{memory.data() + (256 - address % 256) % 256,
                      gnnBoundModelWorkspaceBytes(bound)};
  ASSERT_EQ(problemOf(gnnBoundModelRun(bound, &input, 1, &output, 1, workspace,
                                       nullptr)),
            "");
  EXPECT_EQ(y[9], 2 * (x[0] + x[3])); // of the edges 0 -> 3 and 1 -> 3
  EXPECT_EQ(y[3], 2 * x[6]);
  EXPECT_EQ(y[0], 0);
  GnnGraph *graph = nullptr;
  ASSERT_EQ(problemOf(gnnModelMakeGraph(model, 0, values, 3, &graph)), "");
  EXPECT_EQ(gnnGraphNumEdges(graph), 3);
  EXPECT_EQ(problemOf(gnnModelMakeGraph(model, 1, values, 3, &graph)),
            "expected one of 1 graphs, got number 1");
  GnnPackage *package = nullptr;
  ASSERT_EQ(problemOf(gnnModelCallPackage(model, 0, device, &package)), "");
  EXPECT_EQ(gnnPackageNumFunctions(package), 1);
  EXPECT_EQ(problemOf(gnnModelCallPackage(model, 1, device, &package)),
            "expected one of 1 calls, got number 1");
  GnnDevice *old =
      wrap(std::shared_ptr<Device>(std::make_shared<ChipDevice>(0)));
  EXPECT_EQ(problemOf(gnnModelCallPackage(model, 0, old, &package)),
            "expected a device that the model was saved for, fake (1) or fake "
            "(2) or fake (9) or other, got fake");
  gnnDeviceRelease(old);
  gnnPackageRelease(package);
  gnnGraphRelease(graph);
  gnnBoundModelRelease(bound);
  gnnDeviceRelease(device);
  gnnModelRelease(model);
}

TEST(ModelCAPI, ReadsFilesOfArrays) {
  Folder folder;
  std::string path = folder.path + "/arrays.npz";
  const float values[] = {1, 2, 3, 4, 5, 6};
  std::string array =
      *npyHeader(DataType::F32, {2, 3}) +
      std::string(reinterpret_cast<const char *>(values), sizeof values);
  auto packed = packArchive({{"b.npy", array}, {"a/x.npy", array}});
  ASSERT_TRUE(packed) << packed.message();
  std::ofstream(path, std::ios::binary) << *packed;
  GnnArrayFile *file = nullptr;
  ASSERT_EQ(problemOf(gnnArrayFileLoad(path.c_str(), &file)), "");
  GnnArray found;
  EXPECT_EQ(gnnArrayFileNumArrays(file), 2);
  ASSERT_TRUE(gnnArrayFileArray(file, 0, &found));
  EXPECT_STREQ(found.name, "a/x");
  EXPECT_FALSE(gnnArrayFileArray(file, 2, &found));
  ASSERT_TRUE(gnnArrayFileFind(file, "b", &found));
  EXPECT_STREQ(found.name, "b");
  EXPECT_STREQ(found.dtype, "f32");
  ASSERT_EQ(found.rank, 2);
  EXPECT_EQ(found.shape[1], 3);
  EXPECT_EQ(std::memcmp(found.data, values, sizeof values), 0);
  for (const char *name : {"a", "c", ""})
    EXPECT_FALSE(gnnArrayFileFind(file, name, &found)) << name;
  gnnArrayFileRelease(file);
  EXPECT_TRUE(contains(
      problemOf(gnnArrayFileLoad((folder.path + "/none.npz").c_str(), &file)),
      "none.npz"));
}
