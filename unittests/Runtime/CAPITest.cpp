//===- CAPITest.cpp - The C API of the running side -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/CAPI.h"
#include "Files.h"
#include "NpyBytes.h"
#include "TestPlans.h"
#include "Testing.h"

#include <algorithm>
#include <cstdlib>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

// In CAPIHeader.c.
extern "C" const char *versionFromC(void);

namespace {
/// The message of an error, which is destroyed; empty for success.
std::string text(GnnError *error) {
  std::string message = error ? gnnErrorMessage(error) : "";
  EXPECT_EQ(error != nullptr, !message.empty());
  gnnErrorDestroy(error);
  return message;
}

std::string take(char *string) {
  std::string result = string;
  gnnStringDestroy(string);
  return result;
}

template <typename T> GnnConstBuffer buffer(const std::vector<T> &values) {
  return {values.data(), static_cast<int64_t>(values.size() * sizeof(T))};
}

/// Arrays of a plain graph, which must outlive them.
GnnGraphArrays arrays(const PlainGraph &graph) {
  GnnGraphArrays result = {};
  result.square = graph.square;
  result.idBits = 32;
  result.numSrcNodes = graph.srcNodes;
  result.numDstNodes = graph.dstNodes;
  result.numEdges = static_cast<int64_t>(graph.src.size());
  result.numNodeTypes = graph.nodeTypes;
  result.numEdgeTypes = graph.edgeTypes;
  result.edgeSrc = buffer(graph.src);
  result.edgeDst = buffer(graph.dst);
  result.edgeType = buffer(graph.type);
  result.srcNodeType = buffer(graph.srcType);
  result.dstNodeType = buffer(graph.dstType);
  return result;
}

GnnGraph *make(const PlainGraph &graph) {
  GnnGraphArrays given = arrays(graph);
  GnnGraph *result = nullptr;
  EXPECT_EQ(text(gnnGraphCreate(&given, &result)), "");
  return result;
}

GnnPackage *sumPackage() {
  return wrap(*Package::create(*LaunchPlan::parse(sumPlanText()),
                               {{"ptx", "// kernels"}}));
}
} // namespace

TEST(CAPI, HeaderIsC) { EXPECT_STREQ(versionFromC(), gnnRuntimeVersion()); }

TEST(CAPI, MemoryIsThatOfTheMachine) {
  EXPECT_EQ(gnnPhysicalMemory(), physicalMemory());
}

TEST(CAPI, Graphs) {
  PlainGraph plain = randomGraph(3, true, 7, 0, 40, 3, 4);
  plain.edgeNames = {"a", "b", "c", "d"};
  GnnGraphArrays given = arrays(plain);
  const char *names[] = {"a", "b", "c", "d"};
  given.edgeTypeNames = names;
  GnnGraph *graph = nullptr;
  ASSERT_EQ(text(gnnGraphCreate(&given, &graph)), "");
  EXPECT_TRUE(gnnGraphIsSquare(graph));
  EXPECT_EQ(gnnGraphNumNodes(graph, GNN_DST), 7);
  EXPECT_EQ(gnnGraphNumEdges(graph), 40);
  EXPECT_EQ(gnnGraphNumNodeTypes(graph), 3);
  EXPECT_EQ(gnnGraphNumEdgeTypes(graph), 4);
  EXPECT_EQ(gnnGraphEdgeEnds(graph, GNN_DST)[5], plain.dst[5]);
  EXPECT_EQ(gnnGraphEdgeTypes(graph)[5], plain.type[5]);
  EXPECT_EQ(gnnGraphNodeTypes(graph, GNN_SRC)[5], plain.srcType[5]);
  EXPECT_EQ(gnnGraphSchema(graph), nullptr);
  EXPECT_STREQ(gnnGraphEdgeTypeName(graph, 1), "b");
  EXPECT_EQ(gnnGraphEdgeTypeName(graph, 4), nullptr);
  EXPECT_EQ(gnnGraphNodeTypeName(graph, 0), nullptr);
  int32_t type = -1;
  EXPECT_EQ(text(gnnGraphFindEdgeType(graph, "c", &type)), "");
  EXPECT_EQ(type, 2);
  EXPECT_TRUE(contains(text(gnnGraphFindNodeType(graph, "c", &type)),
                       "(none has a name)"));

  int64_t count = 0, size = 0;
  EXPECT_EQ(text(gnnGraphCount(graph, "count edge", &count)), "");
  EXPECT_EQ(count, 40);
  EXPECT_TRUE(contains(text(gnnGraphCount(graph, "count x", &count)), "got"));
  EXPECT_EQ(text(gnnGraphStructure(graph, "rows dst edge.in_rows", nullptr, 0,
                                   &size)),
            "");
  ASSERT_EQ(size, 8);
  std::vector<int32_t> rows(8);
  EXPECT_EQ(text(gnnGraphStructure(graph, "rows dst edge.in_rows", rows.data(),
                                   7, &size)),
            "expected room for 8 values, got 7");
  EXPECT_EQ(text(gnnGraphStructure(graph, "rows dst edge.in_rows", rows.data(),
                                   8, &size)),
            "");
  EXPECT_EQ(rows.back(), 40);
  gnnGraphClearStructures(graph);
  char *json = nullptr;
  EXPECT_EQ(text(gnnGraphStatistics(graph, &json)), "");
  EXPECT_TRUE(contains(take(json), "\"edges\":40"));
  EXPECT_EQ(text(gnnGraphStats(graph, &json)), "");
  EXPECT_TRUE(contains(take(json), "#gnn.stats<src_nodes = 7, dst_nodes = 7, "
                                   "edges = 40, type_edges = ["));
  std::vector<int32_t> degree(7);
  EXPECT_EQ(text(gnnGraphDegrees(graph, GNN_DST, -1, degree.data(), 7)), "");
  EXPECT_EQ(degree[0], rows[1]);
  EXPECT_EQ(text(gnnGraphDegrees(graph, GNN_DST, -1, degree.data(), 6)),
            "expected room for 7 values, got 6");
  gnnGraphRetain(graph);
  gnnGraphRelease(graph);
  EXPECT_EQ(gnnGraphNumEdges(graph), 40);
  gnnGraphRelease(graph);
  gnnGraphRelease(nullptr);
}

