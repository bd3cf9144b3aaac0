//===- TuneTest.cpp - The C API of tuning ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN-c/Tune.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

extern "C" GnnError *setBudgetFromC(GnnTuneSettings *settings,
                                    const char *budget);

namespace {
const char program[] = R"(
#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @f(%x: tensor<?x8xf32, #node> {gnn.name = "x"})
    -> (tensor<?x8xf32, #node> {gnn.name = "out"}) {
  %m = gnn.gather %x via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #gnn.rows<@g, edge>>
  %s = gnn.aggregate sum %m via dst : tensor<?x8xf32, #gnn.rows<@g, edge>> -> tensor<?x8xf32, #node>
  return %s : tensor<?x8xf32, #node>
})";

class Tune : public testing::Test {
protected:
  void SetUp() override {
    const int32_t src[] = {0, 1, 2, 2}, dst[] = {1, 2, 0, 1};
    GnnGraphArrays arrays = {};
    arrays.square = true;
    arrays.idBits = 32;
    arrays.numSrcNodes = 3;
    arrays.numEdges = 4;
    arrays.numNodeTypes = arrays.numEdgeTypes = 1;
    arrays.edgeSrc = {src, sizeof src};
    arrays.edgeDst = {dst, sizeof dst};
    ASSERT_EQ(gnnGraphCreate(&arrays, &graph), nullptr);
    ASSERT_EQ(gnnCompileOptionsCreate(&options), nullptr);
    ASSERT_EQ(gnnCompileOptionsAddGraph(options, "", graph), nullptr);
    ASSERT_EQ(gnnTuneSettingsCreate(&settings), nullptr);
    ASSERT_EQ(setBudgetFromC(settings, "1s"), nullptr);
  }
  void TearDown() override {
    gnnTuneSettingsDestroy(settings);
    gnnCompileOptionsDestroy(options);
    gnnGraphRelease(graph);
  }

  static std::string take(GnnError *error) {
    std::string said = error ? gnnErrorMessage(error) : "";
    gnnErrorDestroy(error);
    return said;
  }
  std::string set(const char *name, const char *value) {
    return take(gnnTuneSettingsSet(settings, name, value));
  }

  /// The answer, or the message of the error.
  std::string tune(const char *target, const std::vector<GnnArray> &inputs = {},
                   const std::string &text = program) {
    std::string answer, said = tuneTo(answer, target, inputs, text);
    EXPECT_TRUE(said.empty() || answer.empty());
    return said + answer;
  }
  std::string tuneTo(std::string &answer, const char *target,
                     const std::vector<GnnArray> &inputs = {},
                     const std::string &text = program) {
    EXPECT_EQ(gnnCompileOptionsSet(options, "target", target), nullptr);
    GnnDevice *device = nullptr;
    EXPECT_EQ(gnnDeviceOpen(target, &device), nullptr);
    char *given = nullptr;
    std::string said =
        take(gnnTune(text.data(), text.size(), "f.mlir", options, settings,
                     inputs.data(), inputs.size(), device, &given));
    answer = given ? given : "";
    gnnStringDestroy(given);
    gnnDeviceRelease(device);
    return said;
  }

  GnnGraph *graph = nullptr;
  GnnCompileOptions *options = nullptr;
  GnnTuneSettings *settings = nullptr;
};
} // namespace

TEST_F(Tune, GivesWhatWasFound) {
  int calls = 0;
  auto count = [](void *context, const char *, int64_t, int64_t, double,
                  double) { return ++*static_cast<int *>(context) > 2; };
  EXPECT_EQ(gnnTuneSettingsSetProgress(settings, count, &calls), nullptr);
  const float x[24] = {1};
  const int64_t shape[] = {3, 8};
  std::string answer = tune("cpu", {{"x", "f32", 2, shape, x}});
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(answer.find("{\"schedules\":["), 0u) << answer;
  EXPECT_NE(answer.find("{\"function\":\"f\",\"number\":0,"), std::string::npos)
      << answer;
  EXPECT_NE(answer.find("\"stopped\":true"), std::string::npos) << answer;
  EXPECT_NE(answer.find("\"head\":\" ms chosen "), std::string::npos) << answer;
  EXPECT_NE(answer.find("        0  \",\"notes\":[]"), std::string::npos)
      << answer;
}

/// An error of the second search leaves what was found by the first.
TEST_F(Tune, AnErrorKeepsWhatWasFoundBeforeIt) {
  std::string two = program, store = testing::TempDir() + "tune-store.jsonl";
  std::string gemm = "  %y = gnn.linear %x, %w : (tensor<?x8xf32, #node>, "
                     "tensor<8x8xf32>) -> tensor<?x8xf32, #node>\n";
  two.insert(two.find("  %m ="), gemm);
  two.replace(two.find("%x via"), 2, "%y");
  two.replace(two.find("{gnn.name = \"x\"}"), 16,
              "{gnn.name = \"x\"}, %w: tensor<8x8xf32> {gnn.name = \"w\"}");
  std::filesystem::remove_all(store);
  EXPECT_EQ(set("store", store.c_str()), "");
  EXPECT_EQ(set("budget", "3s"), "");
  struct Searches {
    std::string store, first, second;
  } searches{store, "", ""};
  auto replace = [](void *context, const char *name, int64_t, int64_t, double,
                    double) {
    auto &seen = *static_cast<Searches *>(context);
    if (seen.first.empty())
      seen.first = name;
    if (seen.first != name && seen.second.empty()) {
      seen.second = name;
      std::filesystem::remove(seen.store);
      std::filesystem::create_directory(seen.store);
    }
    return false;
  };
  EXPECT_EQ(gnnTuneSettingsSetProgress(settings, replace, &searches), nullptr);
  std::string answer, said = tuneTo(answer, "cpu", {}, two);
  EXPECT_EQ(said.find("template " + searches.second), 0u) << said;
  EXPECT_NE(said.find("cannot write"), std::string::npos) << said;
  EXPECT_NE(answer.find("\"number\":1,"), std::string::npos) << answer;
  EXPECT_EQ(answer.find("\"timed\":0,"), std::string::npos) << answer;
  std::filesystem::remove_all(store);
}

