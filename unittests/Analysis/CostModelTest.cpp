//===- CostModelTest.cpp - Costs of ops and kernels -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Comparisons.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace gnn;

namespace {

CostModel model(CostKind kind = CostKind::Full) {
  return CostModel(getFigures("h200"), kind);
}

/// Bytes a second of gathering many rows, as the benchmark that the figures
/// come from counts them: the table was read before.
double gatherRate(double rowBytes, double tableBytes) {
  KernelWork work;
  double tableRows = tableBytes / rowBytes, rows = 1e4 * tableRows;
  work.gathers.push_back({rows, rowBytes, tableRows});
  return rows * rowBytes / model().cost(work);
}

class DescribeTest : public ::testing::Test {
protected:
  DescribeTest() {
    context.loadDialect<arith::ArithDialect, GNNDialect, func::FuncDialect>();
  }

  /// The work of one op on a graph of 7 nodes, 20 edges, 12 source pairs and 9
  /// destination pairs of 3 edge types.
  KernelWork describe(const std::string &op) {
    std::string text = R"mlir(
      !edge = tensor<?x8xf32, #gnn.rows<@g, edge>>
      !score = tensor<?xf32, #gnn.rows<@g, edge>>
      !node = tensor<?x8xf32, #gnn.rows<@g, node>>
      !pair = tensor<?x8xf32, #gnn.rows<@g, src_pair>>
      !out = tensor<?x16xf32, #gnn.rows<@g, src_pair>>
      !typed = tensor<3x8x16xf32, #gnn.rows<@g, edge_type>>
      gnn.graph @g square {node_types = 2, edge_types = 3, stats = #gnn.stats<
        src_nodes = 7, dst_nodes = 7, edges = 20, type_edges = [10, 10, 0],
        src_pairs = [6, 6, 0], dst_pairs = [5, 4, 0],
        in_degree_squares = 100, in_degree_max = 6,
        out_degree_squares = 80, out_degree_max = 4>}
      func.func @f(%edge: !edge, %score: !score, %node: !node, %pair: !pair,
                   %typed: !typed) {
    )mlir" + op + "\nreturn }";
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return {};
    auto func = *module->getOps<func::FuncOp>().begin();
    Operation *first = &func.getBody().front().front();
    std::vector<KernelWork> kernels = describeKernels(first, getStats(first));
    EXPECT_EQ(kernels.size(), 1u);
    return kernels.front();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

// The measured table of random row gathers, within a tenth.
TEST(CostModelTest, GathersComeAsMeasured) {
  EXPECT_NEAR(gatherRate(256, 30e6) / 9356e9, 1, 0.1);
  EXPECT_NEAR(gatherRate(256, 120e6) / 5913e9, 1, 0.1);
  EXPECT_NEAR(gatherRate(256, 4.3e9) / 4436e9, 1, 0.1);
  EXPECT_NEAR(gatherRate(64, 4.3e9) / 2312e9, 1, 0.1);
  EXPECT_NEAR(gatherRate(32, 4.3e9) / 1119e9, 1, 0.1);
}

TEST(CostModelTest, ATableIsReadOnce) {
  KernelWork all, some;
  all.gathers.push_back({1000, 256, 1000});
  some.gathers.push_back({1000, 256, 1e9});
  EXPECT_DOUBLE_EQ(model().cost(all), model().cost(some));
}

TEST(CostModelTest, ProductsHideBehindStreams) {
  KernelWork work;
  work.streamBytes = 4.3e9;
  double stream = model().cost(work);
  EXPECT_NEAR(stream, 1e-3 + 6e-6, 1e-9);
  work.productRows = 1;
  work.productFlops = 1e10;
  EXPECT_DOUBLE_EQ(model().cost(work), stream);
  work.productFlops = 6.4e10;
  EXPECT_NEAR(model().cost(work), 2e-3 + 6e-6, 1e-9);
}

TEST(CostModelTest, RowsAloneOrNothing) {
  KernelWork work;
  EXPECT_EQ(model().cost(work), 0);
  work.streamBytes = 1;
  EXPECT_GT(model().cost(work), 0);
  EXPECT_EQ(model(CostKind::Rows).cost(work), 0);
  work.productRows = 12;
  EXPECT_EQ(model(CostKind::Rows).cost({work, work}), 24);
}

TEST(CostModelTest, OptionsOfPasses) {
  EXPECT_EQ(*parseWord<CostKind>("rows"), CostKind::Rows);
  EXPECT_EQ(llvm::toString(parseWord<CostKind>("bytes").takeError()),
            "expected one of full, whole-rows, rows, got 'bytes'");
}

TEST_F(DescribeTest, Product) {
  KernelWork work =
      describe("gnn.typed_linear %pair, %typed : (!pair, !typed) -> !out");
  EXPECT_EQ(work.productRows, 12);
  EXPECT_EQ(work.productFlops, 12 * 2 * 8 * 16);
  EXPECT_EQ(work.otherFlops, 0);
  EXPECT_TRUE(work.gathers.empty());
  EXPECT_EQ(work.streamBytes, 4 * (12 * 8 + 3 * 8 * 16 + 12 * 16));
}

TEST_F(DescribeTest, Gather) {
  KernelWork work = describe("gnn.gather %node via src : !node -> !edge");
  EXPECT_EQ(work.productRows, 0);
  ASSERT_EQ(work.gathers.size(), 1u);
  EXPECT_EQ(work.gathers[0].rows, 20);
  EXPECT_EQ(work.gathers[0].rowBytes, 32);
  EXPECT_EQ(work.gathers[0].tableRows, 7);
  // Ids and the result.
  EXPECT_EQ(work.streamBytes, 20 * 4 + 20 * 32);
  EXPECT_EQ(work.getBytes(), 20 * 4 + 2 * 20 * 32);
}

TEST_F(DescribeTest, Spmm) {
  KernelWork work = describe("gnn.spmm mul %pair, %score reduce sum via dst : "
                             "(!pair, !score) -> !node");
  ASSERT_EQ(work.gathers.size(), 1u);
  EXPECT_EQ(work.gathers[0].rows, 20);
  EXPECT_EQ(work.gathers[0].tableRows, 12);
  EXPECT_EQ(work.otherFlops, 20 * 2 * 8);
}

TEST_F(DescribeTest, ReductionsGatherUnlessInOrder) {
  KernelWork in = describe("gnn.aggregate sum %edge via dst : !edge -> !node");
  EXPECT_TRUE(in.gathers.empty());
  KernelWork out = describe("gnn.aggregate sum %edge via src : !edge -> !node");
  ASSERT_EQ(out.gathers.size(), 1u);
  EXPECT_EQ(out.gathers[0].rows, 20);
  EXPECT_EQ(out.gathers[0].tableRows, 20);
  EXPECT_EQ(in.getBytes(), out.getBytes());
}

TEST_F(DescribeTest, ViewsAreFree) {
  KernelWork work = describe("gnn.reshape %node : !node -> "
                             "tensor<?x2x4xf32, #gnn.rows<@g, node>>");
  EXPECT_TRUE(work.isEmpty());
  EXPECT_EQ(model().cost(work), 0);
}

// Upstream's arithmetic on tensors has no interface of this dialect.
TEST_F(DescribeTest, Arithmetic) {
  KernelWork work = describe("arith.addf %node, %node : !node");
  EXPECT_EQ(work.otherFlops, 7 * 8);
  EXPECT_EQ(work.streamBytes, 3 * 7 * 8 * 4);
}

TEST_F(DescribeTest, WhatIsNotCounted) {
  describe("arith.constant 1.0 : f32");
  auto func = *module->getOps<func::FuncOp>().begin();
  for (Operation &op : func.getBody().front())
    EXPECT_FALSE(countOp(&op));
}

TEST_F(DescribeTest, DerivedGraphs) {
  auto declared = parseSourceString<ModuleOp>(R"mlir(
    gnn.graph @g square {node_types = 2, edge_types = 3, stats = #gnn.stats<
      src_nodes = 7, dst_nodes = 7, edges = 20, type_edges = [10, 10, 0],
      src_pairs = [6, 6, 0], dst_pairs = [5, 4, 0]>}
    gnn.graph @s square of @g types [1] {node_types = 2, edge_types = 1}
  )mlir",
                                              &context);
  ASSERT_TRUE(declared);
  Type rows = RankedTensorType::get(
      {ShapedType::kDynamic}, Float32Type::get(&context),
      RowsAttr::get(&context, FlatSymbolRefAttr::get(&context, "s"),
                    RowSpace::Edge));
  StatsAttr stats = getStats(*declared->getOps<GraphOp>().begin(), rows);
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats.getEdges(), 10);
  EXPECT_EQ(stats.getDstPairs().asArrayRef(), ArrayRef<int64_t>({4}));
}

