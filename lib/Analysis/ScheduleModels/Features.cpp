//===- Features.cpp - Schedules as rows of numbers ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/ScheduleModels/Features.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Dialect/Tile/IR/Registers.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::optional<size_t> FeatureTable::find(llvm::StringRef name) const {
  auto found = llvm::find(names, name);
  if (found == names.end())
    return std::nullopt;
  return found - names.begin();
}

//===----------------------------------------------------------------------===//
// Templates
//===----------------------------------------------------------------------===//

namespace {
/// What the features of a template are made of.
struct TemplateFacts {
  explicit TemplateFacts(TileOpInterface op);

  double isProduct = 0, features = 1, heads = 1, walksElements = 0,
         reducesFeatures = 0, weighsElements = 0, sums = 0, gathers = 0,
         numbers = 0, processors = unknown, l2Bytes = unknown;
  /// By statistics of the graph.
  double gatheredBytes = unknown, streamedBytes = unknown,
         writtenBytes = unknown, flops = unknown, groups = unknown,
         elements = unknown, edges = unknown, meanLength = unknown,
         variation = unknown, longestLength = unknown, tableBytes = unknown;
  double near[3] = {unknown, unknown, unknown};
  TargetLimits limits;

private:
  void takeTraversal(TraverseOp op);
  void takeProduct(TileOpInterface op);
  void countOperands(TileOpInterface op, StatsAttr stats);
  void takeGraph(TileOpInterface op, StatsAttr stats);
};
} // namespace

TemplateFacts::TemplateFacts(TileOpInterface op) {
  if (shareLanesRows(op)) // else a block is one lane, of a core
    limits = getBlockLimits(op);
  TargetFigures figures = getFigures(op);
  processors = figures.processors ? figures.processors : unknown;
  l2Bytes = figures.l2Bytes ? figures.l2Bytes : unknown;
  if (auto traversal = dyn_cast<TraverseOp>(op.getOperation()))
    takeTraversal(traversal);
  else
    takeProduct(op);
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  StatsAttr stats = graph ? getStats(graph) : nullptr;
  countOperands(op, stats);
  if (stats)
    takeGraph(op, stats);
}

void TemplateFacts::takeTraversal(TraverseOp op) {
  TraverseFacts facts(op);
  features = facts.features;
  heads = facts.heads;
  walksElements = facts.walksElements;
  reducesFeatures = facts.reducesFeatures;
  weighsElements = facts.weighsElements;
  sums = facts.sums.size();
}

/// The columns of a product are the last dimension of what it writes.
void TemplateFacts::takeProduct(TileOpInterface op) {
  isProduct = 1;
  auto written = cast<DestinationStyleOpInterface>(op.getOperation());
  auto type = dyn_cast<ShapedType>(written.getDpsInits().front().getType());
  if (type && !type.isDynamicDim(type.getRank() - 1))
    features = type.getDimSize(type.getRank() - 1);
}

/// Bytes of a row: of all dimensions but the first.
static double countRowBytes(ShapedType type) {
  double bytes = type.getElementType().getIntOrFloatBitWidth() / 8.0;
  for (int64_t size : type.getShape().drop_front())
    bytes *= ShapedType::isDynamic(size) ? 1 : size;
  return bytes;
}

void TemplateFacts::countOperands(TileOpInterface op, StatsAttr stats) {
  auto ends = cast<DestinationStyleOpInterface>(op.getOperation());
  if (stats)
    gatheredBytes = streamedBytes = writtenBytes = tableBytes = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    AtAttr at = op.getAccess(operand);
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!at || !type || at.getAnchor() == Anchor::All || !type.getRank())
      continue;
    RowDomain start = op.getStart(at);
    bool isMapped = at.getSpace() && tile::isMapped(op, start, at.getSpace());
    bool isWritten = ends.isDpsInit(&operand);
    gathers += isMapped && !isWritten;
    numbers += at.getAnchor() == Anchor::Element && !at.getFeature();
    if (!stats)
      continue;
    double rowBytes = countRowBytes(type);
    double &bytes = isWritten  ? writtenBytes
                    : isMapped ? gatheredBytes
                               : streamedBytes;
    bytes += countRows(start, stats) * rowBytes;
    if (isMapped)
      tableBytes += countRows(at.getSpace(), stats) * rowBytes;
  }
}