/// The backward pass of a maximum reads which edge it took.
TEST_F(Tune, IntegersHaveToBeGiven) {
  std::string max = program;
  max.replace(max.find("aggregate sum"), 13, "aggregate max");
  EXPECT_EQ(gnnCompileOptionsSet(options, "gradients", "f: x"), nullptr);
  EXPECT_EQ(set("function", "f_backward"), "");
  EXPECT_EQ(tune("cpu", {}, max),
            "expected the values of i32 input 'saved_0', got none");
}

TEST_F(Tune, SaysWhatIsWrong) {
  EXPECT_EQ(tune("emulator"),
            "the emulator has no times: expected target cuda or cpu");
  const int64_t shape[] = {3, 4}, good[] = {3, 8};
  EXPECT_EQ(tune("cpu", {{"x", "f32", 2, shape, shape}}),
            "input 'x': expected f32[3, 8], got f32[3, 4]");
  EXPECT_EQ(tune("cpu", {{"x", "f32", 2, good, nullptr}}),
            "input 'x': expected 96 bytes, got null");
  const float x[24] = {1};
  EXPECT_EQ(tune("cpu", {{"x", "f32", 2, good, x}, {"x", "f32", 2, good, x}}),
            "inputs: expected one array for each input, got several for 'x'");
  EXPECT_EQ(tune("cpu", {{nullptr, "f32", 2, shape, shape}}),
            "inputs: expected a name, a dtype and a shape of array 0, got null "
            "or a negative rank");
  GnnDevice *device = nullptr;
  EXPECT_EQ(gnnDeviceOpen("cpu", &device), nullptr);
  char *answer = nullptr;
  EXPECT_EQ(take(gnnTune(program, sizeof program - 1, "f.mlir", options,
                         settings, nullptr, -1, device, &answer)),
            "inputs: expected as many arrays as numInputs says, got null and "
            "-1");
  gnnDeviceRelease(device);
  EXPECT_EQ(set("function", "h"), "");
  EXPECT_EQ(tune("cpu"), "function: expected one of f, got 'h'");
}

TEST_F(Tune, ChecksItsSettings) {
  const char *wrong[][3] = {
      {"function", "", "function: expected a text, got an empty one"},
      {"op", "-1",
       "op: expected a whole number from 0 to 2147483647, got '-1'"},
      {"op", "18446744073709551616",
       "op: expected a whole number from 0 to 2147483647, got "
       "'18446744073709551616'"},
      {"budget", "0",
       "budget: expected a time above 0 and of at most 1e9 s, such as 500ms, "
       "5s or 2m, got '0'"},
      {"budget", "nan",
       "budget: expected a time above 0 and of at most 1e9 s, such as 500ms, "
       "5s or 2m, got 'nan'"},
      {"search", "luck",
       "search: expected one of coordinate, random, exhaustive, ranked, "
       "genetic, sampling, got 'luck'"},
      {"seed", "18446744073709551616",
       "seed: expected a whole number from 0 to 18446744073709551615, got "
       "'18446744073709551616'"},
      {"filters", "balance,luck",
       "filters: expected registers, utilization, balance, got 'luck'"},
      {"luck", "1",
       "settings: expected one of function, op, budget, search, model, seed, "
       "filters, threads, store, cell, records, got 'luck'"},
  };
  for (auto [name, value, expected] : wrong)
    EXPECT_EQ(set(name, value), expected);
  EXPECT_EQ(set(nullptr, "1"),
            "expected settings, a name and a value, got null");
  // Cores count, even if the process has fewer threads for everything else.
  std::string cores =
      std::to_string(std::max(1u, std::thread::hardware_concurrency()));
  EXPECT_EQ(gnnSetNumThreads(1), nullptr);
  EXPECT_EQ(set("threads", cores.c_str()), "");
  for (const char *threads : {"0", "4294967297"})
    EXPECT_EQ(set("threads", threads),
              "threads: expected a whole number from 1 to " + cores +
                  ", got '" + threads + "'");
  EXPECT_EQ(gnnSetNumThreads(1024), nullptr);
  EXPECT_EQ(set("threads", "1024"), "");
  EXPECT_EQ(gnnSetNumThreads(0), nullptr);
  EXPECT_EQ(set("model", "/none"), "");
  EXPECT_EQ(tune("cpu"),
            "model: expected none for search 'coordinate', got '/none'");
  EXPECT_EQ(set("search", "ranked"), "");
  EXPECT_EQ(tune("cpu").find("model: cannot open '/none'"), 0u);
}