TEST(CAPI, GraphErrors) {
  PlainGraph plain = randomGraph(3, true, 7, 0, 40, 3, 4);
  GnnGraphArrays given = arrays(plain);
  GnnGraph *graph = nullptr;
  EXPECT_EQ(text(gnnGraphCreate(nullptr, &graph)),
            "expected arrays and a result, got null");
  given.idBits = 16;
  EXPECT_EQ(text(gnnGraphCreate(&given, &graph)),
            "expected ids of 32 or 64 bits, got 16");
  given = arrays(plain);
  given.numSrcNodes = 5;
  given.srcNodeType = {};
  EXPECT_TRUE(
      contains(text(gnnGraphCreate(&given, &graph)), "expected 0 <= id < 5"));
  given = arrays(plain);
  given.numEdgeTypes = int64_t(1) << 40;
  const char *names[] = {"a"};
  given.edgeTypeNames = names;
  EXPECT_TRUE(
      contains(text(gnnGraphCreate(&given, &graph)), "0 to 65535 types"));
  EXPECT_EQ(graph, nullptr);
}

/// Each array says how long it is, and is as long as the numbers say.
TEST(CAPI, GraphArraysOfOtherSizes) {
  PlainGraph plain = randomGraph(3, false, 7, 5, 40, 3, 4);
  std::vector<int32_t> schema(8, -1);
  struct {
    GnnConstBuffer GnnGraphArrays::*array;
    const char *message;
  } cases[] = {
      {&GnnGraphArrays::edgeSrc,
       "source of edge: expected 40 ids of 32 bits, got 156 bytes"},
      {&GnnGraphArrays::edgeDst, "destination of edge: expected 40 ids"},
      {&GnnGraphArrays::edgeType, "type of edge: expected 40 ids"},
      {&GnnGraphArrays::srcNodeType, "type of node: expected 7 ids"},
      {&GnnGraphArrays::dstNodeType, "type of node: expected 5 ids"},
      {&GnnGraphArrays::schema, "schema: expected 4 times 8 bytes, got 28"}};
  for (const auto &[array, message] : cases)
    for (int64_t more : {-4, -1, 4}) {
      GnnGraphArrays given = arrays(plain);
      given.schema = buffer(schema);
      GnnGraph *graph = nullptr, *blocks[1] = {nullptr};
      (given.*array).bytes += more;
      std::string expected = message;
      if (more != -4)
        expected = expected.substr(0, expected.find(':'));
      for (GnnError *error : {gnnGraphCreate(&given, &graph),
                              gnnGraphBorrow(&given, nullptr, nullptr, &graph),
                              gnnBlocksCreate(&given, 1, 1, blocks)})
        EXPECT_TRUE(contains(text(error), expected));
      EXPECT_EQ(graph, nullptr);
    }
}