TEST_F(DescribeTest, SomeTypesAlone) {
  describe("gnn.gather %node via src : !node -> !edge");
  auto graph = *module->getOps<GraphOp>().begin();
  StatsAttr stats = graph.getStatsAttr().restrictTo({2, 1});
  EXPECT_EQ(stats.getEdges(), 10);
  EXPECT_EQ(stats.getSrcNodes(), 7);
  EXPECT_EQ(stats.getTypeEdges().asArrayRef(), ArrayRef<int64_t>({0, 10}));
  EXPECT_EQ(stats.getSrcPairs().asArrayRef(), ArrayRef<int64_t>({0, 6}));
  EXPECT_EQ(stats.getDstPairs().asArrayRef(), ArrayRef<int64_t>({0, 4}));
}

TEST(CostModelTest, TimesAreBetterByMoreThanTheMargin) {
  CostModel times = model(), rows = model(CostKind::Rows);
  EXPECT_TRUE(times.isBetter(100, 94));
  EXPECT_FALSE(times.isBetter(100, 96));
  EXPECT_FALSE(times.isBetter(100, 106));
  EXPECT_TRUE(rows.isBetter(100, 99));
  EXPECT_FALSE(rows.isBetter(100, 100));
  EXPECT_FALSE(rows.isBetter(0, 0));
}

