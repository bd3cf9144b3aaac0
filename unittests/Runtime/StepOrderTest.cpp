//===- StepOrderTest.cpp - Steps that steps wait for ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepOrder.h"
#include "TestPlans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

using Steps = std::vector<std::vector<Access>>;
using Waits = std::vector<std::vector<size_t>>;

static Access reads(size_t memory, int64_t begin, int64_t bytes) {
  return {memory, begin, bytes, false};
}
static Access writes(size_t memory, int64_t begin, int64_t bytes) {
  return {memory, begin, bytes, true};
}

TEST(StepOrder, WaitsForWhatConflicts) {
  // Writes then reads, reads then writes, two writes; not two reads.
  EXPECT_EQ(orderSteps({{writes(0, 0, 8)}, {reads(0, 4, 8)}}),
            (Waits{{}, {0}}));
  EXPECT_EQ(orderSteps({{reads(0, 0, 8)}, {writes(0, 4, 8)}}),
            (Waits{{}, {0}}));
  EXPECT_EQ(orderSteps({{writes(0, 0, 8)}, {writes(0, 7, 1)}}),
            (Waits{{}, {0}}));
  EXPECT_EQ(orderSteps({{reads(0, 0, 8)}, {reads(0, 0, 8)}}), (Waits{{}, {}}));
  // Not for its neighbours, for nothing, or for other memory.
  EXPECT_EQ(orderSteps({{writes(0, 0, 8)},
                        {writes(0, 8, 8)},
                        {writes(0, 4, 0)},
                        {writes(1, 0, 8)}}),
            (Waits{{}, {}, {}, {}}));
  EXPECT_EQ(orderSteps({}), Waits());
}

TEST(StepOrder, LeavesOutWhatOthersWaitFor) {
  // A chain, then two branches that meet.
  EXPECT_EQ(orderSteps({{writes(0, 0, 1)},
                        {reads(0, 0, 1), writes(0, 1, 1)},
                        {reads(0, 0, 1), reads(0, 1, 1), writes(0, 2, 1)},
                        {reads(0, 0, 1), writes(0, 3, 1)},
                        {reads(0, 2, 1), reads(0, 3, 1), writes(0, 0, 1)}}),
            (Waits{{}, {0}, {1}, {0}, {2, 3}}));
}

/// Whatever is left out is implied, and nothing implied is there.
TEST(StepOrder, KeepsAllConflicts) {
  std::mt19937 random(1);
  auto below = [&](uint32_t bound) {
    return static_cast<uint32_t>(random()) % bound;
  };
  for (int turn = 0; turn < 50; ++turn) {
    Steps steps(1 + below(12));
    for (auto &step : steps)
      for (unsigned i = below(4); i-- > 0;)
        step.push_back({below(2), below(8), below(4), below(3) == 0});
    Waits order = orderSteps(steps);
    size_t count = steps.size();
    std::vector<std::vector<bool>> before(count, std::vector<bool>(count));
    for (size_t i = 0; i < count; ++i)
      for (size_t j : order[i]) {
        ASSERT_LT(j, i);
        before[i][j] = true;
        for (size_t k = 0; k < j; ++k)
          before[i][k] = before[i][k] || before[j][k];
      }
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < i; ++j) {
        bool conflict = false;
        for (const Access &a : steps[i])
          for (const Access &b : steps[j])
            for (int64_t byte = 0; byte < 16; ++byte)
              conflict |= a.memory == b.memory && (a.written || b.written) &&
                          a.begin <= byte && byte < a.begin + a.bytes &&
                          b.begin <= byte && byte < b.begin + b.bytes;
        if (conflict)
          EXPECT_TRUE(before[i][j]) << turn << ": " << i << " after " << j;
        // An edge is a conflict that no other edge implies.
        if (std::count(order[i].begin(), order[i].end(), j)) {
          EXPECT_TRUE(conflict);
          for (size_t k : order[i])
            EXPECT_FALSE(before[k][j]);
        }
      }
  }
}

