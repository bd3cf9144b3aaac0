//===- EdgeWalks.cpp - The cost of a walk by edges ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal shares of the elements cost what is read and written, whatever rows
// there are, and at least the time that a team waits for its share. A kernel of
// its own adds up rows in pieces.
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

/// Elements from which structures may take as long as the host does. Measured
/// when torch's ops built them: of HGT on an H200, walks by edges took 0.78 of
/// the time on 620,000 edges, 0.90 on 148,000 and 1.24 times as long on 49,000.
static constexpr double leastOnHost = 1 << 17;

/// Elements from which walks are known to a part of a launch, and the launches
/// that walks of fewer have to save: a sum of 2 features of cora, which has
/// 10,556, takes 6 us by rows there and 9 by edges, where the model has 23 and
/// 14, and training of RGAT on mutag, which has 148,000, 216 and 241. A sum of
/// amazon-book, which has 846,434, takes 26.6 us and 15.7, where the model has
/// 26.4 and 20.5. From so many elements on, a quarter of a launch is enough:
/// weighted sums of 8 features and argmax of 2 and 8 over soc-epinions, which
/// has 811,478, are 0.3 to 0.5 launches apart by the model, and take 29.6, 32.2
/// and 34.9 us by rows, 14.3, 21.5 and 16.0 by edges.
static constexpr double leastKnown = 1 << 18, leastLaunches = 2,
                        launchesOfKnown = 0.25;

/// Whether a graph of the program is one whose structures kernels do not build
/// (`isBuilt` of DeviceBuild.cpp). The host builds all of them then, and copies
/// five arrays more for each walk by edges. Those of a schema they build; its
/// walks are not measured without the bound.
static bool needsHost(TraverseOp op) {
  auto graphs = op->getParentOfType<ModuleOp>().getOps<GraphOp>();
  return llvm::any_of(graphs, [](GraphOp graph) {
    return graph.getSchema() || graph.getParentTypes() ||
           graph.getLoops() == LoopsKind::Remaining;
  });
}

/// Pieces of a row that a team of the kernel that joins them takes at once: few
/// rows have more than a few of them.
static constexpr int64_t piecesInFlight = 4;

/// Pieces of a row above which all teams of a block take them: 32 rounds of one
/// team.
static constexpr int64_t longPieces = 32 * piecesInFlight;

/// A block that a row goes through leaves one at its begin and one at its end.
static double countLongestPieces(TraverseOp op, int64_t ofBlock,
                                 StatsAttr stats) {
  double longest = countLongestGroup(op.getGroups(), op.getElements(), stats);
  return 2 * std::ceil(longest / static_cast<double>(ofBlock));
}

TraverseSchedule gnn::scheduleByRows(const TraverseSchedule &byEdges) {
  TraverseSchedule schedule = byEdges;
  schedule.rowWalk = RowWalk::Team;
  schedule.distribution = std::nullopt;
  schedule.merge = std::nullopt;
  schedule.processorBlocks = schedule.maxRegisters = 0;
  return schedule;
}

TraverseSchedule gnn::scheduleJoin(TraverseOp op,
                                   const TraverseSchedule &byEdges,
                                   StatsAttr stats) {
  TraverseSchedule schedule = scheduleByRows(byEdges);
  schedule.inFlight = std::min(schedule.inFlight, piecesInFlight);
  if (!stats || countLongestPieces(op, byEdges.getBlockPositions(), stats) <=
                    static_cast<double>(longPieces))
    return schedule;
  TraverseSchedule byLength = schedule;
  byLength.rowWalk = RowWalk::ByLength;
  byLength.splitRows = longPieces;
  return layOut(byLength, TraverseFacts(op)).sharesRows ? byLength : schedule;
}

