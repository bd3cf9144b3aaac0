//===- DeterminismTest.cpp - The same bits in every order of threads ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every example on a small graph, on the emulator, which runs the threads
// between two barriers in an order drawn from a seed.
//
//===----------------------------------------------------------------------===//

#include "GNN/Emulator/EmulatorDevice.h"
#include "GNN/InitDialects.h"
#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Runtime/GraphFunctions.h"
#include "GNN/Runtime/HostMemory.h"
#include "GNN/Target/Compile.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

#include <sys/resource.h>

#include <random>

using namespace gnn;
using runtime::Expected;

namespace {
constexpr unsigned kSeeds = 40;
constexpr int64_t kEdges = 40;

/// An emulator whose seed can be changed between runs, so that kernels are
/// compiled once.
class SeededDevice : public runtime::HostMemoryDevice {
public:
  SeededDevice() { setSeed(std::nullopt); }

  void setSeed(std::optional<uint64_t> seed) {
    emulator::DeviceOptions options;
    options.kernels.checked = false; // other tests do
    options.seed = seed;
    emulator = emulator::createDevice(options);
  }

  std::string kind() const override { return "emulator"; }
  std::string name() const override { return kind(); }
  std::vector<std::string> kernelFormats() const override { return {"mlir"}; }
  Expected<std::shared_ptr<const runtime::Kernels>>
  loadKernels(const std::string &format, const std::string &image,
              const std::string &chip) override {
    return emulator->loadKernels(format, image, chip);
  }
  runtime::Error launch(const runtime::Kernel &kernel,
                        const runtime::Launch &launch,
                        const runtime::LaunchArguments &arguments,
                        runtime::Stream stream) override {
    return emulator->launch(kernel, launch, arguments, stream);
  }

private:
  std::shared_ptr<runtime::Device> emulator;
};

/// Memory for a tensor, freed with the device.
struct Buffers {
  explicit Buffers(runtime::Device &device) : device(device) {}
  ~Buffers() {
    for (void *buffer : all)
      device.free(buffer);
  }
  void *add(int64_t bytes) {
    auto memory = device.allocate(bytes);
    EXPECT_TRUE(memory) << memory.message();
    all.push_back(*memory);
    return *memory;
  }
  runtime::Device &device;
  std::vector<void *> all;
};
} // namespace

/// A graph with parallel edges, empty rows and a hub, as `spec` wants it. The
/// destinations of one block are as many as the sources of the next.
static std::shared_ptr<const runtime::Graph>
makeGraph(const runtime::GraphSpec &spec, size_t number) {
  std::mt19937 random(number);
  runtime::GraphArrays arrays;
  arrays.square = spec.square;
  arrays.numSrcNodes = 13 - 4 * number;
  arrays.numDstNodes = 13 - 4 * (number + 1);
  arrays.numNodeTypes = spec.nodeTypes;
  arrays.numEdgeTypes = spec.edgeTypes;
  arrays.numEdges = kEdges;
  int64_t dstNodes = spec.square ? arrays.numSrcNodes : arrays.numDstNodes;
  std::vector<int32_t> src, dst, type, srcType, dstType;
  for (int64_t e = 0; e < kEdges; ++e) {
    src.push_back(random() % arrays.numSrcNodes);
    dst.push_back(e % 2 ? 0 : random() % (dstNodes - 2));
    type.push_back(random() % spec.edgeTypes);
  }
  for (int64_t v = 0; v < arrays.numSrcNodes; ++v)
    srcType.push_back(random() % spec.nodeTypes);
  for (int64_t v = 0; v < dstNodes; ++v)
    dstType.push_back(random() % spec.nodeTypes);
  arrays.edgeSrc = src.data();
  arrays.edgeDst = dst.data();
  arrays.edgeType = type.data();
  arrays.srcNodeType = srcType.data();
  arrays.dstNodeType = dstType.data();
  auto graph = runtime::Graph::create(arrays);
  EXPECT_TRUE(graph) << graph.message();
  if (!spec.selfLoops)
    return *graph;
  auto looped = runtime::addSelfLoops(**graph, runtime::SelfLoops::Replace, 0);
  EXPECT_TRUE(looped) << looped.message();
  return looped->graph;
}

static std::shared_ptr<const runtime::Package>
compile(llvm::StringRef path, llvm::StringRef chip = "", unsigned threads = 1,
        bool lineInfo = true) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
  if (!module)
    return nullptr;
  CompileOptions options;
  options.chip = chip.str();
  options.threads = threads;
  options.lineInfo = lineInfo;
  auto package = compileToPackage(*module, options);
  return mlir::succeeded(package) ? *package : nullptr;
}

