//===- BoundFunctionTest.cpp - Bound functions on a device of ours --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/BoundFunction.h"
#include "TestPlans.h"
#include "Testing.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

//===----------------------------------------------------------------------===//
// Counts every allocation of this thread
//===----------------------------------------------------------------------===//

static thread_local int64_t allocationsOfThread = 0;

void *operator new(size_t size) {
  ++allocationsOfThread;
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {
std::shared_ptr<const Package> package(const std::string &text) {
  auto plan = LaunchPlan::parse(text);
  EXPECT_TRUE(plan) << plan.message();
  auto result = Package::create(std::move(*plan), {{"ptx", ""}});
  EXPECT_TRUE(result) << result.message();
  return *result;
}

std::shared_ptr<FakeDevice> device(bool timer = false) {
  auto result = std::make_shared<FakeDevice>(timer);
  result->addSumKernels();
  return result;
}

/// The plan's text with one piece replaced.
std::string with(const std::string &piece, const std::string &other) {
  std::string text = sumPlanText();
  size_t place = text.find(piece);
  EXPECT_NE(place, std::string::npos) << piece;
  return text.replace(place, piece.size(), other);
}

/// A bound function with memory for its runs.
struct Runner {
  Runner(std::shared_ptr<const BoundFunction> bound,
         std::shared_ptr<Device> device)
      : bound(std::move(bound)), device(std::move(device)) {
    x = take(this->bound->inputs()[0].bytes);
    y = take(this->bound->outputs()[0].bytes);
    workspace = take(workspaceBytes());
  }
  ~Runner() {
    for (void *memory : {x, y, workspace})
      device->free(memory);
  }
  void *take(int64_t bytes) { return *device->allocate(bytes); }
  int64_t workspaceBytes() const { return bound->workspaceBytes(); }
  ConstBuffer input() const { return {x, bound->inputs()[0].bytes}; }
  Buffer output() const { return {y, bound->outputs()[0].bytes}; }
  Error run(Stream stream = nullptr) const {
    return run(input(), output(), {workspace, workspaceBytes()}, stream);
  }
  Error run(ConstBuffer input, Buffer output, Buffer scratch,
            Stream stream = nullptr) const {
    return bound->run({&input, 1}, {&output, 1}, scratch, stream);
  }

  std::shared_ptr<const BoundFunction> bound;
  std::shared_ptr<Device> device;
  void *x = nullptr, *y = nullptr, *workspace = nullptr;
};

std::vector<float> reference(const PlainGraph &graph,
                             const std::vector<float> &x) {
  std::vector<float> y(x.size(), 0);
  for (size_t e = 0; e < graph.src.size(); ++e)
    for (size_t j = 0; j < 3; ++j)
      y[static_cast<size_t>(graph.dst[e]) * 3 + j] +=
          2 * x[static_cast<size_t>(graph.src[e]) * 3 + j];
  return y;
}

std::vector<float> someFeatures(size_t count) {
  std::vector<float> x(count);
  for (size_t i = 0; i < count; ++i)
    x[i] = static_cast<float>(i % 17) - 8;
  return x;
}
} // namespace

TEST(BoundFunction, BindsAndRuns) {
  PlainGraph plain = randomGraph(1, true, 20, 0, 90, 1, 2);
  auto fake = device();
  auto bound =
      BoundFunction::bind(package(sumPlanText()), "sum", {plain.build()}, fake);
  ASSERT_TRUE(bound) << bound.message();
  EXPECT_EQ((*bound)->inputs()[0].shape, (std::vector<int64_t>{20, 3}));
  EXPECT_EQ((*bound)->outputs()[0].bytes, 240);
  EXPECT_EQ((*bound)->workspaceBytes(), 512);
  EXPECT_EQ((*bound)->structureBytes(), 4 * (21 + 90));
  Runner runner(*bound, fake);
  std::vector<float> x = someFeatures(60), y(60);
  ASSERT_FALSE(fake->copyToDevice(runner.x, x.data(), 240));
  int marker = 0;
  Error error = runner.run(&marker);
  ASSERT_FALSE(error) << error.message();
  ASSERT_FALSE(fake->copyToHost(y.data(), runner.y, 240));
  EXPECT_EQ(y, reference(plain, x));
  EXPECT_EQ(fake->lastStream.load(), &marker);
  EXPECT_EQ(fake->lastBytes, (std::vector<int64_t>{240, 240, -1}));
}

TEST(BoundFunction, KernelsReadConstants) {
  PlainGraph plain = randomGraph(1, true, 20, 0, 90, 1, 2);
  std::string text =
      with("{\"input\": 0}", "{\"constant\": 16, \"bytes\": 240}");
  text.replace(text.find("\"version\": 1"), 12,
               "\"version\": 1, \"constants\": 256");
  std::vector<float> x = someFeatures(60), y(60);
  std::string data(256, '\0');
  std::memcpy(data.data() + 16, x.data(), 240);
  auto made = Package::create(*LaunchPlan::parse(text), {{"ptx", ""}}, data);
  ASSERT_TRUE(made) << made.message();
  auto fake = device();
  auto bound = BoundFunction::bind(*made, "sum", {plain.build()}, fake);
  ASSERT_TRUE(bound) << bound.message();
  Runner runner(*bound, fake);
  Error error = runner.run();
  ASSERT_FALSE(error) << error.message();
  ASSERT_FALSE(fake->copyToHost(y.data(), runner.y, 240));
  EXPECT_EQ(y, reference(plain, x));
}

TEST(BoundFunction, RunAllocatesNothing) {
  auto fake = device();
  auto bound = BoundFunction::bind(
      package(sumPlanText()), "sum",
      {randomGraph(1, true, 20, 0, 90, 1, 2).build()}, fake);
  ASSERT_TRUE(bound) << bound.message();
  Runner runner(*bound, fake);
  ASSERT_FALSE(runner.run()); // the test's device sizes lastBytes
  int64_t before = allocationsOfThread;
  int onDevice = fake->allocations;
  bool failed = static_cast<bool>(runner.run());
  int64_t after = allocationsOfThread;
  EXPECT_FALSE(failed);
  EXPECT_EQ(after, before);
  EXPECT_EQ(fake->allocations, onDevice);
}

TEST(BoundFunction, RunsAreReentrant) {
  PlainGraph plain = randomGraph(2, true, 100, 0, 2000, 1, 2);
  auto fake = device();
  auto bound =
      BoundFunction::bind(package(sumPlanText()), "sum", {plain.build()}, fake);
  ASSERT_TRUE(bound) << bound.message();
  std::vector<float> x = someFeatures(300), expected = reference(plain, x);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, bound = *bound] {
      Runner runner(bound, fake);
      for (int i = 0; i < 50; ++i) {
        std::vector<float> y(300);
        if (fake->copyToDevice(runner.x, x.data(), 1200) || runner.run() ||
            fake->copyToHost(y.data(), runner.y, 1200) || y != expected)
          ++wrong;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(BoundFunction, EmptyGridsAreSkipped) {
  PlainGraph nothing = randomGraph(1, true, 1, 0, 0, 1, 2);
  nothing.srcNodes = 0;
  nothing.srcType.clear();
  nothing.dstType.clear();
  auto fake = device();
  auto bound = BoundFunction::bind(package(sumPlanText()), "sum",
                                   {nothing.build()}, fake);
  ASSERT_TRUE(bound) << bound.message();
  EXPECT_EQ((*bound)->inputs()[0].bytes, 0);
  EXPECT_EQ((*bound)->workspaceBytes(), 256);
  Runner runner(*bound, fake);
  Error error = runner.run();
  EXPECT_FALSE(error) << error.message();
  EXPECT_EQ(fake->launches, 0);
  Report report = (*bound)->report();
  EXPECT_TRUE(report.steps[0].skipped);
}

TEST(BoundFunction, StructuresAreSharedBetweenBindings) {
  auto graph = randomGraph(1, true, 20, 0, 90, 1, 2).build();
  auto fake = device();
  auto compiled = package(sumPlanText());
  auto first = BoundFunction::bind(compiled, "sum", {graph}, fake);
  EXPECT_EQ(fake->allocations, 2);
  auto second = BoundFunction::bind(compiled, "sum", {graph}, fake);
  EXPECT_EQ(fake->allocations, 2);
  first = second = failure("gone");
  // The last binding took them along.
  auto third = BoundFunction::bind(compiled, "sum", {graph}, fake);
  EXPECT_EQ(fake->allocations, 4);
  EXPECT_EQ(fake->loads, 1);
}

TEST(BoundFunction, TakesTheCallersAllocator) {
  struct Counting : Allocator {
    Expected<void *> allocate(int64_t bytes) override {
      ++taken;
      return std::aligned_alloc(256,
                                static_cast<size_t>(bytes + 255) / 256 * 256);
    }
    void free(void *memory) override {
      ++freed;
      std::free(memory);
    }
    int taken = 0, freed = 0;
  };
  auto allocator = std::make_shared<Counting>();
  BindOptions options;
  options.allocator = allocator;
  std::vector<std::string> told;
  options.progress = [&](const std::string &what, double) {
    told.push_back(what);
  };
  auto fake = device();
  {
    auto bound = BoundFunction::bind(
        package(sumPlanText()), "sum",
        {randomGraph(1, true, 20, 0, 90, 1, 2).build()}, fake, options);
    ASSERT_TRUE(bound) << bound.message();
    EXPECT_EQ(allocator->taken, 2);
    EXPECT_EQ(fake->allocations, 0);
  }
  EXPECT_EQ(allocator->freed, 2);
  EXPECT_EQ(told, (std::vector<std::string>{"rows dst edge.in_rows",
                                            "map edge.in_rows src", "bound"}));
}

// The destination of a copy is freed when the copies are done.
TEST(BoundFunction, WaitsForCopiesThatFail) {
  auto fake = device();
  fake->failCopies = true;
  auto bound = BoundFunction::bind(
      package(sumPlanText()), "sum",
      {randomGraph(1, true, 20, 0, 90, 1, 2).build()}, fake);
  EXPECT_EQ(
      bound.message(),
      "function 'sum': structure 'rows dst edge.in_rows': copy failed half "
      "way");
  EXPECT_EQ(fake->memories, 0);
  EXPECT_EQ(fake->memoriesAtFirstFinish, 1);
}

TEST(BoundFunction, KeepsWhatItUses) {
  auto graph = randomGraph(1, true, 20, 0, 90, 1, 2).build();
  std::weak_ptr<const Graph> watch = graph;
  auto fake = device();
  auto bound = BoundFunction::bind(package(sumPlanText()), "sum",
                                   {std::move(graph)}, fake);
  ASSERT_TRUE(bound) << bound.message();
  EXPECT_FALSE(watch.expired());
  EXPECT_FALSE(Runner(*bound, fake).run());
  bound = failure("gone");
  EXPECT_TRUE(watch.expired());
}

TEST(BoundFunction, GraphsThatDoNotFit) {
  auto fake = device();
  auto problem = [&](const std::string &text, const PlainGraph &graph) {
    return BoundFunction::bind(package(text), "sum", {graph.build()}, fake)
        .message();
  };
  PlainGraph good = randomGraph(1, true, 20, 0, 90, 1, 2);
  EXPECT_EQ(problem(sumPlanText(), good), "");
  EXPECT_EQ(problem(sumPlanText(), randomGraph(1, true, 20, 0, 90, 1, 3)),
            "function 'sum': graph 'g': expected 2 edge types, got 3");
  EXPECT_EQ(problem(sumPlanText(), randomGraph(1, true, 20, 0, 90, 2, 2)),
            "function 'sum': graph 'g': expected 1 node types, got 2");
  EXPECT_EQ(problem(sumPlanText(), randomGraph(1, false, 20, 3, 90, 1, 2)),
            "function 'sum': graph 'g': expected a square graph, got a "
            "bipartite one");
  EXPECT_EQ(
      BoundFunction::bind(package(sumPlanText()), "sum", {}, fake).message(),
      "function 'sum': expected 1 graphs, got 0");
  EXPECT_TRUE(contains(
      BoundFunction::bind(package(sumPlanText()), "sum", {nullptr}, fake)
          .message(),
      "expected a graph, got none"));
  EXPECT_TRUE(contains(
      BoundFunction::bind(package(sumPlanText()), "mean", {good.build()}, fake)
          .message(),
      "got 'mean'"));
  // A schema the edges do not obey.
  std::string strict = with("\"node_types\": 1", "\"node_types\": 3");
  size_t place = strict.find("\"schema\": null");
  strict.replace(place, 14, "\"schema\": [[1, -1], [-1, -1]]");
  EXPECT_TRUE(contains(problem(strict, randomGraph(1, true, 20, 0, 90, 3, 2)),
                       "expected a source of node type 1, got 0"));
}

TEST(BoundFunction, SelfLoops) {
  std::string text =
      with("\"schema\": null", "\"schema\": null, \"self_loops\": true");
  auto fake = device();
  auto problem = [&](const PlainGraph &graph) {
    return BoundFunction::bind(package(text), "sum", {graph.build()}, fake)
        .message();
  };
  PlainGraph graph = randomGraph(1, true, 3, 0, 0, 1, 2);
  auto add = [&](int32_t from, int32_t to, int32_t type) {
    graph.src.push_back(from);
    graph.dst.push_back(to);
    graph.type.push_back(type);
  };
  add(0, 0, 0);
  add(0, 1, 0);
  add(2, 2, 1);
  EXPECT_TRUE(contains(problem(graph),
                       "graph 'g': expected one self loop at each node, got 0 "
                       "at node 1; make them by --add-self-loops"));
  add(1, 1, 0);
  EXPECT_EQ(problem(graph), "");
  add(2, 2, 0);
  EXPECT_TRUE(contains(problem(graph), "got 2 at node 2"));
  EXPECT_EQ(problem(randomGraph(1, true, 0, 0, 0, 1, 2)), "");
}

TEST(BoundFunction, SquareGraphsServeAsBipartite) {
  PlainGraph plain = randomGraph(1, true, 20, 0, 90, 1, 2);
  auto fake = device();
  auto bound = BoundFunction::bind(
      package(with("\"square\": true", "\"square\": false")), "sum",
      {plain.build()}, fake);
  ASSERT_TRUE(bound) << bound.message();
  EXPECT_EQ((*bound)->outputs()[0].shape[0], 20);
}

TEST(BoundFunction, PlansThatDoNotFit) {
  auto fake = device();
  auto problem = [&](const std::string &text) {
    return BoundFunction::bind(package(text), "sum",
                               {randomGraph(1, true, 20, 0, 90, 1, 2).build()},
                               fake)
        .message();
  };
  EXPECT_TRUE(contains(problem(with("{\"workspace\": 5, \"bytes\": 4}",
                                    "{\"workspace\": 9, \"bytes\": 4}")),
                       "multiple of 256, got 1"));
  EXPECT_TRUE(contains(problem(with("{\"workspace\": 5, \"bytes\": 4}",
                                    "{\"workspace\": 5, \"bytes\": 10}")),
                       "workspace of 512, got 512 from offset 256"));
  EXPECT_TRUE(contains(problem(with("\"value\": 256", "\"value\": 2048")),
                       "step 0 (kernel 'sum'): block x: expected 1 to 1024, "
                       "got 2048"));
  EXPECT_TRUE(
      contains(problem(with("\"kernel\": \"scale\"", "\"kernel\": \"scales\"")),
               "step 1 (kernel 'scales'): expected a kernel "
               "'scales', got none"));
  EXPECT_TRUE(contains(problem(with("{\"op\": \"add\", \"args\": [7, 5]}",
                                    "{\"op\": \"sub\", \"args\": [8, 5]}")),
                       "expected a workspace of 0 or more bytes, got -256"));
  EXPECT_TRUE(contains(
      problem(with("\"value\": 3}", "\"value\": 9223372036854775807}")),
      "exprs[2]: expected a result of 64 bits"));
  fake->failAllocations = true;
  EXPECT_TRUE(contains(problem(sumPlanText()),
                       "structure 'rows dst edge.in_rows': out of fake"));
}

TEST(BoundFunction, ScalarsOf32Bits) {
  auto fake = device();
  std::string text = with("{\"op\": \"add\", \"args\": [7, 5]}",
                          "{\"op\": \"add\", \"args\": [7, 5]},\n"
                          "{\"op\": \"const\", \"value\": 2147483648}");
  size_t place = text.find("{\"i32\": 1}");
  text.replace(place, 10, "{\"i32\": 11}");
  EXPECT_TRUE(contains(
      BoundFunction::bind(package(text), "sum",
                          {randomGraph(1, true, 20, 0, 90, 1, 2).build()}, fake)
          .message(),
      "argument 4: expected a value of 32 bits, got 2147483648"));
}

TEST(BoundFunction, LaunchesOutOfBounds) {
  Launch launch;
  EXPECT_FALSE(checkLaunch(launch));
  launch.grid = {1, 70000, 1};
  EXPECT_EQ(checkLaunch(launch).message(),
            "grid y: expected 1 to 65535, got 70000");
  launch.grid = {1, 1, 1};
  launch.block = {32, 64, 1};
  EXPECT_EQ(checkLaunch(launch).message(),
            "expected at most 1024 threads a block, got 2048");
  launch.block = {0, 1, 1};
  EXPECT_EQ(checkLaunch(launch).message(),
            "block x: expected 1 to 1024, got 0");
  launch.block = {1, 1, 1};
  launch.sharedBytes = -1;
  EXPECT_TRUE(checkLaunch(launch));
}

TEST(BoundFunction, PointersThatDoNotFit) {
  auto fake = device();
  auto bound = BoundFunction::bind(
      package(sumPlanText()), "sum",
      {randomGraph(1, true, 20, 0, 90, 1, 2).build()}, fake);
  ASSERT_TRUE(bound) << bound.message();
  Runner runner(*bound, fake);
  auto problem = [&](const void *x, void *y, void *workspace) {
    return runner.run({x, 240}, {y, 240}, {workspace, 512}).message();
  };
  auto shifted = [](void *pointer, int64_t bytes) {
    return static_cast<void *>(static_cast<char *>(pointer) + bytes);
  };
  EXPECT_EQ(problem(nullptr, runner.y, runner.workspace),
            "sum: input 'x': expected 240 bytes, got null");
  EXPECT_TRUE(
      contains(problem(shifted(runner.x, 4), runner.y, runner.workspace),
               "input 'x': expected an address aligned to 16 bytes"));
  EXPECT_TRUE(
      contains(problem(runner.x, runner.y, shifted(runner.workspace, 16)),
               "'workspace': expected an address aligned to 256 bytes"));
  EXPECT_EQ(problem(runner.x, shifted(runner.x, -16), runner.workspace),
            "sum: expected separate memory for 'y' and 'x', got an overlap");
  EXPECT_EQ(problem(runner.x, runner.workspace, runner.workspace),
            "sum: expected separate memory for 'y' and 'workspace', got an "
            "overlap");
  EXPECT_EQ((*bound)->run({}, {}, {}, nullptr).message(),
            "sum: expected 1 inputs and 1 outputs, got 0 and 0");
  EXPECT_EQ(fake->launches, 0);
  fake->failing = "scale";
  EXPECT_EQ(problem(runner.x, runner.y, runner.workspace),
            "sum: kernel 'scale': launch failed");
  // Earlier launches are over: the caller may free what they use.
  EXPECT_EQ(fake->synchronizations, 1);
  fake->failing = "";
  EXPECT_EQ(problem(runner.x, runner.y, runner.workspace), "");
  EXPECT_EQ(fake->synchronizations, 1);
}

/// A run touches no more memory than the caller says is there, and than the
/// device knows to be there.
TEST(BoundFunction, MemoryThatIsTooShort) {
  auto fake = device();
  auto bound = BoundFunction::bind(
      package(sumPlanText()), "sum",
      {randomGraph(1, true, 20, 0, 90, 1, 2).build()}, fake);
  ASSERT_TRUE(bound) << bound.message();
  Runner runner(*bound, fake);
  ConstBuffer x = runner.input();
  Buffer y = runner.output(), workspace{runner.workspace, 512};
  EXPECT_EQ(runner.run({x.data, 239}, y, workspace).message(),
            "sum: input 'x': expected 240 bytes, got 239");
  EXPECT_EQ(runner.run(x, {y.data, 0}, workspace).message(),
            "sum: output 'y': expected 240 bytes, got 0");
  EXPECT_EQ(runner.run(x, y, {workspace.data, -1}).message(),
            "sum: memory 'workspace': expected 512 bytes, got -1");
  void *small = runner.take(16);
  EXPECT_EQ(runner.run({small, 240}, y, workspace).message(),
            "sum: input 'x': expected 240 bytes, got 240 of which 16 are "
            "allocated");
  EXPECT_EQ(runner.run(x, {small, 240}, workspace).message(),
            "sum: output 'y': expected 240 bytes, got 240 of which 16 are "
            "allocated");
  EXPECT_EQ(runner.run(x, y, {small, 512}).message(),
            "sum: memory 'workspace': expected 512 bytes, got 512 of which 16 "
            "are allocated");
  fake->free(small);
  EXPECT_EQ(fake->launches, 0);
  EXPECT_EQ(runner.run({x.data, 1000}, y, workspace).message(), "");
}

TEST(BoundFunction, LaunchesHaveNamesOfTheirOwn) {
  std::string text = sumPlanText();
  text.insert(text.find("\"kernel\": \"scale\""), "\"name\": \"double\", ");
  auto graph = randomGraph(1, true, 20, 0, 90, 1, 2).build();
  auto fake = device();
  auto bound = BoundFunction::bind(package(text), "sum", {graph}, fake);
  ASSERT_TRUE(bound) << bound.message();
  Report report = (*bound)->report();
  EXPECT_EQ(report.steps[1].kernel, "double");
  EXPECT_EQ(report.steps[1].code, "scale");
  EXPECT_TRUE(contains(report.json(), "\"code\":\"scale\""));
  Runner runner(*bound, fake);
  fake->failing = "scale";
  EXPECT_EQ(runner.run().message(), "sum: kernel 'double': launch failed");
}

TEST(BoundFunction, ReportsAndProfiles) {
  auto graph = randomGraph(1, true, 20, 0, 90, 1, 2).build();
  for (bool timer : {false, true}) {
    auto fake = device(timer);
    auto bound =
        BoundFunction::bind(package(sumPlanText()), "sum", {graph}, fake);
    ASSERT_TRUE(bound) << bound.message();
    Runner runner(*bound, fake);
    Report report = (*bound)->report();
    EXPECT_EQ(report.steps.size(), 2u);
    EXPECT_EQ(report.steps[0].flops, 60);
    EXPECT_FALSE(report.steps[1].flops);
    EXPECT_EQ(report.steps[0].kernelInfo.registers, 32);
    EXPECT_EQ(report.steps[0].kernel, "sum");
    EXPECT_FALSE(contains(report.json(), "\"code\""));
    ConstBuffer input = runner.input();
    Buffer output = runner.output();
    auto profile = (*bound)->profile(
        {&input, 1}, {&output, 1}, {runner.workspace, runner.workspaceBytes()},
        nullptr, 3);
    ASSERT_TRUE(profile) << profile.message();
    EXPECT_EQ(profile->steps[0].milliseconds.has_value(), timer);
    EXPECT_EQ(profile->measuredRuns, timer ? 3 : 0);
    if (timer)
      EXPECT_EQ(*profile->steps[1].milliseconds, 2);
    std::string json = profile->json();
    EXPECT_TRUE(contains(json, "\"kernel\":\"sum\",\"grid\":[20,1,1]"));
    EXPECT_TRUE(contains(json, "\"registers\":32"));
    EXPECT_EQ(json.find("milliseconds") != std::string::npos, timer);
  }
}

TEST(BoundFunction, ReportsAsTable) {
  Report report;
  StepReport &first = report.steps.emplace_back();
  first.kernel = "f_0_dot";
  first.grid = {12, 1, 2};
  first.block = {128, 1, 1};
  first.sharedBytes = 1024;
  first.kernelInfo = {40, 8, 512, 1024};
  first.milliseconds = 0.01234;
  first.bytesRead = 1000;
  first.ops = {"dot at a.mlir:1:2", "exp"};
  first.schedule = "rows = 4";
  StepReport &second = report.steps.emplace_back();
  second.kernel = "f_1_aggregate_sum";
  second.grid = {0, 1, 1};
  second.block = {32, 4, 1};
  second.skipped = true;
  EXPECT_EQ(report.text(),
            "kernel               grid  block  shared B  registers  spilled B  "
            "time ms  read B  written B  flops\n"
            "f_0_dot            12x1x2    128      1536         40          8  "
            " 0.0123    1000          -      -\n"
            "    dot at a.mlir:1:2, exp; rows = 4\n"
            "f_1_aggregate_sum       0   32x4         0          -          -  "
            "skipped       -          -      -\n");
  std::string json = report.json();
  EXPECT_TRUE(contains(json, "\"ops\":[\"dot at a.mlir:1:2\",\"exp\"],"
                             "\"schedule\":\"rows = 4\""));
  EXPECT_TRUE(contains(json, "\"registers\":40,\"local_bytes\":8,"
                             "\"static_shared_bytes\":512"));
}

TEST(HostMemory, FreshMemoryIsNaNAndFound) {
  FakeDevice fake;
  float *memory = static_cast<float *>(*fake.allocate(40));
  EXPECT_TRUE(std::isnan(memory[0]) && std::isnan(memory[9]));
  EXPECT_EQ(fake.bytesBehind(memory), 40);
  EXPECT_EQ(fake.bytesBehind(memory + 9), 4);
  EXPECT_EQ(fake.bytesBehind(memory + 10), -1);
  EXPECT_EQ(fake.bytesBehind(&fake), -1);
  float more[20] = {};
  EXPECT_FALSE(fake.copyToDevice(memory + 1, more, 36));
  for (const Error &error :
       {fake.copyToDevice(memory + 1, more, 40),
        fake.copyToHost(more, memory + 1, 40), fake.fill(memory + 1, 0, 40)})
    EXPECT_TRUE(contains(error.message(), "expected at most 36 bytes, as many "
                                          "as were allocated there, got 40"));
  fake.free(memory);
  EXPECT_EQ(fake.bytesBehind(memory), -1);
  EXPECT_EQ(*fake.allocate(0), nullptr);
  EXPECT_FALSE(fake.allocate(-1));
}
