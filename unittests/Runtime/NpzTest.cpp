//===- NpzTest.cpp - Graphs in .npz files ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Npz.h"
#include "Files.h"
#include "NpyBytes.h"
#include "Testing.h"

#include <cstdlib>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
/// The small graph with one array changed, added, or (empty) left out.
std::string npzWith(const std::string &name, const std::string &bytes) {
  auto arrays = smallGraphArrays();
  if (bytes.empty())
    arrays.erase(name);
  else
    arrays[name] = bytes;
  return npz(arrays);
}

std::string npzProblem(const std::string &name, const std::string &bytes) {
  auto file = GraphFile::loadBytes(npzWith(name, bytes));
  EXPECT_FALSE(file) << name;
  return file.message();
}
} // namespace

TEST(Npz, LoadsAGraph) {
  Folder folder;
  std::string path = folder.path + "/small.npz";
  ASSERT_FALSE(writeFile(path, {npz(smallGraphArrays())}));
  auto file = GraphFile::load(path);
  ASSERT_TRUE(file) << file.message();
  PlainGraph graph = plain(*file->graph);
  EXPECT_EQ(graph.src, (std::vector<int32_t>{0, 1, 2, 2}));
  EXPECT_EQ(graph.type, (std::vector<int32_t>{0, 0, 1, 1}));
  EXPECT_EQ(graph.nodeTypes, 2);
  EXPECT_EQ(graph.edgeNames, (std::vector<std::string>{"cites", "wrote"}));
  EXPECT_EQ(file->label, (std::vector<int32_t>{1, 0, -1}));
  EXPECT_EQ(file->trainMask, (std::vector<int32_t>{1, 0, 0}));
  EXPECT_TRUE(file->valMask.empty());
  EXPECT_EQ(file->edgeSplit, (std::vector<int32_t>{0, 1, 2, 0}));
  EXPECT_EQ(
      *file->features.dense(),
      (std::vector<float>{1.5, 0, 0, 0, 2, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0}));
  // Wider: zeros at the end; narrower: columns are added.
  EXPECT_EQ((*file->features.dense(6))[4], 2);
  EXPECT_EQ((*file->features.dense(6))[9], -1);
  EXPECT_EQ(*file->features.dense(2),
            (std::vector<float>{3.5, 0, 0, -1, 0, 0}));
  EXPECT_FALSE(file->features.dense(-1));
  EXPECT_FALSE(file->features.dense(int64_t(1) << 62));
}

TEST(Npz, LeavesOutWhatMayBe) {
  auto file = GraphFile::loadBytes(npzWith("feat_data", ""));
  ASSERT_TRUE(file) << file.message();
  EXPECT_EQ((*file->features.dense())[4], 1);
  auto arrays = smallGraphArrays();
  for (auto it = arrays.begin(); it != arrays.end();)
    it = it->first == "edge_src" || it->first == "edge_dst" ||
                 it->first == "node_type"
             ? std::next(it)
             : arrays.erase(it);
  file = GraphFile::loadBytes(npz(arrays));
  ASSERT_TRUE(file) << file.message();
  EXPECT_FALSE(file->hasFeatures);
  EXPECT_EQ(file->graph->numEdgeTypes(), 1);
  EXPECT_EQ(file->graph->numNodeTypes(), 2);
  // Types that only have a name are there.
  file = GraphFile::loadBytes(
      npzWith("edge_type_names", npyText({"cites", "wrote", "reads"})));
  EXPECT_EQ(file->graph->numEdgeTypes(), 3);
  // Nothing at all.
  for (const char *name : {"edge_src", "edge_dst", "node_type"})
    arrays[name] = npy<int32_t>("<i4", {});
  file = GraphFile::loadBytes(npz(arrays));
  ASSERT_TRUE(file) << file.message();
  EXPECT_EQ(file->graph->numEdges(), 0);
  EXPECT_EQ(file->graph->numEdgeTypes(), 1);
  EXPECT_EQ(file->graph->numNodeTypes(), 1);
}

