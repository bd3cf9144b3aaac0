//===- EdgeWalks.cpp - What a walk by edges costs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal shares of the elements cost what is read and written, whatever rows
// there are, and at least what a team waits for its share. What is left of rows
// in pieces is a kernel of its own.
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/ColumnTiles.h"
#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Elements from which structures may take as long as torch's ops do.
static constexpr double leastElements = 1 << 20;

/// Whether a graph of the program is one whose structures kernels do not build
/// (`isBuilt` of DeviceBuild.cpp). torch's ops build all of them then, about a
/// hundred for each walk by edges.
static bool needsTorch(TraverseOp op) {
  auto graphs = op->getParentOfType<ModuleOp>().getOps<GraphOp>();
  return llvm::any_of(graphs, [](GraphOp graph) {
    return graph.getSchema() || graph.getParentTypes() ||
           graph.getLoops() == LoopsKind::Remaining;
  });
}

/// Launches whose time a walk by edges has to save: the time of kernels that
/// take a few of them is not known better than that (docs/Cost.md).
static constexpr double leastLaunches = 2;

/// Kernels that weigh elements take 103 to 128 registers a lane, those that add
/// rows up 64 (six models, ptxas for sm_90): half as many warps are at work.
static constexpr double weighedCrowding = 2;

/// The pieces of rows, for the kernel that joins them.
static KernelWork describeJoin(TraverseOp op, const TraverseSchedule &schedule,
                               StatsAttr stats) {
  double pieces = countRows(RowDomain::pieces(op.getGroups().get().space,
                                              op.getElements().get(),
                                              schedule.getBlockPositions()),
                            stats);
  DomainAttr domain = op.getDomain();
  KernelWork work;
  for (Value reduced : op.getReduced()) {
    Level level = getLevel(reduced);
    work.streamBytes += 2 * pieces * 4 * (level.head ? domain.getHeads() : 1) *
                        (level.feature ? domain.getFeatures() : 1);
  }
  return work;
}

double gnn::costByEdges(const CostModel &model, TraverseOp op,
                        StatsAttr stats) {
  TraverseFacts facts(op);
  TraverseSchedule schedule(op);
  schedule.rowWalk = RowWalk::ByEdges;
  chooseLanes(schedule, facts);
  chooseRows(schedule, facts);
  KernelWork work = describeTraversal(op, stats);
  for (WalkWork &walk : work.walks) {
    walk.rows = walk.edges = walk.parts = 0;
    walk.longest = walk.splitEdges = TeamShare::elements;
    walk.edgesPerRound = static_cast<double>(schedule.inFlight);
  }
  work.reducedRows = work.longestRow = 0;
  work.crowding = facts.weighsElements ? weighedCrowding : 1;
  double cost = model.cost(work);
  if (!op.getReduced().empty())
    cost += model.cost(describeJoin(op, schedule, stats));
  return cost;
}

/// What tiles of columns save that are reduced.
static double savedByTiles(const CostModel &model, TraverseOp op,
                           StatsAttr stats) {
  TraverseFacts facts(op);
  TileCosts costs(model, op, facts, stats, /*isByEdges=*/true);
  if (!costs.hasTables())
    return 0;
  TraverseSchedule schedule(op);
  schedule.vector = facts.widestVector;
  ColumnTile all{facts.heads, facts.features};
  ColumnTile tile = costs.choose(all, schedule, facts.features);
  return costs.seconds(all, all) - costs.seconds(tile, all);
}

std::string gnn::explainCuts(TraverseOp op, StatsAttr &stats) {
  if (!getAbilities(op).longRows)
    return "blocks of the target do not share a row";
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  stats = graph ? getStats(graph) : nullptr;
  if (!stats)
    return "nothing is known of the length of its rows";
  return "";
}

std::string gnn::explainEdges(TraverseOp op, int64_t setting, std::string &gain,
                              TraverseOp before, int64_t copiedBytes) {
  if (setting == 0)
    return "it is turned off";
  std::string why = explainByEdges(op);
  if (!why.empty())
    return why;
  if (!shareLanesRows(op))
    return "blocks of the target do not share a row";
  if (setting > 0)
    return "";
  StatsAttr stats;
  why = explainCuts(op, stats);
  if (!why.empty())
    return why;
  TraverseFacts facts(op);
  TraverseSchedule schedule(op);
  schedule.rowWalk = RowWalk::ByEdges;
  chooseLanes(schedule, facts);
  double elements = countRows(op.getElements(), stats);
  if (elements < leastElements && needsTorch(op))
    return llvm::formatv("{0:F0} elements are few: their structures are built "
                         "by torch's ops, from {1:F0} on",
                         elements, leastElements)
        .str();
  if (schedule.lanes * schedule.headLanes == 1)
    return "a row is read by one lane, beside whose elements those of others "
           "do not lie";
  CostModel model(op, CostKind::Full);
  double byRows = costTraversal(model, before, stats);
  if (copiedBytes)
    byRows += model.getLaunch() + elements * static_cast<double>(copiedBytes) /
                                      model.getFigures().memoryBandwidth;
  double byEdges = costByEdges(model, op, stats);
  // Rows of edges by themselves have no tiles.
  if (before != op)
    byEdges -= savedByTiles(model, op, stats);
  gain = ": " + model.textOf(byEdges) + " instead of " + model.textOf(byRows) +
         " by the model";
  if (!model.isTime() || !model.isBetter(byRows, byEdges) ||
      byRows - byEdges < leastLaunches * model.getLaunch())
    return "equal shares of the elements pay too little" + gain;
  return "";
}

double gnn::costWalk(const CostModel &model, TraverseOp op, int64_t edgeWalks,
                     StatsAttr stats) {
  std::string gain;
  return explainEdges(op, edgeWalks, gain, op).empty()
             ? costByEdges(model, op, stats)
             : costTraversal(model, op, stats);
}
