//===- Walks.cpp - Walks over the edges of rows ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that an op says itself become traversals, whose lanes, teams and
// rounds follow from the features that an edge has in them, by the functions
// that choose the schedules of traversals.
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

using namespace mlir;
using namespace gnn;

LongestRounds WalkWork::getLongestRounds() const {
  double alone = std::ceil(std::min(longest, splitEdges) / edgesPerRound);
  double together = (parts ? parts : longest) / (edgesPerLongRound * teams);
  if (isByBlocks)
    return isScheduled ? LongestRounds{0, together}
                       : LongestRounds{together, 0};
  if (!isScheduled)
    return {std::max(alone, together), 0};
  if (longest <= splitEdges)
    return {alone, 0};
  // Rows that are long lie side by side, more of them in a block of more rows.
  double neighbors = std::sqrt(teams / KernelConstants::teamsOfOneLongRow);
  return {alone, together * std::max(1.0, neighbors)};
}

static WalkWork describeWalk(const WalkCount &walk, StatsAttr stats,
                             const TargetFigures &figures) {
  int64_t features = walk.features.empty() ? 1 : walk.features.back();
  int64_t heads = ShapedType::getNumElements(walk.features) / features;
  WalkWork work;
  work.walks = walk.walks;
  work.rows = RowCount::rows(walk.path.to).evaluate(stats);
  work.edges = RowCount::rows(walk.path.from).evaluate(stats);
  double mean = work.edges / std::max(work.rows, 1.0);
  // Their mean where nothing is known.
  work.longest = std::max(getLongestRow(walk.path, stats), mean);
  tile::TraverseFacts facts(heads, features, walk.sumsFeatures);
  facts.processors = figures.processors;
  facts.numElements = work.edges;
  if (isNodeSpace(walk.path.to) || isPairSpace(walk.path.to))
    facts.meanLength = mean;
  facts.longestLength = work.longest;
  tile::TraverseSchedule schedule;
  tile::chooseVector(schedule, facts);
  tile::chooseColumns(schedule, facts);
  tile::chooseLanes(schedule, facts);
  tile::chooseRows(schedule, facts);
  tile::chooseSplitRows(schedule, facts);
  tile::TraverseLayout layout = tile::layOut(schedule, facts);

  work.edgesPerRound = layout.elementLanes * layout.inFlight;
  work.edgesPerLongRound = layout.elementLanes * layout.longInFlight();
  work.splitEdges = schedule.splitRows;
  work.teams = layout.rowsPerBlock;
  work.warps = layout.warpsPerRow();
  // For what is read, and sums over features for other lanes.
  work.waits = walk.sumsFeatures ? 2 : 1;
  work.isByBlocks = tile::areWalkedByBlocks(schedule, facts);
  return work;
}

KernelWork gnn::describeKernel(const KernelCounts &kernel, StatsAttr stats,
                               const TargetFigures &figures) {
  KernelWork work;
  work.otherFlops = kernel.flops.evaluate(stats);
  work.streamBytes = (kernel.readBytes + kernel.writtenBytes).evaluate(stats);
  work.reducedRows = RowCount::rows(kernel.walk.path.to).evaluate(stats);
  work.walks.push_back(describeWalk(kernel.walk, stats, figures));
  const WalkWork &walk = work.walks.back();
  if (kernel.walk.walks == 1 && kernel.walk.path.from == RowSpace::Edge)
    work.lengths = {walk.rows, walk.edges, walk.longest};
  // Inputs that only one walk reads are read by the last one.
  double inFirst = 0, inLast = 0;
  for (const ReadCount &read : kernel.reads) {
    if (read.inOrder)
      continue;
    GatherWork gather;
    gather.rows = read.rows.evaluate(stats);
    gather.rowBytes = read.rowBytes;
    gather.tableRows = read.tableRows.evaluate(stats);
    gather.table = read.value;
    work.streamBytes -= gather.rows * gather.rowBytes;
    double &largest = read.times > 1 ? inFirst : inLast;
    largest = std::max(largest, gather.tableRows * gather.rowBytes);
    for (int64_t i = 0; i < read.times; ++i) {
      work.gathers.push_back(gather);
      gather.isAgain = true;
    }
  }
  work.walks.back().tables = {inFirst, inLast};
  return work;
}