TEST(CAPI, IdsOf64Bits) {
  std::vector<int64_t> src = {0, 1}, dst = {1, 1};
  GnnGraphArrays given = {};
  given.square = true;
  given.idBits = 64;
  given.numSrcNodes = 2;
  given.numEdges = 2;
  given.numNodeTypes = given.numEdgeTypes = 1;
  given.edgeSrc = buffer(src);
  given.edgeDst = buffer(dst);
  GnnGraph *graph = nullptr;
  ASSERT_EQ(text(gnnGraphCreate(&given, &graph)), "");
  EXPECT_EQ(gnnGraphEdgeEnds(graph, GNN_SRC)[1], 1);
  gnnGraphRelease(graph);
  src[1] = (int64_t(1) << 32) + 1;
  EXPECT_EQ(text(gnnGraphCreate(&given, &graph)),
            "source of edge 1: expected 0 <= id <= 2147483647, got 4294967297");
  EXPECT_EQ(text(gnnGraphBorrow(&given, nullptr, nullptr, &graph)),
            "expected borrowed ids of 32 bits, got 64");
}

TEST(CAPI, BorrowedArraysAreReleasedOnce) {
  PlainGraph plain = randomGraph(3, true, 7, 0, 40, 3, 4);
  GnnGraphArrays given = arrays(plain);
  int released = 0;
  auto release = [](void *context) { ++*static_cast<int *>(context); };
  GnnGraph *graph = nullptr;
  ASSERT_EQ(text(gnnGraphBorrow(&given, release, &released, &graph)), "");
  EXPECT_EQ(gnnGraphEdgeEnds(graph, GNN_SRC), plain.src.data());
  EXPECT_EQ(released, 0);
  gnnGraphRelease(graph);
  EXPECT_EQ(released, 1);
  given.numEdgeTypes = 1;
  EXPECT_NE(text(gnnGraphBorrow(&given, release, &released, &graph)), "");
  EXPECT_EQ(released, 1);
}

TEST(CAPI, GraphsFromGraphs) {
  PlainGraph plain = randomGraph(3, true, 7, 0, 40, 3, 4);
  GnnGraph *graph = make(plain);
  EXPECT_EQ(gnnGraphEdgeOrigin(graph), nullptr);
  GnnGraph *result = nullptr;
  ASSERT_EQ(text(gnnGraphAddSelfLoops(graph, false, -1, &result)), "");
  EXPECT_EQ(gnnGraphNumEdges(result), 47);
  EXPECT_EQ(gnnGraphEdgeOrigin(result)[40], -1);
  EXPECT_EQ(gnnGraphEdgeTypeOrigin(result)[4], -1);
  gnnGraphRelease(result);
  ASSERT_EQ(text(gnnGraphAddInverses(graph, &result)), "");
  EXPECT_EQ(gnnGraphNumEdgeTypes(result), 8);
  gnnGraphRelease(result);
  ASSERT_EQ(text(gnnGraphRefineTypes(graph, &result)), "");
  EXPECT_NE(gnnGraphSchema(result), nullptr);
  gnnGraphRelease(result);
  ASSERT_EQ(text(gnnGraphMergeTypes(graph, true, false, &result)), "");
  EXPECT_EQ(gnnGraphNumEdgeTypes(result), 1);
  EXPECT_EQ(gnnGraphNumNodeTypes(result), 3);
  gnnGraphRelease(result);
  int32_t ids[] = {6, 5, 4, 3, 2, 1, 0};
  ASSERT_EQ(text(gnnGraphRenumber(graph, ids, 7, nullptr, 0, &result)), "");
  EXPECT_EQ(gnnGraphEdgeEnds(result, GNN_SRC)[0], 6 - plain.src[0]);
  gnnGraphRelease(result);
  EXPECT_NE(text(gnnGraphRenumber(graph, ids, 6, nullptr, 0, &result)), "");
  EXPECT_NE(text(gnnGraphAddSelfLoops(graph, false, 9, &result)), "");
  EXPECT_NE(text(gnnGraphAddInverses(nullptr, &result)), "");
  GnnGraph *blocks[2] = {nullptr, nullptr};
  ASSERT_EQ(text(gnnGraphBlocks(graph, 2, 2, blocks)), "");
  EXPECT_EQ(gnnGraphNumNodes(blocks[0], GNN_SRC), 7);
  EXPECT_EQ(gnnGraphNumNodes(blocks[1], GNN_DST), 2);
  EXPECT_NE(text(gnnGraphBlocks(graph, 8, 2, blocks)), "");
  EXPECT_NE(text(gnnGraphBlocks(graph, 2, 2, nullptr)), "");
  gnnGraphRelease(graph);
  // They keep the arrays of the graph that they are made of.
  EXPECT_EQ(gnnGraphNumNodes(blocks[0], GNN_DST),
            gnnGraphNumNodes(blocks[1], GNN_SRC));
  EXPECT_NE(gnnGraphEdgeEnds(blocks[0], GNN_SRC), nullptr);
  GnnGraph *again[2] = {nullptr, nullptr};
  GnnGraphArrays given = arrays(plain);
  ASSERT_EQ(text(gnnBlocksCreate(&given, 2, 2, again)), "");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(gnnGraphNumEdges(again[i]), gnnGraphNumEdges(blocks[i]));
    EXPECT_EQ(gnnGraphNumNodes(again[i], GNN_SRC),
              gnnGraphNumNodes(blocks[i], GNN_SRC));
    gnnGraphRelease(again[i]);
    gnnGraphRelease(blocks[i]);
  }
  EXPECT_NE(text(gnnBlocksCreate(&given, 8, 2, again)), "");
  EXPECT_NE(text(gnnBlocksCreate(nullptr, 2, 2, again)), "");
  given.numEdgeTypes = 1;
  EXPECT_NE(text(gnnBlocksCreate(&given, 2, 2, again)), "");
}