TEST(Npz, BipartiteWithSchema) {
  auto arrays = smallGraphArrays();
  arrays["dst_node_type"] = npy<int16_t>("<i2", {0, 0});
  arrays["schema"] = npyBytes("<i4", "2, 2", rawBytes<int32_t>({0, 0, 1, -1}));
  auto file = GraphFile::loadBytes(npz(arrays));
  ASSERT_TRUE(file) << file.message();
  EXPECT_FALSE(file->graph->isSquare());
  EXPECT_EQ(file->graph->numNodes(GraphSide::Dst), 2);
  EXPECT_EQ(file->graph->schema()[1], (EdgeTypeEnds{1, -1}));
}

TEST(Npz, Malformed) {
  auto int32 = [](std::vector<int32_t> values) {
    return npy<int32_t>("<i4", values);
  };
  EXPECT_EQ(npzProblem("edge_src", ""),
            "expected an array 'edge_src', got none");
  EXPECT_EQ(npzProblem("node_type", ""),
            "expected an array 'node_type', got none");
  EXPECT_EQ(npzProblem("edge_src", int32({0, 1, 2, 3})),
            "source of edge 3: expected 0 <= id < 3, got 3");
  EXPECT_EQ(npzProblem("edge_dst", int32({0, -1, 2, 2})),
            "destination of edge 1: expected 0 <= id < 3, got -1");
  EXPECT_EQ(npzProblem("edge_dst", int32({0, 1, 2})),
            "edge_dst: expected 4 elements, got 3");
  EXPECT_EQ(npzProblem("edge_src", npy<float>("<f4", {0, 1, 2, 2})),
            "edge_src: expected integers, got f32[4]");
  EXPECT_EQ(npzProblem("edge_src", npy<int64_t>("<i8", {0, 1, 2, 1ll << 40})),
            "edge_src: element 3: expected an integer of 32 bits, got "
            "1099511627776");
  EXPECT_EQ(npzProblem("edge_src", npyBytes("<i4", "2, 2", std::string(16, 0))),
            "edge_src: expected one dimension, got i32[2x2]");
  EXPECT_EQ(npzProblem("edge_type", int32({0, 0, 2, 0})),
            "edge_type: expected ids under 2, as there are edge_type_names; "
            "got 2");
  EXPECT_EQ(npzProblem("edge_type", int32({0, 0, -2, 0})),
            "type of edge 2: expected 0 <= id < 2, got -2");
  EXPECT_EQ(npzProblem("edge_type", ""),
            "expected an array 'edge_type' for 2 edge types, got none");
  EXPECT_EQ(npzProblem("node_type", int32({0, 0, 7})),
            "node_type: expected ids under 2, as there are node_type_names; "
            "got 7");
  EXPECT_EQ(npzProblem("edge_type_names", int32({0})),
            "edge_type_names: expected text, got i32[1]");
  EXPECT_EQ(npzProblem("schema", int32({0, 0})),
            "schema: expected a shape of 2x2, got i32[2]");
  EXPECT_EQ(npzProblem("feat_indptr", int32({0, 2, 1, 3})),
            "feat_indptr: expected 0 first and no step down, got 1 at 2");
  EXPECT_EQ(npzProblem("feat_indptr", int32({1, 2, 3, 3})),
            "feat_indptr: expected 0 first and no step down, got 1 at 0");
  EXPECT_EQ(npzProblem("feat_indptr", int32({0, 2, 3})),
            "feat_indptr: expected 4 elements, got 3");
  EXPECT_EQ(npzProblem("feat_indices", int32({0, 4})),
            "feat_indices: expected 3 elements, got 2");
  EXPECT_EQ(npzProblem("feat_indices", int32({0, 4, 5})),
            "feat_indices 2: expected 0 <= column < 5, got 5");
  EXPECT_EQ(npzProblem("feat_indices", ""),
            "expected an array 'feat_indices' beside feat_indptr, got none");
  EXPECT_EQ(npzProblem("feat_dim", int32({-5})),
            "feat_dim: expected one integer of 0 or more, got -5");
  EXPECT_EQ(npzProblem("feat_dim", int32({5, 5})),
            "feat_dim: expected one integer of 0 or more, got i32[2]");
  EXPECT_EQ(npzProblem("feat_data", npy<float>("<f4", {1})),
            "feat_data: expected 3 elements, got 1");
  EXPECT_EQ(npzProblem("label", int32({0})),
            "label: expected 3 elements, got 1");
  EXPECT_EQ(npzProblem("edge_split", int32({0})),
            "edge_split: expected 4 elements, got 1");
  EXPECT_EQ(npzProblem("label_names", npyText({"x"}).substr(0, 100)),
            "label_names: expected a header of 118 bytes, got 90");
  EXPECT_EQ(npzProblem("edge_src", npyBytes("<i4", "9999999999,", "abcd")),
            "edge_src: expected 39999999996 bytes for i32[9999999999], got 4");
}