void TemplateFacts::takeGraph(TileOpInterface op, StatsAttr stats) {
  flops = op.getCost().flops.evaluate(
      [&](const CountKey &count) { return evaluateCount(count, stats); });
  RowDomain rows = op.getGroups(), ofRows = op.getElements();
  groups = countRows(rows, stats);
  elements = ofRows ? countRows(ofRows, stats) : 0;
  if (ofRows) {
    meanLength = elements / std::max(groups, 1.0);
    longestLength = countLongestGroup(rows, ofRows, stats);
  }
  bool isOfSrc = rows.getEnd() == RowEnd::Src;
  edges = stats.getEdges();
  double nodes = isOfSrc ? stats.getSrcNodes() : stats.getDstNodes();
  double squares =
      isOfSrc ? stats.getOutDegreeSquares() : stats.getInDegreeSquares();
  if (squares && nodes)
    variation = std::sqrt(std::max(squares * nodes / edges / edges - 1, 0.0));
  if (DenseI64ArrayAttr counts = stats.getNearEdges())
    for (auto [share, count] : llvm::zip(near, counts.asArrayRef()))
      share = count / std::max<double>(stats.getEdges(), 1);
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

namespace {
/// What the features of a schedule are made of.
struct ScheduleFacts {
  ScheduleFacts(const ListedSchedule &listed, Attribute schedule,
                const TemplateFacts &of);
  void takeTraversal(const TraverseSchedule &schedule,
                     const TraverseLayout &layout, const TemplateFacts &of,
                     double positions);

  double threads, registers, sharedBytes, rounds;
  double registersOfMost = unknown, tiles = unknown, team = unknown,
         idleLanes = unknown, rowBytes = unknown, blocks = unknown,
         residentBlocks = unknown, occupancy = unknown, waves = unknown,
         lastWave = unknown, blockElements = unknown, stepElements = unknown,
         idleElements = unknown, longestSteps = unknown,
         bytesInFlight = unknown, splitRows = unknown;
  /// G-Sparse's names.
  double mTile = unknown, nTile = unknown, nRegTile = unknown,
         laneWidth = unknown, nnzTile = unknown;

private:
  void takeBlocks(const TemplateFacts &of);
};
} // namespace

ScheduleFacts::ScheduleFacts(const ListedSchedule &listed, Attribute schedule,
                             const TemplateFacts &of)
    : threads(listed.facts.threads), registers(listed.facts.registers),
      sharedBytes(listed.facts.sharedBytes), rounds(listed.facts.rounds) {
  const TargetLimits &limits = of.limits;
  if (!limits.processorThreads || !threads)
    return;
  double room = std::floor(limits.processorThreads / threads);
  if (limits.processorBlocks)
    room = std::min<double>(room, limits.processorBlocks);
  if (limits.registers && registers) {
    BlockRegisters block(listed.facts.registers, RegisterFields(schedule),
                         limits, listed.facts.threads);
    double blocks = std::floor(limits.registers / (registers * threads));
    room = block.haveRoom() ? std::min(room, std::max(blocks, 1.0)) : 0;
    double most =
        givenTogether * std::floor(limits.registers / threads / givenTogether);
    registersOfMost = registers / std::min<double>(block.mostOfThread, most);
  }
  if (limits.sharedBytes && sharedBytes)
    room = std::min(room, std::floor(limits.sharedBytes / sharedBytes));
  residentBlocks = room;
  occupancy = room * threads / limits.processorThreads;
}

void ScheduleFacts::takeBlocks(const TemplateFacts &of) {
  double room = std::isnan(residentBlocks) ? 1 : residentBlocks;
  double atOnce = of.processors * std::max(room, 1.0);
  waves = blocks / atOnce;
  lastWave = waves / std::max(std::ceil(waves), 1.0);
}

void ScheduleFacts::takeTraversal(const TraverseSchedule &schedule,
                                  const TraverseLayout &layout,
                                  const TemplateFacts &of, double positions) {
  tiles = layout.columnTiles * layout.headTiles;
  team = layout.isOneLane ? 1 : layout.threadsPerRow();
  double held = double(layout.featureLanes) * layout.vector * layout.chunks *
                layout.columnTiles;
  idleLanes = std::max(1 - of.features / held, 0.0);
  rowBytes = 4.0 * layout.featureLanes * layout.vector;
  blocks = std::ceil(positions /
                     std::max<int64_t>(schedule.getBlockPositions(), 1)) *
           tiles;
  blockElements = of.elements * tiles / std::max(blocks, 1.0);
  stepElements = double(layout.elementLanes) * layout.inFlight;
  double steps = std::ceil(std::max(of.meanLength, 1.0) / stepElements);
  idleElements = std::max(1 - of.meanLength / (steps * stepElements), 0.0);
  bool takesBlock =
      layout.rowWalk == RowWalk::Block || layout.rowWalk == RowWalk::ByLength;
  longestSteps =
      of.longestLength / stepElements / (takesBlock ? layout.rowsPerBlock : 1);
  if (layout.rowWalk == RowWalk::ByEdges)
    longestSteps = 64 / stepElements;
  bytesInFlight = 4.0 * layout.vector * layout.inFlight * layout.chunks;
  if (layout.rowWalk == RowWalk::ByLength)
    splitRows = layout.splitRows;
  mTile = layout.rowsPerBlock;
  nTile = double(layout.featureLanes) * layout.vector;
  double columns =
      schedule.columnsPerBlock ? schedule.columnsPerBlock : of.features;
  nRegTile = std::max(columns / nTile, 1.0);
  laneWidth = layout.featureLanes;
  // Nothing staged is one element at once.
  nnzTile = std::max<double>(layout.window, 1);
  takeBlocks(of);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// The names of the features before the fields.
static std::vector<std::string> listNames() {
  return {
#define GNN_TEMPLATE_FEATURE(name, value, meaning) name,
#define GNN_SCHEDULE_FEATURE(name, value, meaning) name,
#include "GNN/Analysis/ScheduleModels/Features.def"
  };
}

static std::vector<double> listValues(const TemplateFacts &f,
                                      const ScheduleFacts &s) {
  return {
#define GNN_TEMPLATE_FEATURE(name, value, meaning) double(value),
#define GNN_SCHEDULE_FEATURE(name, value, meaning) double(value),
#include "GNN/Analysis/ScheduleModels/Features.def"
  };
}

bool gnn::isFeature(llvm::StringRef name) {
  if (!name.consume_front(fieldPrefix))
    return llvm::is_contained(listNames(), name.str());
  auto isOf = [&](llvm::ArrayRef<ScheduleField> table) {
    return llvm::any_of(
        table, [&](const ScheduleField &field) { return field.name == name; });
  };
  return isOf(TraverseScheduleAttr::getTable()) ||
         isOf(GemmScheduleAttr::getTable()) ||
         llvm::any_of(listBackends(), [&](const TargetBackend *backend) {
           return isOf(backend->getOwnScheduleFields());
         });
}

FeatureTable gnn::computeFeatures(TileOpInterface op, ScheduleInterface kind,
                                  llvm::ArrayRef<ListedSchedule> schedules) {
  TemplateFacts facts(op);
  llvm::ArrayRef<ScheduleField> fields = kind.getTable();
  FeatureTable table;
  table.names = listNames();
  for (const ScheduleField &field : fields)
    table.names.push_back((fieldPrefix + field.name).str());
  auto traversal = dyn_cast<TraverseOp>(op.getOperation());
  std::optional<TraverseFacts> ofTraversal;
  if (traversal)
    ofTraversal.emplace(traversal);
  for (const ListedSchedule &listed : schedules) {
    Attribute made =
        kind.withValues(listed.schedule, [&] { return op->emitOpError(); });
    ScheduleFacts schedule(listed, made, facts);
    if (traversal) {
      TraverseSchedule chosen =
          cast<TraversalScheduleInterface>(made).getFields();
      bool isByEdges = chosen.rowWalk == RowWalk::ByEdges;
      schedule.takeTraversal(chosen, layOut(chosen, *ofTraversal), facts,
                             isByEdges ? facts.elements : facts.groups);
    }
    std::vector<double> row = listValues(facts, schedule);
    row.insert(row.end(), listed.schedule.begin(), listed.schedule.end());
    table.rows.push_back(std::move(row));
  }
  return table;
}
