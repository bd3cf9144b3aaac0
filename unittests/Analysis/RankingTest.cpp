//===- RankingTest.cpp - The cost model against measured kernels ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One RGCN layer, 64 to 64, in three orders on eight graphs of the sizes of
// well known data sets. The times are of hand-written kernels on an H200 (tiles
// of 64 rows, 3xTF32 products at 80 TFLOP/s, replays of a CUDA graph,
// 2026-11-21, the faster of two block sizes). The counts are of graphs that the
// same generator made on a CPU: sources as there, destinations within 0.3%.
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/CostModel.h"

#include <gtest/gtest.h>

using namespace gnn;

namespace {

/// Totals of a graph, and what the orders took.
struct Measured {
  const char *name;
  double nodes, edges, srcPairs, dstPairs;
  /// With each edge type on the side of fewer rows: source pairs and edges of
  /// those transformed first, destination pairs of those aggregated first.
  double fewerSrcPairs, transformedEdges, fewerDstPairs;
  /// Whether aggregating first needs a kernel for sums of long rows too, as
  /// what is transformed first always does.
  bool hasLongRows;
  /// Milliseconds.
  double transform, aggregate, mixed;
};

const Measured sets[] = {
    // clang-format off
    {"aifb", 7300, 49000, 24739, 24725, 12788, 25929, 7833, false, 0.0337, 0.0197, 0.0345},
    {"mutag", 27000, 148000, 75244, 77796, 35912, 65177, 26954, false, 0.0478, 0.0345, 0.0467},
    {"bgs", 95000, 673000, 311305, 208898, 33380, 144121, 152919, false, 0.1454, 0.0987, 0.1274},
    {"fb15k", 15000, 620000, 166044, 405431, 151044, 527748, 14741, true, 0.0938, 0.1561, 0.1049},
    {"biokg", 94000, 4800000, 1126453, 846981, 149566, 586860, 602735, false, 0.4860, 0.3506, 0.4224},
    {"am", 1900000, 5700000, 3283592, 3622868, 1930971, 3072794, 1005023, false, 1.3111, 1.3520, 1.3031},
    {"mag", 1939743, 21111007, 3651425, 1533981, 0, 0, 1533981, false, 2.0013, 1.6423, 1.6427},
    {"wikikg2", 2500000, 16000000, 7999873, 13895914, 7999873, 16000000, 0, true, 2.7128, 4.1750, 2.7249},
    // clang-format on
};

constexpr double rowBytes = 64 * 4, idBytes = 4, weightBytes = 4;

/// Rows through the product, which are written.
KernelWork product(double rows) {
  KernelWork work;
  work.productRows = rows;
  work.productFlops = rows * 2 * 64 * 64;
  work.streamBytes = rows * rowBytes;
  return work;
}

/// Transforms source pairs, or sums the edges of destination pairs and
/// transforms those: a gather of nodes either way.
KernelWork pairs(double rows, double gathered, double nodes) {
  KernelWork work = product(rows);
  work.streamBytes += gathered * idBytes;
  work.gathers.push_back({gathered, rowBytes, nodes});
  return work;
}

/// Sums rows into the nodes, and adds the product with the root's weight.
KernelWork nodes(double count, double weighted,
                 llvm::SmallVector<GatherWork, 2> gathers) {
  KernelWork work = product(count);
  work.streamBytes += count * rowBytes + weighted * weightBytes;
  for (const GatherWork &gather : gathers)
    work.streamBytes += gather.rows * idBytes;
  work.gathers = std::move(gathers);
  return work;
}

/// What the model says of one order, in milliseconds.
double predict(llvm::ArrayRef<KernelWork> kernels, bool hasLongRows) {
  TargetFigures target = getFigures(CostTarget::h200);
  target.kernels.productFlops.value = 80e12;
  double launch = hasLongRows ? double(target.launchSeconds) : 0;
  return (CostModel(target, CostKind::Full).cost(kernels) + launch) * 1e3;
}

double predictTransform(const Measured &set) {
  return predict(
      {pairs(set.srcPairs, set.srcPairs, set.nodes),
       nodes(set.nodes, set.edges, {{set.edges, rowBytes, set.srcPairs}})},
      true);
}

double predictAggregate(const Measured &set) {
  return predict(
      {pairs(set.dstPairs, set.edges, set.nodes),
       nodes(set.nodes, 0, {{set.dstPairs, rowBytes, set.dstPairs}})},
      set.hasLongRows);
}

double predictMixed(const Measured &set) {
  bool transforms = set.fewerSrcPairs > 0;
  llvm::SmallVector<KernelWork> kernels;
  if (transforms)
    kernels.push_back(pairs(set.fewerSrcPairs, set.fewerSrcPairs, set.nodes));
  if (set.fewerDstPairs > 0)
    kernels.push_back(
        pairs(set.fewerDstPairs, set.edges - set.transformedEdges, set.nodes));
  double summed = set.transformedEdges + set.fewerDstPairs;
  kernels.push_back(nodes(set.nodes, transforms ? summed : 0,
                          {{set.transformedEdges, rowBytes, set.fewerSrcPairs},
                           {set.fewerDstPairs, rowBytes, set.fewerDstPairs}}));
  return predict(kernels, transforms || set.hasLongRows);
}

} // namespace

// Orders that differ by more than a second run of the same, which is 3%, come
// in the right order.
TEST(RankingTest, MeasuredOrders) {
  const char *orders[] = {"transform", "aggregate", "mixed"};
  for (const Measured &set : sets) {
    SCOPED_TRACE(set.name);
    double measured[] = {set.transform, set.aggregate, set.mixed};
    double predicted[] = {predictTransform(set), predictAggregate(set),
                          predictMixed(set)};
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        if (measured[a] * 1.03 < measured[b]) {
          EXPECT_LT(predicted[a], predicted[b])
              << orders[a] << " against " << orders[b];
        }
  }
}

// Times come out low, since the model has no latencies inside of a kernel.
TEST(RankingTest, MeasuredTimes) {
  for (const Measured &set : sets) {
    SCOPED_TRACE(set.name);
    for (auto [predicted, measured] :
         {std::pair(predictTransform(set), set.transform),
          std::pair(predictAggregate(set), set.aggregate),
          std::pair(predictMixed(set), set.mixed)}) {
      EXPECT_GT(predicted, 0.6 * measured);
      EXPECT_LT(predicted, 1.05 * measured);
    }
  }
}