/// Runs once; the bytes of all outputs.
static std::string run(const runtime::BoundFunction &function,
                       const std::vector<runtime::ConstBuffer> &inputs) {
  runtime::Device &device = *function.device();
  Buffers buffers(device);
  std::vector<runtime::Buffer> outputs;
  for (const runtime::TensorInfo &info : function.outputs())
    outputs.push_back({buffers.add(info.bytes), info.bytes});
  int64_t scratch = function.workspaceBytes();
  runtime::Error error =
      function.run(inputs, outputs, {buffers.add(scratch), scratch}, nullptr);
  EXPECT_FALSE(error) << error.message();
  std::string bytes;
  for (size_t i = 0; i < outputs.size(); ++i)
    bytes.append(static_cast<const char *>(outputs[i].data),
                 function.outputs()[i].bytes);
  return bytes;
}

/// Random numbers for every input.
static std::vector<runtime::ConstBuffer>
makeInputs(const runtime::BoundFunction &function, Buffers &buffers) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<runtime::ConstBuffer> inputs;
  for (const runtime::TensorInfo &info : function.inputs()) {
    EXPECT_EQ(info.dtype, runtime::DataType::F32);
    auto *values = static_cast<float *>(buffers.add(info.bytes));
    for (int64_t i = 0; i < info.bytes / 4; ++i)
      values[i] = normal(random);
    inputs.push_back({values, info.bytes});
  }
  return inputs;
}

class Determinism : public testing::TestWithParam<std::string> {};

TEST_P(Determinism, SameBitsForEverySeed) {
  auto package = compile(std::string(GNN_EXAMPLES) + "/" + GetParam());
  ASSERT_TRUE(package);
  const runtime::FunctionPlan &plan = package->plan().functions.at(0);
  std::vector<std::shared_ptr<const runtime::Graph>> graphs;
  for (const runtime::GraphSpec &spec : plan.graphs)
    graphs.push_back(makeGraph(spec, graphs.size()));
  auto device = std::make_shared<SeededDevice>();
  auto function =
      runtime::BoundFunction::bind(package, plan.name, graphs, device);
  ASSERT_TRUE(function) << function.message();
  Buffers buffers(*device);
  std::vector<runtime::ConstBuffer> inputs = makeInputs(**function, buffers);
  std::string expected = run(**function, inputs);
  ASSERT_FALSE(expected.empty());
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    device->setSeed(seed);
    ASSERT_EQ(run(**function, inputs), expected) << "seed " << seed;
  }
}

/// The plan, the PTX with its comments and line tables, and the emulator's IR
/// come out the same.
TEST(Determinism, SamePackageEachTime) {
  for (const char *name : {"rgat-two-layers.mlir", "hgt-loops.mlir"}) {
    std::string path = std::string(GNN_EXAMPLES) + "/" + name;
    auto first = compile(path, "sm_90"), second = compile(path, "sm_90");
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->plan().json(), second->plan().json());
    EXPECT_EQ(first->images(), second->images());
    EXPECT_NE(first->images().at("ptx").find(".loc"), std::string::npos);
    EXPECT_EQ(*first->bytes(), *second->bytes());
  }
}

static std::vector<std::string> listExamples() {
  std::vector<std::string> names;
  std::error_code error;
  llvm::sys::fs::directory_iterator file(GNN_EXAMPLES, error), end;
  for (; file != end && !error; file.increment(error))
    if (llvm::sys::path::extension(file->path()) == ".mlir")
      names.push_back(llvm::sys::path::filename(file->path()).str());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Examples, Determinism,
                         testing::ValuesIn(listExamples()),
                         [](const auto &info) {
                           std::string name = info.param;
                           for (char &c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c)))
                               c = '_';
                           return name;
                         });

/// The milliseconds of the processor that this thread, or the process, has had.
static double processorTime(int who) {
  rusage used;
  ::getrusage(who, &used);
  return 1e3 * (used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-3 * (used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/// However many threads make the PTX, each of its own part of the kernels.
TEST(Determinism, SamePackageOnThreads) {
  for (const char *name : {"rgat-two-layers.mlir", "gcn.mlir"}) {
    std::string path = std::string(GNN_EXAMPLES) + "/" + name;
    for (bool lineInfo : {true, false}) {
      auto alone = compile(path, "sm_90", 1, lineInfo);
      ASSERT_TRUE(alone);
      for (unsigned threads : {2, 3, 40}) {
        double own = -processorTime(RUSAGE_THREAD),
               all = -processorTime(RUSAGE_SELF);
        auto package = compile(path, "sm_90", threads, lineInfo);
        own += processorTime(RUSAGE_THREAD);
        all += processorTime(RUSAGE_SELF);
        ASSERT_TRUE(package);
        EXPECT_LT(own, 0.7 * all); // they do most of it
        EXPECT_EQ(alone->images(), package->images()) << name << threads;
      }
    }
  }
}