TEST(Npz, EveryTruncationIsAnError) {
  std::string bytes = npz(smallGraphArrays());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(GraphFile::loadBytes(std::string_view(bytes).substr(0, size)))
        << size;
}

TEST(Npz, FlippedBytesAreErrorsOrHarmless) {
  std::string bytes = npz(smallGraphArrays());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ 0x5a);
    auto file = GraphFile::loadBytes(bad, 1 << 20);
    if (!file)
      EXPECT_NE(file.message(), "");
  }
}

TEST(Npz, BombsAreRefused) {
  auto arrays = smallGraphArrays();
  arrays["label"] = npyBytes("<i4", "5000000,", std::string(20000000, '\0'));
  std::string bytes = npz(arrays);
  EXPECT_LT(bytes.size(), 40000u);
  EXPECT_TRUE(contains(GraphFile::loadBytes(bytes, 1 << 20).message(),
                       "entry 'label.npy': expected at most 10"));
}

// Many arrays may not take what one may not.
TEST(Npz, TheLimitIsThatOfAllArrays) {
  auto arrays = smallGraphArrays();
  int64_t all = 0;
  for (const auto &[name, array] : arrays)
    all += static_cast<int64_t>(array.size());
  EXPECT_TRUE(GraphFile::loadBytes(npz(arrays), all));
  EXPECT_TRUE(contains(GraphFile::loadBytes(npz(arrays), all - 1).message(),
                       "expected at most "));
}

TEST(Npz, BadFiles) {
  Folder folder;
  EXPECT_TRUE(contains(GraphFile::load(folder.path + "/none.npz").message(),
                       "none.npz"));
  std::string path = folder.path + "/bad.npz";
  ASSERT_FALSE(writeFile(path, {npzWith("edge_src", "")}));
  EXPECT_EQ(GraphFile::load(path).message(),
            path + ": expected an array 'edge_src', got none");
}

// Counts of the graphs in the folder that GNN_TEST_DATA names.
TEST(Npz, RealGraphs) {
  const char *folder = std::getenv("GNN_TEST_DATA");
  if (!folder)
    GTEST_SKIP() << "GNN_TEST_DATA is not set";
  struct {
    const char *name;
    int64_t nodes, edges, nodeTypes, edgeTypes, dim, stored;
    double srcPairs, dstPairs;
  } cases[] = {
      {"cora", 2708, 10556, 1, 1, 1433, 49216, 0.257, 0.257},
      {"fb15k237", 14541, 310116, 1, 237, 0, 0, 0.330, 0.193},
      {"aifb", 8285, 29043, 22, 45, 0, 0, 0.550, 0.359},
      {"mutag", 23644, 74227, 115, 23, 0, 0, 0.591, 0.438},
      {"acm", 11246, 17426, 3, 2, 1902, 340377, 0.461, 0.415},
  };
  for (const auto &[name, nodes, edges, nodeTypes, edgeTypes, dim, stored,
                    srcPairs, dstPairs] : cases) {
    auto file = GraphFile::load(std::string(folder) + "/" + name + ".npz");
    ASSERT_TRUE(file) << file.message();
    EXPECT_EQ(file->graph->numNodes(GraphSide::Src), nodes) << name;
    EXPECT_EQ(file->graph->numEdges(), edges) << name;
    EXPECT_EQ(file->graph->numNodeTypes(), nodeTypes) << name;
    EXPECT_EQ(file->graph->numEdgeTypes(), edgeTypes) << name;
    EXPECT_EQ(file->features.dim, dim) << name;
    EXPECT_EQ(static_cast<int64_t>(file->features.columns.size()), stored);
    auto stats = statistics(*file->graph);
    double all = static_cast<double>(edges);
    EXPECT_NEAR(static_cast<double>(stats->srcPairs) / all, srcPairs, 6e-4);
    EXPECT_NEAR(static_cast<double>(stats->dstPairs) / all, dstPairs, 6e-4);
  }
}