TEST(CAPI, GraphFiles) {
  Folder folder;
  std::string path = folder.path + "/small.npz";
  ASSERT_FALSE(writeFile(path, {npz(smallGraphArrays())}));
  GnnGraphFile *file = nullptr;
  ASSERT_EQ(text(gnnGraphFileLoad(path.c_str(), &file)), "");
  GnnGraph *graph = gnnGraphFileGraph(file);
  EXPECT_EQ(gnnGraphNumEdges(graph), 4);
  EXPECT_EQ(gnnGraphFileFeatureDim(file), 5);
  std::vector<float> features(6);
  EXPECT_EQ(text(gnnGraphFileFeatures(file, 2, features.data(), 6)), "");
  EXPECT_EQ(features, (std::vector<float>{3.5, 0, 0, -1, 0, 0}));
  EXPECT_EQ(text(gnnGraphFileFeatures(file, 2, features.data(), 5)),
            "expected room for 6 floats, got 5");
  EXPECT_EQ(gnnGraphFileArray(file, "label")[2], -1);
  EXPECT_EQ(gnnGraphFileArray(file, "val_mask"), nullptr);
  EXPECT_EQ(gnnGraphFileArray(file, "labels"), nullptr);
  EXPECT_STREQ(gnnGraphFileLabelName(file, 1), "b");
  gnnGraphFileRelease(file);
  EXPECT_EQ(gnnGraphNumEdges(graph), 4);
  gnnGraphRelease(graph);
  EXPECT_TRUE(contains(
      text(gnnGraphFileLoad((folder.path + "/none").c_str(), &file)), "none"));
}

TEST(CAPI, Packages) {
  Folder folder;
  std::string path = folder.path + "/sum.gnnpkg";
  GnnPackage *made = sumPackage(), *package = nullptr;
  ASSERT_EQ(text(gnnPackageSave(made, path.c_str())), "");
  ASSERT_EQ(text(gnnPackageLoad(path.c_str(), &package)), "");
  EXPECT_STREQ(gnnPackagePlan(package), gnnPackagePlan(made));
  EXPECT_EQ(gnnPackageNumFunctions(package), 1);
  EXPECT_STREQ(gnnPackageFunctionName(package, 0), "sum");
  EXPECT_EQ(gnnPackageFunctionName(package, 1), nullptr);
  int64_t index = -1;
  EXPECT_EQ(text(gnnPackageFindFunction(package, "sum", &index)), "");
  EXPECT_EQ(index, 0);
  EXPECT_TRUE(contains(text(gnnPackageFindFunction(package, "mean", &index)),
                       "got 'mean'"));
  size_t size = 0;
  EXPECT_STREQ(gnnPackageKernels(package, "ptx", &size), "// kernels");
  EXPECT_EQ(size, 10u);
  EXPECT_EQ(gnnPackageKernels(package, "cubin", nullptr), nullptr);
  gnnPackageRelease(package);
  std::string bytes = slurp(path);
  char *packed = nullptr;
  ASSERT_EQ(text(gnnPackageBytes(made, &packed, &size)), "");
  EXPECT_EQ(std::string(packed, size), bytes);
  gnnStringDestroy(packed);
  EXPECT_EQ(text(gnnPackageBytes(made, nullptr, &size)),
            "expected a package, bytes and a size, got null");
  ASSERT_EQ(text(gnnPackageLoadBytes(bytes.data(), bytes.size(), &package)),
            "");
  gnnPackageRelease(package);
  gnnPackageRelease(made);
  EXPECT_NE(text(gnnPackageLoadBytes("x", 1, &package)), "");
}