/// The pieces of rows, for the kernel that joins them.
static KernelWork describeJoin(TraverseOp op, const TraverseSchedule &byEdges,
                               StatsAttr stats) {
  int64_t ofBlock = byEdges.getBlockPositions();
  double pieces = countRows(RowDomain::pieces(op.getGroups().get().space,
                                              op.getElements().get(), ofBlock),
                            stats);
  DomainAttr domain = op.getDomain();
  KernelWork work;
  for (Value reduced : op.getReduced()) {
    Level level = getLevel(reduced);
    work.streamBytes += 2 * pieces * 4 * (level.head ? domain.getHeads() : 1) *
                        (level.feature ? domain.getFeatures() : 1);
  }
  TraverseSchedule schedule = scheduleJoin(op, byEdges, stats);
  WalkWork walk;
  walk.walks = 1;
  walk.longest = countLongestPieces(op, ofBlock, stats);
  walk.edgesPerRound = walk.edgesPerLongRound =
      static_cast<double>(schedule.inFlight);
  walk.splitEdges = walk.longest;
  if (schedule.rowWalk == RowWalk::ByLength) {
    walk.isScheduled = true;
    walk.splitEdges = static_cast<double>(schedule.splitRows);
    walk.teams = static_cast<double>(schedule.rowsPerBlock);
  }
  work.walks.push_back(walk);
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
  double ofResults = isCrowded ? KernelConstants::resultSlots * results : 0;
  return (byRows ? 0 : KernelConstants::elementSlots) +
         KernelConstants::operationSlots * operations / KernelConstants::lanes +
         ofResults + warps * ofLanes * (byRows ? KernelConstants::oneByOne : 1);
}

WalkSteps gnn::describeSteps(TraverseOp op, const TraverseFacts &facts,
                             const TraverseSchedule &schedule) {
  int64_t columns = schedule.columnsPerBlock
                        ? std::min(schedule.columnsPerBlock, facts.features)
                        : facts.features;
  WalkSteps steps;
  steps.operations = countOperations(op, facts.headsOfBlock(schedule), columns);
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
  steps.results =
      llvm::count_if(op.getOutputsAt().getAsRange<AtAttr>(), [](AtAttr at) {
        return at.getAnchor() == Anchor::Element;
      });
  return steps;
}

TraverseSchedule gnn::scheduleByEdges(TraverseOp op, const TraverseFacts &facts,
                                      int64_t heads, int64_t columns) {
  TraverseSchedule schedule(op);
  schedule.rowWalk = RowWalk::ByEdges;
  chooseVector(schedule, facts);
  schedule.columnsPerBlock = columns;
  schedule.headsPerBlock = heads;
  chooseLanes(schedule, facts);
  chooseRows(schedule, facts);
  // In turns, wide rows take 0.8 to 1.3 of the time that they take side by side
  // (docs/Cost.md). By loads of groups' rows from the L2, which the L1 holds
  // mostly, it would be 1.1 to 2.1.
  if (schedule.distribution &&
      layOut(schedule, facts).threadsPerRow() > cyclicLanes)
    schedule.distribution = ElementDistribution::Blocked;
  return schedule;
}

namespace {
/// Gives an op a schedule for as long as it is described.
class WithSchedule {
public:
  WithSchedule(TraverseOp op, const TraverseSchedule &schedule)
      : op(op), before(op.getScheduleAttr()) {
    schedule.setOn(op);
  }
  ~WithSchedule() { op.setScheduleAttr(before); }
  WithSchedule(const WithSchedule &) = delete;
  WithSchedule &operator=(const WithSchedule &) = delete;

private:
  TraverseOp op;
  TraversalScheduleInterface before;
};
} // namespace

static double bytesOf(Value value) {
  return getElementTypeOrSelf(value).getIntOrFloatBitWidth() / 8.0;
}

