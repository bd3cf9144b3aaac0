//===- TuneTest.cpp - The C API of tuning ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN-c/Tune.h"

#include "gtest/gtest.h"

#include <cstring>
#include <string>
#include <vector>

extern "C" GnnTuneSettings settingsFromC(double seconds);

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
  }
  void TearDown() override {
    gnnCompileOptionsDestroy(options);
    gnnGraphRelease(graph);
  }

  /// The answer, or the message of the error.
  std::string tune(const char *target, const GnnTuneSettings &settings,
                   const std::vector<GnnArray> &inputs = {},
                   const std::string &text = program) {
    EXPECT_EQ(gnnCompileOptionsSet(options, "target", target), nullptr);
    GnnDevice *device = nullptr;
    EXPECT_EQ(gnnDeviceOpen(target, &device), nullptr);
    char *answer = nullptr;
    GnnError *error =
        gnnTune(text.data(), text.size(), "f.mlir", options, &settings,
                inputs.data(), inputs.size(), device, &answer);
    std::string said = error ? gnnErrorMessage(error) : answer;
    gnnErrorDestroy(error);
    gnnStringDestroy(answer);
    gnnDeviceRelease(device);
    return said;
  }

  GnnGraph *graph = nullptr;
  GnnCompileOptions *options = nullptr;
};
} // namespace

TEST_F(Tune, GivesWhatWasFound) {
  GnnTuneSettings settings = settingsFromC(1);
  int calls = 0;
  settings.context = &calls;
  settings.progress = [](void *context, const char *, int64_t, int64_t, double,
                         double) { return ++*static_cast<int *>(context) > 2; };
  const float x[24] = {1};
  const int64_t shape[] = {3, 8};
  std::string answer = tune("cpu", settings, {{"x", "f32", 2, shape, x}});
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(answer.find("{\"schedules\":["), 0u) << answer;
  EXPECT_NE(answer.find("\"stopped\":true"), std::string::npos) << answer;
}

/// The backward pass of a maximum reads which edge it took.
TEST_F(Tune, IntegersHaveToBeGiven) {
  std::string max = program;
  max.replace(max.find("aggregate sum"), 13, "aggregate max");
  EXPECT_EQ(gnnCompileOptionsSet(options, "gradients", "f: x"), nullptr);
  GnnTuneSettings settings = settingsFromC(1);
  settings.function = "f_backward";
  EXPECT_EQ(tune("cpu", settings, {}, max),
            "expected the values of i32 input 'saved_0', got none");
}

TEST_F(Tune, SaysWhatIsWrong) {
  EXPECT_EQ(tune("emulator", settingsFromC(1)),
            "the emulator has no times: expected target cuda or cpu");
  EXPECT_EQ(tune("cpu", settingsFromC(0)),
            "expected a budget above 0 seconds, got 0");
  GnnTuneSettings settings = settingsFromC(1);
  settings.function = "h";
  EXPECT_EQ(tune("cpu", settings), "function: expected one of f, got 'h'");
  settings = settingsFromC(1);
  settings.search = "luck";
  EXPECT_EQ(tune("cpu", settings).find("search: expected coordinate"), 0u);
  const int64_t shape[] = {3, 4};
  EXPECT_EQ(tune("cpu", settingsFromC(1), {{"x", "f32", 2, shape, shape}}),
            "input 'x': expected f32[3, 8], got f32[3, 4]");
}