TEST(CAPI, Devices) {
  int count = 0;
  GnnDevice *device = nullptr;
  std::string missing = text(gnnCudaDeviceCount(&count));
  if (!missing.empty())
    EXPECT_EQ(text(gnnDeviceOpenCuda(0, &device)), missing);
  device = wrap(std::shared_ptr<Device>(std::make_shared<FakeDevice>()));
  EXPECT_STREQ(gnnDeviceName(device), "fake");
  void *memory = nullptr;
  ASSERT_EQ(text(gnnDeviceAllocate(device, 8, &memory)), "");
  int64_t value = 42, back = 0;
  EXPECT_EQ(text(gnnDeviceCopyToDevice(device, memory, &value, 8)), "");
  EXPECT_EQ(text(gnnDeviceCopyToHost(device, &back, memory, 8)), "");
  EXPECT_EQ(text(gnnDeviceSynchronize(device, nullptr)), "");
  EXPECT_EQ(back, 42);
  EXPECT_EQ(text(gnnDeviceCopyToDevice(device, nullptr, &value, 8)),
            "expected memory to copy from and to, got null");
  EXPECT_EQ(text(gnnDeviceCopyToHost(device, &back, nullptr, 8)),
            "expected memory to copy from and to, got null");
  EXPECT_EQ(text(gnnDeviceCopyToHost(device, &back, memory, -8)),
            "expected 0 or more bytes, got -8");
  EXPECT_EQ(text(gnnDeviceCopyToDevice(device, nullptr, nullptr, 0)), "");
  gnnDeviceFree(device, memory);
  gnnDeviceRelease(device);
}