/// Bytes in order that a tile of so many heads reads and writes whatever its
/// columns: words by which rows are found, and numbers of elements.
static double countTileBytes(TraverseOp op, double edges, double heads) {
  double words = 4 * static_cast<double>(
                         std::max<int64_t>(!op.isCyclic(), countMapped(op)));
  auto add = [&](Value value, AtAttr at) {
    Level level = getLevel(at);
    if (level.element && !level.feature &&
        !isMapped(op, op.getElements(), at.getSpace()))
      words += bytesOf(value) * (level.head ? heads : 1);
  };
  for (OpOperand *input : op.getReadInputs())
    add(input->get(), op.getAccess(*input));
  for (auto [i, output] : llvm::enumerate(op.getOutputs()))
    add(output, op.getOutputAt(i));
  return words * edges;
}

/// Where teams take turns, elements read the rows of their groups: each load of
/// a warp has those that its teams are in.
static void addGroupRows(KernelWork &work, TraverseOp op,
                         const TraverseLayout &layout,
                         const TraverseFacts &facts, StatsAttr stats) {
  auto teams = static_cast<double>(layout.rowsPerWarp());
  double elements = teams * static_cast<double>(layout.inFlight);
  double rows = facts.meanLength
                    ? std::min(teams, 1 + elements / facts.meanLength)
                    : teams;
  for (OpOperand *input : op.getReadInputs()) {
    AtAttr at = op.getAccess(*input);
    if (at.getAnchor() != Anchor::Group)
      continue;
    GatherWork gather;
    gather.rows = facts.numElements / teams * rows;
    gather.hasHeads = static_cast<bool>(at.getHead());
    gather.hasFeatures = static_cast<bool>(at.getFeature());
    gather.rowBytes =
        bytesOf(input->get()) *
        static_cast<double>((gather.hasHeads ? facts.heads : 1) *
                            (gather.hasFeatures ? facts.features : 1));
    gather.tableRows = countRows(op.getGroups(), stats);
    gather.table = input->get();
    gather.isAgain = true; // the first time is among what is read in order
    work.gathers.push_back(gather);
  }
}

/// Whether something that each element has is computed of a value of its group.
static bool isReadByElements(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (isa<tile::YieldOp>(user))
      return false;
    return reducesElements(user) ||
           llvm::any_of(user->getResults(), [](Value result) {
             return getLevel(result).element || isReadByElements(result);
           });
  });
}

/// Rows that a share begins after the first one: of each, a team waits for what
/// its elements need of it.
static double countRowWaits(TraverseOp op, const WalkWork &walk) {
  bool readsRows = llvm::any_of(op.getBody().getArguments(), [&](Value value) {
    AtAttr at = op.getInputAt(cast<BlockArgument>(value).getArgNumber());
    return at.getAnchor() == Anchor::Group && isReadByElements(value);
  });
  if (!readsRows || op.isCyclic() || walk.edges == 0)
    return 0;
  return walk.longest * std::min(walk.rows / walk.edges, 1.0);
}

KernelWork gnn::describeByEdges(TraverseOp op, StatsAttr stats, int64_t heads,
                                int64_t columns) {
  TraverseFacts facts = getScheduleFacts(op, stats);
  TraverseSchedule schedule = scheduleByEdges(op, facts, heads, columns);
  TraverseSchedule whole = schedule;
  whole.columnsPerBlock = whole.headsPerBlock = 0;
  WithSchedule described(op, whole);
  KernelWork work = describeTraversal(op, stats);
  if (op.isCyclic())
    addGroupRows(work, op, layOut(schedule, facts), facts, stats);
  double ofHeads =
      static_cast<double>(heads) / static_cast<double>(facts.heads);
  double ofColumns =
      static_cast<double>(columns) / static_cast<double>(facts.features);
  for (GatherWork &gather : work.gathers)
    gather.rowBytes *=
        (gather.hasHeads ? ofHeads : 1) * (gather.hasFeatures ? ofColumns : 1);
  for (WalkWork &walk : work.walks) {
    auto ofElements = [&](int64_t of) {
      return countTileBytes(op, walk.edges, static_cast<double>(of));
    };
    work.streamBytes =
        ofElements(heads) +
        std::max(work.streamBytes - ofElements(facts.heads), 0.0) * ofHeads *
            ofColumns;
    walk.isByEdges = true;
    WalkSteps steps = describeSteps(op, facts, schedule);
    double batches = walk.edges / static_cast<double>(schedule.inFlight);
    double ended = batches * -std::expm1(-walk.rows / std::max(batches, 1.0));
    walk.slots = walk.edges * steps.countSlots(false);
    if (!op.isCyclic()) // which meets no ends
      walk.slots += steps.warps * (walk.rows * KernelConstants::rowSlots +
                                   ended * KernelConstants::endSlots);
    walk.inFlight = static_cast<double>(schedule.inFlight);
    walk.longest = walk.splitEdges = TeamShare::elements;
    walk.edgesPerRound =
        walk.longest / (walk.longest / walk.inFlight + countRowWaits(op, walk));
    walk.rows = walk.edges = walk.parts = 0;
  }
  work.reducedRows = work.longestRow = 0;
  work.crowding = 1;
  return work;
}