// The launch of a kernel that is there anyway counts on neither side.
TEST_F(DescribeTest, LaunchesOfOtherKernels) {
  EXPECT_EQ(model().getLaunch(), 6e-6);
  EXPECT_EQ(model(CostKind::Rows).getLaunch(), 0);
  EXPECT_DOUBLE_EQ(model().costOfShare(10e-6, 0.5), 8e-6);
  EXPECT_EQ(model(CostKind::Rows).costOfShare(10, 0.5), 5);

  describe("gnn.gather %node via src : !node -> !edge");
  Block &body = (*module->getOps<func::FuncOp>().begin()).getBody().front();
  StatsAttr stats = getStats(&body.front());
  auto score = cast<RankedTensorType>(body.getArgument(1).getType());
  auto node = cast<RankedTensorType>(body.getArgument(2).getType());
  Comparison costs = compareScale(model(), RowSpace::Edge, score, node, stats);
  EXPECT_GT(costs.before, 0);
  EXPECT_LT(costs.before, 1e-6);
  EXPECT_GT(costs.after, 6e-6);
}

// Rows that are read by an id wait where a long row is walked.
TEST_F(DescribeTest, WaitsForIds) {
  describe("gnn.gather %node via src : !node -> !edge");
  Block &body = (*module->getOps<func::FuncOp>().begin()).getBody().front();
  Operation *op = &body.front();
  StatsAttr stats = getStats(op);
  RowPath toPairs{RowSpace::Edge, RowSpace::SrcPair, std::nullopt};
  auto after = [&](IdWait wait) {
    return compareRows(model(), op, op, toPairs, wait, stats).after;
  };
  double longest = stats.getLongestRow(EndPoint::Dst);
  EXPECT_EQ(longest, 6);
  double step = getFigures("h200").edgeSeconds;
  EXPECT_NEAR(after(IdWait::Score) - after(IdWait::None), longest * step / 3,
              1e-15);
  EXPECT_NEAR(after(IdWait::Sum) - after(IdWait::None), longest * step / 6,
              1e-15);
}