/// Two launches that read and two that write can meet in any order that the
/// plan's `written` leaves.
TEST(StepOrder, CapturesWhatRunsAtOnce) {
  // a = x + 1; b = x + 2; y = a + b; b' = 3 in the place of b; z = a + b'.
  const char *text = R"({"version": 5, "target": {}, "functions": [
  {"name": "f",
   "graphs": [], "inputs": [{"name": "x",
               "graph": "", "space": "none", "shape": [4], "dtype": "f32"}],
   "outputs": [{"name": "y", "graph": "", "space": "none", "shape": [4],
                "dtype": "f32"},
               {"name": "z", "graph": "", "space": "none", "shape": [4],
                "dtype": "f32"}],
   "exprs": [{"op": "const", "value": 0}, {"op": "const", "value": 256},
             {"op": "const", "value": 16}, {"op": "const", "value": 512},
             {"op": "const", "value": 1}, {"op": "const", "value": 2},
             {"op": "const", "value": 3}],
   "structures": [], "workspace": 3,
   "steps": [
    {"kernel": "add", "grid": [4, 4, 4], "block": [4, 4, 4],
     "shared": -1,
     "args": [{"input": 0}, {"workspace": 0, "bytes": 2, "written": true},
              {"i32": 4}]},
    {"kernel": "none", "grid": [0, 4, 4], "block": [4, 4, 4],
     "shared": -1, "args": []},
    {"kernel": "add", "grid": [4, 4, 4], "block": [4, 4, 4],
     "shared": -1,
     "args": [{"input": 0}, {"workspace": 1, "bytes": 2, "written": true},
              {"i32": 5}]},
    {"kernel": "sum", "grid": [4, 4, 4], "block": [4, 4, 4],
     "shared": -1,
     "args": [{"workspace": 0, "bytes": 2}, {"workspace": 1, "bytes": 2},
              {"output": 0, "written": true}]},
    {"kernel": "fill", "grid": [4, 4, 4], "block": [4, 4, 4],
     "shared": -1,
     "args": [{"workspace": 1, "bytes": 2, "written": true}, {"i32": 6}]},
    {"kernel": "sum", "grid": [4, 4, 4], "block": [4, 4, 4],
     "shared": -1,
     "args": [{"workspace": 0, "bytes": 2}, {"workspace": 1, "bytes": 2},
              {"output": 1, "written": true}]}]}]})";
  auto fake = std::make_shared<FakeDevice>();
  using Arguments = const LaunchArguments &;
  fake->bodies["none"] = [](const Launch &, Arguments) {};
  fake->bodies["add"] = [](const Launch &, Arguments args) {
    for (int i = 0; i < 4; ++i)
      FakeDevice::value<float *>(args, 1)[i] =
          FakeDevice::value<float *>(args, 0)[i] +
          static_cast<float>(FakeDevice::value<int32_t>(args, 2));
  };
  fake->bodies["sum"] = [](const Launch &, Arguments args) {
    for (int i = 0; i < 4; ++i)
      FakeDevice::value<float *>(args, 2)[i] =
          FakeDevice::value<float *>(args, 0)[i] +
          FakeDevice::value<float *>(args, 1)[i];
  };
  fake->bodies["fill"] = [](const Launch &, Arguments args) {
    for (int i = 0; i < 4; ++i)
      FakeDevice::value<float *>(args, 0)[i] =
          static_cast<float>(FakeDevice::value<int32_t>(args, 1));
  };
  auto plan = LaunchPlan::parse(text);
  ASSERT_TRUE(plan) << plan.message();
  auto package = Package::create(std::move(*plan), {{"ptx", ""}});
  ASSERT_TRUE(package) << package.message();
  auto bound = BoundFunction::bind(*package, "f", {}, fake);
  ASSERT_TRUE(bound) << bound.message();
  std::vector<std::vector<size_t>> after;
  for (const StepReport &step : (*bound)->report().steps)
    after.push_back(step.after);
  EXPECT_EQ(after,
            (std::vector<std::vector<size_t>>{{}, {}, {}, {0, 2}, {3}, {4}}));
  float *memory[4];
  for (float *&each : memory)
    each = static_cast<float *>(*fake->allocate(512));
  auto run = [&] {
    ConstBuffer inputs[] = {{memory[0], 512}};
    Buffer outputs[] = {{memory[1], 512}, {memory[2], 512}};
    return (*bound)->run({inputs, 1}, {outputs, 2}, {memory[3], 512}, nullptr);
  };
  for (fake->capturing = false;; fake->capturing = true) {
    for (int i = 0; i < 4; ++i)
      memory[0][i] = static_cast<float>(10 * i);
    Error error = run();
    ASSERT_FALSE(error) << error.message();
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(memory[1][i], static_cast<float>(20 * i + 3));
      EXPECT_EQ(memory[2][i], static_cast<float>(10 * i + 4));
    }
    if (fake->capturing)
      break;
  }
  EXPECT_EQ(fake->order, (std::vector<size_t>{1, 0, 2, 3, 4}));
  fake->failing = "sum";
  EXPECT_EQ(run().message(), "f: launch failed");
  for (float *each : memory)
    fake->free(each);
}