double gnn::costByEdges(const CostModel &model, TraverseOp op,
                        StatsAttr stats) {
  TraverseFacts facts = getScheduleFacts(op, stats);
  TileCosts costs(model, op, facts, stats, /*isByEdges=*/true);
  TraverseSchedule schedule(op);
  ColumnTile all{facts.heads, facts.features}, tile = all;
  if (schedule.columnsPerBlock) {
    tile.columns = std::min(tile.columns, schedule.columnsPerBlock);
    tile.heads = facts.headsOfBlock(schedule);
  } else if (costs.hasTables()) {
    schedule.rowWalk = RowWalk::ByEdges;
    chooseVector(schedule, facts);
    tile = costs.choose(all, schedule, facts.features);
  }
  double cost = model.cost(describeByEdges(op, stats, all.heads, all.columns));
  if (costs.hasTables())
    cost -= costs.seconds(all, all) - costs.seconds(tile, all);
  if (!op.getReduced().empty())
    cost += model.cost(describeJoin(
        op, scheduleByEdges(op, facts, tile.heads, tile.columns), stats));
  return cost;
}

double gnn::costScheduled(const CostModel &model, TraverseOp op,
                          StatsAttr stats) {
  return op.isByEdges() ? costByEdges(model, op, stats)
                        : costTraversal(model, op, stats);
}

int64_t gnn::countLaunches(TileOpInterface op) {
  auto traverse = dyn_cast<TraverseOp>(*op);
  if (!traverse)
    return 1;
  TraverseFacts facts(traverse);
  TraverseLayout layout = layOut(TraverseSchedule(traverse), facts);
  bool joins = traverse.isByEdges() && !traverse.getReduced().empty();
  return layout.headTiles * (facts.reducesFeatures ? layout.columnTiles : 1) *
         (joins ? 2 : 1);
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
                              TraverseOp before, CostKind kind) {
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
  if (elements < leastOnHost && needsHost(op))
    return llvm::formatv("{0:F0} elements are too few for structures that the "
                         "host builds: expected at least {1:F0}",
                         elements, leastOnHost)
        .str();
  CostModel model(op, kind);
  double byRows = costTraversal(model, before, stats);
  double byEdges = costByEdges(model, op, stats);
  gain = ": " + model.textOf(byEdges) + " instead of " + model.textOf(byRows) +
         " by the model";
  double launches = elements < leastKnown ? leastLaunches : launchesOfKnown;
  if (!model.isBetterByLaunches(byRows, byEdges, launches))
    return ("equal shares of the elements " +
            CostModel::explainLoss(byRows, byEdges) + gain)
               .str() +
           (byEdges < byRows ? ", of which they have to save " +
                                   model.textOf(launches * model.getLaunch())
                             : "");
  return "";
}

double gnn::costWalk(const CostModel &model, TraverseOp op, int64_t edgeWalks,
                     StatsAttr stats) {
  std::string gain;
  return explainEdges(op, edgeWalks, gain, op, model.getKind()).empty()
             ? costByEdges(model, op, stats)
             : costTraversal(model, op, stats);
}