// A long row costs the less of itself and of its pieces, which take a launch.
TEST(CostModelTest, LongRowsBecomePieces) {
  KernelWork sum;
  sum.streamBytes = 4e6;
  sum.gathers.push_back({100e3, 256, 10e3});
  sum.reducedRows = 10e3;
  sum.lengths = {10e3, 100e3, 10e3};
  sum.longestRow = 10e3;
  CostModel full = model(), whole = model(CostKind::WholeRows);
  double hub = 10e3 * full.getFigures().edgeSeconds;
  EXPECT_DOUBLE_EQ(whole.cost(sum), whole.getLaunch() + hub);
  EXPECT_LT(full.cost(sum), whole.cost(sum) / 2);
  EXPECT_GT(full.cost(sum), 2 * full.getLaunch());
  EXPECT_EQ(full.countSerialElements(10e3), KernelConstants::longestPiece);
  EXPECT_EQ(whole.countSerialElements(10e3), 10e3);

  // Nothing is known of what walks twice: its rows stay whole.
  KernelWork twice = sum;
  twice.lengths = {};
  EXPECT_EQ(full.cost(twice), whole.cost(twice));
  // A launch more is not worth a row of 100 elements.
  sum.lengths.longest = sum.longestRow = 100;
  EXPECT_EQ(full.cost(sum), whole.cost(sum));
  EXPECT_EQ(model(CostKind::Rows).cost(sum), 0);
}

// The better of two lengths, where it saves its share and half of a launch.
TEST(CostModelTest, ChoosesTheLengthOfPieces) {
  CostModel full = model(CostKind::Full);
  double half = full.getLaunch() / 2;
  auto costOf = [&](int64_t length) { return (length == 64 ? 12 : 8) * half; };
  PiecesChoice choice = full.choosePieces(16 * half, 1000, costOf);
  EXPECT_EQ(choice.length, 128);
  EXPECT_EQ(choice.getCost(), 8 * half);
  EXPECT_EQ(full.choosePieces(16 * half, 100, costOf).length, 64);
  EXPECT_EQ(full.choosePieces(16 * half, 64, costOf).length, 0);
  EXPECT_EQ(full.choosePieces(9.1 * half, 1000, costOf).length, 128);
  choice = full.choosePieces(8.9 * half, 1000, costOf);
  EXPECT_EQ(choice.length, 0);
  EXPECT_EQ(choice.getCost(), 8.9 * half);
  auto many = [&](int64_t) { return 80 * half; };
  EXPECT_EQ(full.choosePieces(84 * half, 1000, many).length, 0);
  EXPECT_EQ(full.choosePieces(85 * half, 1000, many).length, 64);
}