TEST(CAPI, BindsAndRuns) {
  PlainGraph plain = randomGraph(1, true, 20, 0, 90, 1, 2);
  auto fake = std::make_shared<FakeDevice>(/*timer=*/true);
  fake->addSumKernels();
  GnnGraph *graph = make(plain);
  GnnDevice *device = wrap(std::shared_ptr<Device>(fake));
  GnnPackage *package = sumPackage();

  struct Context {
    int taken = 0, freed = 0, told = 0;
  } context;
  GnnBindOptions options = {};
  options.context = &context;
  options.allocate = [](void *data, int64_t bytes) {
    ++static_cast<Context *>(data)->taken;
    return std::malloc(static_cast<size_t>(bytes));
  };
  GnnBoundFunction *bound = nullptr;
  EXPECT_TRUE(contains(
      text(gnnBind(package, "sum", &graph, 1, device, &options, &bound)),
      "expected both allocate and free"));
  options.free = [](void *data, void *memory) {
    ++static_cast<Context *>(data)->freed;
    std::free(memory);
  };
  options.progress = [](void *data, const char *, double) {
    ++static_cast<Context *>(data)->told;
  };
  ASSERT_EQ(text(gnnBind(package, "sum", &graph, 1, device, &options, &bound)),
            "");
  const char *functions[] = {"sum", "sum", "none"};
  const char *names[] = {"other", "g"};
  GnnGraph *graphs[] = {nullptr, graph};
  GnnBoundFunction *both[] = {nullptr, nullptr, nullptr};
  ASSERT_EQ(text(gnnBindAll(package, functions, 2, names, graphs, 2, device,
                            nullptr, both)),
            "");
  for (GnnBoundFunction *one : {both[0], both[1]}) {
    EXPECT_EQ(gnnBoundStructureBytes(one), gnnBoundStructureBytes(bound));
    gnnBoundRelease(one);
  }
  both[0] = nullptr;
  EXPECT_TRUE(contains(text(gnnBindAll(package, functions, 3, names, graphs, 2,
                                       device, nullptr, both)),
                       "expected"));
  EXPECT_EQ(both[0], nullptr);
  EXPECT_EQ(text(gnnBindAll(package, functions, 1, names, graphs, 1, device,
                            nullptr, both)),
            "function 'sum': expected a graph 'g', got none of that name");
  // The bound function keeps what it was made from.
  gnnGraphRelease(graph);
  gnnDeviceRelease(device);
  gnnPackageRelease(package);
  EXPECT_EQ(context.taken, 2);
  EXPECT_EQ(context.told, 3);

  EXPECT_EQ(gnnBoundNumInputs(bound), 1);
  EXPECT_EQ(gnnBoundNumOutputs(bound), 1);
  EXPECT_EQ(gnnBoundStructureBytes(bound), 4 * (21 + 90));
  GnnTensorInfo info = {};
  EXPECT_FALSE(gnnBoundInput(bound, 1, &info));
  ASSERT_TRUE(gnnBoundInput(bound, 0, &info));
  EXPECT_STREQ(info.name, "x");
  EXPECT_STREQ(info.dtype, "f32");
  ASSERT_EQ(info.rank, 2);
  EXPECT_EQ(info.shape[0], 20);
  EXPECT_EQ(info.bytes, 240);

  alignas(256) float x[60], y[60];
  alignas(256) char workspace[512];
  ASSERT_EQ(gnnBoundWorkspaceBytes(bound), 512);
  for (int i = 0; i < 60; ++i)
    x[i] = 1;
  GnnConstBuffer inputs[] = {{x, sizeof x}};
  GnnBuffer outputs[] = {{y, sizeof y}};
  GnnBuffer scratch = {workspace, sizeof workspace};
  EXPECT_EQ(text(gnnBoundRun(bound, inputs, 1, outputs, 1, scratch, nullptr)),
            "");
  for (size_t v = 0; v < 20; ++v)
    EXPECT_EQ(y[3 * v], 2 * std::count(plain.dst.begin(), plain.dst.end(),
                                       static_cast<int32_t>(v)));
  EXPECT_TRUE(contains(
      text(gnnBoundRun(bound, inputs, 0, outputs, 1, scratch, nullptr)),
      "expected 1 inputs and 1 outputs, got 0 and 1"));
  // Nothing is copied of arrays that are not there.
  int64_t most = int64_t(1) << 40;
  EXPECT_EQ(
      text(gnnBoundRun(bound, inputs, most, outputs, 1, scratch, nullptr)),
      "sum: expected 1 inputs and 1 outputs, got 1099511627776 and 1");
  EXPECT_EQ(text(gnnBoundRun(bound, inputs, 1, outputs, -1, scratch, nullptr)),
            "sum: expected 1 inputs and 1 outputs, got 1 and -1");
  EXPECT_EQ(text(gnnBoundRun(bound, nullptr, 1, outputs, 1, scratch, nullptr)),
            "sum: expected 1 inputs and 1 outputs, got null and 1");
  char *none = nullptr;
  EXPECT_EQ(text(gnnBoundProfile(bound, inputs, 1, nullptr, 1, scratch, nullptr,
                                 1, &none)),
            "sum: expected 1 inputs and 1 outputs, got 1 and null");
  scratch.bytes = 500;
  EXPECT_EQ(text(gnnBoundRun(bound, inputs, 1, outputs, 1, scratch, nullptr)),
            "sum: memory 'workspace': expected 512 bytes, got 500");
  scratch.bytes = sizeof workspace;
  int64_t rows[] = {-1, -1, -1};
  gnnBoundRows(bound, rows, 1);
  EXPECT_EQ(rows[0], 20);
  EXPECT_EQ(rows[1], -1);
  gnnBoundRows(bound, rows, 3);
  EXPECT_EQ(rows[1], 20);
  EXPECT_EQ(rows[2], -1);
  char *json = nullptr;
  EXPECT_EQ(text(gnnBoundReport(bound, &json)), "");
  EXPECT_TRUE(contains(take(json), "\"function\":\"sum\""));
  EXPECT_EQ(text(gnnBoundProfile(bound, inputs, 1, outputs, 1, scratch, nullptr,
                                 3, &json)),
            "");
  EXPECT_TRUE(contains(take(json), "\"milliseconds\":2.0"));
  EXPECT_EQ(text(gnnBoundProfile(bound, inputs, 1, outputs, 1, scratch, nullptr,
                                 0, &json)),
            "expected 1 or more repetitions, got 0");
  gnnBoundRelease(bound);
  EXPECT_EQ(context.freed, 2);
}
