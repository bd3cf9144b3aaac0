//===- OverlayTest.cpp - The C API of programs of the overlay -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN-c/Overlay.h"

#include "gtest/gtest.h"

#include <cstring>
#include <string>
#include <vector>

// In OverlayHeader.c.
extern "C" GnnError *rooflineFromC(double *cycles);

// Sources of this program may be compiled together.
namespace gnn::overlay::capi {
namespace {
constexpr const char *sumText = R"(
#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @sum(%x: tensor<?x3xf32, #node> {gnn.name = "x"})
    -> (tensor<?x3xf32, #node> {gnn.name = "out"}) {
  %m = gnn.gather %x via src : tensor<?x3xf32, #node> -> tensor<?x3xf32, #edge>
  %y = gnn.aggregate sum %m via dst : tensor<?x3xf32, #edge> -> tensor<?x3xf32, #node>
  return %y : tensor<?x3xf32, #node>
}
)";

GnnErrorKind lastKind = GNN_ERROR_OTHER;

/// The message of an error, which is destroyed; empty for success.
std::string text(GnnError *error) {
  std::string message = error ? gnnErrorMessage(error) : "";
  if (error)
    lastKind = gnnErrorKind(error);
  gnnErrorDestroy(error);
  return message;
}

/// A string that a function gave, which is destroyed.
std::string take(char *string) {
  std::string copy = string ? string : "";
  gnnStringDestroy(string);
  return copy;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// A program for a graph of four nodes.
class Overlay : public testing::Test {
protected:
  void SetUp() override {
    GnnGraphArrays arrays = {};
    arrays.square = true;
    arrays.idBits = 32;
    arrays.numSrcNodes = 4;
    arrays.numEdges = 3;
    arrays.numNodeTypes = arrays.numEdgeTypes = 1;
    arrays.edgeSrc = {src, sizeof src};
    arrays.edgeDst = {dst, sizeof dst};
    ASSERT_EQ(text(gnnGraphCreate(&arrays, &graph)), "");
    ASSERT_EQ(text(compile("sum", "", &program)), "");
    ASSERT_EQ(text(gnnOverlayPartitionForProgram(program, graph, &partition)),
              "");
  }
  void TearDown() override {
    gnnOverlayPartitionRelease(partition);
    gnnOverlayProgramRelease(program);
    gnnGraphRelease(graph);
  }

  GnnError *compile(const char *function, const char *options,
                    GnnOverlayProgram **result) {
    return gnnOverlayCompile(sumText, std::strlen(sumText), "sum.mlir",
                             function, graph, nullptr, options, result);
  }

  /// Runs it on an input of so many features.
  GnnError *run(int64_t features, std::vector<float> &out) {
    int64_t shape[] = {4, features};
    GnnOverlayInput input = {"x", 2, shape, {x, sizeof x}};
    GnnBuffer output = {out.data(), static_cast<int64_t>(4 * out.size())};
    return gnnOverlayRun(program, partition, &input, 1, "", &output, 1);
  }

  const int32_t src[3] = {0, 1, 1}, dst[3] = {2, 2, 3};
  const float x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  GnnGraph *graph = nullptr;
  GnnOverlayProgram *program = nullptr;
  GnnOverlayPartition *partition = nullptr;
};
} // namespace

TEST_F(Overlay, Runs) {
  std::vector<float> out(12, -1);
  ASSERT_EQ(text(run(3, out)), "");
  EXPECT_EQ(out, (std::vector<float>{0, 0, 0, 0, 0, 0, 5, 7, 9, 4, 5, 6}));
}

TEST_F(Overlay, RefusesWrongArguments) {
  std::vector<float> out(12);
  EXPECT_PRED2(contains, text(run(2, out)), "'x'");
  std::vector<float> few(3);
  EXPECT_EQ(text(run(3, few)), "out: expected 48 bytes, got 12");
  EXPECT_EQ(text(gnnOverlayRun(program, nullptr, nullptr, 0, "", nullptr, 1)),
            "expected a program and a partition, got null");
  EXPECT_EQ(text(gnnOverlayRun(program, partition, nullptr, 0, "", nullptr, 2)),
            "expected 1 outputs, got 2");
}

TEST_F(Overlay, RefusesNull) {
  EXPECT_EQ(gnnOverlayProgramPrepare(nullptr), nullptr);
  std::vector<float> out(12);
  GnnBuffer output = {out.data(), 48};
  int64_t shape[] = {4, 3};
  auto runOn = [&](const GnnOverlayInput *inputs, const GnnBuffer *outputs) {
    return text(gnnOverlayRun(program, partition, inputs, 1, "", outputs, 1));
  };
  auto inputOf = [&](int64_t rank, const int64_t *dims) {
    return GnnOverlayInput{"x", rank, dims, {x, sizeof x}};
  };
  GnnOverlayInput input = inputOf(2, shape);
  EXPECT_EQ(runOn(&input, &output), "");
  EXPECT_EQ(runOn(nullptr, &output), "expected inputs, got null");
  EXPECT_EQ(runOn(&input, nullptr), "expected outputs, got null");
  input = inputOf(2, nullptr);
  EXPECT_EQ(runOn(&input, &output), "expected a shape of an input, got null");
  input = inputOf(-5, shape);
  EXPECT_EQ(runOn(&input, &output),
            "rank of an input: expected a number from 0 to 8, got -5");
}

TEST_F(Overlay, WritesAndReads) {
  char *bytes = nullptr, *again = nullptr;
  size_t size = 0, sizeAgain = 0;
  ASSERT_EQ(text(gnnOverlayProgramBytes(program, &bytes, &size)), "");
  GnnOverlayProgram *read = nullptr, *assembled = nullptr;
  ASSERT_EQ(text(gnnOverlayProgramRead(bytes, size, &read)), "");
  EXPECT_EQ(gnnOverlayProgramPrepare(read), nullptr);
  // Its disassembly is assembled to the same bytes.
  char *listing = nullptr;
  ASSERT_EQ(text(gnnOverlayProgramText(read, "p", &listing)), "");
  EXPECT_PRED2(contains, listing, "gnn_overlay.spdmm");
  ASSERT_EQ(text(gnnOverlayCompile(listing, std::strlen(listing), "p.mlir", "",
                                   nullptr, nullptr, "", &assembled)),
            "");
  ASSERT_EQ(text(gnnOverlayProgramBytes(assembled, &again, &sizeAgain)), "");
  EXPECT_EQ(std::string(bytes, size), std::string(again, sizeAgain));
  bytes[0] = 'X';
  GnnOverlayProgram *none = nullptr;
  EXPECT_NE(text(gnnOverlayProgramRead(bytes, size, &none)), "");
  EXPECT_EQ(none, nullptr);
  for (char *string : {bytes, again, listing})
    gnnStringDestroy(string);
  gnnOverlayProgramRelease(read);
  gnnOverlayProgramRelease(assembled);
}

TEST_F(Overlay, Describes) {
  char *json = nullptr;
  ASSERT_EQ(text(gnnOverlayProgramDescribe(program, &json)), "");
  std::string described = take(json);
  for (const char *part :
       {R"("vertices":4)", R"("edges":3)", R"("type":"aggregate")",
        R"("outputs":[{"edges":false,"name":"out","shape":[4,3]}])",
        R"("passes":)"})
    EXPECT_PRED2(contains, described, part);
  ASSERT_EQ(text(gnnOverlayProgramInstructions(program, &json)), "");
  EXPECT_PRED2(contains, take(json), R"([["csi",{"aggregation":2)");
}

TEST_F(Overlay, CompileErrors) {
  GnnOverlayProgram *none = nullptr;
  EXPECT_PRED2(contains, text(compile("other", "", &none)),
               "expected a function @other");
  EXPECT_EQ(lastKind, GNN_ERROR_PROGRAM);
  EXPECT_PRED2(contains, text(compile("sum", "n2=5", &none)),
               "expected options of add-self-loops, blocks-per-pe, ");
  EXPECT_EQ(lastKind, GNN_ERROR_OPTION);
  EXPECT_PRED2(contains, text(compile("sum", "n1=17", &none)),
               "expected n1 to be a multiple of 16");
  EXPECT_EQ(none, nullptr);
}

TEST_F(Overlay, IsForAGraphOrAPartition) {
  GnnOverlayProgram *made = nullptr;
  auto compileFor = [&](const GnnGraph *graph,
                        const GnnOverlayPartition *partition) {
    return text(gnnOverlayCompile(sumText, std::strlen(sumText), "sum.mlir", "",
                                  graph, partition, "", &made));
  };
  EXPECT_EQ(compileFor(graph, partition),
            "expected a graph or a partition, got both");
  EXPECT_EQ(lastKind, GNN_ERROR_OPTION);
  EXPECT_PRED2(contains, compileFor(nullptr, nullptr),
               "expected statistics of @g");
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(text(compile("sum", "graph='a file.npz'", &made)),
            "graph: expected no such option beside a graph");
  EXPECT_EQ(text(compile("sum", "graph='a file.npz", &made)),
            "graph: expected an end of the value that begins with '");
  ASSERT_EQ(compileFor(nullptr, partition), "");
  char *bytes = nullptr, *others = nullptr;
  size_t size = 0, otherSize = 0;
  ASSERT_EQ(text(gnnOverlayProgramBytes(made, &bytes, &size)), "");
  ASSERT_EQ(text(gnnOverlayProgramBytes(program, &others, &otherSize)), "");
  EXPECT_EQ(std::string(bytes, size), std::string(others, otherSize));
  gnnStringDestroy(bytes);
  gnnStringDestroy(others);
  gnnOverlayProgramRelease(made);
}

TEST_F(Overlay, Simulates) {
  char *json = nullptr;
  ASSERT_EQ(text(gnnOverlaySimulate(program, partition,
                                    "memory=ideal issue=0 pes=1", &json)),
            "");
  EXPECT_PRED2(contains, take(json), "cycles");
  EXPECT_PRED2(contains,
               text(gnnOverlaySimulate(program, partition, "clock=1", &json)),
               "expected options of");
  EXPECT_EQ(lastKind, GNN_ERROR_OPTION);
  EXPECT_EQ(text(gnnOverlaySimulate(program, partition, "memory=none", &json)),
            "memory: expected ideal or shared, got 'none'");
}

TEST_F(Overlay, Partitions) {
  GnnOverlayPartition *made = nullptr;
  ASSERT_EQ(text(gnnOverlayPartitionCreate(graph, "n1=16", &made)), "");
  char *json = nullptr;
  ASSERT_EQ(text(gnnOverlayPartitionDescribe(made, 3, &json)), "");
  std::string described = take(json);
  // 16 bytes of a descriptor and 36 of edges, in units of 64; 16 rows of 64.
  for (const char *part : {R"("bytes":128)", R"("unpadded":84)",
                           R"("padded":1152)", R"("entries":1)"})
    EXPECT_PRED2(contains, described, part);
  std::vector<uint8_t> image(128);
  ASSERT_EQ(
      text(gnnOverlayPartitionWrite(made, {nullptr, 0}, {image.data(), 128})),
      "");
  EXPECT_EQ(image[0], 64);     // where edges begin
  EXPECT_EQ(image[64 + 4], 2); // the destination of the first
  EXPECT_EQ(
      text(gnnOverlayPartitionWrite(made, {nullptr, 0}, {image.data(), 127})),
      "image: expected 128 bytes, got 127");
  gnnOverlayPartitionRelease(made);
  EXPECT_PRED2(contains, text(gnnOverlayPartitionCreate(graph, "n1=3", &made)),
               "n1: expected a multiple of 16");
  EXPECT_EQ(text(gnnOverlayPartitionCreate(
                graph, "blocks-per-pe=144115188075855872", &made)),
            "blocks-per-pe: expected a number from 1 to 2147483648, got "
            "'144115188075855872'");
}

TEST_F(Overlay, CountsHaveTimesAndNoEdges) {
  GnnOverlayPartition *counts = nullptr;
  uint64_t edges = 3;
  ASSERT_EQ(text(gnnOverlayPartitionOfCounts(4, 16, {&edges, 8}, "", &counts)),
            "");
  char *json = nullptr;
  EXPECT_EQ(text(gnnOverlaySimulate(program, counts, "", &json)), "");
  gnnStringDestroy(json);
  std::vector<float> out(12);
  std::swap(partition, counts);
  EXPECT_EQ(text(run(3, out)),
            "expected a partition of a graph, got one of counts");
  std::swap(partition, counts);
  gnnOverlayPartitionRelease(counts);
  EXPECT_EQ(text(gnnOverlayPartitionOfCounts(40, 16, {&edges, 8}, "", &counts)),
            "counts: expected 72 bytes, got 8");
  EXPECT_EQ(text(gnnOverlayPartitionOfCounts(INT64_MAX, 16, {&edges, 8}, "",
                                             &counts)),
            "vertices: expected a number from 1 to 2147483647, got "
            "9223372036854775807");
}

TEST(OverlayRoofline, FromC) {
  double cycles = 0;
  ASSERT_EQ(text(rooflineFromC(&cycles)), "");
  // 170 * 1433 / 8 + 5429 / 64.
  EXPECT_DOUBLE_EQ(cycles, 170 * 1433 / 8. + 5429 / 64.);
}

} // namespace gnn::overlay::capi