// The walks of an attention over 64 features, as an op and as the traversal
// that it becomes.
static std::pair<WalkWork, WalkWork>
walksOfAttention(int64_t nodes, int64_t edges, int64_t longest) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, GNNDialect, func::FuncDialect,
                      memref::MemRefDialect, tile::TileDialect>();
  auto module = parseSourceString<ModuleOp>(llvm::formatv(R"mlir(
    !x = tensor<?x64xf32, #gnn.rows<@cora, node>>
    !l = tensor<?xf32, #gnn.rows<@cora, node>>
    gnn.graph @cora square {{node_types = 1, edge_types = 1, stats = #gnn.stats<
      src_nodes = {0}, dst_nodes = {0}, edges = {1}, type_edges = [{1}],
      src_pairs = [{0}], dst_pairs = [{0}], in_degree_max = {2},
      out_degree_max = {2}>}
    func.func @op(%x: !x, %l: !l) {{
      %y = gnn.attention(%a = %l via src, %b = %l via dst) value %x via src over dst : (!l, !l, !x) -> !x {{
        %s = arith.addf %a, %b : tensor<f32>
        gnn.yield %s : tensor<f32>
      }
      return
    }
    func.func @traversal(%x: memref<?x64xf32>, %l: memref<?xf32>, %y: memref<?x64xf32>) {{
      gnn_tile.traverse @cora <dst, edge.in_rows, features = 64>
          ins(%x, %l, %l : memref<?x64xf32>, memref<?xf32>, memref<?xf32>)
          at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> src>, #gnn_tile.at<group>]
          outs(%y : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {{
      ^bb0(%v: f32, %a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        %one = arith.constant 1.0 : f32
        %m, %z, %w = gnn_tile.softmax_sum %s, %one, %v : f32
        %r = arith.divf %w, %z : f32
        gnn_tile.yield %r : f32
      }
      return
    }
  )mlir",
                                                          nodes, edges, longest)
                                                .str(),
                                            &context);
  EXPECT_TRUE(module);
  std::vector<KernelWork> kernels;
  KernelWork traversal;
  module->walk(
      [&](AttentionOp op) { kernels = describeKernels(op, getStats(op)); });
  module->walk([&](tile::TraverseOp op) {
    auto graph =
        SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
    traversal = describeTraversal(op, getStats(graph));
  });
  EXPECT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels.at(0).walks.size(), 1u);
  EXPECT_EQ(traversal.walks.size(), 1u);
  return {kernels.at(0).walks[0], traversal.walks[0]};
}

// On cora, whose rows are few and short, long ones have 32 elements; 200 rows
// of 400 elements have a block each.
TEST(CostModelTest, OpsHaveTheWalksOfTheirTraversals) {
  auto [cora, builtCora] = walksOfAttention(2708, 10556, 168);
  EXPECT_EQ(cora.splitEdges, 64);
  EXPECT_FALSE(cora.isByBlocks);
  auto [few, builtFew] = walksOfAttention(200, 80000, 460);
  EXPECT_TRUE(few.isByBlocks);
  EXPECT_EQ(few.countTeamRows(), 200 * few.teams);
  for (auto [walk, built] : {std::pair(cora, builtCora), {few, builtFew}}) {
    EXPECT_EQ(walk.splitEdges, built.splitEdges);
    EXPECT_EQ(walk.edgesPerRound, built.edgesPerRound);
    EXPECT_EQ(walk.edgesPerLongRound, built.edgesPerLongRound);
    EXPECT_EQ(walk.teams, built.teams);
    EXPECT_EQ(walk.warps, built.warps);
    EXPECT_EQ(walk.isByBlocks, built.isByBlocks);
  }
}

// Rows of 16 elements a round and team, above 512 of a whole block.
static WalkWork longWalk(double teams) {
  WalkWork walk;
  walk.isScheduled = true;
  walk.walks = 1;
  walk.edgesPerRound = walk.edgesPerLongRound = 16;
  walk.splitEdges = 512;
  walk.teams = teams;
  walk.longest = 32 * 16 * teams;
  return walk;
}

TEST(CostModelTest, RoundsOfTheLongestRow) {
  LongestRounds eight = longWalk(8).getLongestRounds();
  EXPECT_EQ(eight.alone, 32);
  EXPECT_EQ(eight.together, 32);
  // Long rows lie side by side.
  EXPECT_EQ(longWalk(32).getLongestRounds().together, 64);
  EXPECT_EQ(longWalk(4).getLongestRounds().together, 32);
  WalkWork none = longWalk(32);
  none.longest = 160;
  EXPECT_EQ(none.getLongestRounds().alone, 10);
  EXPECT_EQ(none.getLongestRounds().together, 0);
  // A block that has one row has no others beside it.
  WalkWork blocks = longWalk(32);
  blocks.isByBlocks = true;
  EXPECT_EQ(blocks.getLongestRounds().alone, 0);
  EXPECT_EQ(blocks.getLongestRounds().together, 32);
  blocks.isScheduled = false; // which is not told apart
  EXPECT_EQ(blocks.getLongestRounds().alone, 32);
  EXPECT_EQ(blocks.getLongestRounds().together, 0);
}

// The pieces of long rows have a block each, the rows that are left a team
// each, and long ones of these are made of pieces.
TEST(CostModelTest, PiecesHaveABlockEach) {
  RowLengths lengths{/*rows=*/100, /*elements=*/100000, /*longest=*/4096};
  KernelWork work;
  work.walks.push_back(longWalk(8));
  KernelWork pieces = work, rest = work;
  takeShare(pieces, lengths, 256, /*ofPieces=*/true);
  EXPECT_TRUE(pieces.walks[0].isByBlocks);
  EXPECT_EQ(pieces.walks[0].getLongestRounds().together, 256 / (16 * 8.0));
  EXPECT_EQ(pieces.walks[0].countTeamRows(), 8 * pieces.walks[0].rows);
  rest.walks[0].isByBlocks = true;
  takeShare(rest, lengths, 256, /*ofPieces=*/false);
  EXPECT_FALSE(rest.walks[0].isByBlocks);
  EXPECT_EQ(rest.walks[0].splitEdges, 256);
  EXPECT_EQ(rest.walks[0].parts, 16);
}

// All teams of a block gather at the rate of one multiprocessor.
TEST(CostModelTest, ABlockGathersSlowly) {
  auto cost = [](double teams, ArrayRef<double> bytes) {
    KernelWork kernel;
    kernel.walks.push_back(longWalk(teams));
    kernel.walks[0].edgeBytes.assign(bytes.begin(), bytes.end());
    kernel.streamBytes = 1;
    return model(CostKind::Full).cost(kernel);
  };
  EXPECT_EQ(cost(8, {4}), cost(8, {}));     // 128 edges, 0.1 us
  EXPECT_GT(cost(64, {4}), cost(64, {}));   // 1024 edges, 0.9 us
  EXPECT_EQ(cost(64, {4}), cost(64, {64})); // of the L2 64 bytes at least
  EXPECT_GT(cost(64, {4, 4}), 1.3 * cost(64, {4}));
}

TEST_F(DescribeTest, HalfTheRows) {
  KernelWork product =
      describe("gnn.typed_linear %pair, %typed : (!pair, !typed) -> !out");
  product *= 0.5;
  EXPECT_EQ(product.productRows, 6);
  EXPECT_EQ(product.productFlops, 6 * 2 * 8 * 16);

  KernelWork sum = describe("gnn.spmm mul %pair, %score reduce sum via dst : "
                            "(!pair, !score) -> !node");
  double longest = sum.longestRow;
  EXPECT_GT(longest, 0);
  WalkWork &walk = sum.walks.emplace_back();
  walk.walks = 1, walk.rows = 7, walk.edges = 20, walk.longest = 5;
  sum *= 0.5;
  EXPECT_EQ(sum.gathers[0].rows, 10);
  EXPECT_EQ(sum.gathers[0].tableRows, 12);
  EXPECT_EQ(sum.reducedRows, 3.5);
  EXPECT_EQ(sum.longestRow, longest);
  EXPECT_EQ(sum.walks[0].getRounds(), 13.5);
  EXPECT_EQ(sum.walks[0].longest, 5);
}

TEST_F(DescribeTest, WithoutStatistics) {
  auto declared = parseSourceString<ModuleOp>(
      "gnn.graph @g square {node_types = 1, edge_types = 1}", &context);
  auto graph = *declared->getOps<GraphOp>().begin();
  Type rows = RankedTensorType::get(
      {ShapedType::kDynamic}, Float32Type::get(&context),
      RowsAttr::get(&context, FlatSymbolRefAttr::get(&context, "g"),
                    RowSpace::Node));
  EXPECT_EQ(getGraph(graph, rows), graph);
  EXPECT_FALSE(getStats(graph, rows));
  EXPECT_FALSE(getStats(graph, Float32Type::get(&context)));
}
