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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Elements from which structures may take as long as torch's ops do: of HGT on
/// an H200, walks by edges take 0.78 of the time on 620,000 edges, 0.90 on
/// 148,000 and 1.24 times as long on 49,000. A walk by rows of fewer elements
/// is not known well either: a sum of 2 features of cora, which has 10,556,
/// takes 6 us there, and 9 by edges.
static constexpr double leastElements = 1 << 17;

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

/// Operations on floats for each element by a walk that takes so many columns
/// of so many heads.
static double countOperations(TraverseOp op, int64_t heads, int64_t columns) {
  double count = 0;
  auto add = [&](Level level, double each) {
    if (level.element)
      count += each * static_cast<double>((level.head ? heads : 1) *
                                          (level.feature ? columns : 1));
  };
  for (Operation &inner : op.getBody().front().without_terminator()) {
    std::optional<Level> level = getFloatLevel(inner);
    if (!level)
      continue;
    if (!isa<SoftmaxSumOp>(inner)) {
      add(*level, 1);
      continue;
    }
    for (Value result : inner.getResults()) { // a product and a sum each
      Level own = getLevel(result);
      own.element = true;
      add(own, 2);
    }
  }
  return count;
}

double WalkSteps::countSlots(bool byRows) const {
  double ofLanes = (reducesFeatures ? KernelConstants::shuffleSlots : 0) +
                   (isCrowded ? KernelConstants::crowdedSlots : 0);
  return (byRows ? 0 : KernelConstants::elementSlots) +
         KernelConstants::operationSlots * operations / KernelConstants::lanes +
         warps * ofLanes * (byRows ? KernelConstants::oneByOne : 1);
}

WalkSteps gnn::describeSteps(TraverseOp op, int64_t heads, int64_t columns) {
  TraverseFacts facts(op);
  TraverseSchedule schedule;
  schedule.rowWalk = RowWalk::ByEdges;
  schedule.columnsPerBlock = columns;
  schedule.headsPerBlock = heads;
  chooseLanes(schedule, facts);
  WalkSteps steps;
  steps.operations = countOperations(op, heads, columns);
  steps.warps = static_cast<double>(schedule.lanes * schedule.headLanes) /
                KernelConstants::lanes;
  steps.reducesFeatures = facts.shufflesInsideElements;
  // Walks with powers of numbers of elements, or several sums, take 103 to 128
  // registers a lane, others 64 to 74.
  bool hasPowers =
      facts.weighsElements ||
      llvm::any_of(op.getBody().getOps<math::ExpOp>(), [](math::ExpOp power) {
        return getLevel(power.getResult()).element;
      });
  auto sums =
      llvm::count_if(facts.sums, [](Level level) { return level.feature; });
  steps.isCrowded = hasPowers || sums > 1;
  return steps;
}

KernelWork gnn::describeByEdges(TraverseOp op, StatsAttr stats, int64_t heads,
                                int64_t columns) {
  TraverseFacts facts(op);
  TraverseSchedule schedule(op);
  schedule.rowWalk = RowWalk::ByEdges;
  chooseLanes(schedule, facts);
  chooseRows(schedule, facts);
  KernelWork work = describeTraversal(op, stats);
  double ofHeads =
      static_cast<double>(heads) / static_cast<double>(facts.heads);
  double ofColumns =
      static_cast<double>(columns) / static_cast<double>(facts.features);
  for (GatherWork &gather : work.gathers)
    gather.rowBytes *=
        (gather.hasHeads ? ofHeads : 1) * (gather.hasFeatures ? ofColumns : 1);
  for (WalkWork &walk : work.walks) {
    // A word of each element, and a part of what else there is in order.
    double words = std::min(4 * walk.edges, work.streamBytes);
    work.streamBytes = words + (work.streamBytes - words) * ofHeads * ofColumns;
    walk.isByEdges = true;
    WalkSteps steps = describeSteps(op, heads, columns);
    walk.slots = walk.edges * steps.countSlots(false) +
                 walk.rows * steps.warps * KernelConstants::rowSlots;
    walk.rows = walk.edges = walk.parts = 0;
    walk.longest = walk.splitEdges = TeamShare::elements;
    walk.edgesPerRound = walk.inFlight = static_cast<double>(schedule.inFlight);
  }
  work.reducedRows = work.longestRow = 0;
  work.crowding = 1;
  return work;
}

/// What tiles of columns or heads save, those that are chosen or will be.
static double savedByTiles(const CostModel &model, TraverseOp op,
                           StatsAttr stats) {
  TraverseFacts facts(op);
  TileCosts costs(model, op, facts, stats, /*isByEdges=*/true);
  if (!costs.hasTables())
    return 0;
  TraverseSchedule schedule(op);
  ColumnTile all{facts.heads, facts.features}, tile = all;
  if (schedule.columnsPerBlock) {
    tile.columns = std::min(tile.columns, schedule.columnsPerBlock);
    if (schedule.headsPerBlock)
      tile.heads = std::min(tile.heads, schedule.headsPerBlock);
  } else {
    schedule.vector = facts.widestVector;
    tile = costs.choose(all, schedule, facts.features);
  }
  return costs.seconds(all, all) - costs.seconds(tile, all);
}

double gnn::costByEdges(const CostModel &model, TraverseOp op,
                        StatsAttr stats) {
  TraverseFacts facts(op);
  TraverseSchedule schedule(op);
  schedule.rowWalk = RowWalk::ByEdges;
  chooseLanes(schedule, facts);
  chooseRows(schedule, facts);
  double cost =
      model.cost(describeByEdges(op, stats, facts.heads, facts.features));
  if (!op.getReduced().empty())
    cost += model.cost(describeJoin(op, schedule, stats));
  return cost - savedByTiles(model, op, stats);
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
                              TraverseOp before) {
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
  double elements = countRows(op.getElements(), stats);
  if (elements < leastElements && needsTorch(op))
    return llvm::formatv("{0:F0} elements are few: their structures are built "
                         "by torch's ops, from {1:F0} on",
                         elements, leastElements)
        .str();
  CostModel model(op, CostKind::Full);
  double byRows = costTraversal(model, before, stats);
  double byEdges = costByEdges(model, op, stats);
  gain = ": " + model.textOf(byEdges) + " instead of " + model.textOf(byRows) +
         " by the model";
  if (!model.isBetterByLaunches(byRows, byEdges,
                                elements < leastElements ? 2 : 1))
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
